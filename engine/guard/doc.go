// Package guard asks whether a candidate still behaves as the root did, where no
// test looks: differential testing (McKeeman 1998, "Differential testing for
// software") of two trees of one repository.
//
// Its three nouns are [Guard], the settings and the sandbox it runs processes
// in; [Tree], one version of the repository; and [Report], the differences that
// were found, each with a small input and both outputs, and the changed lines
// that nothing reached. [Guard.Check] makes inputs, gives the same to both trees
// in processes of their own, and compares what a caller can see: results, errors,
// panics, arguments that were changed, text that was printed.
//
//   - Go: the exported functions and methods that can reach a changed
//     declaration, inputs by type and from the constants of sources and tests, and tests played with other values in them.
//   - Python: calls recorded while the tests ran on the root, replayed and varied, and
//     tests played with other values in them.
//   - JavaScript and TypeScript: scripts of calls recorded while the tests ran on the root, replayed and varied.
//   - Any program: command lines and their input, from the configuration.
//
// The root is asked twice: where it does not agree with itself there is nothing
// to compare. Numbers that differ by rounding are equal, and so are panics of the
// runtime whatever their words; nil in the place of empty is told and no difference.
//
// Caveats: no difference is no proof. Code under test answers for itself: the
// guard finds mistakes, and a candidate that means to deceive it can. A check is
// repeatable by its seed unless it runs out of time, which the report says; how many inputs
// of JavaScript and Python follow where time is left hangs on that time. A Guard is safe for concurrent use.
package guard

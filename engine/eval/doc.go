// Package eval measures candidates with the user's own evaluator: it runs the
// evaluator in a sandbox, reads its result strictly, and says in one plain line
// why a measurement failed.
//
// Its three nouns are [Evaluator], one evaluator with its settings and a seal
// on its files; [Request], one candidate to measure once; and [Outcome], the
// metrics, or a failure with class, reason and evidence. One call of
// [Evaluator.Run] takes one sample through all stages.
//
// Trust. Protected files come from the trusted checkout of the root, whatever
// the candidate's tree holds; the evaluator directory is mounted read-only and
// hashed before and after each run; numbers that are not finite never pass.
// Where an evaluator cannot be kept apart from the code it measures,
// [Evaluator.Guarantees] says so in plain sentences.
//
// Caveats: stages share nothing, each starts from a fresh copy of the tree. An
// Evaluator is safe for concurrent use.
package eval

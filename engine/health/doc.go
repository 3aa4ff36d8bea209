// Package health says how healthy the source is that the candidates of a search may change,
// and whether a candidate makes it worse than the root has it.
//
// Its three nouns are [Gauge], which measures trees and remembers files; [Figures], what a
// tree came to; and the bounds of health.no_worse (config.NoWorse), which [Worse] holds two
// trees against.
//
// The figures are the auditor's (package audit), of all files that may be changed and that it
// measures, summed up for the tree:
//
//   - complexity: branches, the cyclomatic complexity of every function less one, so that
//     moving code into a function of its own changes nothing;
//   - cognitive: the cognitive complexity of every function (Go alone);
//   - worst: the highest cyclomatic complexity of a function;
//   - maintainability: the mean of the files, weighted by their lines, 0 to 100;
//   - duplicated: lines that stand twice among these files;
//   - lines: with code.
//
// They depend on the tree and on the marks of the root alone (generated files, functions to
// be ignored), so they are the same on every machine and whenever they are asked for. A
// source file that cannot be read is no figure: it makes a candidate worse.
package health

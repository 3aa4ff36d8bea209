// Package mutant breaks programs on purpose, to see whether an evaluator
// notices (mutation analysis: DeMillo, Lipton and Sayward 1978, "Hints on test
// data selection").
//
// Its three nouns are [Mutant], one small edit of one file; the operators that
// make them (conditions, arithmetic, constants, removed statements, returned
// values); and [Grade], the share of broken programs that an evaluator caught.
//
// Caveats: some mutants do not build and some behave as the original does. Who
// runs them drops the first and as many of the second as are cheap to see; what
// is left of those makes a grade look worse than it is. Pure: no processes, no
// files.
package mutant

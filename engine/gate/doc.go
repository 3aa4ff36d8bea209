// Package gate checks a candidate's diff against the policy of an experiment
// before any of the candidate's code runs.
//
// Its three nouns are [Policy], what may be changed; [Finding], one rule that a
// path touches, in words for people; and [Verdict], all findings of one diff.
// A hard finding refuses the candidate, a soft one asks a person to look
// ([Risky]).
//
// Caveats: the package is pure: no files, no clock, no state. Its answer is
// about names, kinds and sizes; it does not read code for meaning. A protected
// file is refused here and, independently, laid over the candidate's tree from
// the trusted copy when it is measured, so a hole in one of the two is not a
// hole in the whole.
package gate

// Package trial puts an evaluator on trial: it breaks the root on purpose and
// looks whether the evaluator notices.
//
// Its three nouns are the mutant (package mutant; other languages by the offline
// agent's edits), the verdict on one (caught, missed, not building, the same
// program), and [Report], the grade with every mutant that got through, where it
// is and a call that would tell it from the root.
//
// Caveats: a mutant is caught when the evaluator fails on it or measures it worse
// than the root beyond the root's own noise. Some of those that get through
// behave as the root does for all inputs; those that the compiler shows to are
// left out, others make the grade a little worse than it is.
package trial

// Package verify asks whether a candidate is worth a branch: its change on top
// of the user's branch as it is now, measured against that branch.
//
// Its three nouns are [Question], a candidate with its experiment; [Figures], what
// paired measurements of two trees say; and [Report], the answer, with
// everything that a commit message should carry. [Run] merges the change on
// object level, asks the gate, runs the evaluator's stages on both trees, lets the
// guard compare their behaviour, and measures them in turn, ABBA, until the
// interval of the gain is clear or a bound of rounds is reached. Where that is asked
// for, stretches of the change that bring nothing are left out before.
//
// Caveats. The user's repository is read and never written here. Files that belong
// to the evaluator are those of the branch as it is now, on both sides. An
// interval knows nothing of what shifts all samples of one program alike, such as
// the layout of a binary. The rounds at which a paired interval is looked at are
// fixed beforehand and share one error, so that looking often does not inflate it.
package verify

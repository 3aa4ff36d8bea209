// Package edit reads what models write: edits in one of three formats, and
// JSON objects among words.
//
// Its three nouns are [Format] (blocks, whole files or a diff), [Edit] (one
// edit of one file, as written) and [Error] (why edits cannot be used, in words
// for the model). [Parse] and [Apply] lead from an answer to changes, all or
// none.
//
// Caveats: searched lines are found by their text, then without regard to
// indentation, and never where two places fit; a file that the model saw in
// part is never replaced as a whole.
package edit

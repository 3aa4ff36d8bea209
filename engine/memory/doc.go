// Package memory turns what an epoch of the search showed into notes: lessons
// that later prompts carry instead of the raw archive.
//
// Its three nouns are [EpochFacts] (what happened in a stretch of jobs, as
// plain figures), the note ([record.Note]: short-term, long-term, failure,
// direction; for one target or for all) and the merge ([Merge]: what to write
// so that the notes stay few, do not repeat themselves, and what a person wrote
// or took away stays as it is). [Digest] writes notes without any model and
// gives the same notes for the same facts; [Reflect] has an agent write them.
//
// Caveats: the package does no IO but through a [Completer], and keeps nothing.
// What an agent wrote is foreign text: prompts show it as material, screens
// clean it. Notes live in the store and never in the target's tree.
package memory

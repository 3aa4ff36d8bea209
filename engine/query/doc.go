// Package query answers what a snapshot is too small to carry: a candidate with
// its samples, a job with its evidence, a lineage, a niche with its past, the
// difference of two trees, the prompt of a job that waits.
//
// Its three nouns are [Reader], [Asker] and [Standing]. A reader puts committed
// rows of the store together with what the state knows, which it asks the
// goroutine that owns the state through an asker. A standing asks the same way on
// behalf of workers.
//
// Caveats: what runs on the state's goroutine must be short, so that long lists
// are asked in parts; the parts of an answer may belong to different fold
// positions. Nothing here changes the state.
package query

// Package pane has the regions of the screen, one file or a few for each: the
// niches, the jobs, the curves, the review, the log and the screens behind them.
//
// Its three nouns are the [Pane], drawn from a snapshot, with keys of its own;
// [Shared], what all of them draw from: the snapshot, the styles, the marks; and
// the [Host], the little that a pane may ask of the console.
//
// Caveats: no pane knows another one, or the console. What is not in the
// snapshot is asked from the [Reader] in a command, answered by id, and dropped
// when it is stale. Everything here belongs to the screen's goroutine, but what
// runs in a command.
package pane

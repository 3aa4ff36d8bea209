// Package engine is an experiment while it runs: it decides what is tried
// next, has it made and measured, and tells every reader how it stands.
//
// Its three nouns are [Engine], [fold.State] and [view.Feed]. The state is a fold
// of the store's ordered log: start-up, recovery, a second console and a verb typed
// in another terminal all build it the same way. The engine is one goroutine,
// the loop, that folds new rows and has the owner ([schedule.Owner]) add jobs, and a pool of workers,
// each with one lease. The feed is a mailbox of the latest [view.Snapshot]; nobody
// who reads it can slow the engine.
//
// Caveats: only the process that holds the lock of the state directory runs
// jobs; any other looks on and steers by appending decisions. Nothing is shown
// before its row is committed, except live output and elapsed times, which are
// never kept.
package engine

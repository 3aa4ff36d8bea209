// Package engine is an experiment while it runs: it decides what is tried
// next, has it made and measured, and tells every reader how it stands.
//
// Its three nouns are [Engine], [fold.State] and [view.Feed]. The state is a fold
// of the store's ordered log: start-up, recovery, a second console and a verb typed
// in another terminal all build it the same way. Behind the engine's API one
// goroutine, the loop, folds new rows and has the owner ([schedule.Owner]) add
// jobs; a pool of workers has one lease each. The feed is a mailbox of the latest
// [view.Snapshot]; nobody who reads it can slow the engine.
//
// What every goroutine may use is in shared; the loop alone has the state. Beside
// it are parts that know one thing: equipment what a run needs, the publisher what
// readers see, anchors and upkeep the stores, alarms what workers report.
//
// Caveats: only the process that holds the lock of the state directory runs
// jobs; any other looks on and steers by appending decisions. Nothing is shown
// before its row is committed, except live output and elapsed times, which are
// never kept.
package engine

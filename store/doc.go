// Package store keeps everything an experiment knows in one SQLite file: the
// truth that archive, search and every screen are rebuilt from.
//
// Its three nouns are [DB], the open file; the log, rows with a growing
// sequence number that tell in commit order what changed the search
// ([DB.FoldLog]); and [record.Lease], the right of one worker to advance one
// job.
//
// Writing. All writes of a process go through one goroutine that owns the one
// writing connection and commits groups: it takes what waits (at most 200
// operations or 5 ms), runs each inside its own savepoint, so that a refused
// operation leaves its neighbours alone, and answers after the commit. While
// nothing waits no transaction is open, so other processes (a verb typed in
// another terminal) write between the groups; transactions begin immediate,
// because SQLite never retries the upgrade of a deferred one.
//
// A transition of a job is a compare-and-set on experiment, job, attempt and
// state plus a row of the log, in one transaction. Who comes too late gets
// [ErrLost] and has changed nothing.
//
// Counters of jobs, evaluations, tokens and money are kept in the transaction
// that causes them, by code and not by triggers, so that budgets are checked in
// constant time in the very transaction that leases. Money is counted in
// billionths of a dollar: sums are exact and do not depend on their order.
//
// Reading. A few read-only connections serve all readers beside the writer.
// Streams ([DB.FoldLog], [DB.EachCandidate], [DB.Vectors]) read in short
// transactions and call back outside of them, so a slow reader never holds the
// write-ahead log back, and a callback may use the same DB.
//
// Caveats. The file must be on a local file system, since the write-ahead log
// needs shared memory. Rows of the log are never changed. FoldLog joins the
// columns of a candidate to its rows: its values as they were when the row was
// written (value.go), all others as they are now.
// With synchronous=NORMAL the last transactions may be lost at a power cut
// (never torn); [DB.SetSync] asks for more where work costs money.
package store

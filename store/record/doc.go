// Package record holds the words of atoll as Go types: what the store keeps,
// what the engine passes around and what every screen shows.
//
// Its three nouns are [Experiment], [Job] and [Candidate]. A job makes at most
// one candidate and the two share their number: job 341 makes candidate 341,
// so one number is enough to follow a piece of work from the queue to the
// archive, and numbers do not depend on the order in which jobs end.
//
// Caveats: the package uses the standard library only, and everyone may import
// it. Records that travel (Job, Outcome) carry no pointer into a process, no
// path of this machine and no secret.
package record

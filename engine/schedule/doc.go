// Package schedule is what the owner of an experiment adds to it: the next jobs,
// challenges and measurements that are due, the notes and targets of an epoch, a
// new map, and what decisions ask for.
//
// Its three nouns are [Owner], [Host] and the fold position: with F folded jobs
// and depth L, jobs 0 to F+L-1 exist, and what a job is depends on the state at
// its fold position and on hash(seed, number) alone. The engine's loop drives the
// owner: [Owner.Folded] at each fold position, [Owner.Act] and [Owner.Fill] when
// there may be something to do.
//
// Caveats: an owner belongs to the goroutine that owns the state. Its errors are
// those of the store and end a run; what a decision cannot do is a note.
package schedule

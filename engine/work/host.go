package work

import (
	"context"
	"time"

	"atoll/engine/fold"
	"atoll/store"
	"atoll/store/record"
)

// Standing answers how the search stands now.
type Standing interface {
	// Places says where candidates lie in the archive, "" where one has no place.
	Places(ctx context.Context, ids []record.CandidateID) ([]string, error)
	// Open names empty niches beside that of a candidate, "" where there are none.
	Open(ctx context.Context, id record.CandidateID) (string, error)
	// Best is the best candidate so far, the root where there is no other.
	Best(ctx context.Context) (record.CandidateID, error)
	// Neighbours tells which of some candidates lie in the niche of one.
	Neighbours(ctx context.Context, of record.CandidateID, ids []record.CandidateID) (map[record.CandidateID]bool, error)
	// WouldTake reports whether a measured candidate would take a niche now, and
	// whether it would be the best.
	WouldTake(ctx context.Context, c *record.Candidate, vector []float32) (takes, best bool, err error)
	// Elites lists who holds a niche.
	Elites(ctx context.Context) ([]record.CandidateID, error)
	// TargetFacts is what a mapper may know.
	TargetFacts(ctx context.Context) (fold.TargetFacts, error)
	// FrozenTargets names the targets that a person froze.
	FrozenTargets(ctx context.Context) ([]string, error)
	// KeepTargets adds to new proposals the old ones that a person set something for.
	KeepTargets(ctx context.Context, found []record.Target) ([]record.Target, error)
}

// Host is told what a job has to say beside its result. Its methods are safe
// for concurrent use and do not wait.
type Host interface {
	Note(level string, job record.JobID, text string, at ...time.Time)
	Decide(ctx context.Context, d record.Decision) (record.Seq, error)
	Wake()                                        // there may be something to do
	Exhausted(b *store.BudgetError)               // a budget is used up
	StoreFailed(err error)                        // no job can be blamed
	Pause(why string)                             // no more jobs should be claimed for now
	RootSick(reason string)                       // the root fails where it did not before
	RootFailed(class record.Class, reason string) // nothing can be compared
}

package work

import (
	"context"
	"fmt"
	"sync"
	"time"

	"atoll/config"
	"atoll/engine/eval"
	"atoll/engine/sandbox"
	"atoll/gitops"
	"atoll/store/record"
)

// Measurement is one sample to take of one candidate. It is plain data but for
// its functions.
type Measurement struct {
	Job       record.JobID
	Attempt   int
	Candidate record.CandidateID
	Commit    record.Hash
	Tree      record.Hash
	Goal      string
	Repeat    int // index of this sample
	// SameProduct says which other candidate has a build product of this hash.
	SameProduct func(hash string) (record.CandidateID, bool)
	// Live gets each line of output; see [eval.Request].
	Live func(stage, line string)
	// Drain is closed when the run ends as soon as what runs has ended: a sample that nobody
	// takes, and that nobody is there to take, is [ErrDrained] then. nil: never.
	Drain <-chan struct{}
}

// Measured is what a measurement gave.
type Measured struct {
	eval.Outcome
	Machine string        // where it was taken, "" = here
	Took    time.Duration // of the measurement there, 0 = unknown
}

// Meter takes samples of candidates: a [Bench] on this machine, or many elsewhere.
// Errors are those of [eval.Evaluator.Run]: none of the candidate's.
type Meter interface {
	Measure(ctx context.Context, m Measurement) (Measured, error)
}

// Station is a bench with what other machines need to stand in for it.
type Station struct {
	*Bench
	Config config.Config // with evaluator.dir absolute
	Rung   sandbox.Rung  // of this machine
	Host   Host          // hears what there is to say
	// RootValues are the samples of the root that decide, none where it was not
	// measured yet.
	RootValues []float64
}

// Bench measures candidates of one experiment on this machine. It is safe for
// concurrent use.
type Bench struct {
	Experiment string
	Seed       uint64
	RootCommit record.Hash
	RootTree   record.Hash
	Repo       *gitops.Repo
	Eval       *eval.Evaluator

	mu      sync.Mutex
	root    string // checkout of the root, kept until Close
	release func()
}

var _ Meter = (*Bench)(nil)

// Measure implements [Meter].
func (b *Bench) Measure(ctx context.Context, m Measurement) (Measured, error) {
	delta, err := b.Repo.Changes(ctx, b.RootTree, m.Tree)
	if err != nil {
		return Measured{}, err
	}
	return b.MeasureChanges(ctx, m, delta)
}

// MeasureChanges is Measure for a candidate that is told as changes of the root.
func (b *Bench) MeasureChanges(ctx context.Context, m Measurement, delta []record.Change) (Measured, error) {
	base, err := b.Checkout(ctx)
	if err != nil {
		return Measured{}, err
	}
	out, err := b.Eval.Run(ctx, eval.Request{
		Base: base, Trusted: base, Delta: delta, Experiment: b.Experiment, Job: m.Job, Candidate: m.Candidate,
		BaseCommit: b.RootCommit, Commit: m.Commit, Goal: m.Goal, Repeat: m.Repeat, Seed: b.Seed,
		Root: m.Candidate == record.Root, SameProduct: m.SameProduct, Live: m.Live,
	})
	return Measured{Outcome: out}, err
}

// Checkout returns the checkout of the root that every measurement lies on. It
// is kept until [Bench.Close].
func (b *Bench) Checkout(ctx context.Context) (string, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.root == "" {
		dir, release, err := b.Repo.Checkout(ctx, b.RootTree)
		if err != nil {
			return "", fmt.Errorf("check out the root: %w", err)
		}
		b.root, b.release = dir, release
	}
	return b.root, nil
}

// Close gives the checkout back, once nothing is measured any more: while one is held,
// it is not freed. A later measurement checks the root out again.
func (b *Bench) Close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.release != nil {
		b.release()
	}
	b.root, b.release = "", nil
}

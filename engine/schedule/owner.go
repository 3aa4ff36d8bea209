package schedule

import (
	"context"
	"time"

	"atoll/config"
	"atoll/engine/fold"
	"atoll/engine/roster"
	"atoll/engine/work"
	"atoll/gitops"
	"atoll/store"
	"atoll/store/record"
)

// Host is the run that an owner schedules for; it is asked on the goroutine that
// owns the state.
type Host interface {
	Note(level string, job record.JobID, text string, at ...time.Time)
	// SetState writes a state of the experiment and folds it.
	SetState(ctx context.Context, state record.ExperimentState, reason string) error
	// Behind reports whether a decision was made before this engine began: whether the
	// experiment is paused was settled then.
	Behind(decision record.Seq) bool
	// Resume forgets that a budget was used up, and lets the experiment run.
	Resume(ctx context.Context) error
	// GoOn forgets that a budget was used up; an experiment that was done runs
	// again, where the decision it does so for was made while this engine was there.
	GoOn(ctx context.Context, decision record.Seq) error
	Sync()       // the settings of the state are new
	Offer(n int) // there are n jobs to lease
	Drain()      // the run ends when what runs has ended
}

// Options are what an owner works with in all runs.
type Options struct {
	Experiment record.ExperimentID
	DB         *store.DB
	Repo       *gitops.Repo
	Live       *work.Live
	Host       Host
	RootOnly   bool // nothing but the root is measured
	// Slots is how many samples other machines take at the same time; nil: none.
	Slots func() int
	// Enough ends the search before its budget is used up; nil: nothing does.
	Enough Enough
}

// Owner schedules one experiment. [Owner.Begin] gives it the state of a run.
type Owner struct {
	exp      record.ExperimentID
	db       *store.DB
	repo     *gitops.Repo
	live     *work.Live
	host     Host
	rootOnly bool
	slots    func() int

	st     *fold.State
	cfg    config.Config
	work   *work.Runner
	roster *roster.Roster // nil: nobody can be asked yet

	acted       record.Seq   // decisions up to here were carried out
	waiting     []record.Seq // but for these, which wait for the root
	settled     record.Seq   // settings that were decided up to here hold already
	nextJob     record.JobID // the next number
	made        int          // make jobs that exist
	away        away         // of these, those that wait for somebody
	finished    bool         // every job of the budget came to its end
	finishedWhy string
	sufficient  sufficiency
	closing     bool // the run ends soon: the best is confirmed before anything is made
	mapped      int  // the epoch after which targets were proposed, neverMapped before
	epochDone   int  // the last epoch whose notes are written or asked for
	kept        int  // the last look for a new map that the store knows of
}

// New returns the owner of an experiment, before its first run.
func New(o Options) *Owner {
	return &Owner{
		exp: o.Experiment, db: o.DB, repo: o.Repo, live: o.Live, host: o.Host, rootOnly: o.RootOnly, slots: o.Slots,
		sufficient: sufficiency{enough: o.Enough, db: o.DB, exp: o.Experiment},
	}
}

// Finished reports whether every job of the budget came to its end, and what to
// say of it.
func (o *Owner) Finished() (why string, finished bool) { return o.finishedWhy, o.finished }

// Close tells that the run ends soon: from now on what confirms the best comes
// before new candidates, but in strict order, where no choice may depend on time.
func (o *Owner) Close() { o.closing = true }

// Again forgets that the experiment was finished.
func (o *Owner) Again() { o.finished = false }

// Folded runs at each fold position, that of a job: refits and new jobs belong to positions,
// never to the moment something completes.
func (o *Owner) Folded(ctx context.Context, job record.JobID) error {
	delete(o.away.jobs, job)
	o.remember()
	if err := o.endEpoch(ctx); err != nil {
		return err
	}
	if err := o.refit(ctx, false); err != nil {
		return err
	}
	if err := o.sufficient.ask(ctx, o.st); err != nil {
		return err
	}
	return o.Fill(ctx)
}

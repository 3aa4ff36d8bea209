package work

import (
	"context"
	"sync/atomic"
	"time"

	"atoll/config"
	"atoll/engine/eval"
	"atoll/engine/fold"
	"atoll/engine/roster"
	"atoll/engine/sandbox"
	"atoll/gitops"
	"atoll/store"
	"atoll/store/record"
)

// Facts are fixed for a run.
type Facts struct {
	Experiment record.Experiment
	Config     config.Config
	Learned    bool // the map has learned axes
}

// Standing answers how the search stands now.
type Standing interface {
	// Places says where candidates lie in the archive, "" where one has no place.
	Places(ctx context.Context, ids []record.CandidateID) ([]string, error)
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

// run is what the attempts of one run of an experiment share. It does not change
// once the runner is equipped, but for the name of the metric.
type run struct {
	facts    Facts
	db       *store.DB
	repo     *gitops.Repo
	money    *roster.Budget
	live     *Live
	standing Standing
	host     Host
	now      func() time.Time
	settings func() record.Settings // as they are now
	drain    <-chan struct{}        // closed: nothing is claimed or tried again; nil: never

	box     *sandbox.Box           // nil: nothing can be run
	eval    *eval.Evaluator        // nil: nothing can be measured
	bench   *Bench                 // measures here
	meter   Meter                  // measures: the bench, or other machines
	roster  *roster.Roster         // nil: nobody can be asked
	plugins *Plugins               // that place candidates; nil: none
	metric  atomic.Pointer[string] // learned from the root; nil: not yet
}

// draining reports whether the run ends as soon as what runs has ended.
func (w *run) draining() bool {
	select {
	case <-w.drain:
		return true
	default:
		return false
	}
}

// exp is the number of the experiment.
func (w *run) exp() record.ExperimentID { return w.facts.Experiment.ID }

// Metric is the name of the objective: the configured one, or the first that
// the evaluator reported.
func (w *run) Metric() string {
	if w.facts.Config.Evaluator.Objective != "" {
		return w.facts.Config.Evaluator.Objective
	}
	if name := w.metric.Load(); name != nil {
		return *name
	}
	return "objective"
}

// SetMetric names the metric that an earlier run learned from the root.
func (w *run) SetMetric(name string) { w.metric.Store(&name) }

// keepMetric fixes the metric that is searched on: the configured one, or the
// first of the root's result.
func (w *run) keepMetric(ctx context.Context) error {
	name := w.eval.Objective()
	if name == "" {
		return nil
	}
	w.SetMetric(name)
	return w.db.PutMeta(ctx, w.exp(), Versioned(MetaObjective, w.facts.Experiment.Objective), name)
}

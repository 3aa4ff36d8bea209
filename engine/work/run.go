package work

import (
	"context"
	"sync/atomic"
	"time"

	"atoll/engine/eval"
	"atoll/engine/roster"
	"atoll/engine/sandbox"
	"atoll/gitops"
	"atoll/store"
	"atoll/store/record"
)

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
	silence  time.Duration          // of who works, after which a run that ends does not wait
	ends     time.Time              // nothing begins from then on; zero: nothing bounds the run in time

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

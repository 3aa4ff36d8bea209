package work

import (
	"context"
	"fmt"
	"sync"

	"atoll/engine/health"
	"atoll/store"
	"atoll/store/record"
)

// EvidenceHealth is the kind of the evidence that says in what a candidate made the health
// of the source worse, in words.
const EvidenceHealth = "health"

// healthiness measures the health of the source that candidates may change: the figures that
// axes and health.no_worse ask for. The evaluator has no part in it.
type healthiness struct {
	*run
	scope *scope

	mu    sync.Mutex
	gauge *health.Gauge // nil: nobody asked yet
	root  health.Figures
}

// open measures the root, once.
func (w *healthiness) open(ctx context.Context) (*health.Gauge, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.gauge != nil {
		return w.gauge, nil
	}
	tree, err := w.repo.Tree(ctx, w.facts.Experiment.RootTree)
	if err != nil {
		return nil, err
	}
	p := w.scope.policy
	w.gauge, w.root, err = health.NewGauge(ctx, p.Allows, tree.Files(), tree)
	return w.gauge, err
}

// of measures a tree.
func (w *healthiness) of(ctx context.Context, tree record.Hash) (health.Figures, error) {
	g, err := w.open(ctx)
	if err != nil || tree == w.facts.Experiment.RootTree {
		return w.root, err
	}
	t, err := w.repo.Tree(ctx, tree)
	if err != nil {
		return health.Figures{}, err
	}
	return g.Measure(ctx, t.Files(), t)
}

// metrics are the figures of a tree that are asked for; none when none are. A tree that
// cannot be measured is an errPlugin: it has no place on the map.
func (w *healthiness) metrics(ctx context.Context, tree record.Hash) ([]record.Metric, error) {
	names := w.facts.Config.Measured()
	if len(names) == 0 {
		return nil, nil
	}
	f, err := w.of(ctx, tree)
	if err != nil {
		return nil, fmt.Errorf("measure the health of a tree: %w", err)
	}
	out, err := f.Metrics(names, w.root)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errPlugin, err)
	}
	return out, nil
}

// worse says in what a tree is worse than the root, by health.no_worse; "" = in nothing.
func (w *healthiness) worse(ctx context.Context, tree record.Hash) (string, error) {
	bounds := w.facts.noWorse()
	if len(bounds) == 0 {
		return "", nil
	}
	f, err := w.of(ctx, tree)
	if err != nil {
		return "", fmt.Errorf("measure the health of a tree: %w", err)
	}
	return health.Worse(w.root, f, bounds), nil
}

// unhealthy ends the job of a candidate that makes the health of the source worse, or holds
// it, before any of its code runs. It reports whether it did.
func (w *gatekeeper) unhealthy(ctx context.Context, r *attempt, c *record.Candidate) (bool, error) {
	if r.lease.Job.Approved {
		return false, nil
	}
	why, err := w.health.worse(ctx, c.Tree)
	if err != nil || why == "" {
		return false, err
	}
	why = "the health of the source grew worse: " + why
	r.evidence = append(r.evidence, record.Evidence{Kind: EvidenceHealth, Text: []byte(why)})
	if w.facts.Config.Health.Worse == "hold" {
		return true, r.hold(ctx, record.Gated, why, store.Outcome{})
	}
	c.Status, c.Class, c.Reason = record.StatusRejected, record.ClassGate, why
	return true, r.finish(ctx, store.Outcome{State: record.Rejected, Class: record.ClassGate, Reason: why, Candidate: c})
}

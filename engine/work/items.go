package work

import (
	"context"
	"fmt"

	"atoll/engine/agent"
	"atoll/engine/fold"
	"atoll/engine/gate"
	"atoll/store/record"
)

// itemCap bounds the candidates kept ready for agents.
const itemCap = 512

// Metric is the name of the objective: the configured one, or the first that
// the evaluator reported.
func (w *Runner) Metric() string {
	if w.facts.Config.Evaluator.Objective != "" {
		return w.facts.Config.Evaluator.Objective
	}
	if name := w.objName.Load(); name != nil {
		return *name
	}
	return "objective"
}

// Scope returns the target of a job and which paths it may change: those of
// the target, within the gate's scope, and never a protected one.
func (w *Runner) Scope(name string) (agent.Target, func(string) bool) {
	var target agent.Target
	for _, t := range fold.AllTargets(w.facts.Config, w.settings()) {
		if t.Name == name && name != "" {
			target = agent.Target{Name: t.Name, Files: t.Files, Symbol: t.Symbol, Hint: t.Hint}
		}
	}
	p, known := w.policy, w.allows
	allows := func(path string) bool {
		if ok, seen := known.Load(path); seen {
			return ok.(bool)
		}
		ok := p.Allows(path)
		known.Store(path, ok)
		return ok
	}
	return target, func(path string) bool {
		return allows(path) && (len(target.Files) == 0 || gate.MatchExact(target.Files, path))
	}
}

// item is a candidate as agents see it. Items do not change once scored, so
// they are kept.
func (w *Runner) item(ctx context.Context, id record.CandidateID) (agent.Item, error) {
	w.mu.Lock()
	it, ok := w.items[id]
	w.mu.Unlock()
	if ok {
		return it, nil
	}
	c, err := w.db.Candidate(ctx, w.facts.Experiment.ID, id)
	if err != nil {
		return agent.Item{}, fmt.Errorf("read candidate %s: %w", id, err)
	}
	w.comparable(&c)
	tree, err := w.repo.Tree(ctx, c.Tree)
	if err != nil {
		return agent.Item{}, fmt.Errorf("read the tree of %s: %w", id, err)
	}
	it = agent.Item{
		ID: id, Commit: c.Commit, Tree: c.Tree, Objective: c.Objective, Metrics: w.shown(c.Metrics), Intent: c.Intent,
		Operator: c.Operator, Files: tree, Parents: c.Parents,
	}
	if p := c.Parent(); p != record.NoCandidate && c.Objective != nil {
		if parent, err := w.db.Candidate(ctx, w.facts.Experiment.ID, p); err == nil && parent.Objective != nil && parent.Version == c.Version {
			d := *c.Objective - *parent.Objective
			it.Delta = &d
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.items == nil || len(w.items) >= itemCap {
		w.items = map[record.CandidateID]agent.Item{}
	}
	w.items[id] = it
	return it, nil
}

// shown leaves out the metrics that must never reach a prompt.
func (w *Runner) shown(metrics []record.Metric) []record.Metric {
	out := make([]record.Metric, 0, len(metrics))
	for _, m := range metrics {
		private := false
		for _, p := range w.facts.Config.Evaluator.Private {
			private = private || p == m.Name
		}
		if !private {
			out = append(out, m)
		}
	}
	return out
}

// context adds the notes that agents may learn from.
func (w *Runner) context(ctx context.Context, j *agent.Job) error {
	notes, err := w.db.Notes(ctx, w.facts.Experiment.ID)
	if err != nil {
		return err
	}
	for _, n := range notes {
		if !n.Gone && (n.Target == "" || n.Target == j.Target.Name) {
			j.Notes = append(j.Notes, n)
		}
	}
	return nil
}

// SetPrepared has a job go on from a commit that exists.
func (w *Runner) SetPrepared(job record.JobID, commit record.Hash) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.prepared == nil {
		w.prepared = map[record.JobID]record.Hash{}
	}
	w.prepared[job] = commit
}

func (w *Runner) takePrepared(job record.JobID) (record.Hash, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	commit, ok := w.prepared[job]
	delete(w.prepared, job)
	return commit, ok
}

// baseCheckout returns the checkout of the root that every evaluation lies on.
// It is kept for the whole run; the returned function gives nothing back.
func (w *Runner) baseCheckout(ctx context.Context) (string, func(), error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.base == "" {
		dir, release, err := w.repo.Checkout(ctx, w.facts.Experiment.RootTree)
		if err != nil {
			return "", nil, fmt.Errorf("check out the root: %w", err)
		}
		w.base = dir
		_ = release // kept for the whole run
	}
	return w.base, func() {}, nil
}

// diffOf is the difference between a candidate and its parent, with lines
// counted.
func (w *Runner) diffOf(ctx context.Context, c *record.Candidate) ([]record.FileDiff, error) {
	parent, err := w.db.Candidate(ctx, w.facts.Experiment.ID, c.Parent())
	if err != nil {
		return nil, err
	}
	diffs, err := w.repo.DiffTrees(ctx, parent.Tree, c.Tree)
	if err != nil {
		return nil, err
	}
	return diffs, w.repo.CountLines(ctx, diffs)
}

// FromRoot tells how a candidate differs from the root.
func (w *Runner) FromRoot(ctx context.Context, id record.CandidateID) ([]record.FileDiff, error) {
	c, err := w.db.Candidate(ctx, w.facts.Experiment.ID, id)
	if err != nil {
		return nil, err
	}
	return w.repo.DiffTrees(ctx, w.facts.Experiment.RootTree, c.Tree)
}

func (r *jobRun) parentTree(ctx context.Context, id record.CandidateID) (record.Hash, error) {
	if !r.parent.IsZero() {
		return r.parent, nil
	}
	c, err := r.w.db.Candidate(ctx, r.w.facts.Experiment.ID, id)
	if err != nil {
		return record.Hash{}, fmt.Errorf("read the parent %s: %w", id, err)
	}
	return c.Tree, nil
}

// history returns the counts that a job may use.
func (w *Runner) history(job record.JobID) *agent.History {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.histories[job]
}

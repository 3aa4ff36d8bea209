package engine

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"atoll/engine/agent"
	"atoll/engine/fold"
	"atoll/engine/gate"
	"atoll/engine/memory"
	"atoll/store/record"
)

// shared is what workers may read while the loop runs: facts that are fixed
// for the run, and the settings as they are now.
type shared struct {
	set      atomic.Pointer[record.Settings]
	objName  atomic.Pointer[string]
	mu       sync.Mutex
	prepared map[record.JobID]record.Hash // commits found without a row, or injected
	items    map[record.CandidateID]agent.Item
	history  map[record.JobID]*agent.History
	facts    map[int]memory.EpochFacts // of the last epochs, by number
	gate     gate.Policy
	allows   *sync.Map // what gate.Allows says of each path, which costs a dozen patterns
	base     string    // checkout of the root
	release  func()
}

// itemCap bounds the candidates kept ready for agents.
const itemCap = 512

func (e *Engine) settings() record.Settings { return *e.shared.set.Load() }
func (e *Engine) seed() uint64              { return e.st.Exp.Seed }
func (e *Engine) rootTree() record.Hash     { return e.st.Exp.RootTree }
func (e *Engine) rootCommit() record.Hash   { return e.st.Exp.RootCommit }
func (e *Engine) rootTime() record.Millis   { return e.st.Exp.RootTime }
func (e *Engine) objectiveVersion() int     { return e.st.Exp.Objective }

// metric is the name of the objective: the configured one, or the first that
// the evaluator reported.
func (e *Engine) metric() string {
	if e.cfg.Evaluator.Objective != "" {
		return e.cfg.Evaluator.Objective
	}
	if name := e.shared.objName.Load(); name != nil {
		return *name
	}
	return "objective"
}

// policySet fixes what the gate checks.
func (e *Engine) policySet() {
	g, ev := e.cfg.Gate, e.cfg.Evaluator
	e.shared.allows = new(sync.Map)
	e.shared.gate = gate.Policy{
		Protected: ev.Protected, Scope: g.Scope, Forbidden: g.Forbidden,
		MaxFiles: g.MaxFiles, MaxLines: g.MaxLines, MaxFileBytes: g.MaxFileBytes,
	}
}

func (e *Engine) policy() gate.Policy { return e.shared.gate }

// scope returns the target of a job and which paths it may change: those of
// the target, within the gate's scope, and never a protected one.
func (e *Engine) scope(name string) (agent.Target, func(string) bool) {
	var target agent.Target
	var set record.Settings
	if now := e.shared.set.Load(); now != nil {
		set = *now
	}
	for _, t := range fold.AllTargets(e.cfg, set) {
		if t.Name == name && name != "" {
			target = agent.Target{Name: t.Name, Files: t.Files, Symbol: t.Symbol, Hint: t.Hint}
		}
	}
	p, known := e.shared.gate, e.shared.allows
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
func (e *Engine) item(ctx context.Context, id record.CandidateID) (agent.Item, error) {
	e.shared.mu.Lock()
	it, ok := e.shared.items[id]
	e.shared.mu.Unlock()
	if ok {
		return it, nil
	}
	c, err := e.db.Candidate(ctx, e.exp, id)
	if err != nil {
		return agent.Item{}, fmt.Errorf("read candidate %s: %w", id, err)
	}
	e.comparable(&c)
	tree, err := e.repo.Tree(ctx, c.Tree)
	if err != nil {
		return agent.Item{}, fmt.Errorf("read the tree of %s: %w", id, err)
	}
	it = agent.Item{
		ID: id, Commit: c.Commit, Tree: c.Tree, Objective: c.Objective, Metrics: e.shown(c.Metrics), Intent: c.Intent,
		Operator: c.Operator, Files: tree, Parents: c.Parents,
	}
	if p := c.Parent(); p != record.NoCandidate && c.Objective != nil {
		if parent, err := e.db.Candidate(ctx, e.exp, p); err == nil && parent.Objective != nil && parent.Version == c.Version {
			d := *c.Objective - *parent.Objective
			it.Delta = &d
		}
	}
	e.shared.mu.Lock()
	defer e.shared.mu.Unlock()
	if e.shared.items == nil || len(e.shared.items) >= itemCap {
		e.shared.items = map[record.CandidateID]agent.Item{}
	}
	e.shared.items[id] = it
	return it, nil
}

// shown leaves out the metrics that must never reach a prompt.
func (e *Engine) shown(metrics []record.Metric) []record.Metric {
	out := make([]record.Metric, 0, len(metrics))
	for _, m := range metrics {
		private := false
		for _, p := range e.cfg.Evaluator.Private {
			private = private || p == m.Name
		}
		if !private {
			out = append(out, m)
		}
	}
	return out
}

// context adds the notes that agents may learn from.
func (e *Engine) context(ctx context.Context, j *agent.Job) error {
	notes, err := e.db.Notes(ctx, e.exp)
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

func (e *Engine) setPrepared(job record.JobID, commit record.Hash) {
	e.shared.mu.Lock()
	defer e.shared.mu.Unlock()
	if e.shared.prepared == nil {
		e.shared.prepared = map[record.JobID]record.Hash{}
	}
	e.shared.prepared[job] = commit
}

func (e *Engine) takePrepared(job record.JobID) (record.Hash, bool) {
	e.shared.mu.Lock()
	defer e.shared.mu.Unlock()
	commit, ok := e.shared.prepared[job]
	delete(e.shared.prepared, job)
	return commit, ok
}

// baseCheckout returns the checkout of the root that every evaluation lies on.
// It is kept for the whole run; the returned function gives nothing back.
func (e *Engine) baseCheckout(ctx context.Context) (string, func(), error) {
	e.shared.mu.Lock()
	defer e.shared.mu.Unlock()
	if e.shared.base == "" {
		dir, release, err := e.repo.Checkout(ctx, e.rootTree())
		if err != nil {
			return "", nil, fmt.Errorf("check out the root: %w", err)
		}
		e.shared.base, e.shared.release = dir, release
	}
	return e.shared.base, func() {}, nil
}

// diffOf is the difference between a candidate and its parent, with lines
// counted.
func (e *Engine) diffOf(ctx context.Context, c *record.Candidate) ([]record.FileDiff, error) {
	parent, err := e.db.Candidate(ctx, e.exp, c.Parent())
	if err != nil {
		return nil, err
	}
	diffs, err := e.repo.DiffTrees(ctx, parent.Tree, c.Tree)
	if err != nil {
		return nil, err
	}
	return diffs, e.repo.CountLines(ctx, diffs)
}

// fromRoot tells how a candidate differs from the root.
func (e *Engine) fromRoot(ctx context.Context, id record.CandidateID) ([]record.FileDiff, error) {
	c, err := e.db.Candidate(ctx, e.exp, id)
	if err != nil {
		return nil, err
	}
	return e.repo.DiffTrees(ctx, e.rootTree(), c.Tree)
}

func (r *jobRun) parentTree(ctx context.Context, id record.CandidateID) (record.Hash, error) {
	if !r.parent.IsZero() {
		return r.parent, nil
	}
	c, err := r.e.db.Candidate(ctx, r.e.exp, id)
	if err != nil {
		return record.Hash{}, fmt.Errorf("read the parent %s: %w", id, err)
	}
	return c.Tree, nil
}

// history returns the counts that a job may use.
func (e *Engine) history(job record.JobID) *agent.History {
	e.shared.mu.Lock()
	defer e.shared.mu.Unlock()
	return e.shared.history[job]
}

package work

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"atoll/engine/agent"
	"atoll/store/record"
)

// candidates reads candidates as agents see them.
type candidates struct {
	*run

	mu    sync.Mutex
	items map[record.CandidateID]agent.Item // those read last, at most itemCap
}

// itemCap bounds the candidates kept ready for agents.
const itemCap = 512

// item is a candidate as agents see it. Items do not change once scored, so
// they are kept.
func (w *candidates) item(ctx context.Context, id record.CandidateID) (agent.Item, error) {
	w.mu.Lock()
	it, ok := w.items[id]
	w.mu.Unlock()
	if ok {
		return it, nil
	}
	c, err := w.db.Candidate(ctx, w.exp(), id)
	if err != nil {
		return agent.Item{}, fmt.Errorf("read candidate %s: %w", id, err)
	}
	w.facts.comparable(&c)
	tree, err := w.repo.Tree(ctx, c.Tree)
	if err != nil {
		return agent.Item{}, fmt.Errorf("read the tree of %s: %w", id, err)
	}
	it = agent.Item{
		ID: id, Commit: c.Commit, Tree: c.Tree, Objective: c.Objective, Metrics: w.facts.public(c.Metrics), Intent: c.Intent,
		Operator: c.Operator, Files: tree, Parents: c.Parents,
	}
	if p := c.Parent(); p != record.NoCandidate && c.Objective != nil {
		if parent, err := w.db.Candidate(ctx, w.exp(), p); err == nil && parent.Objective != nil && parent.Version == c.Version {
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

// diffOf is the difference between a candidate and its parent, with lines
// counted.
func (w *candidates) diffOf(ctx context.Context, c *record.Candidate) ([]record.FileDiff, error) {
	parent, err := w.db.Candidate(ctx, w.exp(), c.Parent())
	if err != nil {
		return nil, err
	}
	diffs, err := w.repo.DiffTrees(ctx, parent.Tree, c.Tree)
	if err != nil {
		return nil, err
	}
	return diffs, w.repo.CountLines(ctx, diffs)
}

// fromRoot tells how a candidate differs from the root.
func (w *candidates) fromRoot(ctx context.Context, id record.CandidateID) ([]record.FileDiff, error) {
	c, err := w.db.Candidate(ctx, w.exp(), id)
	if err != nil {
		return nil, err
	}
	return w.repo.DiffTrees(ctx, w.facts.Experiment.RootTree, c.Tree)
}

// changedBy lists the paths that a candidate changed, none where its files
// cannot be read.
func (w *candidates) changedBy(ctx context.Context, id record.CandidateID) []string {
	c, err := w.db.Candidate(ctx, w.exp(), id)
	if err != nil {
		return nil
	}
	parent, err := w.db.Candidate(ctx, w.exp(), c.Parent())
	if err != nil {
		return nil
	}
	diffs, err := w.repo.DiffTrees(ctx, parent.Tree, c.Tree)
	if err != nil {
		return nil
	}
	var out []string
	for _, d := range diffs {
		out = append(out, d.Path)
	}
	return out
}

// describeChange fills in what a candidate changed against its own parent, as far as
// the files of that one can still be read.
func (w *candidates) describeChange(ctx context.Context, it *agent.Item) error {
	from := record.NoCandidate
	for _, p := range it.Parents {
		if p.Role == record.RoleParent {
			from = p.ID
		}
	}
	if from == record.NoCandidate {
		return nil
	}
	parent, err := w.db.Candidate(ctx, w.exp(), from)
	if err != nil {
		return fmt.Errorf("read candidate %s: %w", from, err)
	}
	diffs, err := w.repo.DiffTrees(ctx, parent.Tree, it.Tree)
	if missing(err) {
		return nil
	}
	if err != nil {
		return err
	}
	it.Changed = nil
	for _, d := range diffs {
		it.Changed = append(it.Changed, d.Path)
	}
	if it.Diff, err = w.patch(ctx, parent.Tree, it.Tree); missing(err) {
		return nil
	}
	return err
}

// patch is a difference as text, within what a prompt can hold.
func (w *candidates) patch(ctx context.Context, a, b record.Hash) (string, error) {
	text, err := w.repo.PatchText(ctx, a, b)
	if err != nil {
		return "", err
	}
	if len(text) > diffBytes {
		return strings.ToValidUTF8(string(text[:diffBytes]), "") + fmt.Sprintf("\n... %d bytes left out ...\n", len(text)-diffBytes), nil
	}
	return strings.ToValidUTF8(string(text), "\uFFFD"), nil
}

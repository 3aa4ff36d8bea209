package engine

import (
	"context"
	"fmt"
	"strings"

	"atoll/config"
	"atoll/engine/view"
	"atoll/engine/work"
	"atoll/store"
	"atoll/store/record"
)

// The facts about a run that verbs without an engine show as well.
const (
	metaSeal    = "evaluator" // key of what measures
	metaRung    = "rung"
	metaMissing = "missing"
)

// FillFacts gives the snapshot of a folded log what an engine told about the
// experiment: the rung, what it cannot guarantee, the metric searched on where
// that was learned from the root, and the commit of the best.
func FillFacts(ctx context.Context, db *store.DB, snap *view.Snapshot) error {
	exp := snap.Experiment
	for key, put := range map[string]func(string){
		metaRung:    func(v string) { snap.Rung = v },
		metaMissing: func(v string) { snap.Guarantees = strings.FieldsFunc(v, func(r rune) bool { return r == '\n' }) },
	} {
		value, ok, err := db.Meta(ctx, exp.ID, key)
		if err != nil {
			return err
		}
		if ok {
			put(value)
		}
	}
	name, err := work.SearchedMetric(ctx, db, exp.ID, snap.Objective, exp.Objective)
	if err != nil {
		return err
	}
	snap.Objective = name
	if err := tellRoot(ctx, db, snap); err != nil {
		return err
	}
	return tellBest(ctx, db, snap)
}

// tellRoot fills in the root's own value, where values are ratios to it.
func tellRoot(ctx context.Context, db *store.DB, snap *view.Snapshot) error {
	if !snap.Paired || snap.Root.ID != record.Root || snap.Root.Own != nil {
		return nil
	}
	c, err := db.Candidate(ctx, snap.Experiment.ID, record.Root)
	if err != nil {
		return fmt.Errorf("read the root: %w", err)
	}
	name := strings.TrimSuffix(snap.Objective, ".ratio")
	for i := range c.Metrics {
		if c.Metrics[i].Name == name {
			snap.Root.Own = &c.Metrics[i].Value
		}
	}
	return nil
}

// tellBest fills in what the fold does not keep of the best: its commit, and whether its
// behaviour should have been compared with the root's and was not.
func tellBest(ctx context.Context, db *store.DB, snap *view.Snapshot) error {
	best := &snap.Best
	if best.ID == record.NoCandidate || !best.Commit.IsZero() {
		return nil
	}
	c, err := db.Candidate(ctx, snap.Experiment.ID, best.ID)
	if err != nil {
		return fmt.Errorf("read the best candidate: %w", err)
	}
	best.Commit = c.Commit
	if best.ID == record.Root {
		return nil
	}
	best.Uncompared, err = uncompared(ctx, db, snap, &c)
	return err
}

// Uncompared reports whether the guard should have looked at a candidate, and did not or
// could compare nothing.
func Uncompared(ctx context.Context, ses *Session, snap *view.Snapshot, c *record.Candidate) (bool, error) {
	return uncompared(ctx, ses.DB, snap, c)
}

func uncompared(ctx context.Context, db *store.DB, snap *view.Snapshot, c *record.Candidate) (bool, error) {
	report, looked, err := guardReport(ctx, db, snap.Experiment.ID, c)
	if err != nil || looked {
		return looked && !report.Compared(), err
	}
	cfg, err := config.Decode(snap.Experiment.Config)
	if err != nil {
		return false, err
	}
	name, err := work.SearchedMetric(ctx, db, snap.Experiment.ID, snap.Objective, snap.Experiment.Objective)
	if err != nil {
		return false, err
	}
	return work.Guards(cfg, name, c.Metrics), nil
}

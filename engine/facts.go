package engine

import (
	"context"
	"fmt"
	"strings"

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
	if snap.Objective == "" {
		name, err := work.LearnedMetric(ctx, db, exp.ID, exp.Objective)
		if err != nil {
			return err
		}
		snap.Objective = name
	}
	return tellBest(ctx, db, exp.ID, &snap.Best)
}

// tellBest fills in what the fold does not keep of the best: its commit, and whether the
// guard looked and could compare nothing.
func tellBest(ctx context.Context, db *store.DB, exp record.ExperimentID, best *view.Standing) error {
	if best.ID == record.NoCandidate || !best.Commit.IsZero() {
		return nil
	}
	c, err := db.Candidate(ctx, exp, best.ID)
	if err != nil {
		return fmt.Errorf("read the best candidate: %w", err)
	}
	best.Commit = c.Commit
	if best.ID == record.Root {
		return nil
	}
	report, looked, err := guardReport(ctx, db, exp, &c)
	best.Uncompared = looked && !report.Compared()
	return err
}

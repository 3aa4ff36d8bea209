package schedule

import (
	"context"
	"fmt"
	"strings"

	"atoll/config"
	"atoll/engine/fold"
	"atoll/engine/work"
	"atoll/store"
	"atoll/store/record"
)

// A changed evaluator makes a new objective version. The root is measured under
// it first, then the elites, best first; archive, best and curves begin anew
// and hold values of the present version only. What was measured before stays
// with its candidates and samples, marked with its version, and the row of the
// change tells how the search stood. The fold knows the present version from
// the start, so that older rows are history wherever it begins.

// The priority of the jobs that measure again: before all others, the root
// before the elites.
const (
	renewElite = 1_000_000
	renewRoot  = renewElite + 1
)

// NextObjective describes the next version: what changed, how the search stands,
// what is to be measured again.
func NextObjective(ctx context.Context, db *store.DB, exp record.Experiment, frozen []config.Difference) (record.Objective, error) {
	st, err := fold.LoadState(ctx, db, exp.ID)
	if err != nil {
		return record.Objective{}, err
	}
	var keys []string
	for _, d := range frozen {
		keys = append(keys, d.Key)
	}
	if keys == nil {
		keys = []string{"the evaluator's files"}
	}
	first, err := db.NextJobID(ctx, exp.ID)
	if err != nil {
		return record.Objective{}, err
	}
	was := st.StandingPast()
	if was.Metric == "" {
		if was.Metric, err = work.LearnedMetric(ctx, db, exp.ID, exp.Objective); err != nil {
			return record.Objective{}, err
		}
	}
	return record.Objective{
		Version: max(1, exp.Objective) + 1, Changed: strings.Join(keys, ", "), First: first, Elites: st.ToRenew(), Was: was,
	}, nil
}

// Renew writes the change. Leases of a dead engine are given back before, so
// that no evaluate job of the old version is left.
func Renew(ctx context.Context, db *store.DB, exp record.ExperimentID, o record.Objective, cfg config.Config) error {
	if _, err := db.Requeue(ctx, exp); err != nil {
		return err
	}
	number := o.First
	root := evaluateJob(exp, number, record.Root, record.PurposeRoot, 0, cfg.Evaluator.RootRepeats)
	root.Priority = renewRoot
	jobs := []record.Job{root}
	for _, id := range o.Elites {
		number++
		job := evaluateJob(exp, number, id, record.PurposeRemeasure, 0, cfg.Evaluator.Repeats)
		job.Priority = renewElite
		jobs = append(jobs, job)
	}
	_, err := db.PutObjective(ctx, exp, store.NewObjective{
		Objective: o, Config: config.Encode(cfg), EvalKey: config.MeasureKey(cfg), Jobs: jobs,
		Reason: fmt.Sprintf("objective version %d began", o.Version),
	})
	return err
}

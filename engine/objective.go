package engine

import (
	"context"
	"fmt"
	"strings"

	"atoll/config"
	"atoll/engine/eval"
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

// changeObjective begins a new objective version when this run may, and what
// measures is not what the values are of.
func (e *Engine) changeObjective(ctx context.Context) error {
	if e.opt.Remeasure == nil || !e.owner {
		return nil
	}
	exp, err := e.db.Experiment(ctx, e.exp)
	if err != nil {
		return err
	}
	old, err := config.Decode(exp.Config)
	if err != nil {
		return fmt.Errorf("read the stored configuration of %s: %w", exp.Name, err)
	}
	cfg := old
	cfg.Evaluator, cfg.Limits = e.opt.Remeasure.Evaluator, e.opt.Remeasure.Limits
	ev, err := eval.New(ctx, nil, e.evalOptionsOf(cfg)) // asked for its key alone
	if err != nil {
		return err
	}
	was, sealed, err := e.db.Meta(ctx, e.exp, work.Versioned(metaSeal, exp.Objective))
	if err != nil {
		return err
	}
	frozen, _ := config.Diff(old, cfg)
	if len(frozen) == 0 && (!sealed || was == ev.Key()) {
		e.note("info", record.NoJob, fmt.Sprintf("nothing is measured again: objective version %d has this evaluator", max(1, exp.Objective)))
		return nil
	}
	next, err := e.objective(ctx, exp, frozen)
	if err != nil {
		return err
	}
	if err := e.renew(ctx, next, cfg); err != nil {
		return fmt.Errorf("begin objective version %d: %w", next.Version, err)
	}
	e.note("info", record.NoJob, fold.ObjectiveText(next))
	return nil
}

// objective describes the next version: what changed, how the search stands,
// what is to be measured again.
func (e *Engine) objective(ctx context.Context, exp record.Experiment, frozen []config.Difference) (record.Objective, error) {
	st, err := fold.LoadState(ctx, e.db, e.exp)
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
	first, err := e.db.NextJobID(ctx, e.exp)
	if err != nil {
		return record.Objective{}, err
	}
	was := st.StandingPast()
	if was.Metric == "" {
		if was.Metric, err = learnedMetric(ctx, e.db, e.exp, exp.Objective); err != nil {
			return record.Objective{}, err
		}
	}
	return record.Objective{
		Version: max(1, exp.Objective) + 1, Changed: strings.Join(keys, ", "), First: first, Elites: st.ToRenew(), Was: was,
	}, nil
}

// renew writes the change. Leases of a dead engine are given back before, so
// that no evaluate job of the old version is left.
func (e *Engine) renew(ctx context.Context, o record.Objective, cfg config.Config) error {
	if _, err := e.db.Requeue(ctx, e.exp); err != nil {
		return err
	}
	e.nextJob = o.First
	root := e.evaluateJob(record.Root, record.PurposeRoot, 0, cfg.Evaluator.RootRepeats)
	root.Priority = renewRoot
	jobs := []record.Job{root}
	for _, id := range o.Elites {
		e.nextJob++
		job := e.evaluateJob(id, record.PurposeRemeasure, 0, cfg.Evaluator.Repeats)
		job.Priority = renewElite
		jobs = append(jobs, job)
	}
	_, err := e.db.PutObjective(ctx, e.exp, store.NewObjective{
		Objective: o, Config: config.Encode(cfg), EvalKey: config.MeasureKey(cfg), Jobs: jobs,
		Reason: fmt.Sprintf("objective version %d began", o.Version),
	})
	return err
}

// reopen looks on at the objective version that another process began.
func (e *Engine) reopen(ctx context.Context) error {
	st, err := fold.LoadState(ctx, e.db, e.exp)
	if err != nil {
		return err
	}
	e.st = st
	e.liveConfig()
	e.cfg = e.st.Config
	e.sync()
	e.work = e.newRunner()
	e.lookOn()
	return nil
}

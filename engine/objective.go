package engine

import (
	"context"
	"fmt"

	"atoll/config"
	"atoll/engine/eval"
	"atoll/engine/fold"
	"atoll/engine/schedule"
	"atoll/engine/work"
	"atoll/store/record"
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
	next, err := schedule.NextObjective(ctx, e.db, exp, frozen)
	if err != nil {
		return err
	}
	if err := schedule.Renew(ctx, e.db, e.exp, next, cfg); err != nil {
		return fmt.Errorf("begin objective version %d: %w", next.Version, err)
	}
	e.note("info", record.NoJob, fold.ObjectiveText(next))
	return nil
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
	e.plan.Begin(e.st, e.cfg, e.work)
	e.lookOn()
	return nil
}

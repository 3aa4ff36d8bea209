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
func (l *loop) changeObjective(ctx context.Context) error {
	if l.opt.Remeasure == nil || !l.owner {
		return nil
	}
	exp, err := l.db.Experiment(ctx, l.exp)
	if err != nil {
		return err
	}
	old, err := config.Decode(exp.Config)
	if err != nil {
		return fmt.Errorf("read the stored configuration of %s: %w", exp.Name, err)
	}
	cfg := old
	cfg.Evaluator, cfg.Limits = l.opt.Remeasure.Evaluator, l.opt.Remeasure.Limits
	ev, err := eval.New(ctx, nil, eval.OptionsOf(l.equipment.located(cfg))) // asked for its key alone
	if err != nil {
		return err
	}
	was, sealed, err := l.db.Meta(ctx, l.exp, work.Versioned(metaSeal, exp.Objective))
	if err != nil {
		return err
	}
	frozen, _ := config.Diff(old, cfg)
	if len(frozen) == 0 && (!sealed || was == ev.Key()) {
		l.note("info", record.NoJob, fmt.Sprintf("nothing is measured again: objective version %d has this evaluator", max(1, exp.Objective)))
		return nil
	}
	next, err := schedule.NextObjective(ctx, l.db, exp, frozen)
	if err != nil {
		return err
	}
	if err := schedule.Renew(ctx, l.db, l.exp, next, cfg); err != nil {
		return fmt.Errorf("begin objective version %d: %w", next.Version, err)
	}
	l.note("info", record.NoJob, fold.ObjectiveText(next))
	return nil
}

// reopen looks on at the objective version that another process began.
func (l *loop) reopen(ctx context.Context) error {
	st, err := fold.LoadState(ctx, l.db, l.exp)
	if err != nil {
		return err
	}
	l.open(st)
	l.lookOn()
	return nil
}

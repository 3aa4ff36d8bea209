package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"atoll/config"
	"atoll/engine"
	"atoll/store/record"
)

// remeasured returns the configuration of an experiment with the evaluator and
// the limits of now in it, stored form first: everything else that is fixed
// when an experiment starts stays as it was.
func (a *App) remeasured(ctx context.Context, ses *engine.Session, exp record.Experiment, l config.Loaded) ([]byte, *config.Config, error) {
	old, err := config.Decode(exp.Config)
	if err != nil {
		return exp.Config, nil, err
	}
	if l.File == "" && len(l.Origins) == 0 {
		return exp.Config, &old, nil
	}
	now, err := sealedFor(ctx, ses, place{target: ses.Target}, exp.RootCommit, l)
	if err != nil {
		return exp.Config, nil, err
	}
	if l.File == "" { // only flags and environment speak
		now = overlay(old, now, l)
	}
	if now, err = a.keepGiven(ctx, ses, exp, old, now, l); err != nil {
		return exp.Config, nil, err
	}
	old.Evaluator, old.Limits = now.Evaluator, now.Limits
	return config.Encode(old), &old, nil
}

// withChoice adds to the refusal of a frozen setting what can be done where it
// is the measurement that changed.
func withChoice(err error) error {
	if !errors.Is(err, engine.ErrFrozen) || strings.Contains(err.Error(), "--remeasure") || !strings.Contains(err.Error(), "evaluator.") && !strings.Contains(err.Error(), "limits.") {
		return err
	}
	return fmt.Errorf("%w; where evaluator and limits alone changed, `atoll run --remeasure` measures the root and the elites again and goes on", err)
}

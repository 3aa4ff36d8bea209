package engine

import (
	"context"
	"fmt"

	"atoll/engine/fold"
	"atoll/engine/schedule"
	"atoll/store/record"
)

// Settle carries out at once, where no engine runs, what decisions that were just written say
// of the experiment as a whole: it is paused, or no longer. Where an engine runs that is its own to do.
// What is broken stays so, with why, and what is done or stopped is not resumed: both wait for a run.
func Settle(ctx context.Context, ses *Session, exp record.ExperimentID, ds ...record.Decision) error {
	for _, d := range ds {
		if d.Verb != record.Pause && d.Verb != record.Resume {
			continue
		}
		if ses.OwnerPID() != 0 {
			return nil
		}
		now, err := ses.DB.Experiment(ctx, exp)
		if err != nil {
			return err
		}
		held := now.State == record.ExperimentPaused || now.State == record.ExperimentRunning // as an engine that was killed left it
		if now.State == record.ExperimentBroken || d.Verb == record.Resume && !held {
			continue
		}
		state, reason := record.ExperimentPaused, fold.PausedBy(d.Who)
		if d.Verb == record.Resume {
			state, reason = record.ExperimentStopped, "no longer paused, by "+d.Who+"; `atoll run` goes on"
		}
		if _, err := ses.DB.PutState(ctx, exp, state, reason); err != nil {
			return fmt.Errorf("write the state %s: %w", state, err)
		}
	}
	return nil
}

// TakeSettings puts in force what was set while no engine ran; who calls holds the lock of the experiment. What a new
// run brings along comes behind it.
func TakeSettings(ctx context.Context, ses *Session, exp record.ExperimentID) error {
	return schedule.TakeSettings(ctx, ses.DB, exp)
}

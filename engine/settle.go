package engine

import (
	"context"
	"fmt"

	"atoll/engine/fold"
	"atoll/store/record"
)

// Settle carries out at once, where no engine runs, what decisions that were just written say
// of the experiment as a whole: it is paused, or no longer. Where an engine runs that is its own to do.
func Settle(ctx context.Context, ses *Session, exp record.ExperimentID, ds ...record.Decision) error {
	for _, d := range ds {
		state, reason := record.ExperimentPaused, fold.PausedBy(d.Who)
		switch {
		case d.Verb == record.Resume:
			state, reason = record.ExperimentStopped, "no longer paused, by "+d.Who+"; `atoll run` goes on"
		case d.Verb != record.Pause:
			continue
		}
		if ses.OwnerPID() != 0 {
			return nil
		}
		if _, err := ses.DB.PutState(ctx, exp, state, reason); err != nil {
			return fmt.Errorf("write the state %s: %w", state, err)
		}
	}
	return nil
}

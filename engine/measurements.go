package engine

import (
	"context"
	"fmt"

	"atoll/engine/fold"
	"atoll/store"
	"atoll/store/record"
)

// knowMeasurements brings back what the fold does not keep of evaluate jobs:
// which are open, and how many looked at elites again. It runs once, after the
// log was read for the first time.
func (e *Engine) knowMeasurements(ctx context.Context) error {
	jobs, err := e.db.Jobs(ctx, e.exp, store.JobFilter{Kind: record.Evaluate, Limit: int(e.nextJob) + 1})
	if err != nil {
		return fmt.Errorf("read the evaluate jobs: %w", err)
	}
	e.st.Proof.Restart()
	e.st.Streak = fold.Streak{} // the past does not speak against the evaluator of today
	for _, j := range jobs {
		e.st.Proof.Note(j.Purpose, j.Samples)
		if m := e.st.Candidate(j.Candidate); m != nil && !j.State.Ended() {
			e.st.Track(m).Measuring = j.ID
		}
	}
	return nil
}

package engine

import (
	"context"
	"fmt"

	"atoll/engine/view"
	"atoll/store/record"
)

// recover brings jobs and commits of a dead engine back to where they can go
// on: leases are given back, and a commit without a row goes on from there.
func (e *Engine) recover(ctx context.Context) error {
	n, err := e.db.Requeue(ctx, e.exp)
	if err != nil {
		return fmt.Errorf("give dead leases back: %w", err)
	}
	if n > 0 {
		e.note("info", record.NoJob, fmt.Sprintf("recovered %s of an engine that died", view.Plural(n, "job")))
	}
	attempts, err := e.repo.Attempts(ctx, e.exp)
	if err != nil {
		return fmt.Errorf("read attempt refs: %w", err)
	}
	e.anchored = len(attempts)
	for job, commit := range attempts {
		e.work.SetPrepared(job, commit)
	}
	return nil
}

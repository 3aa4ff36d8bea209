package engine

import (
	"context"
	"fmt"
	"strconv"

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
	if e.acted, err = e.readSeq(ctx, "acted"); err != nil {
		return err
	}
	looked, err := e.readSeq(ctx, metaLooked)
	if err != nil {
		return err
	}
	e.kept = int(looked)
	e.st.Looked = e.kept
	next, err := e.db.NextJobID(ctx, e.exp)
	if err != nil {
		return err
	}
	e.nextJob = next
	counters, err := e.db.Counters(ctx, e.exp)
	if err != nil {
		return err
	}
	e.made = counters.Jobs(record.Make)
	return nil
}

func (e *Engine) readSeq(ctx context.Context, key string) (record.Seq, error) {
	text, ok, err := e.db.Meta(ctx, e.exp, key)
	if err != nil || !ok {
		return 0, err
	}
	n, err := strconv.ParseInt(text, 10, 64)
	return record.Seq(n), err
}

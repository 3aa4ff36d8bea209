package engine

import (
	"context"
	"time"

	"atoll/store/record"
)

// scheduled is the run as what schedules for it sees it.
type scheduled struct{ *loop }

// Note implements [schedule.Host].
func (h scheduled) Note(level string, job record.JobID, text string, at ...time.Time) {
	h.loop.note(level, job, text, at...)
}

// SetState implements [schedule.Host].
func (h scheduled) SetState(ctx context.Context, state record.ExperimentState, reason string) error {
	return h.loop.setState(ctx, state, reason)
}

// Behind implements [schedule.Host].
func (h scheduled) Behind(decision record.Seq) bool { return decision <= h.loop.opened }

// Resume implements [schedule.Host].
func (h scheduled) Resume(ctx context.Context) error {
	h.loop.budget = ""
	if err := h.loop.setState(ctx, record.ExperimentRunning, ""); err != nil || !rootFailed(h.loop) {
		return err
	}
	return h.loop.plan.RetryRoot(ctx)
}

// GoOn implements [schedule.Host].
func (h scheduled) GoOn(ctx context.Context, decision record.Seq) error {
	return h.loop.goOn(ctx, decision)
}

// Sync implements [schedule.Host].
func (h scheduled) Sync() { h.loop.sync() }

// Offer implements [schedule.Host].
func (h scheduled) Offer(n int) { h.loop.offer(n) }

// Drain implements [schedule.Host].
func (h scheduled) Drain() { h.loop.Drain() }

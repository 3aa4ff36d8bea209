package engine

import (
	"context"
	"time"

	"atoll/store/record"
)

// scheduled is the run as what schedules for it sees it.
type scheduled struct{ e *Engine }

// Note implements [schedule.Host].
func (h scheduled) Note(level string, job record.JobID, text string, at ...time.Time) {
	h.e.note(level, job, text, at...)
}

// SetState implements [schedule.Host].
func (h scheduled) SetState(ctx context.Context, state record.ExperimentState, reason string) error {
	return h.e.setState(ctx, state, reason)
}

// Resume implements [schedule.Host].
func (h scheduled) Resume(ctx context.Context) error {
	h.e.budget = ""
	return h.e.setState(ctx, record.ExperimentRunning, "")
}

// GoOn implements [schedule.Host].
func (h scheduled) GoOn(ctx context.Context) error { return h.e.goOn(ctx) }

// Sync implements [schedule.Host].
func (h scheduled) Sync() { h.e.sync() }

// Offer implements [schedule.Host].
func (h scheduled) Offer(n int) { h.e.offer(n) }

// Drain implements [schedule.Host].
func (h scheduled) Drain() { h.e.Drain() }

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

// Resume implements [schedule.Host]. What was decided while no engine ran starts none that was opened to look: the
// experiment is no longer paused, and waits for a run.
func (h scheduled) Resume(ctx context.Context, decision record.Seq) error {
	if h.loop.opt.KeepState && decision <= h.loop.opened {
		if h.loop.st.Run != record.ExperimentPaused {
			return nil
		}
		return h.loop.setState(ctx, record.ExperimentStopped, "resumed while no engine ran; `atoll run` goes on")
	}
	h.loop.budget = ""
	return h.loop.setState(ctx, record.ExperimentRunning, "")
}

// GoOn implements [schedule.Host].
func (h scheduled) GoOn(ctx context.Context) error { return h.loop.goOn(ctx) }

// Sync implements [schedule.Host].
func (h scheduled) Sync() { h.loop.sync() }

// Offer implements [schedule.Host].
func (h scheduled) Offer(n int) { h.loop.offer(n) }

// Drain implements [schedule.Host].
func (h scheduled) Drain() { h.loop.Drain() }

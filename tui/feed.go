package tui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"atoll/engine/view"
	"atoll/tui/pane"
)

// Messages of the console's own commands.
type (
	snapMsg    struct{ snap *view.Snapshot }
	tickMsg    struct{}
	toastMsg   struct{ n int }      // toast n may go
	watchMsg   struct{ id pane.ID } // a pane asks again
	feedEndMsg struct{ err error }
	abortedMsg struct{}
	sampleMsg  struct { // what the experiment takes of the machine
		took view.Resources
		err  error
	}
)

// frameTime is how long a snapshot stays at least.
const frameTime = time.Second / 15

// handTime is how long after a key a console elsewhere is as quick as one here.
const handTime = 3 * time.Second

// snapEvery is how long the snapshot that is shown stays at least, when a key was
// pressed last at that time.
func (r *Remote) snapEvery(pressed time.Time) time.Duration {
	if r == nil || r.Pace == nil || time.Since(pressed) < handTime {
		return frameTime
	}
	return max(frameTime, r.Pace())
}

// waitForSnap waits for the next snapshot, so long after the last one at least. It
// is re-armed when its message arrives, so that one is under way at any time.
func waitForSnap(ctx context.Context, f Feed, after uint64, last time.Time, every time.Duration) tea.Cmd {
	return pane.Guard("feed", func() tea.Msg {
		s, err := f.Wait(ctx, after)
		if err != nil {
			if ctx.Err() != nil {
				return nil
			}
			return feedEndMsg{err}
		}
		if wait := every - time.Since(last); wait > 0 {
			if !pane.Sleep(ctx, wait) {
				return nil
			}
			if l := f.Latest(); l != nil && l.Version >= s.Version {
				s = l
			}
		}
		return snapMsg{s}
	})
}

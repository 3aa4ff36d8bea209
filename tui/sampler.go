package tui

import (
	"context"
	"os"
	"time"

	tea "charm.land/bubbletea/v2"

	"atoll/engine/view"
	"atoll/tui/pane"
)

// sampler measures what the experiment takes of the machine, one look at a time.
type sampler struct {
	d     *pane.Shared
	meter func(ctx context.Context, pid int) (view.Resources, error) // nil: nobody can tell
	busy  bool
	began time.Time
	pid   int // of the process that was measured last
}

// due measures cost and resources, at most every other second. The last time is after
// the last job, so that the line tells how things came to rest.
func (s *sampler) due() tea.Cmd {
	now, pid := s.d.Today(), s.d.Snap.OwnerPID
	if pid <= 0 {
		pid = os.Getpid() // nobody runs it: what the console takes
	}
	// Who runs it is not known while it is read.
	if s.meter == nil || s.busy || s.d.Snap.Loading || s.d.Past || pid == s.pid && now.Sub(s.began) < pane.SampleEvery {
		return nil
	}
	if s.pid != 0 && pid != s.pid {
		s.d.Course = pane.Course{} // that of another process
	}
	s.busy, s.began, s.pid = true, now, pid
	ctx, meter := s.d.Ctx, s.meter
	return pane.Guard("meter", func() tea.Msg {
		took, err := meter(ctx, pid)
		return sampleMsg{took, err}
	})
}

// changed measures at once when another process runs the experiment than before.
func (s *sampler) changed() tea.Cmd {
	if pid := s.d.Snap.OwnerPID; pid == s.pid || pid <= 0 && s.pid == os.Getpid() {
		return nil
	}
	return s.due()
}

func (s *sampler) measured(m sampleMsg) {
	s.busy = false
	if m.err == nil && !s.d.Past { // what was used then is no course of now
		s.d.Sampled(m.took)
	}
}

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
}

// due measures cost and resources, at most every other second. The last time is after
// the last job, so that the line tells how things came to rest.
func (s *sampler) due() tea.Cmd {
	now := s.d.Now()
	if s.meter == nil || s.busy || now.Sub(s.began) < pane.SampleEvery {
		return nil
	}
	s.busy, s.began = true, now
	pid := s.d.Snap.OwnerPID
	if pid <= 0 {
		pid = os.Getpid() // nobody runs it: what the console takes
	}
	ctx, meter := s.d.Ctx, s.meter
	return pane.Guard("meter", func() tea.Msg {
		took, err := meter(ctx, pid)
		return sampleMsg{took, err}
	})
}

func (s *sampler) measured(m sampleMsg) {
	s.busy = false
	if m.err == nil {
		s.d.Sampled(m.took)
	}
}

package tui

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"atoll/engine/view"
	"atoll/tui/tuitest"
)

func TestTheFirstLineSaysWhatTakesTheSamples(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(s *view.Snapshot)
		want   string
	}{
		{"one worker of this machine", func(s *view.Snapshot) { s.Settings.Workers = 1 }, " 1 worker "},
		{"several", func(s *view.Snapshot) { s.Settings.Workers = 4 }, " 4 workers "},
		{"machines of a fleet, whatever works here", func(s *view.Snapshot) { s.Settings.Workers, s.Fleet, s.Slots = 1, true, 16 }, " fleet of 16 slots "},
		{"a fleet nobody joined", func(s *view.Snapshot) { s.Settings.Workers, s.Fleet = 1, true }, " fleet of 0 slots "},
	} {
		t.Run(tt.name, func(t *testing.T) {
			snap := tuitest.Snapshot(4)
			tt.change(snap)
			frame := ansi.Strip(newRig(t, snap, 160, 44).app.frame())
			if first, _, _ := strings.Cut(frame, "\n"); !strings.Contains(first, tt.want) {
				t.Errorf("no %q in %q", tt.want, first)
			}
		})
	}
}

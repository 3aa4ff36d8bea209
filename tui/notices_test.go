package tui

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"atoll/engine/view"
	"atoll/store/record"
	"atoll/tui/tuitest"
)

func TestNotices(t *testing.T) {
	every := []string{"best", "review", "pause", "end"}
	for _, c := range []struct {
		name   string
		on     []string
		change func(s *view.Snapshot)
		want   []string
	}{
		{"a new best is told", every, func(s *view.Snapshot) { s.Best.ID, s.Best.Objective = 350, 2.5 }, []string{"atoll circle-packing: new best c350, 2.5000"}},
		{"a candidate that waits is told", every, func(s *view.Snapshot) { s.Jobs.Held = 3 }, []string{"atoll circle-packing: 3 to review"}},
		{"one that was decided is no news", every, func(s *view.Snapshot) { s.Jobs.Held = 1 }, nil},
		{"a pause is told with its reason", every, func(s *view.Snapshot) { s.State, s.Reason = record.ExperimentPaused, "the money is spent" }, []string{"atoll circle-packing: paused: the money is spent"}},
		{"the end is told", every, func(s *view.Snapshot) { s.State, s.Reason = record.ExperimentDone, "500 jobs done" }, []string{"atoll circle-packing: done: 500 jobs done"}},
		{"what nobody asked for is not", []string{"end"}, func(s *view.Snapshot) { s.Best.ID = 350 }, nil},
		{"nothing happened", every, func(*view.Snapshot) {}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			var told []string
			r := newRig(t, tuitest.Snapshot(4), 120, 36, func(o *Options) {
				o.Notices = Notices{On: c.on, Run: func(text string) error { told = append(told, text); return nil }}
			})
			first := tuitest.Snapshot(4)
			r.send(snapMsg{first})
			next := tuitest.Snapshot(4)
			next.Version = 8
			c.change(next)
			r.send(snapMsg{next})
			if !slices.Equal(told, c.want) {
				t.Errorf("told %q", told)
			}
		})
	}
	t.Run("a program that fails is named", func(t *testing.T) {
		r := newRig(t, tuitest.Snapshot(4), 120, 36, func(o *Options) {
			o.Notices = Notices{On: every, Run: func(string) error { return errors.New("not found") }}
		})
		r.send(snapMsg{tuitest.Snapshot(4)})
		next := tuitest.Snapshot(4)
		next.Version, next.Jobs.Held = 8, 9
		r.send(snapMsg{next})
		if frame := ansi.Strip(r.app.frame()); !strings.Contains(frame, "console.notify_command: not found") {
			t.Error(frame)
		}
	})
	t.Run("terminals are told in their own way, without control characters of others", func(t *testing.T) {
		n := notices{opt: Notices{By: []string{"bell", "osc9", "osc777"}}}
		var raw []string
		for _, c := range n.tell("c1\x1b]0;x\a wins")().(tea.BatchMsg) {
			raw = append(raw, fmt.Sprint(c().(tea.RawMsg).Msg))
		}
		if want := []string{"\a", "\x1b]9;c1 wins\a", "\x1b]777;notify;atoll;c1 wins\a"}; !slices.Equal(raw, want) {
			t.Errorf("written %q", raw)
		}
	})
}

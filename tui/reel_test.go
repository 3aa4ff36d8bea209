package tui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"atoll/tui/tuitest"
)

func TestThePast(t *testing.T) {
	for _, c := range []struct {
		name  string
		w, h  int
		keys  []string
		wants []string
		not   string
	}{
		{"it begins at the newest moment", 120, 36, []string{"H"}, []string{"the past", "100 of 100", "changed nothing on the map"}, ""},
		{"one step back", 120, 36, []string{"H", "["}, []string{"99 of 100", "c294 scored"}, ""},
		{"and on again", 120, 36, []string{"H", "[", "[", "]"}, []string{"99 of 100"}, ""},
		{"the first moment has an empty map", 120, 36, []string{"H", "home"}, []string{"1 of 100", "niches 0/256", "nothing was measured yet"}, "changed nothing"},
		{"what the console said later is not in its log", 120, 36, []string{"p", "p", "5", "y", "down", "enter", "H", "home"}, []string{"1 of 100"}, "copied"},
		{"and the newest again", 120, 36, []string{"H", "home", "end"}, []string{"100 of 100"}, ""},
		{"a decision tells what it changed", 120, 36, []string{"H", "{"}, []string{"90 of 100", "ada: reject c190: games the metric", "changed: best c298 2.4131, was c190 2.4204 · c133 holds (8,4)"}, ""},
		{"the decision before, and the one after", 120, 36, []string{"H", "{", "{", "}"}, []string{"90 of 100"}, ""},
		{"before the first decision is none", 120, 36, []string{"H", "home", "{"}, []string{"nobody decided anything before this"}, ""},
		{"a twentieth back", 120, 36, []string{"H", "<"}, []string{"95 of 100"}, ""},
		{"esc leads back to now", 120, 36, []string{"H", "home", "esc"}, []string{"● running"}, "the past"},
		{"and so does the same key", 120, 36, []string{"H", "home", "H"}, []string{"● running"}, "the past"},
		{"nothing is decided there", 120, 36, []string{"H", "f"}, []string{"this is the past; H goes back to now"}, ""},
		{"every screen shows it", 120, 36, []string{"H", "[", "6"}, []string{"6 Failures", "99 of 100"}, ""},
		{"a low screen has it too", 60, 16, []string{"H", "["}, []string{"99 of 100", "c294 scored"}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t, tuitest.Snapshot(16), c.w, c.h)
			r.keys(c.keys...)
			r.tells(c.wants, c.not)
			if ds := r.ctl.Decisions(); len(ds) > 0 {
				t.Errorf("decided %v", ds)
			}
			exact(t, c.name, r.app.frame(), c.w, c.h)
		})
	}
	t.Run("news wait until one is back", func(t *testing.T) {
		r := newRig(t, tuitest.Snapshot(16), 120, 36)
		r.keys("H")
		next := tuitest.Snapshot(16)
		next.Version, next.Jobs.Scored = 8, 400
		r.send(snapMsg{next})
		if frame := ansi.Strip(r.app.frame()); strings.Contains(frame, "522/500") {
			t.Error("the present shows in the past")
		}
		r.keys("H")
		if frame := ansi.Strip(r.app.frame()); !strings.Contains(frame, "522/500") {
			t.Errorf("the present is not shown again:\n%s", frame)
		}
	})
	t.Run("it plays from the start to the end and stops", func(t *testing.T) {
		r := newRig(t, tuitest.Snapshot(16), 120, 36)
		timers := 0
		r.app.after = func(_ time.Duration, msg tea.Msg) tea.Cmd {
			if _, ok := msg.(playMsg); !ok {
				return nil
			}
			timers++
			return func() tea.Msg { return msg }
		}
		r.keys("H", "space")
		if frame := ansi.Strip(r.app.frame()); !strings.Contains(frame, "100 of 100") || strings.Contains(frame, "playing") || timers != 99 {
			t.Errorf("%d steps were played:\n%s", timers, frame)
		}
	})
	t.Run("a replay begins at the first moment and takes the time that was asked for", func(t *testing.T) {
		r := newRig(t, tuitest.Snapshot(16), 120, 36)
		var waited time.Duration
		steps := 0
		r.app.after = func(wait time.Duration, msg tea.Msg) tea.Cmd {
			if _, ok := msg.(playMsg); !ok {
				return nil
			}
			if steps++; steps == 1 && !strings.Contains(ansi.Strip(r.app.frame()), "1 of 100") {
				t.Errorf("it begins with\n%s", ansi.Strip(r.app.frame()))
			}
			waited += wait
			return func() tea.Msg { return msg }
		}
		r.app.opt.Replay = 10 * time.Second
		next := tuitest.Snapshot(16)
		next.Version = 9
		r.send(snapMsg{next})
		if frame := ansi.Strip(r.app.frame()); !strings.Contains(frame, "100 of 100") || strings.Contains(frame, "playing") {
			t.Errorf("it does not end at the newest moment:\n%s", frame)
		}
		if waited < 9*time.Second || waited > 11*time.Second {
			t.Errorf("it takes %s in %d steps", waited, steps)
		}
	})
	t.Run("faster and slower", func(t *testing.T) {
		r := newRig(t, tuitest.Snapshot(16), 120, 36)
		r.keys("H", "+")
		if frame := ansi.Strip(r.app.frame()); !strings.Contains(frame, "the whole log plays in 6s") {
			t.Errorf("twice as fast:\n%s", frame)
		}
		r.keys("-", "-")
		if frame := ansi.Strip(r.app.frame()); !strings.Contains(frame, "the whole log plays in 24s") {
			t.Errorf("twice slower:\n%s", frame)
		}
	})
	t.Run("every bar leads back to now, and nothing is told that is not known of then", func(t *testing.T) {
		for _, size := range [][2]int{{60, 16}, {80, 24}, {120, 36}, {200, 60}} {
			for _, screen := range []string{"1", "2", "6", "r"} {
				r := newRig(t, tuitest.Snapshot(16), size[0], size[1])
				r.keys("H", "[", screen)
				if bar := r.bar(); !strings.HasPrefix(bar, " H back to now") {
					t.Errorf("%v, %s: the bar begins with %s", size, screen, bar)
				}
				r.tells([]string{"moment 99 of 100"}, "0 running")
			}
		}
	})
	t.Run("every size has its slider", func(t *testing.T) {
		r := newRig(t, tuitest.Snapshot(16), 120, 36)
		r.keys("H", "[")
		for _, size := range [][2]int{{60, 16}, {80, 24}, {84, 50}, {120, 36}, {200, 60}, {300, 80}, {40, 10}} {
			r.send(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
			exact(t, fmt.Sprint(size), r.app.frame(), size[0], size[1])
		}
	})
}

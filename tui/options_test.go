package tui

import (
	"image/color"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"atoll/tui/pane"
	"atoll/tui/tuitest"
)

// option goes to an option by its name.
func (r *rig) option(name string) {
	r.t.Helper()
	if r.app.at.screen() != pane.Options {
		r.keys("f2")
	}
	r.app.Current().SetFilter(name)
	r.app.frame()
}

func TestOptionsHoldAtOnceAndInLaterRuns(t *testing.T) {
	configured := func(o *Options) {
		o.Console.Theme, o.Console.Mouse, o.Notices = "dark", true, Notices{By: []string{"bell"}, On: []string{"best", "end"}}
	}
	for _, c := range []struct {
		name, option string
		keys         []string
		holds        func(a *app) bool
		kept         string // what is remembered
	}{
		{"a light theme", "theme", []string{"right"}, func(a *app) bool { return !a.d.Dark }, "light"},
		{"high contrast", "theme", []string{"l", "l"}, func(a *app) bool { return a.d.Dark && a.d.Contrast }, "contrast-dark"},
		{"before the first value comes the last", "theme", []string{"left", "left"}, func(a *app) bool { return !a.d.Dark && a.d.Contrast }, "contrast-light"},
		{"colours of the heat map", "heat map", []string{"enter"}, func(a *app) bool { return a.d.Palette == "cividis" }, "cividis"},
		{"plain characters", "characters", []string{"right"}, func(a *app) bool { return !strings.ContainsAny(a.frame(), "╭│█") }, "plain"},
		{"long lines are cut", "long lines", []string{"right"}, func(a *app) bool { return a.d.Reading.Cut }, "cut"},
		{"two columns", "columns", []string{"left"}, func(a *app) bool { return a.d.Reading.Columns == 2 }, "two"},
		{"no mouse", "mouse", []string{"right"}, func(a *app) bool { return a.View().MouseMode == 0 }, "off"},
		{"news that were not told", "something waits", []string{"right"}, func(a *app) bool { return strings.Join(a.notices.opt.On, " ") == "best end review" }, "on"},
		{"news that were told", "a new best", []string{"right"}, func(a *app) bool { return strings.Join(a.notices.opt.On, " ") == "end" }, "off"},
		{"told in another way", "bell", []string{"right"}, func(a *app) bool { return len(a.notices.opt.By) == 0 }, "off"},
		{"what was taken back is not remembered", "theme", []string{"right", "x"}, func(a *app) bool { return a.d.Dark }, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t, tuitest.Snapshot(8), 120, 36, configured)
			r.option(c.option)
			r.keys(c.keys...)
			if !c.holds(r.app) {
				t.Fatalf("it does not hold:\n%s", ansi.Strip(r.app.frame()))
			}
			left := r.app.state()
			if c.kept == "" && len(left.Options) > 0 {
				t.Errorf("%v is remembered", left.Options)
			}
			for _, v := range left.Options {
				if v != c.kept || len(left.Options) != 1 {
					t.Errorf("%v is remembered", left.Options)
				}
			}
			again := newRig(t, tuitest.Snapshot(8), 120, 36, configured)
			again.app.remembered(left, true)
			if !c.holds(again.app) {
				t.Error("the next run does not have it")
			}
			again.option(c.option)
			if frame := ansi.Strip(again.app.frame()); strings.Contains(frame, "chosen here") != (c.kept != "") {
				t.Errorf("the next run does not say where it is from:\n%s", frame)
			}
		})
	}
}

func TestOptionsOfAnotherVersionAreLeftOut(t *testing.T) {
	r := newRig(t, tuitest.Snapshot(8), 120, 36)
	r.app.remembered(state{Options: map[string]string{"theme": "sepia", "font": "large", "columns": "two"}}, true)
	if got := r.app.state().Options; len(got) != 1 || got["columns"] != "two" {
		t.Errorf("%v is taken", got)
	}
}

func TestAThemeThatWasChosenOutlivesTheTerminalsAnswer(t *testing.T) {
	r := newRig(t, tuitest.Snapshot(8), 120, 36, func(o *Options) { o.Console.Theme = "auto" })
	r.option("theme")
	r.keys("right", "right")
	r.send(tea.BackgroundColorMsg{Color: color.Black})
	if r.app.d.Dark {
		t.Error("the answer of the terminal makes a light theme dark")
	}
}

func TestOptionsFitTheSmallestScreen(t *testing.T) {
	for _, size := range [][2]int{{60, 16}, {80, 24}, {300, 80}} {
		r := newRig(t, tuitest.Snapshot(8), size[0], size[1])
		r.keys("f2")
		frame := r.app.frame()
		exact(t, "options", frame, size[0], size[1])
		if plain := ansi.Strip(frame); !strings.Contains(plain, "theme") || !strings.Contains(plain, "← dark →") {
			t.Errorf("at %dx%d:\n%s", size[0], size[1], plain)
		}
	}
}

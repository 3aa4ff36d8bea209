package tui

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"atoll/store/record"
	"atoll/tui/tuitest"
)

func TestSteering(t *testing.T) {
	for _, c := range []struct {
		name  string
		keys  []string
		wants []string
		not   string
		texts []string // of the decisions
	}{
		{"rows show value and chance", []string{"O"}, []string{"crossover", "0.20", "20.0 %", "before a niche", "what chat will be told for #344"}, "not in force", nil},
		{"right makes a draft and shows what it would do", []string{"O", "right"}, []string{"draft, not in force", "0.25 was 0.20", "20.0 %  23.8 %", "40.0 %  38.1 %"}, "", nil},
		{"left takes that back, and no draft is left", []string{"O", "right", "left"}, []string{"0.20"}, "not in force", nil},
		{"x drops it", []string{"O", "right", "right", "x"}, []string{"0.20"}, "not in force", nil},
		{"enter makes all of it so", []string{"O", "right", "j", "j", "j", "j", "right", "enter"}, nil, "not in force", []string{`search.operators = {"crossover":0.25,"mutate":0.3,"rewrite":0.1,"tune":0.4}`, `agents = {"chat":0.25,"offline":0.8}`}},
		{"enter without a draft says why not", []string{"O", "enter"}, []string{"nothing is changed yet"}, "", nil},
		{"reviews are rows", []string{"O", "j", "j", "j", "j", "j", "j", "j", "j", "j", "j", "j", "right", "right", "enter"}, nil, "", []string{"review.niche = all"}},
		{"targets are rows, boosted by doubling", []string{"O", "j", "j", "j", "j", "j", "j", "left"}, []string{"solver", "x1 was", "66.7 %  50.0 %", "x1 frozen"}, "", nil},
		{"a target's weight is set to a figure", []string{"O", "j", "j", "j", "j", "j", "j", "e", "ctrl+u", "4", "enter"}, []string{"4 x4 was 2 x2", "66.7 %  80.0 %"}, "", nil},
		{"a temperature sets the boosts of all targets", []string{"O", "j", "j", "j", "j", "j", "j", "j", "j", "right", "right", "left", "enter"}, nil, "not in force", []string{"solver"}},
		{"and so is the money", []string{"O", "G", "k", "k", "k", "right", "right", "enter"}, nil, "", []string{"budget.cost_usd = 7"}},
		{"a row says what it does", []string{"O"}, []string{"0 never draws it"}, "", nil},
		{"notes are rows that are changed in place", []string{"O", "G", "E", "!", "enter"}, []string{"Hexagonal starts"}, "", []string{"Hexagonal starts beat square ones once more than 20 circles are placed.!"}},
		{"n writes another", []string{"O", "n", "t", "r", "y", "enter"}, nil, "", []string{"try"}},
		{"the goal of a draft stands in the next job's text", []string{"O", "e", "!", "enter"}, []string{"is largest.!", "for #344, as drafted", "Goal: Pack 26"}, "", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t, tuitest.Snapshot(16), 120, 36)
			r.keys(c.keys...)
			r.tells(c.wants, c.not)
			var texts []string
			for _, d := range r.ctl.Decisions() {
				if d.Verb != record.Set && d.Verb != record.WriteNote && d.Verb != record.Boost {
					t.Errorf("decided %s", d.Verb)
				}
				texts = append(texts, d.Text)
			}
			if strings.Join(texts, "\n") != strings.Join(c.texts, "\n") {
				t.Errorf("decided %q", texts)
			}
		})
	}
	t.Run("the map shows the odds of parents", func(t *testing.T) {
		r := newRig(t, tuitest.Snapshot(16), 120, 36)
		r.keys("v", "v", "v", "v", "v")
		if frame := ansi.Strip(r.app.frame()); !strings.Contains(frame, "Niches odds") || !strings.Contains(frame, "next parent ") {
			t.Error(frame)
		}
	})
}

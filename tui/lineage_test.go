package tui

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"atoll/store/record"
	"atoll/tui/tuitest"
)

func TestLineageFoldsAndJumps(t *testing.T) {
	for _, c := range []struct {
		name  string
		keys  []string
		on    record.CandidateID
		wants []string
	}{
		{"it stands on the candidate", []string{"T"}, 298, []string{"8 steps from the root", "* +0.0731", "├─○ c300"}},
		{"left folds what comes of it", []string{"T", "left"}, 298, []string{"▸ c298 +4"}},
		{"left again goes to its parent", []string{"T", "left", "left"}, 260, []string{"▸ c298 +4"}},
		{"right unfolds", []string{"T", "left", "right"}, 298, []string{"├─○ c300"}},
		{"the candidate is found from anywhere", []string{"T", "g", "left", "."}, 298, []string{"├─○ c300"}},
		{"the breakthrough is found from the root", []string{"T", "g", "]"}, 298, nil},
		{"the other parent of a crossover opens its own lineage", []string{"T", "%"}, 7, []string{"Lineage of c7"}},
		{"all lines of the elites", []string{"T", "m"}, record.Root, []string{"Lineage of all elites", "× c144"}},
		{"the other parent is found among them", []string{"T", "m", "G", "[", "%"}, -2, nil},
		{"by a column it is a list", []string{"T", "o", "v", "enter"}, -2, []string{"value↓", "○ c300"}},
		{"branches are folded at once", []string{"T", "m", "v"}, record.Root, []string{"▸ c"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t, tuitest.Snapshot(16), 120, 36)
			r.keys(c.keys...)
			frame := ansi.Strip(r.app.frame())
			if got := r.app.Current().Selected().Candidate; got != c.on && c.on >= record.Root {
				t.Errorf("the cursor stands on %s", got)
			}
			for _, want := range c.wants {
				if !strings.Contains(frame, want) {
					t.Errorf("%q is not there:\n%s", want, frame)
				}
			}
		})
	}
}

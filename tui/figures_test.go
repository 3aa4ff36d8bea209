package tui

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"atoll/engine/view"
	"atoll/tui/tuitest"
)

// The figure that matters stands on every size, and words say what is so.
func TestTheFigureThatMattersIsSeenFirst(t *testing.T) {
	same := func(*view.Snapshot) {}
	for _, c := range []struct {
		name  string
		w, h  int
		keys  string
		edit  func(s *view.Snapshot)
		wants []string
		not   string
	}{
		{"a job begins with its value and the gain on its parent", 60, 16, "2 j j enter", same, []string{"#341 placed 2.4029 +0.0049"}, ""},
		{"a candidate with its value and the gain on the root", 60, 16, "enter", same, []string{"c298 2.4029 +11.2 %"}, ""},
		{"curves shrink to a line beside the best", 80, 24, "", same, []string{"on root 2.1602  ▅"}, ""},
		{"a ratio says what it is a ratio to", 120, 36, "", func(s *view.Snapshot) { s.Paired, s.Objective = true, "time" }, []string{"best 2.4131 of the root's time", "time to root's"}, "on root 2.1602"},
		{"in few cells too", 60, 16, "", func(s *view.Snapshot) { s.Paired, s.Objective = true, "time" }, []string{"best 2.4131 of root"}, ""},
		{"the root beside itself is no measured 1", 120, 36, "", func(s *view.Snapshot) {
			own := 17.25
			s.Paired, s.Objective, s.Jobs, s.Root.Own = true, "time_ms", view.Counts{}, &own
			s.Best = s.Root
		}, []string{"best the root, 1 by definition, its own time_ms 17.25"}, "of the root's"},
		{"those that were rejected later are rejected, too, and it says by whom", 200, 60, "", func(s *view.Snapshot) { s.Rejections = view.Rejections{People: 2, Guard: 1} }, []string{"rejected 5 (gate 2, people 2, guard 1)"}, ""},
		{"what all wait for is not told of each", 200, 60, "", func(s *view.Snapshot) {
			s.Settings.ReviewNiche = "all"
			s.Review[1].Findings = []string{"every new elite is reviewed"}
		}, []string{"takes (8,6) from c45 · start from"}, "every new"},
		{"a risk is", 200, 60, "", func(s *view.Snapshot) { s.Review[1].Findings = []string{"risky"} }, []string{"· risky"}, ""},
		{"before there is a map nothing is said of niches", 120, 36, "", func(s *view.Snapshot) {
			s.Grid.Cells, s.Grid.Filled, s.Grid.NeedFit, s.Grid.Unplaced = nil, 0, 24, 7
		}, []string{"before the map"}, "no better in its niche"},
		{"duplicates are counted where there are some", 200, 60, "", same, []string{"duplicates 14"}, ""},
		{"and else not", 200, 60, "", func(s *view.Snapshot) { s.Jobs.Duplicate = 0 }, nil, "duplicates"},
		{"what a model was asked is told with its unit", 120, 36, "2 j j j enter", same, []string{"2 requests, 18.4k tokens in"}, ""},
		{"texts of steering go on where nothing stands beside them", 120, 36, "O", same, []string{"Pack 26 circles into the unit square"}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := tuitest.Snapshot(16)
			c.edit(s)
			r := newRig(t, s, c.w, c.h)
			r.keys(strings.Fields(c.keys)...)
			frame := ansi.Strip(r.app.frame())
			for _, want := range c.wants {
				if !strings.Contains(frame, want) {
					t.Errorf("%q is not there:\n%s", want, frame)
				}
			}
			if c.not != "" && strings.Contains(frame, c.not) {
				t.Errorf("%q is there:\n%s", c.not, frame)
			}
			exact(t, c.name, r.app.frame(), c.w, c.h)
		})
	}
}

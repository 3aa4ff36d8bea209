package tui

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"atoll/engine/evidence"
	"atoll/engine/view"
	"atoll/store/record"
	"atoll/tui/pane"
	"atoll/tui/tuitest"
)

// waitingReader tells of a candidate that was measured and waits for a person.
type waitingReader struct {
	*tuitest.Reader
	waits record.Candidate
}

func (r waitingReader) Candidate(ctx context.Context, id record.CandidateID) (view.CandidateDetail, error) {
	d, err := r.Reader.Candidate(ctx, id)
	if id == r.waits.ID {
		d.Candidate.Objective, d.Cell, d.Claim = r.waits.Objective, -1, evidence.Claim{}
	}
	return d, err
}

func TestComparing(t *testing.T) {
	for _, c := range []struct {
		name  string
		w, h  int
		keys  []string
		wants []string
		not   string
	}{
		{"one key compares a candidate with its parent", 120, 36, []string{"D"}, []string{"Compare base c272 with c298", "2.3895", "2.4029 +0.0134", "time_ms ms ↓", "parted at", "steps since", "@@ -10,9"}, ""},
		{"two marked stand in the order of the marks", 120, 36, []string{"space", "left", "left", "space", "D"}, []string{"Compare base c298 with c34"}, ""},
		{"three marked have three columns", 200, 60, []string{"space", "left", "space", "left", "space", "D"}, []string{"base c298 with c44, c34"}, ""},
		{"the next pair shows another difference", 200, 60, []string{"space", "left", "space", "left", "space", "D", "m"}, []string{"difference c298 → c34"}, ""},
		{"the next base turns the columns", 120, 36, []string{"D", "s"}, []string{"Compare base c298 with c272", "2.3895 -0.0134"}, ""},
		{"d leaves the difference alone", 120, 36, []string{"D", "d"}, []string{"@@ -10,9"}, "parted at"},
		{"and d again brings the table back", 120, 36, []string{"D", "d", "d"}, []string{"@@ -10,9", "parted at"}, ""},
		{"a low screen shows the table first", 60, 16, []string{"D"}, []string{"sum_radii", "evidence"}, "@@ -10,9"},
		{"which scrolls to its end", 60, 16, []string{"D", "G"}, []string{"steps since"}, "sum_radii"},
		{"and d shows the difference", 60, 16, []string{"D", "d"}, []string{"@@ -10,9"}, "sum_radii"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t, tuitest.Snapshot(16), c.w, c.h)
			r.keys(c.keys...)
			r.tells(c.wants, c.not)
			exact(t, c.name, r.app.frame(), c.w, c.h)
		})
	}
	for _, size := range [][2]int{{80, 24}, {60, 16}, {120, 36}} {
		t.Run(fmt.Sprintf("figures and differences of four are whole at %dx%d", size[0], size[1]), func(t *testing.T) {
			r := newRig(t, tuitest.Snapshot(16), size[0], size[1])
			r.keys("space", "left", "space", "left", "space", "left", "space", "D")
			frame := ansi.Strip(r.app.frame())
			if n := strings.Count(frame, "-0."); n < 3 || strings.Contains(frame, "…") {
				t.Errorf("%d differences are told, or something is cut:\n%s", n, frame)
			}
		})
	}
	t.Run("what waits for review has the niche that it would take", func(t *testing.T) {
		s := tuitest.Snapshot(16)
		held := &s.Review[0]
		obj := 2.41
		s.Noisy = false
		held.Candidate.Objective, held.Cell = &obj, 54
		reader := &tuitest.Reader{Snap: s}
		r := newRig(t, s, 120, 36, func(o *Options) { o.Reader = waitingReader{reader, held.Candidate} })
		r.app.panes.Compare.Set([]record.CandidateID{298, held.Candidate.ID})
		r.run(r.app.open(pane.Compare))
		r.tells([]string{"for (3,6)", "+11.6 %"}, "no niche yet")
	})
	t.Run("decisions act on the candidate that the difference leads to", func(t *testing.T) {
		r := newRig(t, tuitest.Snapshot(16), 120, 36)
		r.keys("D", "f")
		if ds := r.ctl.Decisions(); len(ds) != 1 || ds[0].Verb != record.Freeze || ds[0].Candidate != 298 {
			t.Errorf("decided %+v", ds)
		}
	})
	t.Run("five marked are told apart from four", func(t *testing.T) {
		r := newRig(t, tuitest.Snapshot(16), 120, 36)
		r.keys("space", "left", "space", "left", "space", "left", "space", "left", "space", "D")
		if r.app.at.screen() == pane.Compare || !strings.Contains(ansi.Strip(r.app.frame()), "5 are marked, and 4 fit side by side") {
			t.Error("five are compared, or nothing says why not")
		}
	})
	t.Run("the root alone has nothing to be compared with", func(t *testing.T) {
		r := newRig(t, tuitest.Snapshot(16), 120, 36)
		r.app.panes.Compare.Set([]record.CandidateID{record.Root})
		r.run(r.app.open(pane.Compare))
		if frame := ansi.Strip(r.app.frame()); !strings.Contains(frame, "the root has no parent") {
			t.Error(frame)
		}
	})
}

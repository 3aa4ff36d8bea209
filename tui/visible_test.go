package tui

import (
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"atoll/config/suitetest"
	"atoll/engine/view"
	"atoll/store/record"
	"atoll/tui/tuitest"
	"atoll/tui/widget"
)

func TestTheBarOfTheReviewHasTheDecisionAtEverySize(t *testing.T) {
	suitetest.Full(t, "every size; TestASmallScreenKeepsApproveAndReject has the smallest")
	for _, marked := range []int{0, 2} {
		for _, h := range []int{16, 24, 36} {
			for w := floorW; w <= 200; w += 7 {
				r := newRig(t, tuitest.Snapshot(16), w, h)
				for _, open := range []string{"4", "r"} {
					r.keys(open)
					for range marked {
						r.keys("space")
					}
					n := ""
					if marked > 0 {
						n = fmt.Sprint(" ", marked)
					}
					for _, want := range []string{" a approve" + n, "x reject" + n, "d diff", "s skip", "? help"} {
						if !strings.Contains(r.bar(), want) {
							t.Errorf("%dx%d after %s with %d marked lacks %q: %q", w, h, open, marked, want, r.bar())
						}
					}
					r.keys("U")
				}
			}
		}
	}
}

func TestNothingBetterThanTheRootIsSaidWithWhatToDo(t *testing.T) {
	root := func(s *view.Snapshot) { s.Best = s.Root; s.Review = nil; s.Jobs.Held = 0 }
	const said, unsure = "no candidate is better than the root yet", "nothing is sure to be better than the root yet"
	for _, c := range []struct {
		name string
		edit func(s *view.Snapshot)
		want []string
		not  string
	}{
		{"while it runs", root, []string{said, "O steers it, 7 tells what was tried"}, ""},
		{"where none was measured", func(s *view.Snapshot) {
			root(s)
			s.Jobs.Scored, s.Jobs.Placed, s.Jobs.Failed = 0, 0, 9
		}, []string{said, "none was measured: 6 tells why"}, ""},
		{"where it has ended", func(s *view.Snapshot) { root(s); s.State = record.ExperimentDone }, []string{said, "F offers more jobs"}, ""},
		{"where one looks better and is not proven", func(s *view.Snapshot) {
			s.Best, s.Review, s.Hope = s.Root, nil, &view.Rival{ID: 25, Objective: 2.5, Samples: 2, Plain: true}
		}, []string{unsure, "c25 looks better, 2.5 by 2 samples: too few to be sure"}, ""},
		{"where a promotion verified one that does not lead", func(s *view.Snapshot) {
			root(s)
			s.Sure = &view.Standing{ID: 4, Verified: &view.Branch{Name: "atoll/x-c4", Promotion: record.Promotion{Base: "main"}}}
		}, []string{"c4 is better than the root, verified by promote", "F tells more"}, said},
		{"where elites look better and it may be noise", func(s *view.Snapshot) {
			root(s)
			s.Noisy = true
		}, []string{unsure, ": it may be noise", "best the root "}, said},
		{"where one that waits is better", func(s *view.Snapshot) { s.Best = s.Root }, []string{said, "one that waits would be: r decides"}, ""},
		{"not before anything was tried", func(s *view.Snapshot) { root(s); s.Jobs = view.Counts{Max: 500} }, []string{"best 2.1602"}, said},
		{"not where something is", func(*view.Snapshot) {}, []string{"best 2.4"}, said},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := tuitest.Snapshot(16)
			c.edit(s)
			newRig(t, s, 160, 40).tells(c.want, c.not)
			if c.not == "" {
				newRig(t, s, 60, 16).tells(c.want[:1], "")
			}
		})
	}
}

func TestAMessageCoversNoLineOfAPane(t *testing.T) {
	for _, size := range [][2]int{{60, 16}, {80, 24}, {120, 36}, {200, 60}} {
		for _, open := range []string{"", "r", "H"} {
			r := newRig(t, tuitest.Snapshot(16), size[0], size[1], func(o *Options) { o.Meter = nil })
			if open != "" {
				r.keys(open)
			}
			before := strings.Split(ansi.Strip(r.app.frame()), "\n")
			for i := range 3 {
				r.run(r.app.Warn(fmt.Sprintf("message %d is about what is above it", i)))
			}
			for y, line := range strings.Split(ansi.Strip(r.app.frame()), "\n") {
				if line != before[y] && !strings.HasPrefix(strings.TrimSpace(before[y]), "╰") {
					t.Errorf("%v after %q covers line %d: %q", size, open, y, before[y])
				}
			}
			if !strings.Contains(ansi.Strip(r.app.frame()), "message 2 is about what is above it") {
				t.Errorf("%v after %q does not show the newest", size, open)
			}
		}
	}
}

func TestTheReportIsWrittenWhereThePersonSays(t *testing.T) {
	var asked []string
	r := newRig(t, finished(), 120, 36, func(o *Options) {
		o.Verb = func(args ...string) []string { asked = args; return []string{"true"} }
		o.Dir = "/there"
	})
	r.keys("F", "O")
	r.tells([]string{"Report as one HTML file", "circle-packing-report.html"}, "wrote")
	if asked != nil {
		t.Fatalf("it runs %v before it asks", asked)
	}
	r.keys("ctrl+u")
	r.typing("mine.html")
	r.keys("enter")
	r.tells([]string{"wrote /there/mine.html"}, "")
	if got := strings.Join(asked, " "); got != "report --html /there/mine.html" {
		t.Errorf("it runs %q", got)
	}
}

func TestABranchThatExistsIsRefusedBeforeAnythingIsMeasured(t *testing.T) {
	var asked []string
	r := newRig(t, tuitest.Snapshot(16), 120, 36, func(o *Options) {
		o.Verb = func(args ...string) []string { asked = append(asked, args...); return []string{"true"} }
	})
	r.keys("w")
	r.typing("main")
	r.keys("enter")
	r.tells([]string{`branch "main": it exists; choose another name`}, "verify, then write main")
	if asked != nil {
		t.Errorf("it runs %v", asked)
	}
	r.keys("w")
	r.typing("mine")
	r.keys("enter")
	r.tells([]string{"verify, then write mine"}, "")
}

func TestADifferenceKeepsItsStartWhenTheTerminalChanges(t *testing.T) {
	s := tuitest.Snapshot(16)
	first := "-    rate = 0.05"
	for _, c := range [][]tea.WindowSizeMsg{
		{{Width: 120, Height: 36}, {Width: 60, Height: 16}, {Width: 120, Height: 36}},
		{{Width: 200, Height: 60}, {Width: 80, Height: 24}},
		{{Width: 60, Height: 16}, {Width: 200, Height: 60}, {Width: 100, Height: 17}},
	} {
		r := newRig(t, s, c[0].Width, c[0].Height)
		r.run(r.app.openCandidate(298))
		r.keys("d")
		for _, size := range c {
			r.send(size)
			r.tells([]string{first}, "")
		}
		r.keys("pgdown") // where a person stands is kept
		at := firstText(r)
		r.send(tea.WindowSizeMsg{Width: c[0].Width + 1, Height: c[0].Height})
		r.send(c[len(c)-1])
		if now := firstText(r); now != at {
			t.Errorf("after a move it stood at %q, and after a resize at %q", at, now)
		}
	}
}

// firstText is the first line of the difference on the screen.
func firstText(r *rig) string {
	lines := strings.Split(ansi.Strip(r.app.frame()), "\n")
	return strings.TrimSpace(strings.Trim(lines[3], "│ "))
}

func TestAWordIsNotToldTwice(t *testing.T) {
	for _, c := range [][3]string{{"bins", "bins", "bins"}, {"Bins", "bins", "Bins"}, {"time", "ms", "time ms"}, {"score", "", "score"}} {
		if got := widget.Named(c[0], c[1], " "); got != c[2] {
			t.Errorf("%q in %q is %q", c[0], c[1], got)
		}
	}
}

package tui

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/exp/golden"

	"atoll/engine/view"
	"atoll/tui/pane"
	"atoll/tui/tuitest"
	"atoll/tui/widget"
)

// allScreens opens every pane and screen of a rig and calls fn on each frame.
func allScreens(r *rig, fn func(name string)) {
	r.app.at.stack = nil
	for id := pane.Niches; id <= pane.Log; id++ {
		r.app.at.focus = id
		fn(fmt.Sprint("dashboard ", id))
	}
	r.app.at.focus = pane.Curves
	for range 2 {
		r.keys("]")
		fn("dashboard with a metric")
		r.keys("z")
		fn("screen of a metric")
		r.keys("z")
	}
	r.keys("[", "[")
	r.app.panes.Job.Set(341)
	r.app.panes.Candidate.Set(298)
	r.app.panes.Lineage.Set(298)
	for id := pane.Niches; id <= pane.Candidates; id++ {
		r.app.at.stack = nil
		r.run(r.app.open(id))
		fn(fmt.Sprint("screen ", id))
	}
	r.app.at.stack = nil
}

// exact fails when a frame is not w x h cells.
func exact(t *testing.T, name, frame string, w, h int) {
	t.Helper()
	lines := strings.Split(frame, "\n")
	if len(lines) != h {
		t.Fatalf("%s at %dx%d: %d lines", name, w, h, len(lines))
	}
	for i, l := range lines {
		if n := ansi.StringWidth(l); n != w {
			t.Fatalf("%s at %dx%d: line %d has %d cells: %q", name, w, h, i, n, ansi.Strip(l))
		}
	}
}

func TestEveryScreenFillsItsSize(t *testing.T) {
	for _, size := range [][2]int{{60, 16}, {79, 24}, {80, 24}, {84, 50}, {109, 30}, {110, 30}, {120, 36}, {133, 41}, {200, 60}} {
		for _, n := range []int{4, 16, 33} {
			if n != 16 && size[0] != 120 && size[0] != 60 {
				continue
			}
			r := newRig(t, tuitest.Snapshot(n), size[0], size[1])
			allScreens(r, func(name string) { exact(t, name, r.app.frame(), size[0], size[1]) })
		}
	}
}

func TestHeadingsAndKeysAreNotCut(t *testing.T) {
	for _, size := range [][2]int{{60, 16}, {80, 24}, {120, 40}, {200, 60}} {
		for _, theme := range []string{"dark", "light"} {
			r := newRig(t, tuitest.Snapshot(16), size[0], size[1], func(o *Options) { o.Console.Theme = theme })
			allScreens(r, func(name string) {
				lines := strings.Split(ansi.Strip(r.app.frame()), "\n")
				for _, i := range []int{0, 1, len(lines) - 1} {
					if strings.Contains(lines[i], "…") {
						t.Errorf("%s at %dx%d cuts %q", name, size[0], size[1], lines[i])
					}
				}
				if top := lines[2]; strings.Contains(top, "…") {
					t.Errorf("%s at %dx%d cuts the title %q", name, size[0], size[1], top)
				}
				switch r.app.at.screen() { // tables
				case pane.Jobs, pane.Failures, pane.Yields, pane.Decisions, pane.Candidates, pane.Settings, pane.Lineage:
					if strings.Contains(lines[3], "…") {
						t.Errorf("%s at %dx%d cuts the headings %q", name, size[0], size[1], lines[3])
					}
				}
			})
		}
	}
}

func TestTablesLeaveOutWholeColumns(t *testing.T) {
	texts := func(s string) func(int) (widget.Style, string) {
		return func(int) (widget.Style, string) { return widget.Style{}, s }
	}
	tab := widget.Table[int]{St: widget.NewStyles(true, colorprofile.ASCII), Note: func(int) string { return "all that there is to say" }, Columns: []widget.Column[int]{
		{Head: "name", W: 8, Rank: 9, Cell: texts("one")},
		{Head: "size", W: 6, Right: true, Rank: 5, Cell: texts("12")},
		{Head: "kind", W: 6, Rank: 1, Cell: texts("odd")},
		{Head: "text", Min: 5, Rank: 7, Cell: texts("something long")},
	}}
	all := func(h int) (int, int) { return 0, min(1, h) }
	for _, c := range []struct {
		w, h int
		want []string
	}{
		{40, 3, []string{" name      size  kind  text", " one         12  odd   something long"}},
		{27, 3, []string{" name  size  text", " one     12  something long"}},
		{20, 3, []string{" name text", " one  something long"}},
		{30, 9, []string{" name  size  kind text", " one     12  odd  something l", "", "", "", "", "\x00", " all that there is to say"}},
	} {
		var got []string
		for _, l := range tab.Lines(c.w, c.h, 1, 0, all, func(i int) int { return i }) {
			got = append(got, strings.TrimRight(strings.TrimSuffix(strings.TrimRight(ansi.Strip(l), " "), "…"), " "))
		}
		if strings.Join(got, "\n") != strings.Join(c.want, "\n") {
			t.Errorf("in %d cells:\n%s\nwant\n%s", c.w, strings.Join(got, "\n"), strings.Join(c.want, "\n"))
		}
	}
}

func TestEverySizeIsFilled(t *testing.T) {
	r := newRig(t, tuitest.Snapshot(16), 80, 24)
	for w := 1; w <= 250; w += 7 {
		for h := 1; h <= 80; h += 3 {
			r.app.at.w, r.app.at.h = w, h
			exact(t, "dashboard", r.app.frame(), w, h)
		}
	}
}

func TestFramesBeforeAnyData(t *testing.T) {
	r := newRig(t, tuitest.Loading(), 120, 36)
	frame := ansi.Strip(r.app.frame())
	exact(t, "loading", r.app.frame(), 120, 36)
	if n := strings.Count(frame, "loading"); n < 4 {
		t.Errorf("%d panes say that they load:\n%s", n, frame)
	}
	allScreens(r, func(name string) { exact(t, name, r.app.frame(), 120, 36) })
}

func TestScreenPictures(t *testing.T) {
	for _, c := range []struct {
		name string
		w, h int
		keys []string
	}{
		{"dashboard-120x36", 120, 36, nil},
		{"dashboard-80x24", 80, 24, nil},
		{"dashboard-60x16", 60, 16, nil},
		{"review-120x36", 120, 36, []string{"r"}},
		{"jobs-120x36", 120, 36, []string{"2", "z"}},
		{"candidate-120x36", 120, 36, []string{"enter"}},
		{"job-120x36", 120, 36, []string{"2", "j", "j", "enter"}},
		{"curves-120x36", 120, 36, []string{"3", "z"}},
		{"metric-120x36", 120, 36, []string{"3", "z", "]"}},
		{"metric-60x16", 60, 16, []string{"3", "]", "]", "v"}},
		{"yields-120x36", 120, 36, []string{"7"}},
		{"help-80x24", 80, 24, []string{"?"}},
		{"noisy-dashboard-120x36", 120, 36, nil},
		{"noisy-dashboard-80x24", 80, 24, nil},
		{"noisy-dashboard-60x16", 60, 16, nil},
		{"noisy-niches-120x36", 120, 36, []string{"z"}},
		{"noisy-review-120x36", 120, 36, []string{"r"}},
		{"noisy-jobs-120x36", 120, 36, []string{"2", "z"}},
		{"noisy-candidate-120x36", 120, 36, []string{"enter"}},
		{"noisy-job-120x36", 120, 36, []string{"2", "j", "j", "enter"}},
		{"noisy-curves-120x36", 120, 36, []string{"3", "z"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			snap := tuitest.Snapshot(16)
			if strings.HasPrefix(c.name, "noisy-") {
				snap = tuitest.Noisy(16)
				snap.Best.Uncompared = true
			}
			r := newRig(t, snap, c.w, c.h)
			local(t)
			r.keys(c.keys...)
			lines := strings.Split(ansi.Strip(r.app.frame()), "\n")
			for i := range lines {
				lines[i] = strings.TrimRight(lines[i], " ")
			}
			golden.RequireEqual(t, []byte(strings.Join(lines, "\n")+"\n"))
		})
	}
}

// local makes clock times independent of the machine.
func local(t *testing.T) {
	old := time.Local
	time.Local = time.UTC
	t.Cleanup(func() { time.Local = old })
}

func TestASCIIIsASCII(t *testing.T) {
	r := newRig(t, tuitest.Snapshot(16), 120, 36, func(o *Options) { o.Console.ASCII, o.Color = true, "never" })
	local(t)
	allScreens(r, func(name string) {
		frame := r.app.frame()
		exact(t, name, frame, 120, 36)
		for i, c := range frame {
			if c > 0x7e {
				t.Fatalf("%s: %q in %q", name, c, frame[max(0, i-40):min(len(frame), i+20)])
			}
		}
	})
	for _, k := range []string{"?", ":"} {
		r.keys(k)
		for _, c := range r.app.frame() {
			if c > 0x7e {
				t.Fatalf("dialog %s: %q", k, c)
			}
		}
		r.keys("esc")
	}
	if frame := r.app.frame(); regexp.MustCompile(`\x1b\[[0-9;]*[34]8;`).MatchString(frame) {
		t.Error("colours are written without colour")
	}
}

// simpleFont is code page 437 without letters: what the font of a simple console draws.
const simpleFont = "┌┐└┘─│├┤┬┴┼═║░▒▓█▄▀▌▐■·±≥≤µ°²÷≈√∞«»¿¡"

func TestTheLinuxConsoleGetsNoBraille(t *testing.T) {
	r := newRig(t, tuitest.Snapshot(16), 120, 36, func(o *Options) { o.Env = []string{"TERM=linux"} })
	r.app.d.Profile = colorprofile.ANSI
	r.app.d.Restyle()
	allScreens(r, func(name string) {
		frame := r.app.frame()
		exact(t, name, frame, 120, 36)
		for _, c := range frame {
			if c > 0x7e && !strings.ContainsRune(simpleFont, c) {
				t.Errorf("%s: %q is not in the font of a simple console", name, c)
			}
		}
		if strings.Contains(frame, "38;2;") || strings.Contains(frame, "38;5;1;") {
			t.Fatalf("%s: more than 16 colours", name)
		}
	})
}

// Colours live in styles.go and in plot; nowhere else does a style begin.
func TestColoursLiveInOnePlace(t *testing.T) {
	var files []string
	for _, dir := range []string{".", "pane", "steer", "keys", "widget"} {
		here, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil || len(here) == 0 {
			t.Fatal(dir, here, err)
		}
		files = append(files, here...)
	}
	for _, f := range files {
		if f == filepath.Join("widget", "styles.go") || strings.HasSuffix(f, "_test.go") {
			continue
		}
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, bad := range []string{"lipgloss.NewStyle", "lipgloss.Color", "38;2", "48;5", "go func"} {
			if strings.Contains(string(data), bad) {
				t.Errorf("%s has %s", f, bad)
			}
		}
	}
}

func TestCursorStaysWhereDataChanges(t *testing.T) {
	s := tuitest.Snapshot(16)
	r := newRig(t, s, 120, 36)
	r.keys("2", "j", "j", "j", "j")
	before := r.app.panes.ByID[pane.Jobs].Selected().Job
	next := tuitest.Snapshot(16)
	next.Version++
	fresh := next.Recent[0]
	fresh.Job.ID = 344
	next.Recent = append([]view.Ended{fresh}, next.Recent...)
	r.send(snapMsg{next})
	_ = r.app.frame()
	if got := r.app.panes.ByID[pane.Jobs].Selected().Job; got != before {
		t.Errorf("the cursor moved from %s to %s when a job ended", before, got)
	}
}

func TestResizeKeepsTheCursor(t *testing.T) {
	r := newRig(t, tuitest.Snapshot(16), 120, 36)
	r.keys("left", "left", "up")
	want := r.app.panes.ByID[pane.Niches].Selected().Cell
	for _, size := range [][2]int{{40, 10}, {200, 60}, {80, 24}, {1, 1}, {120, 36}} {
		r.send(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
		exact(t, "resized", r.app.frame(), size[0], size[1])
	}
	if got := r.app.panes.ByID[pane.Niches].Selected().Cell; got != want {
		t.Errorf("cell %d after resizing, %d before", got, want)
	}
}

// A frame in which the snapshot is new, so that every pane is drawn again.
func BenchmarkDashboardFrame(b *testing.B) {
	draw := dashboardFrames(b)
	b.ReportAllocs()
	for b.Loop() {
		draw(1)
	}
}

// dashboardFrames returns what draws frames of a large dashboard, each with a
// new snapshot.
func dashboardFrames(t testing.TB) func(n int) {
	s := tuitest.Snapshot(32)
	r := newRig(t, s, 200, 60)
	return func(n int) {
		for range n {
			next := *s
			next.Version++
			s = &next
			r.app.d.Take(s)
			if len(r.app.frame()) == 0 {
				t.Fatal("no frame")
			}
		}
	}
}

// A frame in which nothing changed: what a key press elsewhere costs.
func BenchmarkCachedFrame(b *testing.B) {
	r := newRig(b, tuitest.Snapshot(32), 200, 60)
	for b.Loop() {
		_ = r.app.frame()
	}
}

func TestFrameBudget(t *testing.T) {
	if testing.Short() {
		t.Skip("a measurement of time")
	}
	const frames = 100
	draw := dashboardFrames(t)
	draw(10)
	began := tuitest.ProcessorTime(t) // not the time of day: others may need the machine
	draw(frames)
	if per := (tuitest.ProcessorTime(t) - began) / frames; per > 10*time.Millisecond {
		t.Errorf("a frame of the dashboard at 200x60 takes %s of the processor", per)
	}
}

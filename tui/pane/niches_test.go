package pane

import (
	"math"
	"strings"
	"testing"

	"atoll/engine/view"
	"atoll/store/record"
	"atoll/tui/tuitest"
)

// cube is a grid of three axes with elites at these places; their objective
// is 1, 2, 3 and so on.
func cube(dims []int, places ...[]int) *view.Snapshot {
	s := tuitest.Snapshot(4)
	s.Grid = view.Grid{Dims: dims, Total: 1}
	for i, n := range dims {
		s.Grid.Total *= n
		a := view.Axis{Name: string(rune('a' + i))}
		for k := range n + 1 {
			a.Edges = append(a.Edges, float64(k*10))
		}
		s.Grid.Axes = append(s.Grid.Axes, a)
	}
	for i, at := range places {
		v := float64(i + 1)
		s.Grid.Cells = append(s.Grid.Cells, view.Cell{
			Index: flat(dims, at), Elite: record.CandidateID(i + 10), Objective: v, Adjusted: v, Tries: i + 1, Boost: 1, MAD: v / 10, Children: 2 * i, Improved: i,
		})
		s.Grid.Filled++
	}
	s.Best = view.Standing{ID: record.CandidateID(len(places) + 9), Objective: float64(len(places)), Cell: s.Grid.Cells[len(places)-1].Index}
	return s
}

func TestTitlesOfAxesEndInAnEllipsisWhereWordsAreLost(t *testing.T) {
	const change, breadth, words = "change from the root", "breadth of the change", "loop append index -print format"
	for name, tc := range map[string]struct {
		x, y string
		w    int
		want string
	}{
		"both fit":                        {change, breadth, 140, "→ " + change + "  ↑ " + breadth},
		"both lose words":                 {change, breadth, 50, "→ change from…  ↑ breadth of…"},
		"one word is cut once":            {"parenthesised-expressions", "b", 50, "→ parenthesis…  ↑ b"},
		"what goes down has an end too":   {words, "b", 50, "→ loop -print…  ↑ b"},
		"a name as long as there is room": {"change of it", "b", 50, "→ change of it  ↑ b"},
	} {
		t.Run(name, func(t *testing.T) {
			s := cube([]int{3, 3}, []int{1, 1})
			s.Grid.Axes[0].Name, s.Grid.Axes[1].Name = tc.x, tc.y
			b := newBench(t, s, nil, Niches, tc.w, 24)
			b.frame() // a pane knows its width once it was drawn
			if title, _, _ := strings.Cut(b.frame(), "\n"); !strings.HasSuffix(strings.TrimRight(title, " "), tc.want) {
				t.Errorf("%s\nwant %s", title, tc.want)
			}
		})
	}
}

func TestAxesOfANicheHaveTheirWholeNamesWhereThereIsRoom(t *testing.T) {
	s := cube([]int{3, 3}, []int{1, 1})
	s.Grid.Axes[0].Name, s.Grid.Axes[1].Name = "change from the root", "breadth of the change"
	for i := range s.Grid.Axes {
		s.Grid.Axes[i].Edges = []float64{0, 0.06, 0.12, 0.19}
	}
	p := newBench(t, s, nil, Niches, 66, 24).p.(*nichesPane)
	for w, want := range map[int]string{
		64: "change from the root 0.00–0.06 · breadth of the change 0.00–0.06",
		63: "change from the root 0.00–0.06 · breadth of the… 0.00–0.06",
		61: "change from the… 0.00–0.06 · breadth of the… 0.00–0.06",
		30: "change from… 0.00 · breadth of… 0.00",
	} {
		if got := p.bounds(0, w); got != want {
			t.Errorf("in %d cells: %q, want %q", w, got, want)
		}
	}
}

func TestHiddenAxes(t *testing.T) {
	// Two elites share the field (1,1) of a and b; the better is at c = 2.
	r := newBench(t, cube([]int{3, 3, 4}, []int{1, 1, 0}, []int{0, 2, 1}, []int{1, 1, 2}), nil, Niches, 140, 44)
	p := r.p.(*nichesPane)
	says := func(when string, texts ...string) {
		t.Helper()
		frame := r.frame()
		for _, text := range texts {
			if !strings.Contains(frame, text) {
				t.Errorf("%s, the screen does not say %q:\n%s", when, text, frame)
			}
		}
	}
	filled := func() (n int) {
		for _, c := range p.heat().Cells {
			if c.Filled {
				n++
			}
		}
		return n
	}
	says("at the start", "→ a  ↑ b · best over c", "niche (1,1,2)", "1 of 2 here", "2 elites over the axes that are not shown", "(1,1,0)")
	if filled() != 2 {
		t.Errorf("%d fields of two are filled", filled())
	}
	r.keys("]")
	says("with the second elite of the field", "niche (1,1,0)", "2 of 2 here")
	if p.Selected().Candidate != 10 {
		t.Errorf("c%d is chosen, not c10", p.Selected().Candidate)
	}
	r.keys("A")
	says("in the slice of that elite", "→ a  ↑ b · c 1/4 0–10")
	if filled() != 1 {
		t.Errorf("%d fields are filled in a slice with one elite", filled())
	}
	r.keys("[")
	says("one slice back, around the end", "c 4/4 30–40", "(1,1,3) empty")
	r.keys("A", "X")
	says("with another axis across", "→ c  ↑ b · best over a")
	r.keys("Y")
	says("with another axis up", "→ c  ↑ a · best over b")
	r.keys("Y")
	says("where both would be the same", "→ c  ↑ b · best over a")
	r.keys("X", ".")
	says("back at the best", "→ a  ↑ b", "niche (1,1,2)")
}

func TestSlicesAlongAChosenAxis(t *testing.T) {
	r := newBench(t, cube([]int{2, 2, 3, 4}, []int{1, 1, 0, 0}), nil, Niches, 140, 44)
	p := r.p.(*nichesPane)
	r.keys("A", "]")
	if p.at[2] != 1 || p.at[3] != 0 {
		t.Fatalf("the slice is at %v", p.at)
	}
	r.keys("s", "]", "]")
	if p.at[2] != 1 || p.at[3] != 2 {
		t.Errorf("after the choice of the other axis the slice is at %v", p.at)
	}
	if frame := r.frame(); !strings.Contains(frame, "c 2/3 10–20, d 3/4 20–30") {
		t.Errorf("the title does not say both slices:\n%s", frame)
	}
}

func TestAZoomedNicheIsToldWithItsElitesOfBeforeAndNow(t *testing.T) {
	s := cube([]int{3, 3}, []int{0, 0}, []int{1, 1})
	r := newBench(t, s, nil, Niches, 160, 48)
	p := r.p.(*nichesPane)
	tells := func(cell int, words ...string) {
		t.Helper()
		copy(p.at, coords(s.Grid.Dims, cell))
		p.seen = true
		r.run(p.Load())
		frame := r.frame()
		for _, want := range append(words, "niche "+Niche(&s.Grid, cell)) {
			if !strings.Contains(frame, want) {
				t.Errorf("niche %d is told without %q:\n%s", cell, want, frame)
			}
		}
	}
	_ = r.frame()
	tells(4, "c298", "runners-up of 6 tries", "c271", "c250", "history", "+0.0042", "new niche")
	tells(0, "runners-up of 6 tries")
	p.d.Past = true
	tells(4, "are told of now", "leads back")
	p.d.Past = false
	p.detail = nil
	if frame := r.frame(); !strings.Contains(frame, "loading") {
		t.Errorf("while it is read it does not say so:\n%s", frame)
	}
}

func TestLayersTellWhatTheySay(t *testing.T) {
	r := newBench(t, cube([]int{3, 3}, []int{0, 0}, []int{1, 1}, []int{2, 2}), nil, Niches, 140, 44)
	p := r.p.(*nichesPane)
	for _, c := range []struct {
		name   string
		words  string
		lo, hi float64
	}{
		{"age", "taken ", math.NaN(), 0}, {"tries", "3 tries", 1, 3}, {"spread", "spread 0.3", 0.1, 0.3}, {"curiosity", "2 of 4 edits took a niche", 0.5, 0.5},
	} {
		r.keys("v")
		frame := r.frame()
		if !strings.Contains(frame, "Niches "+c.name) || !strings.Contains(frame, c.words) {
			t.Errorf("%s: no %q:\n%s", c.name, c.words, frame)
		}
		if !math.IsNaN(c.lo) && (p.lo != c.lo || p.hi != c.hi) {
			t.Errorf("%s goes from %v to %v, not from %v to %v", c.name, p.lo, p.hi, c.lo, c.hi)
		}
	}
}

package engine_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"atoll/config/suitetest"
	"atoll/engine/behavior"
	"atoll/engine/fold"
	"atoll/engine/view"
)

const kindsYAML = labHead + `
map: {grid: [8, 8], min_fit: 12}
search:
  operators: {tune: 1}
budget: {jobs: 24}
`

func TestEditsOfAnyKindOfFileShapeTheMap(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "several runs with a learned map; TestALearnedMapOutlivesAChangeOfTheEvaluator has one")
	for _, c := range []struct {
		name  string
		extra []string
		drawn bool
	}{
		{"where nothing is out of scope", nil, true},
		{"where the file is in scope", []string{"gate.scope=[program.txt]"}, true},
		{"but for what map.include leaves out, and that is told", []string{"map.include=[main.go]"}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := bareLab(t, map[string]string{"program.txt": program, "measure.sh": measure, "main.go": "package main\n"})
			l.begin(l.loaded(kindsYAML, c.extra...))
			s := l.run()
			if got := s.Space.Version > 0; got != c.drawn {
				t.Errorf("map %d of %d candidates, %d different", s.Space.Version, s.Grid.Unplaced, s.Grid.Distinct)
			}
			if c.drawn && s.Grid.Filled < 3 {
				t.Errorf("%d niches are filled", s.Grid.Filled)
			}
			if told := hasLine(s, "no map yet"); told == c.drawn {
				t.Errorf("that there is no map is told: %v", told)
			}
		})
	}
}

func hasLine(s *view.Snapshot, text string) bool {
	for _, l := range s.Log {
		if strings.Contains(l.Text, text) {
			return true
		}
	}
	return false
}

func TestALearnedMapBeginsWithMeasuresAgainstTheRoot(t *testing.T) {
	t.Parallel()
	yaml := strings.Replace(learnedYAML, "grid: [32, 32]", "grid: [8, 8], min_fit: 8, include: [program.txt]", 1)
	for _, c := range []struct {
		name   string
		jobs   int
		extra  string
		causes []string
	}{
		{"with few candidates it is all there is", 5, "provisional: true, ", []string{behavior.CauseProvisional}},
		{"with enough of them it gives way", 20, "provisional: true, ", []string{behavior.CauseProvisional, behavior.CauseFirst}},
		{"where nobody wants it candidates wait", 5, "provisional: false, ", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := newScaleLab(t, strings.Replace(yaml, "grid:", c.extra+"grid:", 1), c.jobs)
			s := l.run()
			spaces, err := l.ses.DB.Spaces(t.Context(), l.exp.ID)
			if err != nil {
				t.Fatal(err)
			}
			var causes []string
			for _, sp := range spaces {
				causes = append(causes, sp.Report.Cause)
			}
			if len(causes) < len(c.causes) || !slices.Equal(causes[:len(c.causes)], c.causes) || c.causes == nil && causes != nil {
				t.Fatalf("the maps are %q, want %q first", causes, c.causes)
			}
			if waits := s.Grid.Filled < 2; waits != (c.causes == nil) {
				t.Errorf("%d niches are filled, %d candidates wait", s.Grid.Filled, s.Grid.Unplaced)
			}
			if fitted := len(c.causes) > 1; fitted == (s.Grid.NeedFit > 0) || fitted == (s.Space.Axes != nil && s.Space.Axes[0] == "change from the root") && c.causes != nil {
				t.Errorf("%d candidates needed for a map; the axes are %q", s.Grid.NeedFit, s.Space.Axes)
			}
			if c.causes != nil && (spaces[0].AtFold < 2 || spaces[0].AtFold > 3) { // as soon as one differs from the root
				t.Errorf("the first map was laid when %d candidates were measured", spaces[0].AtFold)
			}
			if err := l.state().CheckArchive(); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestAMapOfRegionsIsTheSameHoweverItWasFolded(t *testing.T) {
	t.Parallel()
	l := newScaleLab(t, strings.Replace(learnedYAML, "grid: [32, 32]", "grid: [1, 1, 1], regions: 20, min_fit: 8, include: [program.txt]", 1), 30)
	s := l.run()
	if g := s.Grid; g.Total != 20 || !slices.Equal(g.Dims, []int{4, 5}) || len(g.Axes) != 2 || len(g.Axes[1].Edges) != 6 || g.Filled < 3 {
		t.Errorf("%d of %d niches are filled, in %v by %v", g.Filled, g.Total, g.Dims, g.Axes)
	}
	if err := l.state().CheckArchive(); err != nil {
		t.Error(err)
	}
	st, err := fold.LoadState(t.Context(), l.ses.DB, l.exp.ID)
	if err != nil {
		t.Fatal(err)
	}
	var image bytes.Buffer
	if err := st.WriteImage(&image, nil); err != nil {
		t.Fatal(err)
	}
	kept, _, err := fold.ReadImage(t.Context(), image.Bytes(), l.ses.DB, l.exp.ID)
	if err != nil {
		t.Fatal(err)
	}
	for name, other := range map[string]*fold.State{"the log": st, "a kept fold": kept} {
		if err := l.state().Archive().Equal(other.Archive()); err != nil {
			t.Errorf("folded from %s: %v", name, err)
		}
	}
	for _, c := range s.Grid.Cells { // a niche has the name of its row and column
		if at, err := kept.Cell(kept.Coords(c.Index)); err != nil || at != c.Index {
			t.Errorf("niche %d is called %v, which is niche %d: %v", c.Index, kept.Coords(c.Index), at, err)
		}
	}
}

package engine_test

import (
	"slices"
	"strings"
	"testing"

	"atoll/config/suitetest"
	"atoll/engine/behavior"
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
			if c.causes != nil && spaces[0].AtFold != 1 {
				t.Errorf("the first map was laid when %d candidates were measured", spaces[0].AtFold)
			}
			if err := l.state().CheckArchive(); err != nil {
				t.Error(err)
			}
		})
	}
}

package engine_test

import (
	"strings"
	"testing"

	"atoll/config/suitetest"
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

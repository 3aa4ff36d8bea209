package pane

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"atoll/engine/view"
	"atoll/store/record"
	"atoll/tui/plot"
	"atoll/tui/tuitest"
)

func TestTheMetricsOfTheRootAreComparedWithNothing(t *testing.T) {
	s := tuitest.Snapshot(8)
	s.Direction, s.Objective = "minimize", "time_us"
	d := newBench(t, s, nil, Candidate, 120, 36).p.(*candidatePane).d
	root := &record.Candidate{ID: record.Root, Metrics: []record.Metric{{Name: "time_us", Value: 170, Unit: "microseconds"}}}
	one := &record.Candidate{ID: 7, Metrics: []record.Metric{{Name: "time_us", Value: 120, Unit: "microseconds"}}}
	for _, c := range []struct {
		name    string
		detail  view.CandidateDetail
		columns bool
		figures string
	}{
		{"the root", view.CandidateDetail{Candidate: *root, Root: root}, false, "170"},
		{"a candidate", view.CandidateDetail{Candidate: *one, Parent: root, Root: root}, true, "+50"},
	} {
		for _, w := range []int{54, 60, 100} {
			got := strings.Join(metricTable(d, &c.detail, w), "\n")
			if strings.Contains(got, "on root") != c.columns || strings.Contains(got, "what is gained") != c.columns || !strings.Contains(got, c.figures) {
				t.Errorf("%s in %d cells:\n%s", c.name, w, got)
			}
			for line := range strings.Lines(got) {
				if n := plot.Width(ansi.Strip(strings.TrimSuffix(line, "\n"))); n > w {
					t.Errorf("%s: a row of %d cells in %d:\n%s", c.name, n, w, line)
				}
			}
		}
	}
}

func TestTheCardTellsOfBehaviour(t *testing.T) {
	d := newBench(t, tuitest.Snapshot(8), nil, Candidate, 120, 36).p.(*candidatePane).d
	detail := view.CandidateDetail{Candidate: record.Candidate{ID: 7}, Cell: -1}
	if got := strings.Join(candidateCard(d, &detail, 60), "\n"); strings.Contains(got, "behav") {
		t.Errorf("of nothing:\n%s", got)
	}
	detail.Behaviour = "behaviour " + view.NotComparedYet
	if got := strings.Join(candidateCard(d, &detail, 60), "\n"); !strings.Contains(got, "behaviour not compared yet: ") {
		t.Errorf("not told:\n%s", got)
	}
}

package pane

import (
	"testing"

	"atoll/engine/view"
	"atoll/store/record"
	"atoll/tui/widget"
)

func TestARowOfAJobSaysThatItsCandidateTookANicheLater(t *testing.T) {
	s := &view.Snapshot{Noisy: true, Grid: view.Grid{Dims: []int{3, 3}, Axes: make([]view.Axis, 2), Filled: 1, Cells: []view.Cell{{Index: 4, Elite: 9}}}}
	d := &Shared{Snap: s, St: &widget.Styles{}}
	d.Grid.build(s)
	p := newJobs(d)
	for name, c := range map[string]struct {
		candidate record.CandidateID
		short     bool
		want      string
	}{
		"it holds a niche now":              {9, false, "took (1,1) later"},
		"it holds a niche now, little room": {9, true, "took (1,1)"},
		"it holds none":                     {7, false, "no better in its niche"},
		"it holds none, and room is short":  {7, true, "no better"},
	} {
		e := view.Ended{Job: record.Job{Kind: record.Make, State: record.Scored, Candidate: c.candidate}, Cell: -1, From: record.NoCandidate}
		if got, _ := p.outcome(&e, c.short); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

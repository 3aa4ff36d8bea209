package cli

import (
	"context"
	"errors"
	"strings"
	"testing"

	"atoll/engine/view"
	"atoll/store/record"
)

func TestMetricsThatCouldSpanAMapAreNamed(t *testing.T) {
	s := &view.Snapshot{Objective: "ms", Grid: view.Grid{Map: 2}}
	for i := range 6 {
		s.Grid.Cells = append(s.Grid.Cells, view.Cell{Index: i, Elite: record.CandidateID(i)})
	}
	s.Grid.Cells = append(s.Grid.Cells, view.Cell{Index: 6, Elite: record.NoCandidate})
	asked := 0
	read := func(_ context.Context, id record.CandidateID) ([]record.Metric, error) {
		asked++
		v := float64(id)
		return []record.Metric{
			{Name: "ms", Value: v}, {Name: "ms.ratio", Value: v}, {Name: "ms.root", Value: v}, // the objective
			{Name: "startup_ms", Value: v},          // a time
			{Name: "lines", Value: 40 - v},          // differs
			{Name: "depth", Value: float64(id % 2)}, // hardly differs
			{Name: "a\x1b[31mb", Value: v / 2},      // differs, and has control characters
		}, nil
	}
	got, err := otherAxes(t.Context(), s, read)
	if want := "ab 0 to 2.5, lines 35 to 40"; got != want || err != nil || asked != 6 {
		t.Errorf("%q (%v, %d asked), want %q", got, err, asked, want)
	}
	asked, s.Grid.Map = 0, 0
	if got, _ := otherAxes(t.Context(), s, read); got != "" || asked != 0 {
		t.Errorf("beside named axes it names %q", got)
	}
	s.Grid.Map = 1
	if _, err := otherAxes(t.Context(), s, func(context.Context, record.CandidateID) ([]record.Metric, error) { return nil, errors.New("gone") }); err == nil || !strings.Contains(err.Error(), "gone") {
		t.Errorf("what cannot be read is told as %v", err)
	}
	many := map[string][]float64{"a": {1, 2, 3, 4}, "b": {1, 2, 3, 4}, "c": {1, 2, 3, 4}, "d": {1, 2, 3, 4}}
	if got, want := axesText(many), "a 1 to 4, b 1 to 4, c 1 to 4, 1 more"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

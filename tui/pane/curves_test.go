package pane

import (
	"context"
	"slices"
	"testing"

	"atoll/engine/view"
	"atoll/store/record"
	"atoll/tui/tuitest"
)

// loads is a reader that gives every candidate one metric, 10 and 10 for each
// number.
type loads struct{ tuitest.Reader }

func (*loads) Metrics(_ context.Context, ids []record.CandidateID) (map[record.CandidateID][]record.Metric, error) {
	out := map[record.CandidateID][]record.Metric{}
	for _, id := range ids {
		out[id] = []record.Metric{{Name: "load", Value: 10 + 10*float64(id)}}
	}
	return out, nil
}

// The steps of a metric begin where its candidates became the best, on every
// axis, and a stretch of the search shows what held at its start.
func TestStepsOfAMetric(t *testing.T) {
	minute := record.Millis(60_000)
	s := tuitest.Snapshot(8)
	s.Curves = view.Curves{
		X: []int{1, 2, 3, 4, 5, 6, 7, 8}, At: []record.Millis{0, minute, 2 * minute, 3 * minute, 4 * minute, 5 * minute, 6 * minute, 7 * minute},
		Best: []float64{1, 1, 2, 2, 2, 2, 2, 3}, Mean: make([]float64, 8), QD: make([]float64, 8), Coverage: make([]float64, 8),
		Reigns: []view.Reign{{X: 1, At: 0, ID: 0}, {X: 3, At: 2 * minute, ID: 3}, {X: 8, At: 7 * minute, ID: 8}},
	}
	for _, c := range []struct {
		name string
		keys []string
		x, y []float64
	}{
		{"by evaluations", nil, []float64{1, 3, 3, 8, 8, 8}, []float64{10, 10, 40, 40, 90, 90}},
		{"over time", []string{"t"}, []float64{0, 2, 2, 7, 7, 7}, []float64{10, 10, 40, 40, 90, 90}},
		{"the last quarter", []string{"v"}, []float64{7, 8, 8, 8}, []float64{40, 40, 90, 90}},
		{"over the logarithm of time", []string{"t", "m", "m"}, []float64{1, 2, 2, 7, 7, 7}, []float64{10, 10, 40, 40, 90, 90}},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := &loads{tuitest.Reader{Snap: s}}
			r := newBench(t, s, m, Curves, 100, 20)
			r.keys(append([]string{"]"}, c.keys...)...)
			p := r.p.(*curvesPane)
			got := p.metricSteps(&s.Curves, p.xs(&s.Curves))
			if !slices.Equal(got.X, c.x) || !slices.Equal(got.Y, c.y) {
				t.Errorf("%v %v\nwant %v %v", got.X, got.Y, c.x, c.y)
			}
		})
	}
}

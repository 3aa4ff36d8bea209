package output_test

import (
	"math"
	"slices"
	"testing"

	"atoll/engine/eval/output"
)

func TestStandingOf(t *testing.T) {
	for _, tt := range []struct {
		name   string
		values []float64
		want   output.Standing
	}{
		{"none", nil, output.Standing{}},
		{"one", []float64{3}, output.Standing{Median: 3, MAD: 0, N: 1}},
		{"an odd number", []float64{9, 1, 5}, output.Standing{Median: 5, MAD: 4, N: 3}},
		{"an even number", []float64{1, 2, 4, 100}, output.Standing{Median: 3, MAD: 1.5, N: 4}},
		{"an outlier moves neither much", []float64{10, 10, 10, 10, 1e9}, output.Standing{Median: 10, MAD: 0, N: 5}},
		{"sums that would overflow", []float64{math.MaxFloat64, math.MaxFloat64 / 2}, output.Standing{Median: math.MaxFloat64 * 0.75, MAD: math.MaxFloat64 * 0.25, N: 2}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			before := slices.Clone(tt.values)
			if got := output.StandingOf(tt.values); got != tt.want {
				t.Errorf("got %+v, want %+v", got, tt.want)
			}
			if !slices.Equal(before, tt.values) {
				t.Error("the values were reordered")
			}
		})
	}
}

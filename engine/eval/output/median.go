package output

import (
	"math"
	"slices"
)

// Standing is what the samples of one candidate say. Median and MAD (median
// absolute deviation from the median) are in the evaluator's own direction and
// unit; N is the number of samples.
type Standing struct {
	Median float64
	MAD    float64
	N      int
}

// StandingOf returns median, spread and number of the values; the zero
// Standing for none. The values are not changed.
func StandingOf(values []float64) Standing {
	if len(values) == 0 {
		return Standing{}
	}
	m := Median(values)
	away := make([]float64, len(values))
	for i, v := range values {
		away[i] = math.Abs(v - m)
	}
	return Standing{Median: m, MAD: Median(away), N: len(values)}
}

// Median returns the middle value, or the mean of the two middle ones. It is
// NaN for no values. The values are not changed.
func Median(values []float64) float64 {
	n := len(values)
	if n == 0 {
		return math.NaN()
	}
	s := slices.Clone(values)
	slices.Sort(s)
	if n%2 == 1 {
		return s[n/2]
	}
	a, b := s[n/2-1], s[n/2]
	if a == b {
		return a
	}
	return a/2 + b/2 // halves first: the sum of two large values may overflow
}

package behavior

import (
	"math"
	"slices"
	"sort"
)

// levels is how many quantiles describe an axis.
const levels = 64

// marginal is the distribution of the fitted vectors along one axis: raw
// coordinates at evenly spaced levels, ascending. Number i of n stands for the
// level (i+0.5)/n. An empty one is the standard normal distribution.
type marginal []float64

// quantiles returns the marginal of raw coordinates: all of them, or as many
// as there are levels.
func quantiles(raw []float64) marginal {
	slices.Sort(raw)
	if len(raw) <= levels {
		return slices.Clone(raw)
	}
	m := make(marginal, levels)
	for i := range m {
		at := (float64(i)+0.5)/levels*float64(len(raw)) - 0.5
		lo := int(at)
		hi := min(lo+1, len(raw)-1)
		m[i] = raw[lo] + (at-float64(lo))*(raw[hi]-raw[lo])
	}
	return m
}

// at returns the share of the distribution below y, from 0 to 1: linear between
// the quantiles, the middle of those that are equal to y, and beyond the last
// ones what is left of them, which falls by e with each standard deviation.
func (m marginal) at(y float64) float64 {
	if len(m) == 0 {
		return normal(y)
	}
	n := float64(len(m))
	lo := sort.SearchFloat64s(m, y)
	hi := lo
	for hi < len(m) && m[hi] == y {
		hi++
	}
	switch {
	case hi > lo:
		return float64(lo+hi) / (2 * n)
	case lo == 0:
		return 0.5 / n * math.Exp(y-m[0])
	case lo == len(m):
		return 1 - 0.5/n*math.Exp(m[lo-1]-y)
	}
	return (float64(lo) - 0.5 + (y-m[lo-1])/(m[lo]-m[lo-1])) / n
}

package bench

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// packing measures packings of n circles whose program is that of the example in all but
// the table of centres and the margin, without a process. What is close, so that the last
// bits decide whether circles overlap, it leaves to the evaluator of the example.
type packing struct {
	before, between, after string
	n                      int
}

// The places of the numbers in the program of the example.
const (
	packingTable  = "CENTRES = ["
	packingMargin = "MARGIN = "
	packingClear  = 1e-9 // the least distance that is told without exact numbers
)

// packingOf takes the program of the example apart; false when it is another one.
func packingOf(text string) (p packing, ok bool) {
	before, table, between, _, after, ok := cutPacking(text)
	return packing{before, between, after, strings.Count(table, "(")}, ok
}

func cutPacking(text string) (before, table, between, margin, after string, ok bool) {
	before, rest, ok1 := strings.Cut(text, packingTable)
	table, rest, ok2 := strings.Cut(rest, "]")
	between, rest, ok3 := strings.Cut(rest, packingMargin)
	margin, after, ok4 := strings.Cut(rest, "\n")
	return before, table, between, margin, after, ok1 && ok2 && ok3 && ok4
}

// measure returns the metrics of a program; false when it cannot tell.
func (p packing) measure(text string) (map[string]float64, bool) {
	before, table, between, margin, after, ok := cutPacking(text)
	if !ok || before != p.before || between != p.between || after != p.after {
		return nil, false
	}
	at := make([][2]float64, p.n)
	n := 0
	for _, word := range strings.FieldsFunc(table, func(r rune) bool { return strings.ContainsRune(" \n(),", r) }) {
		v, err := strconv.ParseFloat(word, 64)
		if err != nil || n == 2*p.n {
			return nil, false
		}
		at[n/2][n%2] = v
		n++
	}
	free, err := strconv.ParseFloat(margin, 64)
	if err != nil || n != 2*p.n || strings.Count(table, "(") != p.n {
		return nil, false
	}
	return packed(at, free)
}

// packed does what the program of the example does.
func packed(at [][2]float64, free float64) (map[string]float64, bool) {
	far := func(i, j int) float64 {
		x, y := at[i][0]-at[j][0], at[i][1]-at[j][1]
		return math.Sqrt(x*x + y*y)
	}
	wall, r := make([]float64, len(at)), make([]float64, len(at))
	for i, p := range at {
		wall[i] = min(p[0], 1-p[0], p[1], 1-p[1])
		r[i] = wall[i]
		for j := range at {
			if j != i {
				r[i] = min(r[i], far(i, j)/2)
			}
		}
	}
	for i := range at {
		r[i] = wall[i]
		for j := range at {
			if j != i {
				r[i] = min(r[i], far(i, j)-r[j])
			}
		}
	}
	for i := range r {
		r[i] -= free
		if r[i] < packingClear || wall[i]-r[i] < packingClear {
			return nil, false
		}
		for j := range i {
			if far(i, j)-r[i]-r[j] < packingClear {
				return nil, false
			}
		}
	}
	return packingMetrics(r), true
}

// packingMetrics are those that the evaluator tells of radii.
func packingMetrics(r []float64) map[string]float64 {
	sum, squares := 0.0, 0.0
	for _, v := range r {
		sum, squares = sum+v, squares+v*v
	}
	mean, spread := sum/float64(len(r)), 0.0
	for _, v := range r {
		spread += (v - mean) * (v - mean)
	}
	return map[string]float64{
		"sum_radii": sum, "packing_density": math.Pi * squares, "spread": math.Sqrt(spread / float64(len(r))), "largest": slices.Max(r),
	}
}

package bench

import (
	"math"
	"strconv"
	"strings"
)

// packing measures packings whose program is that of the example in all but the
// table of centres and the margin, without a process. What is close, so that the last bits
// decide whether circles overlap, it leaves to the evaluator of the example.
type packing struct{ before, between, after string }

// The places of the numbers in the program of the example.
const (
	packingTable  = "CENTRES = ["
	packingMargin = "MARGIN = "
	packingClear  = 1e-9 // the least distance that is told without exact numbers
	packingN      = 26
)

// packingOf takes the program of the example apart; false when it is another one.
func packingOf(text string) (p packing, ok bool) {
	p.before, _, p.between, _, p.after, ok = cutPacking(text)
	return p, ok
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
	var at [packingN][2]float64
	n := 0
	for _, word := range strings.FieldsFunc(table, func(r rune) bool { return strings.ContainsRune(" \n(),", r) }) {
		v, err := strconv.ParseFloat(word, 64)
		if err != nil || n == 2*packingN {
			return nil, false
		}
		at[n/2][n%2] = v
		n++
	}
	free, err := strconv.ParseFloat(margin, 64)
	if err != nil || n != 2*packingN || strings.Count(table, "(") != packingN {
		return nil, false
	}
	return packed(&at, free)
}

// packed does what the program of the example does.
func packed(at *[packingN][2]float64, free float64) (map[string]float64, bool) {
	far := func(i, j int) float64 {
		x, y := at[i][0]-at[j][0], at[i][1]-at[j][1]
		return math.Sqrt(x*x + y*y)
	}
	var wall, r [packingN]float64
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
	sum, squares, largest := 0.0, 0.0, 0.0
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
		sum, squares, largest = sum+r[i], squares+r[i]*r[i], max(largest, r[i])
	}
	mean, spread := sum/packingN, 0.0
	for _, v := range r {
		spread += (v - mean) * (v - mean)
	}
	return map[string]float64{
		"sum_radii": sum, "packing_density": math.Pi * squares, "spread": math.Sqrt(spread / packingN), "largest": largest,
	}, true
}

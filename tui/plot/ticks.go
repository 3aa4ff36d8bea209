package plot

import (
	"math"
	"strconv"
	"strings"
)

// Ticks returns rounded values (steps of 1, 2 or 5 times a power of ten) that
// lie within [lo, hi], about n of them. Nothing comes back for an empty or
// infinite range.
func Ticks(lo, hi float64, n int) []float64 {
	if !(hi > lo) || math.IsInf(hi-lo, 0) || n < 1 {
		return nil
	}
	raw := (hi - lo) / float64(n)
	mag := math.Pow(10, math.Floor(math.Log10(raw)))
	if mag == 0 || math.IsInf(mag, 0) {
		return nil
	}
	steps, at := []float64{0.2, 0.5, 1, 2, 5, 10}, 5
	for i, m := range steps {
		if m*mag >= raw {
			at = i
			break
		}
	}
	out := ticksBy(lo, hi, steps[at]*mag, n)
	if len(out) < 2 && at > 0 { // a step that falls between the ends says nothing
		out = ticksBy(lo, hi, steps[at-1]*mag, n)
	}
	return out
}

// ticksBy returns the multiples of step within [lo, hi].
func ticksBy(lo, hi, step float64, n int) []float64 {
	var out []float64
	for i := math.Ceil(lo / step); i*step <= hi+step*1e-9 && len(out) <= 2*n+2; i++ {
		v := i * step
		if math.Abs(v) < step*1e-9 {
			v = 0
		}
		out = append(out, v)
	}
	return out
}

// levels widens lo to hi, as little as it can, so that round numbers lie on whole
// rows of text, the same number of rows apart: lines of a low chart are read by
// them. It returns those numbers too, at least two; none where there is no such
// way.
func levels(lo, hi float64, rows int) (from, to float64, ticks []float64) {
	n := rows - 1 // steps from row to row
	if n < 1 || !(hi > lo) || math.IsInf(hi-lo, 0) {
		return lo, hi, nil
	}
	const most, low = 8, 4 // rows with a number; a plot so low has one in every row
	least := max(min(2, n/low+1), (n+most-1)/most)
	for every := least; every <= n; every++ {
		step := roundUp((hi - lo) / float64(n) * float64(every))
		for range 3 { // a bottom below lo may leave the top uncovered
			a, b, at := spread(lo, step/float64(every), n, every)
			if b >= hi-1e-9*(hi-lo) {
				if len(at) > 1 && (ticks == nil || b-a < to-from) {
					from, to, ticks = a, b, at
				}
				break
			}
			step = roundUp(step * 1.01)
		}
	}
	if ticks == nil {
		return lo, hi, nil
	}
	return from, to, ticks
}

// spread lays n+1 rows of one unit each from the last whole unit below lo, and
// returns the values of those that are a multiple of every units.
func spread(lo, unit float64, n, every int) (from, to float64, ticks []float64) {
	first := math.Floor(lo/unit + 1e-6)
	for i := range n + 1 {
		if k := first + float64(i); math.Mod(k, float64(every)) == 0 {
			ticks = append(ticks, k*unit+0) // no negative zero
		}
	}
	return first * unit, (first + float64(n)) * unit, ticks
}

// roundUp returns the next 1, 2 or 5 times a power of ten.
func roundUp(v float64) float64 {
	mag := math.Pow(10, math.Floor(math.Log10(v)))
	for _, m := range [...]float64{1, 2, 5} {
		if m*mag >= v*(1-1e-9) {
			return m * mag
		}
	}
	return 10 * mag
}

// Short writes a number in at most seven cells: 0.042, 12.5, 1.2k, 3.4M. What
// is no number is "-".
func Short(v float64) string {
	a := math.Abs(v)
	switch {
	case math.IsNaN(v):
		return "-"
	case math.IsInf(v, 1):
		return "inf"
	case math.IsInf(v, -1):
		return "-inf"
	case a == 0:
		return "0"
	case a < 1e-4 || a >= 1e12:
		s := strconv.FormatFloat(v, 'e', 1, 64)
		return strings.Replace(strings.Replace(s, "e-0", "e-", 1), "e+0", "e", 1)
	}
	for _, u := range []struct {
		from float64
		name string
	}{{1e9, "G"}, {1e6, "M"}, {1e4, "k"}} {
		if a >= u.from {
			div := u.from
			if u.name == "k" {
				div = 1e3
			}
			return trim(strconv.FormatFloat(v/div, 'g', 3, 64)) + u.name
		}
	}
	digits := 3 - int(math.Floor(math.Log10(a)))
	return trim(strconv.FormatFloat(v, 'f', min(max(digits, 0), 5), 64))
}

// Edges writes the bounds of bins so that neighbours differ: as many digits as
// the smallest bin needs.
func Edges(edges []float64) []string {
	out := make([]string, len(edges))
	step := math.Inf(1)
	for i := 1; i < len(edges); i++ {
		if d := math.Abs(edges[i] - edges[i-1]); d > 0 && d < step {
			step = d
		}
	}
	for i, v := range edges {
		a := math.Abs(v)
		switch {
		case math.IsNaN(v) || math.IsInf(v, 0) || math.IsInf(step, 0) || a >= 1e4 || (a > 0 && a < 1e-3):
			out[i] = Short(v)
		default:
			digits := max(0, int(math.Ceil(-math.Log10(step))))
			if off := v * math.Pow10(digits); math.Abs(off-math.Round(off)) > 0.05*step*math.Pow10(digits) {
				digits++ // a rounded bound would lie well inside the bin
			}
			out[i] = strconv.FormatFloat(v, 'f', min(digits, 4), 64)
		}
	}
	return out
}

func trim(s string) string {
	if strings.ContainsRune(s, 'e') || !strings.ContainsRune(s, '.') {
		return s
	}
	return strings.TrimRight(strings.TrimRight(s, "0"), ".")
}

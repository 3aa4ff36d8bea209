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

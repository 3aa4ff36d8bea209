package evidence

import (
	"math"
	"slices"
)

// PairedRatio compares two programs that were measured alternately: ratio is the
// Hodges-Lehmann estimate of after/before, the median of the geometric means of
// all pairs of ratios, and the interval that of the exact signed-rank test
// (Hodges and Lehmann 1963; Hollander and Wolfe, "Nonparametric Statistical
// Methods", 3.2). It asks for no normal noise, only for one that is symmetric
// about the ratio, and holds for a number of pairs that was fixed beforehand. With
// too few pairs for the level (6 for 0.95) the interval has no ends.
// Errors: [ErrNone], also where the lengths differ, [ErrNotFinite],
// [ErrNotPositive].
func PairedRatio(before, after []float64, level float64) (ratio float64, in Interval, err error) {
	if len(before) == 0 || len(before) != len(after) {
		return 0, Interval{}, ErrNone
	}
	logs := make([]float64, len(before))
	for i := range before {
		b, a := before[i], after[i]
		if !finite(a) || !finite(b) {
			return 0, Interval{}, ErrNotFinite
		}
		if a <= 0 || b <= 0 {
			return 0, Interval{}, ErrNotPositive
		}
		logs[i] = math.Log(a) - math.Log(b) // the ratio itself may overflow
	}
	walsh := walshAverages(logs)
	m := len(walsh)
	ratio = math.Exp((walsh[(m-1)/2] + walsh[m/2]) / 2)
	in = Interval{0, math.Inf(1)}
	if !(level > 0 && level < 1) {
		return ratio, in, nil
	}
	if k := signedRankCut(len(logs), (1-level)/2); k >= 0 {
		in = Interval{math.Exp(walsh[k]), math.Exp(walsh[m-1-k])}
	}
	return ratio, in, nil
}

// walshAverages are the means of all pairs of values, each with itself too, in
// order.
func walshAverages(values []float64) []float64 {
	out := make([]float64, 0, len(values)*(len(values)+1)/2)
	for i, x := range values {
		for _, y := range values[:i+1] {
			out = append(out, x/2+y/2)
		}
	}
	slices.Sort(out)
	return out
}

// exactRanks is the number of pairs up to which the distribution of the
// signed-rank statistic is counted out; beyond it is normal to four digits.
const exactRanks = 60

// signedRankCut is the largest k such that the sum of the positive ranks of n
// values that are symmetric about 0 is k or less with a chance of tail at most; -1
// where there is none.
func signedRankCut(n int, tail float64) int {
	if n > exactRanks {
		mean := float64(n*(n+1)) / 4
		dev := math.Sqrt(float64(n*(n+1)*(2*n+1)) / 24)
		return int(math.Floor(mean + dev*math.Sqrt2*math.Erfinv(2*tail-1) - 0.5)) // with the correction for continuity
	}
	ways := make([]float64, n*(n+1)/2+1) // chance of each sum
	ways[0] = 1
	for rank, top := 1, 0; rank <= n; rank++ {
		top += rank
		for s := top; s >= 0; s-- {
			ways[s] /= 2
			if s >= rank {
				ways[s] += ways[s-rank] / 2
			}
		}
	}
	k, below := -1, 0.0
	for _, p := range ways {
		if below += p; below > tail {
			break
		}
		k++
	}
	return k
}

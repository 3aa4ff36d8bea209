package eval

import (
	"math"
	"slices"

	"atoll/store/record"
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

// Summary is the aggregate of the samples of one candidate.
type Summary struct {
	Standing
	Metrics []record.Metric // medians, in the order of the first sample
	WallMS  int64           // of all samples
}

// Aggregate takes the median of each metric over the samples. A metric that
// some samples lack counts over those that have it. All samples count: pass
// the deciding or the held-out ones ([Split]), not both.
func Aggregate(samples []record.Sample) Summary {
	var s Summary
	objective := make([]float64, 0, len(samples))
	values := map[string][]float64{}
	for _, sample := range samples {
		objective = append(objective, sample.Objective)
		s.WallMS += sample.WallMS
		for _, m := range sample.Metrics {
			if _, known := values[m.Name]; !known {
				s.Metrics = append(s.Metrics, m)
			}
			values[m.Name] = append(values[m.Name], m.Value)
		}
	}
	for i := range s.Metrics {
		s.Metrics[i].Value = Median(values[s.Metrics[i].Name])
	}
	s.Standing = StandingOf(objective)
	return s
}

// Split parts the samples that decide a candidate's place from those that were
// drawn after it was won. Only the first kind may be compared; only the second
// is a claim without selection bias.
func Split(samples []record.Sample) (deciding, heldOut []record.Sample) {
	for _, s := range samples {
		if s.HeldOut {
			heldOut = append(heldOut, s)
		} else {
			deciding = append(deciding, s)
		}
	}
	return deciding, heldOut
}

// Noisy reports whether an objective is noisy: in some group, the repeats of
// one and the same tree, not all values are equal. Once true it stays true.
func Noisy(groups ...[]float64) bool {
	for _, g := range groups {
		for _, v := range g {
			if v != g[0] {
				return true
			}
		}
	}
	return false
}

// Better reports whether a is better than b in the given direction, "minimize"
// or "maximize" (the default).
func Better(a, b float64, direction string) bool {
	if direction == Minimize {
		return a < b
	}
	return a > b
}

// NeedsChallenge returns how many further samples a challenger has to give
// before it may take a niche from the incumbent: none when the objective is
// exact, when it does not look better, or when it has given repeats+challenge
// samples already. A lucky single run thus never displaces an elite. Pass the
// deciding samples of both; a nil incumbent is an empty niche, which needs no
// challenge unless the challenger would be the best of all.
func NeedsChallenge(challenger Standing, incumbent *Standing, noisy bool, repeats, challenge int, direction string) int {
	if !noisy || challenge <= 0 || incumbent == nil {
		return 0
	}
	if !Better(challenger.Median, incumbent.Median, direction) {
		return 0
	}
	return max(0, max(repeats, 1)+challenge-challenger.N)
}

// Outweighs reports whether a challenger is better than an incumbent by more
// than the noise of both: the medians differ by more than k times the combined
// standard error. The error of a median is taken as 1.2533·σ/√n with
// σ = 1.4826·MAD (normal samples); an incumbent of unknown spread (one sample)
// borrows the challenger's, and the other way round.
func Outweighs(challenger, incumbent Standing, k float64, direction string) bool {
	if !Better(challenger.Median, incumbent.Median, direction) {
		return false
	}
	spread := func(s, other Standing) float64 {
		mad := s.MAD
		if s.N < 2 {
			mad = other.MAD
		}
		return 1.2533 * 1.4826 * mad / math.Sqrt(float64(max(s.N, 1)))
	}
	noise := math.Hypot(spread(challenger, incumbent), spread(incumbent, challenger))
	return math.Abs(challenger.Median-incumbent.Median) > k*noise
}

package eval_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"atoll/engine/eval"
	"atoll/store/record"
)

func TestStandingOf(t *testing.T) {
	for _, tt := range []struct {
		name   string
		values []float64
		want   eval.Standing
	}{
		{"none", nil, eval.Standing{}},
		{"one", []float64{3}, eval.Standing{Median: 3, MAD: 0, N: 1}},
		{"an odd number", []float64{9, 1, 5}, eval.Standing{Median: 5, MAD: 4, N: 3}},
		{"an even number", []float64{1, 2, 4, 100}, eval.Standing{Median: 3, MAD: 1.5, N: 4}},
		{"an outlier moves neither much", []float64{10, 10, 10, 10, 1e9}, eval.Standing{Median: 10, MAD: 0, N: 5}},
		{"sums that would overflow", []float64{math.MaxFloat64, math.MaxFloat64 / 2}, eval.Standing{Median: math.MaxFloat64 * 0.75, MAD: math.MaxFloat64 * 0.25, N: 2}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			before := slices.Clone(tt.values)
			if got := eval.StandingOf(tt.values); got != tt.want {
				t.Errorf("got %+v, want %+v", got, tt.want)
			}
			if !slices.Equal(before, tt.values) {
				t.Error("the values were reordered")
			}
		})
	}
}

func TestAggregateKeepsDecidingAndHeldOutApart(t *testing.T) {
	sample := func(v float64, held bool, more ...record.Metric) record.Sample {
		return record.Sample{Objective: v, HeldOut: held, WallMS: 10, Metrics: append([]record.Metric{{Name: "s", Value: v, Unit: "ms"}}, more...)}
	}
	all := []record.Sample{sample(1, false), sample(9, true), sample(3, false, record.Metric{Name: "x", Value: 7}), sample(2, false), sample(11, true)}
	deciding, held := eval.Split(all)
	d, h := eval.Aggregate(deciding), eval.Aggregate(held)
	if d.Standing != (eval.Standing{Median: 2, MAD: 1, N: 3}) || d.WallMS != 30 {
		t.Errorf("deciding %+v", d)
	}
	if h.Standing != (eval.Standing{Median: 10, MAD: 1, N: 2}) {
		t.Errorf("held out %+v", h)
	}
	if len(d.Metrics) != 2 || d.Metrics[0] != (record.Metric{Name: "s", Value: 2, Unit: "ms"}) || d.Metrics[1].Value != 7 {
		t.Errorf("metrics %+v", d.Metrics)
	}
	if all[0].Metrics[0].Value != 1 {
		t.Error("aggregating changed a sample")
	}
}

func TestNoisy(t *testing.T) {
	for _, tt := range []struct {
		name   string
		groups [][]float64
		want   bool
	}{
		{"nothing known", nil, false},
		{"one sample each", [][]float64{{1}, {2}}, false},
		{"repeats that agree", [][]float64{{1, 1}, {2, 2, 2}}, false},
		{"repeats of one tree that differ", [][]float64{{1, 1}, {2, 2.0000001}}, true},
	} {
		if got := eval.Noisy(tt.groups...); got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
}

func TestNeedsChallenge(t *testing.T) {
	incumbent := &eval.Standing{Median: 10, MAD: 1, N: 4}
	for _, tt := range []struct {
		name       string
		challenger eval.Standing
		incumbent  *eval.Standing
		noisy      bool
		direction  string
		want       int
	}{
		{"an exact objective needs none", eval.Standing{Median: 12, N: 1}, incumbent, false, eval.Maximize, 0},
		{"an empty niche needs none", eval.Standing{Median: 12, N: 1}, nil, true, eval.Maximize, 0},
		{"one that does not look better needs none", eval.Standing{Median: 10, N: 1}, incumbent, true, eval.Maximize, 0},
		{"one that looks better has to show it", eval.Standing{Median: 12, N: 1}, incumbent, true, eval.Maximize, 3},
		{"what it has shown counts", eval.Standing{Median: 12, N: 3}, incumbent, true, eval.Maximize, 1},
		{"then it is enough", eval.Standing{Median: 12, N: 4}, incumbent, true, eval.Maximize, 0},
		{"smaller is better when minimizing", eval.Standing{Median: 9, N: 1}, incumbent, true, eval.Minimize, 3},
	} {
		if got := eval.NeedsChallenge(tt.challenger, tt.incumbent, tt.noisy, 1, 3, tt.direction); got != tt.want {
			t.Errorf("%s: %d, want %d", tt.name, got, tt.want)
		}
	}
}

// Of two candidates that are equal under noise, a challenge lets far fewer
// false winners through than a single lucky look does.
func TestAChallengeStopsLuckyRuns(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	draw := func(n int) []float64 {
		v := make([]float64, n)
		for i := range v {
			v[i] = 100 + 5*rng.NormFloat64()
		}
		return v
	}
	lucky, kept, clear := 0, 0, 0
	const rounds = 2000
	for range rounds {
		incumbent := eval.StandingOf(draw(5))
		first := draw(1)
		challenger := eval.StandingOf(first)
		if !eval.Better(challenger.Median, incumbent.Median, eval.Maximize) {
			continue
		}
		lucky++
		more := eval.NeedsChallenge(challenger, &incumbent, true, 1, 4, eval.Maximize)
		after := eval.StandingOf(append(first, draw(more)...))
		if eval.Better(after.Median, incumbent.Median, eval.Maximize) {
			kept++
		}
		if eval.Outweighs(after, incumbent, 2, eval.Maximize) {
			clear++
		}
	}
	if lucky < rounds*4/10 || kept >= lucky*9/10 || clear > kept/4 {
		t.Errorf("%d lucky of %d, %d kept, %d by more than the noise", lucky, rounds, kept, clear)
	}
}

func TestOutweighs(t *testing.T) {
	a := eval.Standing{Median: 10, MAD: 1, N: 9}
	for _, tt := range []struct {
		name string
		s    eval.Standing
		want bool
	}{
		{"far better", eval.Standing{Median: 15, MAD: 1, N: 9}, true},
		{"within the noise", eval.Standing{Median: 10.5, MAD: 1, N: 9}, false},
		{"worse", eval.Standing{Median: 9, MAD: 0, N: 9}, false},
		{"one sample borrows the other's spread", eval.Standing{Median: 12, N: 1}, false},
	} {
		if got := eval.Outweighs(tt.s, a, 2, eval.Maximize); got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
	if !eval.Outweighs(eval.Standing{Median: 11, N: 2}, eval.Standing{Median: 10, N: 2}, 2, eval.Maximize) {
		t.Error("an exact improvement counts")
	}
}

package evidence_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"atoll/engine/evidence"
)

// step draws what an edit does to the truth, as edits of programs do: mostly
// nothing, often harm, seldom good.
func step(rng *rand.Rand) float64 {
	switch u := rng.Float64(); {
	case u < 0.5:
		return 0
	case u < 0.65:
		return 0.01 * rng.NormFloat64()
	case u < 0.94:
		return -0.15 * math.Abs(rng.NormFloat64())
	}
	return 0.05 * math.Abs(rng.NormFloat64())
}

// subject is a program of the simulation: its truth and the samples of it.
type subject struct {
	truth   float64
	samples []float64
}

// world measures subjects with normal noise, a bounded number of times.
type world struct {
	rng   *rand.Rand
	dev   float64
	left  int
	noise evidence.Noise
}

func (w *world) measure(s *subject, n int) {
	n = min(n, w.left)
	w.left -= n
	if old, err := evidence.Of(s.samples...); err == nil {
		w.noise.Drop(old)
	}
	for range n {
		s.samples = append(s.samples, s.truth+w.dev*w.rng.NormFloat64())
	}
	if now, err := evidence.Of(s.samples...); err == nil {
		w.noise.Add(now)
	}
}

func mean(v []float64) float64 {
	sum := 0.0
	for _, x := range v {
		sum += x
	}
	return sum / float64(len(v))
}

func median(v []float64) float64 {
	v = slices.Sorted(slices.Values(v))
	return (v[(len(v)-1)/2] + v[len(v)/2]) / 2
}

// outcome is where a search came to: the truth of its champion, and by how much
// what is shown for it is off.
type outcome struct{ truth, off float64 }

// threeMedians is a search whose challengers are measured to three samples, and
// that shows their median.
func threeMedians(w *world) outcome {
	best := &subject{}
	w.measure(best, 3)
	for w.left > 0 {
		c := &subject{truth: best.truth + step(w.rng)}
		w.measure(c, 1)
		if median(c.samples) > median(best.samples) {
			w.measure(c, 2)
			if median(c.samples) > median(best.samples) {
				best = c
			}
		}
	}
	return outcome{best.truth, median(best.samples) - best.truth}
}

// most is the depth that the races of the simulation do not exceed, heldOut the
// number of samples of the champion that decide nothing.
const (
	most    = 16
	heldOut = 24
)

// raced is a search by races whose depth follows the noise against the mean step
// of the champion's line, and that shows held-out samples, which it pays for.
func raced(w *world) outcome {
	best := raceOn(w)
	w.left = heldOut
	shown := &subject{truth: best.truth}
	w.measure(shown, heldOut)
	return outcome{best.truth, mean(shown.samples) - best.truth}
}

func raceOn(w *world) *subject {
	w.left -= heldOut
	root := &subject{}
	w.measure(root, 3)
	best, steps := root, 0
	for w.left > 0 {
		c := &subject{truth: best.truth + step(w.rng)}
		w.measure(c, 1)
		gain := 0.0
		if steps > 0 {
			gain = (mean(best.samples) - mean(root.samples)) / float64(steps)
		}
		if w.race(c, best, evidence.Depth(w.noise.Dev(), gain, most)) {
			best, steps = c, steps+1
		}
	}
	return best
}

// race reports whether a challenger wins.
func (w *world) race(c, best *subject, depth int) bool {
	for w.left > 0 {
		move, n := evidence.Step(runner(c), runner(best), w.noise.Dev(), depth)
		switch move {
		case evidence.Challenger:
			w.measure(c, n)
		case evidence.Holder:
			w.measure(best, n)
		default:
			return move == evidence.Won
		}
	}
	return false
}

func runner(s *subject) evidence.Runner {
	return evidence.Runner{Value: mean(s.samples), N: len(s.samples)}
}

func simulate(rule func(*world) outcome, dev float64, runs int) outcome {
	var sum outcome
	for seed := range runs {
		o := rule(&world{rng: rand.New(rand.NewPCG(uint64(seed), 7)), dev: dev, left: 600})
		sum.truth += o.truth / float64(runs)
		sum.off += o.off / float64(runs)
	}
	return sum
}

// TestRacesFindMoreThanThreeMedians compares whole searches of 600 samples. Real
// steps forward are 0.04 on average.
func TestRacesFindMoreThanThreeMedians(t *testing.T) {
	for _, c := range []struct{ dev, least, off float64 }{
		// at least so many times the truth; shown within so much of it
		{0.01, 1, 0.002}, {0.02, 0.95, 0.003}, {0.05, 0.75, 0.005}, {0.1, 1.25, 0.01}, {0.2, 2, 0.015},
	} {
		old, now := simulate(threeMedians, c.dev, 100), simulate(raced, c.dev, 100)
		t.Logf("noise %.2f: three medians find %.3f and show %+.3f too much, races %.3f and %+.3f", c.dev, old.truth, old.off, now.truth, now.off)
		if now.truth < c.least*old.truth {
			t.Errorf("noise %.2f: races find %.3f, three medians %.3f", c.dev, now.truth, old.truth)
		}
		if math.Abs(now.off) > c.off {
			t.Errorf("noise %.2f: races show %+.4f too much", c.dev, now.off)
		}
	}
}

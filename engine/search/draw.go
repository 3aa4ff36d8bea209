package search

import (
	"math"
	"math/rand/v2"
	"slices"

	"atoll/store/record"
)

// Weighted is a name with its weight in a draw.
type Weighted struct {
	Name   string
	Weight float64 // not positive or not finite: never drawn
	Boost  float64 // multiplies Weight while Fold < Until; 0 = none
	Until  int     // fold position at which the boost has run out
	Frozen bool    // never drawn
}

// at returns the weight at a fold position, 0 when it cannot be drawn.
func (w Weighted) at(fold int) float64 {
	x := w.Weight
	if w.Boost > 0 && fold < w.Until {
		x *= w.Boost
	}
	if w.Frozen || !(x > 0) || math.IsInf(x, 0) {
		return 0
	}
	return x
}

// Weights turns the weights of the settings into a list by name.
func Weights(m map[string]float64) []Weighted {
	out := make([]Weighted, 0, len(m))
	for name, w := range m {
		out = append(out, Weighted{Name: name, Weight: w})
	}
	slices.SortFunc(out, func(a, b Weighted) int {
		if a.Name < b.Name {
			return -1
		}
		return 1
	})
	return out
}

// Rand returns the random stream of one job: PCG, seeded by a hash of the seed
// of the experiment and the number of the job.
func Rand(seed uint64, job record.JobID) *rand.Rand {
	a := mix(seed + 0x9e3779b97f4a7c15)
	b := mix(a ^ mix(uint64(job)+0xd1b54a32d192ed03))
	return rand.New(rand.NewPCG(a^b, mix(b)))
}

// editSalt keeps an agent's randomness apart from that of the choice.
const editSalt = 0x517cc1b727220a95

// EditRand returns the random stream of the agent that carries out one job.
func EditRand(seed uint64, job record.JobID) *rand.Rand { return Rand(seed^editSalt, job) }

// mix is the finaliser of SplitMix64 (Steele, Lea and Flood 2014).
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// draw returns an index with a chance in proportion to its weight, or -1 when
// all weights are 0. It takes one number from rng whenever it is called.
func draw(rng *rand.Rand, weights []float64) int {
	sum, last := 0.0, -1
	for i, w := range weights {
		if w > 0 {
			sum, last = sum+w, i
		}
	}
	x := rng.Float64() * sum
	for i, w := range weights {
		if !(w > 0) {
			continue
		}
		if x < w {
			return i
		}
		x -= w
	}
	return last
}

// at is draw for a number from [0,1) that was taken before; some weight is
// positive.
func at(weights []float64, x float64) int {
	sum := 0.0
	for _, w := range weights {
		sum += w
	}
	x *= sum
	for i, w := range weights {
		if x < w {
			return i
		}
		x -= w
	}
	return len(weights) - 1
}

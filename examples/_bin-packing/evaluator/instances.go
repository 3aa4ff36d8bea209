package main

import "math"

// What every instance is made of: the sizes are Weibull distributed with shape
// 3 and scale 45, rounded, and clipped to 1..capacity.
const (
	capacity = 100
	items    = 5000
	scale    = 45.0
	shape    = 3.0
)

// The seeds of the instances. The last one is held out: it is measured and
// reported, but never part of the objective.
var seeds = []uint64{11, 12, 13, 14, 15}

// scored is how many of them make the objective.
const scored = 4

// instance returns the sizes of the items in the order in which they arrive.
func instance(seed uint64) []byte {
	sizes := make([]byte, items)
	for i := range sizes {
		u := 1 - uniform(&seed) // in (0, 1]
		x := scale * math.Pow(-math.Log(u), 1/shape)
		sizes[i] = byte(min(capacity, max(1, math.Round(x))))
	}
	return sizes
}

// uniform returns the next number in [0, 1): SplitMix64 (Steele, Lea, Flood
// 2014), written out so that the instances never depend on a library.
func uniform(state *uint64) float64 {
	*state += 0x9e3779b97f4a7c15
	z := *state
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	z ^= z >> 31
	return float64(z>>11) / (1 << 53)
}

// bound returns the least number of bins that the sum of the sizes allows.
func bound(sizes []byte) int {
	sum := 0
	for _, s := range sizes {
		sum += int(s)
	}
	return (sum + capacity - 1) / capacity
}

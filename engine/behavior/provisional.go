package behavior

import (
	"fmt"
	"math"
)

// The measures of a provisional map, in the order of its axes. They need nothing
// but the vector of a commit and that of the root.
var provisionalNames = []string{"change from the root", "breadth of the change", "size beside the root"}

// leastChange is the change, as a share of the root, that is told from none.
const leastChange = 1e-4

// Provisional returns a space to lie in while there are too few commits for a fit.
// Its axes are named measures against the root, each on a scale of its own from 0
// to 1: how far the vector lies from the root's, relative to the length of that
// (by its logarithm, from a ten-thousandth to as far as the root is long); over how many
// directions of the space that change spreads (by its logarithm, from one to all);
// and how much longer or shorter the vector is (0.5 is as long as the root). Further
// axes say nothing. Errors wrap [ErrVector].
func Provisional(root []float32, dims int) (*Space, error) {
	if _, ok := unit(root, len(root)); !ok || len(root) == 0 || dims < 1 {
		return nil, fmt.Errorf("lay a provisional map: %w: that of the root", ErrVector)
	}
	return &Space{m: model{Samples: 1, Root: root, Dims: dims}}, nil
}

// Provisional reports whether the axes are measures against the root instead of
// what a fit found.
func (s *Space) Provisional() bool { return s.m.Root != nil }

// ProvisionalNames are the names of the axes of a provisional map.
func ProvisionalNames(dims int) []string {
	names := append([]string{}, provisionalNames[:min(dims, len(provisionalNames))]...)
	for len(names) < dims {
		names = append(names, fmt.Sprintf("axis %d", len(names)+1))
	}
	return names
}

// measure returns the coordinates of a vector on a provisional map; nil for one that
// is not of the root's length or not finite.
func (s *Space) measure(v []float32) []float64 {
	if _, ok := unit(v, len(s.m.Root)); !ok {
		return nil
	}
	var long, root, far, way float64 // squares, and the sum of the steps
	for i, x := range v {
		a, b := float64(x), float64(s.m.Root[i])
		d := math.Abs(a - b)
		long, root, far, way = long+float64(a*a), root+float64(b*b), far+float64(d*d), way+d
	}
	if root == 0 {
		root = 1
	}
	p := make([]float64, s.m.Dims)
	for j := range p {
		p[j] = 0.5
	}
	for j := range min(len(p), len(provisionalNames)) {
		switch j {
		case 0:
			p[j] = byLogarithm(math.Sqrt(far / root))
		case 1:
			p[j] = 0
			if far > 0 && len(v) > 1 {
				p[j] = math.Log(way*way/far) / math.Log(float64(len(v)))
			}
		case 2:
			grown := math.Sqrt(long/root) - 1
			p[j] = 0.5 + math.Copysign(byLogarithm(math.Abs(grown))/2, grown)
		}
	}
	return p
}

// byLogarithm is 0 up to the least change and 1 from 1 on.
func byLogarithm(x float64) float64 {
	return max(0, min(1, 1-math.Log(max(x, leastChange))/math.Log(leastChange)))
}

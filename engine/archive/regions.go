package archive

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// The making of regions.
const (
	samplesEach = 16 // samples for each region
	rounds      = 12 // of Lloyd's algorithm
)

// Regions are cells of any number of axes: a point lies in the region whose centre is
// nearest to it. On a screen they are a rectangle: its rows are in the order of the first
// coordinate, and within a row they are in that of the second. A Regions never
// changes.
type Regions struct {
	Rows, Columns int
	centres       [][]float64 // by number, row after row
	byFirst       []int32     // numbers in the order of the first coordinate
}

// NewRegions lays at least n regions evenly into the unit cube of two or more
// dimensions: a centroidal Voronoi tessellation (Vassiliades, Chatzilygeroudis and
// Mouret 2018) by Lloyd's algorithm on uniform samples. There are a few more than n
// where n is no rectangle. One seed gives one result.
func NewRegions(n, dims int, seed uint64) *Regions {
	rows := max(1, int(math.Sqrt(float64(n))))
	r := &Regions{Rows: rows, Columns: (n + rows - 1) / rows}
	n = r.Rows * r.Columns
	rng := rand.New(rand.NewPCG(seed, uint64(n)<<8|uint64(dims)))
	samples := make([][]float64, n*samplesEach)
	for i := range samples {
		samples[i] = make([]float64, dims)
		for j := range samples[i] {
			samples[i][j] = rng.Float64()
		}
	}
	for i := range n {
		r.centres = append(r.centres, slices.Clone(samples[i*samplesEach]))
	}
	for range rounds {
		r.sort()
		r.settle(samples)
	}
	r.arrange()
	r.sort()
	return r
}

// settle moves each centre to the middle of the samples in its region.
func (r *Regions) settle(samples [][]float64) {
	sums, counts := make([][]float64, len(r.centres)), make([]float64, len(r.centres))
	for _, p := range samples {
		c := r.nearest(p)
		if sums[c] == nil {
			sums[c] = make([]float64, len(p))
		}
		for j, x := range p {
			sums[c][j] += x
		}
		counts[c]++
	}
	for c, s := range sums {
		for j := range s {
			r.centres[c][j] = s[j] / counts[c]
		}
	}
}

// arrange numbers the regions.
func (r *Regions) arrange() {
	slices.SortFunc(r.centres, slices.Compare[[]float64])
	for row := range slices.Chunk(r.centres, r.Columns) {
		slices.SortFunc(row, func(a, b []float64) int { return slices.Compare(a[1:], b[1:]) })
	}
}

// sort finds the order of the first coordinate.
func (r *Regions) sort() {
	r.byFirst = make([]int32, len(r.centres))
	for i := range r.byFirst {
		r.byFirst[i] = int32(i)
	}
	slices.SortStableFunc(r.byFirst, func(a, b int32) int { return cmp.Compare(r.centres[a][0], r.centres[b][0]) })
}

// nearest returns the region of a point; of equally near ones the lowest. It looks
// outward from where the point would stand, as far as the first coordinate alone
// allows.
func (r *Regions) nearest(p []float64) int {
	at, _ := slices.BinarySearchFunc(r.byFirst, p[0], func(i int32, x float64) int { return cmp.Compare(r.centres[i][0], x) })
	best, least := -1, math.Inf(1)
	further := func(number int32) bool {
		q := r.centres[number]
		if first := q[0] - p[0]; float64(first*first) > least {
			return false
		}
		d := 0.0
		for j, x := range q {
			d += float64((x - p[j]) * (x - p[j]))
		}
		if d < least || d == least && int(number) < best {
			best, least = int(number), d
		}
		return true
	}
	for i := at; i < len(r.byFirst) && further(r.byFirst[i]); i++ {
	}
	for i := at - 1; i >= 0 && further(r.byFirst[i]); i-- {
	}
	return best
}

// apart is how many regions lie between the centres of two, as if they were in a row.
func (r *Regions) apart(a, b int) int {
	d := 0.0
	for j, x := range r.centres[a] {
		d += float64((x - r.centres[b][j]) * (x - r.centres[b][j]))
	}
	each := math.Pow(float64(len(r.centres)), -1/float64(len(r.centres[a])))
	return int(math.Round(math.Sqrt(d) / each))
}

// same reports whether both, or neither, are there and have the same centres.
func (r *Regions) same(o *Regions) bool {
	if r == nil || o == nil || r == o {
		return r == o
	}
	return r.Columns == o.Columns && slices.EqualFunc(r.centres, o.centres, slices.Equal[[]float64])
}

func (s Shape) validateRegions() error {
	if n := len(s.Regions.centres); n > MaxCells {
		return fmt.Errorf("%w: %d regions are more than %d", ErrShape, n, MaxCells)
	}
	if n := len(s.Regions.centres[0]); n != len(s.Axes) || n < 2 {
		return fmt.Errorf("%w: regions of %d coordinates for %d axes; there must be 2 or more", ErrShape, n, len(s.Axes))
	}
	for i, a := range s.Axes {
		err := Axis{Lo: a.Lo, Hi: a.Hi, Bins: 1}.validate()
		if len(a.Edges) > 0 {
			err = errors.New("regions need a range, not edges")
		}
		if err != nil {
			return fmt.Errorf("%w: axis %d (%s): %w", ErrShape, i+1, a.Name, err)
		}
	}
	return nil
}

// region returns the region of a finite point: each axis counts from 0 at its lower
// end to 1 at its upper one, and values beyond lie on the end.
func (s Shape) region(point []float64) int {
	p := make([]float64, len(point))
	for i, a := range s.Axes {
		p[i] = max(0, min(1, (point[i]-a.Lo)/(a.Hi-a.Lo)))
	}
	return s.Regions.nearest(p)
}

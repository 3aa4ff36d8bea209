package archive

import (
	"errors"
	"fmt"
	"math"
	"sort"
)

// MaxCells is the largest number of cells of a shape.
const MaxCells = 1 << 20

// cellSlack is added to a coordinate, in cells, before it is cut off: a value
// that rounding put a hair below an edge belongs to the cell above it.
const cellSlack = 1e-9

// Errors of this package; test with errors.Is.
var (
	// ErrShape reports axes that cannot be cut into cells.
	ErrShape = errors.New("bad archive shape")
	// ErrPoint reports coordinates of the wrong number, or not finite.
	ErrPoint = errors.New("bad coordinates")
	// ErrObjective reports an objective that is not finite.
	ErrObjective = errors.New("objective is not a finite number")
	// ErrCandidate reports a number that cannot be a candidate's.
	ErrCandidate = errors.New("not a candidate number")
	// ErrDiffers is wrapped by [Archive.Equal].
	ErrDiffers = errors.New("archives differ")
)

// Axis is one coordinate. Values below Lo fall in the first bin, values from
// Hi on in the last.
type Axis struct {
	Name   string
	Lo, Hi float64
	Bins   int // 0 with Edges: one more than there are edges
	// Edges are the inner edges, strictly ascending, for bins of unequal
	// width; a value on an edge belongs to the bin above it. Empty: Bins bins
	// of equal width. With Edges, Lo and Hi only label the outer ends.
	Edges []float64
}

// Shape is how an archive is cut into cells: a grid, or regions. Flat cell numbers of
// a grid are row-major: axis 0 is the slowest.
type Shape struct {
	Axes []Axis
	// Regions are the cells instead of a grid. Their coordinates count from 0 at the
	// lower end of an axis to 1 at its upper one. nil: a grid.
	Regions *Regions
}

// Validate reports with [ErrShape] what makes the shape useless.
func (s Shape) Validate() error {
	if len(s.Axes) == 0 {
		return fmt.Errorf("%w: it has no axis", ErrShape)
	}
	if s.Regions != nil {
		return s.validateRegions()
	}
	cells := 1
	for i, a := range s.Axes {
		if err := a.validate(); err != nil {
			return fmt.Errorf("%w: axis %d (%s): %s", ErrShape, i+1, a.Name, err)
		}
		if cells > MaxCells/a.bins() {
			return fmt.Errorf("%w: more than %d cells; use fewer bins", ErrShape, MaxCells)
		}
		cells *= a.bins()
	}
	return nil
}

func (a Axis) validate() error {
	if len(a.Edges) > 0 {
		for i, e := range a.Edges {
			if !finite(e) || i > 0 && !(e > a.Edges[i-1]) {
				return errors.New("its edges must be finite and strictly ascending")
			}
		}
		if a.Bins != 0 && a.Bins != len(a.Edges)+1 {
			return fmt.Errorf("%d edges make %d bins, not %d", len(a.Edges), len(a.Edges)+1, a.Bins)
		}
		return nil
	}
	if a.Bins < 1 {
		return errors.New("it needs at least 1 bin")
	}
	if !finite(a.Lo) || !finite(a.Hi) || !finite(a.Hi-a.Lo) || !(a.Lo < a.Hi) {
		return fmt.Errorf("its range %v to %v must be finite and ascending", a.Lo, a.Hi)
	}
	return nil
}

func (a Axis) bins() int {
	if len(a.Edges) > 0 {
		return len(a.Edges) + 1
	}
	return a.Bins
}

// bin returns the bin of a finite value.
func (a Axis) bin(v float64) int {
	if n := len(a.Edges); n > 0 {
		return sort.Search(n, func(i int) bool { return a.Edges[i] > v })
	}
	// The inner conversion forbids a fused multiply-add, which rounds once
	// instead of twice and would move values on an edge on some machines.
	g := float64(float64(a.Bins)*(v-a.Lo))/(a.Hi-a.Lo) + cellSlack
	switch last := float64(a.Bins - 1); {
	case !(g > 0):
		return 0
	case g > last:
		return a.Bins - 1
	}
	return int(g)
}

// Cells returns the number of cells.
func (s Shape) Cells() int {
	if s.Regions != nil {
		return len(s.Regions.centres)
	}
	n := 1
	for _, a := range s.Axes {
		n *= a.bins()
	}
	return n
}

// Dims returns the number of bins per axis, or of rows and columns of regions.
func (s Shape) Dims() []int {
	if s.Regions != nil {
		return []int{s.Regions.Rows, s.Regions.Columns}
	}
	dims := make([]int, len(s.Axes))
	for i, a := range s.Axes {
		dims[i] = a.bins()
	}
	return dims
}

// Cell returns the flat number of the cell that holds the point, or an error
// that wraps [ErrPoint].
func (s Shape) Cell(point []float64) (int, error) {
	if len(point) != len(s.Axes) {
		return 0, fmt.Errorf("%w: %d for %d axes", ErrPoint, len(point), len(s.Axes))
	}
	cell := 0
	for i := range s.Axes {
		if !finite(point[i]) {
			return 0, fmt.Errorf("%w: %v on axis %d (%s)", ErrPoint, point[i], i+1, s.Axes[i].Name)
		}
		if s.Regions == nil {
			cell = cell*s.Axes[i].bins() + s.Axes[i].bin(point[i])
		}
	}
	if s.Regions != nil {
		return s.region(point), nil
	}
	return cell, nil
}

// Coords returns the bin per axis of a cell, or row and column of its region.
func (s Shape) Coords(cell int) []int {
	if s.Regions != nil {
		return []int{cell / s.Regions.Columns, cell % s.Regions.Columns}
	}
	c := make([]int, len(s.Axes))
	for i := len(c) - 1; i >= 0; i-- {
		b := s.Axes[i].bins()
		c[i] = cell % b
		cell /= b
	}
	return c
}

// Distance is how many cells two cells lie apart, along the axis where it is most.
func (s Shape) Distance(a, b int) int {
	if s.Regions != nil {
		return s.Regions.apart(a, b)
	}
	d := 0
	for i := len(s.Axes) - 1; i >= 0; i-- {
		n := s.Axes[i].bins()
		x := a%n - b%n
		d = max(d, x, -x)
		a, b = a/n, b/n
	}
	return d
}

// EdgesOf returns the edges of an axis, outer ones included: one more than it
// has bins, all finite. Without useful outer ends an axis of unequal bins gets
// outer bins as wide as their neighbours.
func (s Shape) EdgesOf(axis int) []float64 {
	a := s.Axes[axis]
	n := a.bins()
	out := make([]float64, n+1)
	if len(a.Edges) == 0 {
		for i := range out {
			out[i] = a.Lo + float64((a.Hi-a.Lo)*(float64(i)/float64(n)))
		}
		out[n] = a.Hi
		return out
	}
	copy(out[1:], a.Edges)
	first, last := a.Edges[0], a.Edges[len(a.Edges)-1]
	low, high := math.Max(math.Abs(first), 1), math.Max(math.Abs(last), 1)
	if len(a.Edges) > 1 {
		low, high = a.Edges[1]-first, last-a.Edges[len(a.Edges)-2]
	}
	out[0], out[n] = saturate(first-low), saturate(last+high)
	if finite(a.Lo) && finite(a.Hi) && a.Lo < first && a.Hi > last {
		out[0], out[n] = a.Lo, a.Hi
	}
	return out
}

// Same reports whether two shapes cut the same coordinates into the same cells.
func (s Shape) Same(t Shape) bool {
	if len(s.Axes) != len(t.Axes) || !s.Regions.same(t.Regions) {
		return false
	}
	for i, a := range s.Axes {
		b := t.Axes[i]
		if a.bins() != b.bins() || len(a.Edges) != len(b.Edges) {
			return false
		}
		for j := range a.Edges {
			if a.Edges[j] != b.Edges[j] {
				return false
			}
		}
		if len(a.Edges) == 0 && (a.Lo != b.Lo || a.Hi != b.Hi) {
			return false
		}
	}
	return true
}

func finite(f float64) bool { return !math.IsNaN(f) && !math.IsInf(f, 0) }

// saturate keeps a sum of finite numbers finite.
func saturate(f float64) float64 {
	switch {
	case f > math.MaxFloat64:
		return math.MaxFloat64
	case f < -math.MaxFloat64:
		return -math.MaxFloat64
	}
	return f
}

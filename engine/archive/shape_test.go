package archive_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	"atoll/engine/archive"
)

func TestCellOfAValue(t *testing.T) {
	unit := func(bins int) archive.Axis { return archive.Axis{Lo: 0, Hi: 1, Bins: bins} }
	below := func(f float64) float64 { return math.Nextafter(f, math.Inf(-1)) }
	for _, tt := range []struct {
		name  string
		axis  archive.Axis
		value float64
		want  int
	}{
		{"the lower end is in the first bin", unit(10), 0, 0},
		{"the upper end is in the last bin", unit(10), 1, 9},
		{"below the range is clamped", unit(10), -5, 0},
		{"above the range is clamped", unit(10), 7, 9},
		{"far beyond what an integer holds is clamped to the right end", unit(10), 2.2e8, 9},
		{"further than the float range of the range", unit(10), math.MaxFloat64, 9},
		{"far below is clamped to the left end", unit(10), -math.MaxFloat64, 0},
		{"an edge belongs to the bin above", unit(10), 0.3, 3},
		{"a hair below an edge, as rounding leaves it, counts as the edge", unit(10), below(0.3), 3},
		{"a thousandth of a bin below an edge stays below", unit(10), 0.2999, 2},
		{"0.39 of a hundred in double precision", unit(100), 0.39, 39},
		{"0.29 of a hundred, which multiplies to just below 29", unit(100), 0.29, 29},
		{"one bin takes all", unit(1), 0.7, 0},
		{"a narrow range keeps its bins", archive.Axis{Lo: 1, Hi: 1 + 1e-6, Bins: 10}, 1 + 0.55e-6, 5},
		{"a narrow range is not shifted by the slack", archive.Axis{Lo: 1, Hi: 1 + 1e-6, Bins: 10}, 1 + 0.99e-7, 0},
		{"a wide range", archive.Axis{Lo: -1e300, Hi: 1e300, Bins: 4}, 1, 2},
		{"a tiny range", archive.Axis{Lo: 0, Hi: 5e-324, Bins: 2}, 5e-324, 1},
		{"left of the edges", archive.Axis{Edges: []float64{1, 10, 100}}, 0.5, 0},
		{"on an edge of unequal bins", archive.Axis{Edges: []float64{1, 10, 100}}, 10, 2},
		{"right of the edges", archive.Axis{Edges: []float64{1, 10, 100}}, 1e9, 3},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := archive.Shape{Axes: []archive.Axis{tt.axis}}
			if err := s.Validate(); err != nil {
				t.Fatal(err)
			}
			if got, err := s.Cell([]float64{tt.value}); err != nil || got != tt.want {
				t.Errorf("got %d, %v, want %d", got, err, tt.want)
			}
		})
	}
}

func TestEveryEdgeOpensItsBin(t *testing.T) {
	for _, bins := range []int{2, 3, 7, 10, 16, 32, 100, 1000} {
		for _, r := range [][2]float64{{0, 1}, {-3, 3}, {0.1, 0.7}, {-1e-7, 1e-7}, {1000, 1001}} {
			s := archive.Shape{Axes: []archive.Axis{{Lo: r[0], Hi: r[1], Bins: bins}}}
			for i, e := range s.EdgesOf(0)[:bins] {
				if got, _ := s.Cell([]float64{e}); got != i {
					t.Errorf("%d bins on %v: edge %d (%v) opens bin %d", bins, r, i, e, got)
				}
			}
		}
	}
}

func TestFlatCellsAreRowMajor(t *testing.T) {
	s := archive.Shape{Axes: []archive.Axis{{Hi: 1, Bins: 3}, {Edges: []float64{0.5}}, {Hi: 1, Bins: 4}}}
	if got := s.Dims(); !slices.Equal(got, []int{3, 2, 4}) || s.Cells() != 24 {
		t.Fatalf("dims %v, %d cells", got, s.Cells())
	}
	if got, _ := s.Cell([]float64{0.99, 0, 0.3}); got != 2*8+0*4+1 {
		t.Errorf("cell %d", got)
	}
	for c := range s.Cells() {
		at := s.Coords(c)
		if back := (at[0]*2+at[1])*4 + at[2]; back != c {
			t.Errorf("cell %d has coordinates %v", c, at)
		}
	}
}

func TestOuterEdgesAreFinite(t *testing.T) {
	for _, tt := range []struct {
		name string
		axis archive.Axis
		want []float64
	}{
		{"equal bins", archive.Axis{Lo: -1, Hi: 1, Bins: 4}, []float64{-1, -0.5, 0, 0.5, 1}},
		{"unequal bins get neighbours as wide", archive.Axis{Edges: []float64{1, 3, 10}}, []float64{-1, 1, 3, 10, 17}},
		{"given ends that fit are used", archive.Axis{Lo: 0, Hi: 50, Edges: []float64{1, 3, 10}}, []float64{0, 1, 3, 10, 50}},
		{"one edge alone", archive.Axis{Edges: []float64{4}}, []float64{0, 4, 8}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := archive.Shape{Axes: []archive.Axis{tt.axis}}
			if got := s.EdgesOf(0); !slices.Equal(got, tt.want) {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

func TestBadShapesAreRefused(t *testing.T) {
	for name, s := range map[string]archive.Shape{
		"no axis":                {},
		"no bins":                {Axes: []archive.Axis{{Lo: 0, Hi: 1}}},
		"no width":               {Axes: []archive.Axis{{Lo: 1, Hi: 1, Bins: 3}}},
		"reversed":               {Axes: []archive.Axis{{Lo: 1, Hi: 0, Bins: 3}}},
		"not a number":           {Axes: []archive.Axis{{Lo: math.NaN(), Hi: 0, Bins: 3}}},
		"infinite":               {Axes: []archive.Axis{{Lo: 0, Hi: math.Inf(1), Bins: 3}}},
		"wider than floats":      {Axes: []archive.Axis{{Lo: -math.MaxFloat64, Hi: math.MaxFloat64, Bins: 3}}},
		"equal edges":            {Axes: []archive.Axis{{Edges: []float64{1, 1}}}},
		"edges and other bins":   {Axes: []archive.Axis{{Edges: []float64{1, 2}, Bins: 4}}},
		"too many cells":         archive.Uniform([]int{32, 32, 32, 32, 32}),
		"a product that overran": archive.Uniform([]int{1 << 20, 1 << 20, 1 << 20, 1 << 20}),
	} {
		t.Run(name, func(t *testing.T) {
			if err := s.Validate(); !errors.Is(err, archive.ErrShape) {
				t.Errorf("got %v", err)
			}
			defer func() {
				if recover() == nil {
					t.Error("New took it")
				}
			}()
			archive.New(s, 0)
		})
	}
}

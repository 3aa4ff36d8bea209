package archive_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"atoll/engine/archive"
	"atoll/store/record"
)

// cube is a shape of regions over axes from 0 to 1.
func cube(n, dims int, seed uint64) archive.Shape {
	s := archive.Shape{Regions: archive.NewRegions(n, dims, seed)}
	for range dims {
		s.Axes = append(s.Axes, archive.Axis{Hi: 1, Bins: 1})
	}
	return s
}

func TestRegionsAreEvenAndFollowTheSeedAlone(t *testing.T) {
	for _, c := range []struct{ n, dims, cells int }{{1, 2, 1}, {9, 2, 9}, {50, 3, 56}, {256, 4, 256}} {
		s := cube(c.n, c.dims, 3)
		if err := s.Validate(); err != nil {
			t.Fatal(err)
		}
		if s.Cells() != c.cells || s.Dims()[0]*s.Dims()[1] != c.cells {
			t.Errorf("%d regions in %v for %d", s.Cells(), s.Dims(), c.n)
		}
		if !s.Same(cube(c.n, c.dims, 3)) || c.n > 1 && s.Same(cube(c.n, c.dims, 4)) {
			t.Errorf("%d regions do not follow their seed", c.n)
		}
		counts := make([]float64, s.Cells())
		rng := rand.New(rand.NewPCG(1, 2))
		const each = 200
		p := make([]float64, c.dims)
		for range each * s.Cells() {
			for j := range p {
				p[j] = rng.Float64()
			}
			cell, err := s.Cell(p)
			if err != nil {
				t.Fatal(err)
			}
			counts[cell]++
		}
		for cell, n := range counts {
			if n < each/4 || n > each*3 {
				t.Errorf("%d regions of %d axes: %v of %d points lie in region %d", c.n, c.dims, n, each, cell)
			}
		}
	}
}

func TestAPointLiesInTheRegionWhoseCentreIsNearest(t *testing.T) {
	s := cube(60, 3, 1)
	for i := range s.Axes { // as far as the unit cube, elsewhere
		s.Axes[i].Lo, s.Axes[i].Hi = -10, 10
	}
	centres := s.Centres()
	rng := rand.New(rand.NewPCG(5, 6))
	for range 2000 {
		p, unit := make([]float64, 3), make([]float64, 3)
		for j := range p {
			p[j] = 24*rng.Float64() - 12 // beyond the ends, too
			unit[j] = max(0, min(1, (p[j]+10)/20))
		}
		want, least := -1, math.Inf(1)
		for i, q := range centres {
			d := 0.0
			for j := range q {
				d += (q[j] - unit[j]) * (q[j] - unit[j])
			}
			if d < least {
				want, least = i, d
			}
		}
		if got, err := s.Cell(p); err != nil || got != want {
			t.Fatalf("%v lies in region %d, %v; the nearest is %d", p, got, err, want)
		}
	}
	if _, err := s.Cell([]float64{0, math.NaN(), 0}); !errors.Is(err, archive.ErrPoint) {
		t.Errorf("a point without a coordinate: %v", err)
	}
}

func TestRegionsThatDoNotFitTheirAxesAreRefused(t *testing.T) {
	for name, change := range map[string]func(*archive.Shape){
		"an axis too few": func(s *archive.Shape) { s.Axes = s.Axes[:2] },
		"edges":           func(s *archive.Shape) { s.Axes[1].Edges = []float64{1, 2} },
		"no range":        func(s *archive.Shape) { s.Axes[2].Hi = 0 },
		"one axis alone":  func(s *archive.Shape) { *s = cube(4, 1, 1) },
	} {
		s := cube(10, 3, 1)
		change(&s)
		if err := s.Validate(); !errors.Is(err, archive.ErrShape) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestAnArchiveOfRegionsIsAPureFunctionOfItsEntries(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	entries := make([]archive.Entry, 400)
	for i := range entries {
		entries[i] = archive.Entry{ID: record.CandidateID(i), Objective: rng.Float64(), Samples: 1, Point: []float64{rng.Float64(), rng.Float64(), rng.Float64()}}
	}
	fill := func(shape archive.Shape, order []int) *archive.Archive {
		a := archive.New(shape, 0)
		for _, i := range order {
			if _, err := a.Add(entries[i]); err != nil {
				t.Fatal(err)
			}
		}
		return a
	}
	one, other := fill(cube(40, 3, 9), rng.Perm(400)), fill(cube(40, 3, 9), rng.Perm(400))
	if err := one.Equal(other); err != nil || one.Digest() != other.Digest() {
		t.Errorf("the order of entries matters: %v", err)
	}
	if one.Stats().Filled < 35 {
		t.Errorf("%d regions of %d are filled", one.Stats().Filled, one.Stats().Total)
	}
	moved := fill(archive.Shape{Axes: []archive.Axis{{Hi: 1, Bins: 4}, {Hi: 1, Bins: 4}, {Hi: 1, Bins: 4}}}, rng.Perm(400))
	moved.Remap(cube(40, 3, 9), nil)
	if err := moved.Equal(one); err != nil {
		t.Errorf("cut anew from a grid: %v", err)
	}
	if one.Equal(fill(cube(40, 3, 10), rng.Perm(400))) == nil {
		t.Error("regions of another seed are the same")
	}
	s := one.Shape()
	if s.Distance(3, 3) != 0 || s.Distance(0, s.Cells()-1) < 2 || s.Distance(0, s.Cells()-1) != s.Distance(s.Cells()-1, 0) {
		t.Errorf("region 3 is %d from itself, the first %d from the last", s.Distance(3, 3), s.Distance(0, s.Cells()-1))
	}
}

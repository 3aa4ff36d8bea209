package probe

import (
	"cmp"
	"math"
	"regexp"
	"slices"
	"time"
)

// brinks looks for the numbers at which an answer changes: a number of a case goes over
// orders of magnitude, and between two that are answered differently the one in the middle
// is asked until they stand beside each other (boundary value exploration: Dobslaw, Feldt
// and de Oliveira Neto 2023). A threshold that no comparison of the code holds, such as
// one of hours/24/365, is nowhere else to be seen, and one that moved a little is found at it.
type brinks struct {
	allowed func(int64) bool
	taken   map[int]bool // the n-th place of a case was

	p      *place
	whole  []uint64 // the choices of its case
	ladder []int64  // values to ask for, as the bits of a fraction where it is one
	points []point  // what was answered
	gaps   []gap
	ends   []int64 // both sides of what was found, to be kept
	asked  *int64  // the value of the case that runs
	end    bool    // it is one of ends
}

// point is a value with its answer.
type point struct {
	v   int64
	out string
}

// gap is two values with different answers.
type gap struct{ lo, hi point }

// The bounds of brinks of one group.
const (
	mostBrinks   = 8       // places that are taken
	mostGaps     = 12      // of one place
	nearFraction = 1 << 18 // part of a fraction that two beside each other differ by: rounding alone moves no further
	nearSpan     = 1 << 46 // the same of a length of time
)

func newBrinks(allowed func(int64) bool) brinks {
	return brinks{allowed: allowed, taken: map[int]bool{}}
}

// take begins with a number of a case, where nothing else is looked at.
func (b *brinks) take(o outcome) {
	if b.p != nil || len(b.taken) >= mostBrinks || o.void {
		return
	}
	for i := range o.places {
		p := &o.places[i]
		if b.taken[i] || p.kind != edgeInt && p.kind != edgeDuration && p.kind != edgeFloat {
			continue
		}
		b.taken[i] = true
		b.p, b.whole = p, o.choices
		b.points = []point{{b.valueOf(p), o.out}}
		b.ladder = b.rungs(p)
		return
	}
}

func (b *brinks) valueOf(p *place) int64 {
	if p.kind == edgeFloat {
		return ordered(p.float)
	}
	return p.whole
}

// rungs are values of all orders of magnitude that the place may have.
func (b *brinks) rungs(p *place) (out []int64) {
	add := func(v int64) {
		switch {
		case p.kind == edgeFloat:
			out = append(out, ordered(float64(v)/64))
		case p.kind == edgeDuration && v <= int64(longestSpan) && -v <= int64(longestSpan),
			p.kind == edgeInt && b.allowed(v) && (v>>min(p.bits, 63) == 0 || p.signed && v>>p.bits == -1):
			out = append(out, v)
		}
	}
	add(0)
	for bits := range 59 {
		add(1 << bits)
		if bits%3 == 0 {
			add(-1 << bits)
		}
	}
	return out
}

// next are the choices of the next case; nil where there is none.
func (b *brinks) next() []uint64 {
	b.asked, b.end = nil, false
	var v int64
	switch {
	case b.p == nil:
		return nil
	case len(b.ladder) > 0:
		v, b.ladder, b.gaps = b.ladder[0], b.ladder[1:], nil
	case b.gaps == nil:
		if b.gaps = b.apart(); len(b.gaps) == 0 {
			b.p = nil
			return nil
		}
		return b.next()
	case len(b.ends) > 0:
		v, b.ends, b.end = b.ends[0], b.ends[1:], true
	case len(b.gaps) > 0:
		g := b.gaps[0]
		if b.beside(g) {
			b.gaps, b.ends = b.gaps[1:], []int64{g.lo.v, b.upper(g)}
			return b.next()
		}
		v = g.lo.v + int64(uint64(g.hi.v-g.lo.v)/2)
	default:
		b.p = nil
		return nil
	}
	b.asked = &v
	if b.p.kind == edgeFloat {
		return b.p.with(b.whole, []uint64{spelledFloat, math.Float64bits(fraction(v))})
	}
	return b.p.with(b.whole, b.p.spellWhole(v))
}

// saw takes the answer of a case and reports whether it is one side of a brink.
func (b *brinks) saw(o outcome) bool {
	if b.asked == nil {
		return false
	}
	at := point{*b.asked, o.out}
	b.asked = nil
	switch {
	case b.end:
		return true
	case b.gaps == nil:
		b.points = append(b.points, at)
	case len(b.gaps) > 0 && at.out == b.gaps[0].lo.out:
		b.gaps[0].lo = at
	case len(b.gaps) > 0:
		b.gaps[0].hi = at
	}
	return false
}

var digits = regexp.MustCompile(`\d+`)

// apart are neighbours among the points with different answers; first those that differ in
// more than their numbers, then those of large values.
func (b *brinks) apart() []gap {
	slices.SortFunc(b.points, func(a, b point) int { return cmp.Compare(a.v, b.v) })
	out := []gap{}
	for i := range len(b.points) - 1 {
		if a, b := b.points[i], b.points[i+1]; a.v != b.v && a.out != b.out {
			out = append(out, gap{a, b})
		}
	}
	words := func(g gap) int {
		if digits.ReplaceAllString(g.lo.out, "0") == digits.ReplaceAllString(g.hi.out, "0") {
			return 1
		}
		return 0
	}
	slices.SortStableFunc(out, func(a, b gap) int {
		return cmp.Or(cmp.Compare(words(a), words(b)), -cmp.Compare(max(a.hi.v, -a.lo.v), max(b.hi.v, -b.lo.v)))
	})
	return out[:min(len(out), mostGaps)]
}

// beside reports that nothing lies between both values of a gap, or no more than what
// rounding may move: a length of time becomes a fraction when its hours are asked for.
func (b *brinks) beside(g gap) bool {
	lo, hi := float64(g.lo.v), float64(g.hi.v)
	switch b.p.kind {
	case edgeFloat:
		lo, hi = fraction(g.lo.v), fraction(g.hi.v)
		return !(hi-lo > max(math.Abs(lo), math.Abs(hi), 1)/nearFraction)
	case edgeDuration:
		return hi-lo <= max(1, math.Abs(hi)/nearSpan)
	}
	return g.hi.v-g.lo.v <= 1
}

// upper is the upper value of a gap, of lengths of time a round one where one lies in it.
func (b *brinks) upper(g gap) int64 {
	if b.p.kind == edgeDuration {
		for _, unit := range []time.Duration{time.Hour, time.Second, time.Millisecond, time.Microsecond} {
			if v := time.Duration(g.hi.v).Truncate(unit); int64(v) > g.lo.v {
				return int64(v)
			}
		}
	}
	return g.hi.v
}

// ordered are the bits of a fraction as a whole number whose order is that of fractions.
func ordered(f float64) int64 {
	v := int64(math.Float64bits(f))
	if v < 0 {
		return math.MinInt64 - v
	}
	return v
}

// fraction is what ordered turned into a whole number.
func fraction(v int64) float64 {
	if v < 0 {
		v = math.MinInt64 - v
	}
	return math.Float64frombits(uint64(v))
}

package probe

import (
	"math"
	"reflect"
	"slices"
)

// sweep is a number that one argument of a call has. The cases of a sweep differ in it alone: shares and percents are round
// numbers, and of those few show how the code rounds what it makes of them.
type sweep struct {
	value float64
	param int  // of the parameters that are such numbers
	next  bool // it is the number that is made next
}

// The bounds of sweeps.
const (
	sweepSteps  = 101 // from 0 to 100, or to 1
	mostSweeps  = 4   // of a group
	sweepShare  = 8   // one of so many cases more is a step
	fewestItems = 8   // of lists
)

// sweeps is how many cases of a survey are steps of sweeps: of a group that is close to the change and whose call takes a
// number that need not be whole.
func (s *session) sweeps(group string) int {
	g := s.r.byName[group]
	if s.q.Around || s.q.Drawn || g == nil || g.swept() == 0 || len(s.q.Close) > 0 && !slices.Contains(s.q.Close, group) {
		return 0
	}
	return min(mostSweeps, s.count(group)/sweepShare/sweepSteps) * sweepSteps
}

// swept is how many parameters of a group's call are numbers that need not be whole.
func (g *group) swept() (n int) {
	t := g.f
	if !t.IsValid() {
		t = g.method.Func
	}
	if !t.IsValid() { // of an interface
		return 0
	}
	for i := range t.Type().NumIn() {
		if isFloat(t.Type().In(i)) {
			n++
		}
	}
	return n
}

func isFloat(t reflect.Type) bool { return t.Kind() == reflect.Float32 || t.Kind() == reflect.Float64 }

// sweepCase is the step number n of a group: of each two sweeps one goes over whole numbers and one over hundredths, both
// beside a list of the same length, where the group has one. The lengths are a hundred and one that the code names.
func (s *session) sweepCase(group string, n int) *draws {
	g, way, step := s.r.byName[group], n/sweepSteps, n%sweepSteps
	d := seeded(s.seed("sweep "+group, way))
	d.sweep = &sweep{value: float64(step), param: way / 2 % g.swept()}
	if way%2 == 1 {
		d.sweep.value /= sweepSteps - 1
	}
	for _, p := range s.r.lib.places(g) {
		if lengths := s.r.lib.edges.lengthsToSweep(); p.kind == edgeSize && d.aim == nil && len(lengths) > 0 {
			p.index = lengths[way/2%len(lengths)]
			d.aim = &p
		}
	}
	return d
}

// lengthsToSweep are the edges of lengths beside which sweeps go: the round hundred, and one of the code's own.
func (e *edges) lengthsToSweep() (out []int) {
	if i := slices.Index(e.sizes, sweepSteps-1); i >= 0 {
		out = append(out, i)
	}
	for i, n := range e.sizes {
		if n >= fewestItems && n != sweepSteps-1 && len(out) < mostSweeps/2 {
			out = append(out, i)
		}
	}
	return out
}

// step has the next number be the one of a sweep, where it is made for that parameter of the call which has so many such
// before it. It reports whether the next argument is that number.
func (d *draws) step(depth int, t reflect.Type, before *int) bool {
	w := d.sweep
	if w == nil || !isFloat(t) || depth > 0 && !d.last {
		return false
	}
	w.next = *before == w.param
	*before++
	return w.next
}

// simply has the next choice of a case that is a step be the simplest: what else it does hides what the number does.
func (d *draws) simply() *draws {
	if d.sweep != nil {
		d.force(0)
	}
	return d
}

// swept keeps the next number to the one of a sweep, or to one of a moderate size.
func (d *draws) swept() {
	switch {
	case d.sweep == nil:
	case d.sweep.next:
		d.sweep.next = false
		d.force(spelledFloat, math.Float64bits(d.sweep.value))
	default:
		d.force(d.next() % usualFloats)
	}
}

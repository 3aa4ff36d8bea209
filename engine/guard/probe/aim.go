package probe

import (
	"reflect"
	"slices"
	"time"
)

// aim names one place of a case where a value of a kind is drawn, and the edge that
// stands there. The places of a kind are counted from the beginning of a case; those of
// a method's own arguments anew.
type aim struct {
	kind  edgeKind
	last  bool // among the arguments of a method that is looked at
	place int
	index int // of the edge
}

// edgeKind is a kind of value that has edges.
type edgeKind int

const (
	edgeInt edgeKind = iota
	edgeFloat
	edgeText
	edgeSize
	edgeDuration
	edgeKinds // how many there are
)

// mostPlaces bounds how many places of a kind are aimed at.
const mostPlaces = 3

// deepestSize is how deep a slice or a map of a size of the code may lie.
const deepestSize = 2

// edgeShare: one of so many cases is an edge, beside those that are drawn.
const edgeShare = 3

// edgeRounds is how often all edges are tried at most, each time among other values.
const edgeRounds = 3

// count says how many edges there are of a kind.
func (e *edges) count(k edgeKind) int {
	switch k {
	case edgeInt:
		return len(e.ints)
	case edgeFloat:
		return len(e.floats)
	case edgeText:
		return len(e.texts)
	case edgeSize:
		return len(e.sizes)
	}
	return len(e.durations)
}

// late reports an edge that may take much time or memory: behind what is drawn, it
// takes nothing from it when it ends the process.
func (e *edges) late(a aim) bool {
	switch a.kind {
	case edgeInt:
		return e.ints[a.index] > largestEarly || e.ints[a.index] < -largestEarly
	case edgeText:
		return len(e.texts[a.index]) > longestEarly
	case edgeFloat:
		return !(e.floats[a.index] <= largestEarly && e.floats[a.index] >= -largestEarly)
	case edgeSize, edgeDuration, edgeKinds:
	}
	return false
}

// target counts a place and reports whether an edge is to stand there.
func (d *draws) target(k edgeKind) (index int, ok bool) {
	part := &d.places[0]
	if d.last {
		part = &d.places[1]
	}
	here := part[k]
	part[k]++
	if d.aim == nil || d.aim.kind != k || d.aim.last != d.last || d.aim.place != here {
		return 0, false
	}
	return d.aim.index, true
}

// aimedAt reports whether the next place of a kind is aimed at.
func (d *draws) aimedAt(k edgeKind) bool {
	part := d.places[0]
	if d.last {
		part = d.places[1]
	}
	return d.aim != nil && d.aim.kind == k && d.aim.last == d.last && d.aim.place == part[k]
}

// other reports whether an argument is made although a row has a constant for it: where
// it is aimed at, and else by chance.
func (d *draws) other(t reflect.Type) bool {
	k := edgeKinds
	switch {
	case t == reflect.TypeFor[time.Duration]():
		k = edgeDuration
	case t.Kind() == reflect.String || t.Kind() == reflect.Slice:
		k = edgeText
	case t.Kind() >= reflect.Int && t.Kind() <= reflect.Uint64:
		k = edgeInt
	case t.Kind() == reflect.Float32 || t.Kind() == reflect.Float64:
		k = edgeFloat
	}
	if d.sweep != nil && d.sweep.next {
		d.force(15)
	} else if k < edgeKinds && d.aim != nil {
		if d.aimedAt(k) {
			d.force(15)
		} else {
			d.force(0)
			d.target(k) // the row's constant stands there
		}
	}
	return d.chance(3)
}

// force says what the next choices are.
func (d *draws) force(choices ...uint64) { d.forced = append(d.forced, choices...) }

// moderate keeps the next choice of a case with an edge below k: what stands beside an
// edge is not of the ends of the machine, as no edge is.
func (d *draws) moderate(k uint64) {
	if d.aim != nil {
		d.force(d.next() % k)
	}
}

// edgeCases are the aims of a group: first those that cost little, then the others.
func (s *session) edgeCases(group string) (early, late []aim) {
	if list, ok := s.aims[group]; ok {
		return list[0], list[1]
	}
	defer func() { s.aims[group] = [2][]aim{early, late} }()
	g, most := s.r.byName[group], s.count(group)/edgeShare
	e := s.r.lib.edges
	if g == nil {
		return nil, nil
	}
	var lists [][]aim
	total := 0
	for _, p := range s.r.lib.places(g) {
		var list []aim
		for i := range e.count(p.kind) {
			p.index = i
			list = append(list, p)
		}
		total += len(list)
		lists = append(lists, list)
	}
	if total == 0 {
		return nil, nil
	}
	all := inTurn(lists...)
	for n := range min(most, edgeRounds*total) {
		if a := all[n%total]; e.late(a) {
			late = append(late, a)
		} else {
			early = append(early, a)
		}
	}
	return early, late
}

// counts is how many places of each kind a value has.
type counts [edgeKinds]int

// places are the places of a group's cases by its types, so that two trees have the same.
func (l *library) places(g *group) []aim {
	var most [2]counts
	if g.script != nil {
		return nil
	}
	if g.f.IsValid() {
		l.inside(g.f.Type(), 0, &most[0])
	} else {
		l.count(g.t, 0, &most[0])
		for i := g.first(); i < g.method.Type.NumIn(); i++ {
			l.count(g.method.Type.In(i), 0, &most[1])
		}
	}
	var out []aim
	for place := range mostPlaces {
		for part := len(most) - 1; part >= 0; part-- {
			for k, n := range most[part] {
				if place < n {
					out = append(out, aim{kind: edgeKind(k), last: part == 1, place: place})
				}
			}
		}
	}
	return out
}

// inside counts the places in the arguments of a function.
func (l *library) inside(t reflect.Type, depth int, c *counts) {
	for i := range t.NumIn() {
		l.count(t.In(i), depth, c)
	}
}

// count counts the places in a value of a type, as the maker makes one.
func (l *library) count(t reflect.Type, depth int, c *counts) {
	if depth >= deepest {
		return
	}
	if t == reflect.TypeFor[time.Duration]() {
		c[edgeDuration]++
		return
	}
	if t == reflect.TypeFor[time.Time]() {
		return
	}
	for _, f := range slices.Concat(l.makers[t], l.givers[t]) {
		l.inside(f.Value.Type(), depth+1, c)
	}
	switch t.Kind() {
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		c[edgeInt]++
	case reflect.Float32, reflect.Float64, reflect.Complex64, reflect.Complex128:
		c[edgeFloat]++
	case reflect.String:
		c[edgeText]++
	case reflect.Slice, reflect.Map:
		if t.Elem().Kind() == reflect.Uint8 && t.Kind() == reflect.Slice {
			c[edgeText]++
			return
		}
		if depth <= deepestSize {
			c[edgeSize]++
		}
		if t.Kind() == reflect.Map {
			l.count(t.Key(), depth+1, c)
		}
		l.count(t.Elem(), depth+1, c)
	case reflect.Pointer, reflect.Array:
		l.count(t.Elem(), depth+1, c)
	case reflect.Struct:
		for i := range t.NumField() {
			if f := t.Field(i); f.IsExported() {
				l.count(f.Type, depth+1, c)
			}
		}
	case reflect.Interface:
		c[edgeText]++
		if t.NumMethod() == 0 {
			c[edgeInt]++
			c[edgeFloat]++
		}
	}
}

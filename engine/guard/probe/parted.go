package probe

import (
	"fmt"
	"reflect"
)

// A test has many parts that can be exchanged, and most have nothing to do with what changed. Those that have are found by
// exchanging one after the other, and get what the changed code looks for.

// single says which part of a play alone is exchanged, and how that begins.
type single struct {
	part    int
	choices []uint64
}

// alone forces the choice whether the part number i is exchanged, where one alone is.
func (d *draws) alone(i, parts int) {
	switch {
	case d.single == nil:
	case d.single.part == i:
		d.force(uint64(parts - 1))
		d.force(d.single.choices...)
	default:
		d.force(0)
	}
}

// mostRelevant bounds the parts of a test that are kept for what they change.
const mostRelevant = 60

// parts is how many parts of a test are tried one by one; 0 where nothing is watched.
func (x *explorer) parts() int {
	if x.g.script == nil || len(x.s.api.Watch) == 0 {
		return 0
	}
	return 1 + len(x.g.script.literals)
}

// part are the choices of the case number i of a test behind its corpus: first it is run as it is written, then with one part after the other
// exchanged, and later every second one has something of the code in the place of a part that matters. It is nil for others.
func (x *explorer) part(i int, seed uint64) *draws {
	switch parts := x.parts(); {
	case parts == 0 || i < 0:
		return nil
	case i == 0:
		return replayed(nil)
	case i < parts:
		d := seeded(seed)
		d.single = &single{part: i - 1}
		return d
	case i%2 == 0 || len(x.relevant) == 0:
		return nil
	}
	d := seeded(seed)
	at, which := x.relevant[d.next()%uint64(len(x.relevant))], d.next()>>1
	d.single = &single{part: at, choices: x.g.script.codeChoices(at, which)}
	return d
}

// codeChoices are those that put a text or a number of the changed code, by its number, into a part.
func (s *script) codeChoices(part int, which uint64) []uint64 {
	l := stage.literals[s.literals[part]]
	switch v := l.value; {
	case l.name != "" || l.items > 0:
		return nil
	case v.CanInt() || v.CanUint():
		return []uint64{beginsNear, besideCode, which}
	case v.Kind() == reflect.String:
		return []uint64{beginsNear, 0, 0, 0, which, 15 * (which >> 32 & 1)} // once, inserted, a string, every second one between quotes
	}
	return nil
}

// notes learns what a part of a test changes, and reports whether the case is to be kept for that.
func (x *explorer) notes(i int, way string, pairs []Pair) bool {
	i -= len(x.s.q.Corpus[x.g.name])
	parts := x.parts()
	if parts == 0 || i < 0 || i >= parts {
		return false
	}
	does := way + fmt.Sprint(pairs)
	if i == 0 {
		x.written = does
		return false
	}
	if does == x.written || len(x.relevant) >= mostRelevant {
		return false
	}
	x.relevant = append(x.relevant, i-1)
	return true
}

// exchanged are the places of a play in which something stands that the test does not have.
func (o *outcome) exchanged() []*place {
	var out []*place
	for i := range o.places {
		if o.places[i].own {
			out = append(out, &o.places[i])
		}
	}
	return out
}

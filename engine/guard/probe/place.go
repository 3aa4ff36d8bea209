package probe

import (
	"math"
	"math/big"
	"reflect"
	"time"
)

// place is where a case made a number or a text: by which choices, and what it was. Other
// choices in their stead make a case that differs in this value alone.
type place struct {
	kind     edgeKind // never edgeSize
	from, to int      // of the case's choices
	before   []uint64 // choices that lead from another source to a value of one's own
	near     bool     // a text: the case has others that it may be near to
	own      bool     // of a play: it stands in the place of what the test has
	others   []string // those
	bits     int      // of a whole number
	signed   bool
	whole    int64 // what it was, by the kind
	float    float64
	text     string
}

// mostPlacesKept bounds the places that are remembered of a case.
const mostPlacesKept = 40

// madeAt remembers a place whose choices began at from.
func madeAt(g *maker, from int, p place) {
	p.from, p.to = from, len(g.d.used)
	if p.from < p.to && p.to < maxChoices && len(g.places) < mostPlacesKept {
		g.places = append(g.places, p)
	}
}

// constantAt remembers an argument that stands in a row of the sources, whose one choice said so.
func constantAt(g *maker, from int, v reflect.Value) {
	p, ok := placeOf(v, g.texts)
	if !ok {
		return
	}
	p.before = []uint64{15}
	madeAt(g, from, p)
}

// placeOf is a place that holds a value; ok is false for values of other kinds.
func placeOf(v reflect.Value, texts []string) (p place, ok bool) {
	p = place{near: len(texts) > 0, others: texts}
	t := v.Type()
	switch {
	case t == reflect.TypeFor[time.Duration]():
		p.kind, p.whole = edgeDuration, v.Int()
	case v.CanInt():
		p.kind, p.whole, p.bits, p.signed = edgeInt, v.Int(), t.Bits()-1, true
	case v.CanUint():
		p.kind, p.whole, p.bits = edgeInt, int64(v.Uint()), t.Bits()
	case v.CanFloat():
		p.kind, p.float = edgeFloat, v.Float()
	case t.Kind() == reflect.String:
		p.kind, p.text = edgeText, v.String()
	case t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Uint8:
		p.kind, p.text = edgeText, string(v.Bytes())
	default:
		return p, false
	}
	return p, true
}

// with are the choices of a case with others in this place.
func (p *place) with(choices, others []uint64) []uint64 {
	out := append([]uint64{}, choices[:p.from]...)
	out = append(append(out, p.before...), others...)
	return append(out, choices[min(p.to, len(choices)):]...)
}

// The choices that lead to a value which the choices after them spell. Where all is drawn
// they are left out.
const (
	spelledWhole = 15
	spelledFloat = 17
	spelledText  = 19
	longText     = 20
	spelledSpan  = 8
)

// longestSpelled bounds a text that is spelled, in bytes.
const longestSpelled = 600

// spellWhole are the choices of a whole number.
func (p *place) spellWhole(v int64) []uint64 {
	if p.kind == edgeDuration {
		return []uint64{spelledSpan, uint64(v)}
	}
	out := []uint64{spelledWhole, uint64(v)}
	if !p.signed && v < 0 { // above the largest that is signed
		out = append(out, 15)
	}
	return out
}

// spellText are the choices of a text.
func (p *place) spellText(s string) []uint64 {
	var out []uint64
	if p.near {
		out = append(out, 0)
	}
	out = append(out, spelledText, uint64(min(len(s), longestSpelled)))
	for i := range min(len(s), longestSpelled) {
		out = append(out, uint64(s[i]-'a'))
	}
	return out
}

// spelled reads a text as spellText writes it; simple choices are simple letters.
func (d *draws) spelled() string {
	text := make([]byte, d.n(longestSpelled+1))
	for i := range text {
		text[i] = byte(d.n(256)) + 'a'
	}
	return string(text)
}

// unspelled keeps the next choice below k where nobody says what it is: a value that is
// spelled by chance is noise.
func (d *draws) unspelled(k uint64) {
	if len(d.forced) == 0 && (!d.from || d.loose && len(d.used) >= len(d.given)) {
		d.force(d.next() % k)
	}
}

// redraw makes the choices of another value for the place, as if it had been drawn.
func (p *place) redraw(lib *library, tame bool, seed uint64) []uint64 {
	m := &maker{d: seeded(seed), lib: lib, tame: tame}
	switch p.kind {
	case edgeInt:
		m.integer(p.bits, p.signed)
	case edgeFloat:
		m.float()
	case edgeDuration:
		m.duration()
	case edgeText:
		if p.near {
			m.texts = append(m.texts, p.others...)
		}
		m.text()
	case edgeSize, edgeKinds:
	}
	return m.d.used
}

// mutate makes the choices of a value near the one that stands there.
func (p *place) mutate(lib *library, tame bool, seed uint64) []uint64 {
	m := &maker{d: seeded(seed), lib: lib, tame: tame}
	switch p.kind {
	case edgeInt, edgeDuration:
		v := p.whole
		v = []int64{v + 1, v - 1, v + int64(m.d.n(9)) - 4, 2 * v, v / 2, -v, v ^ 1<<m.d.n(16), 10 * v}[m.d.n(8)]
		if v > largestMade || v < -largestMade || p.kind == edgeInt && (p.bits < 63 && v>>p.bits != 0 && v>>p.bits != -1 || !p.signed && v < 0) {
			v = p.whole / 2
		}
		if tame {
			v %= 64
		}
		return p.spellWhole(v)
	case edgeFloat:
		v := p.float
		v = []float64{v + 1, v - 1, v + float64(m.d.n(9)-4)/8, 2 * v, v / 2, -v, math.Trunc(v), 10 * v}[m.d.n(8)]
		return []uint64{spelledFloat, math.Float64bits(v)}
	case edgeText:
		s := p.text
		for range 1 + m.d.n(3) {
			if m.d.n(4) == 0 {
				s = inserted(m, s)
			} else {
				s = m.changed(s)
			}
		}
		return p.spellText(s)
	case edgeSize, edgeKinds:
	}
	return nil
}

// liken makes the choices of a value that stands in some simple way to another one of the case:
// equal to it, beside it, a digit longer or shorter. It is nil where there is none.
func (p *place) liken(q *place, pick func(int) int) []uint64 {
	switch p.kind {
	case edgeInt, edgeDuration:
		if q.kind != edgeInt && q.kind != edgeDuration {
			return nil
		}
		v := []int64{q.whole, q.whole + 1, q.whole - 1, 2 * q.whole, q.whole / 2, -q.whole}[pick(6)]
		if v > largestMade || v < -largestMade {
			return nil
		}
		return p.spellWhole(v)
	case edgeFloat:
		if q.kind == edgeFloat {
			return []uint64{spelledFloat, math.Float64bits([]float64{q.float, 2 * q.float, q.float / 2, -q.float}[pick(4)])}
		}
	case edgeText:
		if q.kind == edgeText && len(p.text) <= longestSpelled && len(q.text) <= longestSpelled {
			return p.spellText(likeText(p.text, q.text, pick))
		}
	case edgeSize, edgeKinds:
	}
	return nil
}

// likeText has a number or a part of the text like one of another text, or is that text but for its end
// or a part.
func likeText(s, other string, pick func(int) int) string {
	switch pick(8) {
	case 0:
		return []string{other, other + "a", other[:len(other)/2] + s[len(s)/2:]}[pick(3)]
	case 1, 2:
		return spliced(s, other, pick)
	case 3:
		return reparted(other, pick)
	}
	runs, others := digitRuns.FindAllStringIndex(s, -1), digitRuns.FindAllString(other, -1)
	if len(runs) == 0 || len(others) == 0 {
		return spliced(other, s, pick)
	}
	run, n := runs[pick(len(runs))], others[pick(len(others))]
	return s[:run[0]] + likeNumeral(n, pick) + s[run[1]:]
}

// likeNumeral writes a number beside another one, or with a digit more or less.
func likeNumeral(n string, pick func(int) int) string {
	switch kind := pick(6); kind {
	case 0, 1:
		if v, ok := new(big.Int).SetString(n, 10); ok {
			return v.Add(v, big.NewInt(int64(2*kind-1))).String()
		}
	case 2:
		return "1" + n
	case 3:
		return n + "0"
	case 4:
		return n[:len(n)-1] + "1"
	}
	if len(n) > 1 {
		return n[1:]
	}
	return n
}

package probe

import (
	"fmt"
	"math"
	"math/bits"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// Pair is how the two sides of a watched comparison stood once in a case.
type Pair struct {
	N       int  // of the comparison
	Changed bool // one version alone has the comparison, or what it names changed
	A, B    any
}

// operand is one side of a comparison: a whole number, another number or a text.
type operand struct {
	kind  edgeKind
	whole int64
	float float64
	text  string
}

func operandOf(x any) (operand, bool) {
	switch v := reflect.ValueOf(x); {
	case !v.IsValid():
	case v.CanInt():
		return operand{kind: edgeInt, whole: v.Int()}, true
	case v.CanUint():
		return operand{kind: edgeInt, whole: int64(v.Uint())}, true
	case v.CanFloat():
		return operand{kind: edgeFloat, float: v.Float()}, true
	case v.Kind() == reflect.String:
		return operand{kind: edgeText, text: v.String()}, true
	}
	return operand{}, false
}

// distance is how far two sides stand from each other, as its number of bits; -1 where it
// cannot be told.
func distance(a, b operand) int {
	switch {
	case a.kind != b.kind:
	case a.kind == edgeInt:
		d := a.whole - b.whole
		if d < 0 {
			d = -d
		}
		return bits.Len64(uint64(d))
	case a.kind == edgeFloat:
		if d := math.Abs(a.float - b.float); d < math.MaxInt64 {
			return bits.Len64(uint64(d * 1024))
		}
	case a.kind == edgeText:
		n := 0
		for n < min(len(a.text), len(b.text)) && a.text[n] == b.text[n] {
			n++
		}
		return max(len(a.text), len(b.text)) - n
	}
	return -1
}

// meet are the choices of a place's value that may bring one side of a comparison, which
// stood at from, to the other at to (input-to-state correspondence: Aschermann et al. 2019,
// "REDQUEEN: Fuzzing with Input-to-State Correspondence"). Where the value is the side
// itself, or holds it, the other side stands in its place; guesses are whole numbers that go as far
// as the side has to, and in proportion. exact: also numbers that are not whole.
func (p *place) meet(from, to operand, exact bool, allowed func(int64) bool) (out, guesses [][]uint64) {
	switch p.kind {
	case edgeInt, edgeDuration:
		for _, v := range p.wholes(from, to) {
			if v == p.whole || !allowed(v) || !p.signed && p.kind == edgeInt && v < 0 && p.whole >= 0 {
				continue
			}
			if p.whole == from.whole {
				out = append(out, p.spellWhole(v))
			} else {
				guesses = append(guesses, p.spellWhole(v))
			}
		}
	case edgeFloat:
		for _, v := range p.floats(from, to, exact) {
			if v != p.float {
				out = append(out, []uint64{spelledFloat, math.Float64bits(v)})
			}
		}
	case edgeText:
		held, near := p.texts(from, to, allowed)
		for i, s := range slices.Concat(held, near) {
			switch {
			case s == p.text || len(s) > longestSpelled:
			case i < len(held):
				out = append(out, p.spellText(s))
			default:
				guesses = append(guesses, p.spellText(s))
			}
		}
	case edgeSize, edgeKinds:
	}
	return out, guesses
}

// besides are a number and those next to it.
func besides(v int64) []int64 { return []int64{v, v + 1, v - 1} }

// scaled are the numbers that stand to v as to stands to from: by their difference, and in
// proportion.
func scaled(v, from, to int64) []int64 {
	if v == from {
		return besides(to)
	}
	out := []int64{v + to - from}
	if v != 0 && from != 0 {
		if r := math.Round(float64(to) * (float64(v) / float64(from))); math.Abs(r) < largestMade {
			out = append(out, besides(int64(r))...)
		}
	}
	return out
}

func (p *place) wholes(from, to operand) []int64 {
	switch {
	case from.kind == edgeInt && to.kind == edgeInt:
		return scaled(p.whole, from.whole, to.whole)
	case from.kind == edgeFloat && to.kind == edgeFloat && math.Abs(to.float) < largestMade && math.Abs(from.float) < largestMade:
		return []int64{p.whole + int64(math.Floor(to.float-from.float)), p.whole + int64(math.Ceil(to.float-from.float))}
	}
	return nil
}

// floats may equal the other side exactly only where the comparison itself changed: where
// it did not, sums in another order stand beside it by rounding.
func (p *place) floats(from, to operand, exact bool) []float64 {
	if from.kind != edgeFloat || to.kind != edgeFloat || math.IsNaN(to.float) || math.IsInf(to.float, 0) {
		return nil
	}
	if p.float == from.float && exact {
		return []float64{to.float}
	}
	off := 1e-6 * math.Max(1, math.Abs(to.float))
	if p.float == from.float {
		return []float64{to.float + off, to.float - off}
	}
	at := p.float + to.float - from.float
	if exact {
		return []float64{at, at + off, at - off}
	}
	return []float64{at + off, at - off}
}

// texts hold the other side where they held the one: as a text, a character, a number that
// is written in digits, or as their length.
func (p *place) texts(from, to operand, allowed func(int64) bool) (out, guesses []string) {
	s := p.text
	if from.kind == edgeText {
		if to.kind == edgeText && from.text != "" && strings.Contains(s, from.text) {
			out = append(out, strings.Replace(s, from.text, to.text, 1))
			if at := strings.LastIndex(s, from.text); at > 0 {
				out = append(out, s[:at]+to.text+s[at+len(from.text):])
			}
		}
		return out, nil
	}
	if from.kind == edgeFloat {
		if written := strconv.FormatFloat(from.float, 'f', -1, 64); to.kind == edgeFloat && strings.Contains(s, written) {
			out = append(out, strings.Replace(s, written, strconv.FormatFloat(to.float, 'f', -1, 64), 1))
		}
		return out, nil
	}
	if to.kind != edgeInt {
		return nil, nil
	}
	for _, run := range digitRuns.FindAllStringIndex(s, mostRuns) {
		v, err := strconv.ParseInt(s[run[0]:run[1]], 10, 64)
		if err != nil {
			continue
		}
		list := &guesses
		if v == from.whole {
			list = &out
		}
		for _, w := range scaled(v, from.whole, to.whole) {
			if w >= 0 && allowed(w) {
				*list = append(*list, s[:run[0]]+strconv.FormatInt(w, 10)+s[run[1]:])
			}
		}
	}
	out = append(out, inRuns(s, from.whole, to.whole)...)
	if character(from.whole) && character(to.whole) {
		was, is := string(rune(from.whole)), string(rune(to.whole))
		if at := strings.Index(s, was); at >= 0 {
			last := strings.LastIndex(s, was)
			out = append(out, s[:at]+is+s[at+len(was):], s[:last]+is+s[last+len(was):])
		}
	}
	if to.whole <= longestSpelled {
		out = append(out, ofLength(s, from.whole, to.whole)...)
	}
	return out, guesses
}

// inRuns are texts that hold to, or one beside it, where a longer run of digits holds from in
// as many digits: the day of 20240229.
func inRuns(s string, from, to int64) (out []string) {
	for width := 2; width <= 4; width++ {
		was := fmt.Sprintf("%0*d", width, from)
		for _, run := range digitRuns.FindAllStringIndex(s, mostRuns) {
			at := strings.LastIndex(s[run[0]:run[1]], was)
			if at < 0 || len(was) != width || run[1]-run[0] <= width {
				continue
			}
			for _, w := range besides(to) {
				if is := fmt.Sprintf("%0*d", width, w); w >= 0 && len(is) == width {
					out = append(out, s[:run[0]+at]+is+s[run[0]+at+width:])
				}
			}
		}
	}
	return out
}

// ofLength are texts of which the whole, or a word, has the length to where it had from.
func ofLength(s string, from, to int64) (out []string) {
	stretches := append(wordRuns.FindAllStringIndex(s, mostRuns), []int{0, len(s)})
	for _, at := range stretches {
		part := s[at[0]:at[1]]
		if part == "" || from != int64(len(part)) && from != int64(len([]rune(part))) {
			continue
		}
		for _, w := range besides(to) {
			if w > 0 {
				out = append(out, s[:at[0]]+toLength(part, int(w))+s[at[1]:])
			}
		}
	}
	return out
}

// wordRuns are words, with what joins their parts.
var wordRuns = regexp.MustCompile(`[\pL\pN]+(\.[\pL\pN]+)*`)

func character(v int64) bool {
	return v >= '\t' && v <= unicode.MaxRune && (v < 0xd800 || v > 0xdfff)
}

// meetings are the choices of cases in which two sides of a comparison of one that was run
// may meet, each asked for once.
type meetings struct {
	allowed func(int64) bool
	tried   map[uint64]bool
	closest map[int]int              // distance by comparison that changed
	equal   map[int]map[operand]bool // what both sides of such a comparison were
	queues  [2][][]uint64            // where the value was or held one side, and guesses
}

// The bounds of meetings of one group.
const (
	mostMeetings = 4000
	mostSides    = 40  // comparisons of a case
	mostRuns     = 6   // numbers in a text
	mostWaiting  = 400 // cases that wait: more are found beside those that are kept alone
	mostEqual    = 12  // values at which both sides of one comparison are
)

// add looks at a case and reports whether two sides of a changed comparison stand closer
// than ever, or are equal at a value at which they were not. Those of the others are looked
// at where the case is kept.
func (m *meetings) add(o outcome, pairs []Pair, follow bool) (closer bool) {
	slices.SortStableFunc(pairs, func(a, b Pair) int { return compareBools(b.Changed, a.Changed) })
	for i, pair := range pairs {
		a, ok := operandOf(pair.A)
		b, ok2 := operandOf(pair.B)
		if !ok || !ok2 {
			continue
		}
		if pair.Changed && m.nearer(pair.N, a, b) {
			closer = true
		}
		if !follow && (!pair.Changed || m.waiting() > mostWaiting) || i >= mostSides || len(m.tried) >= mostMeetings {
			continue
		}
		for at := range o.places {
			p := &o.places[at]
			for _, way := range [][2]operand{{a, b}, {b, a}} {
				held, guesses := p.meet(way[0], way[1], pair.Changed, m.allowed)
				for _, choices := range held {
					m.put(0, pair.N, at, o.choices, p, choices)
				}
				for _, choices := range guesses {
					m.put(1, pair.N, at, o.choices, p, choices)
				}
			}
		}
	}
	return closer
}

func (m *meetings) nearer(n int, a, b operand) bool {
	d := distance(a, b)
	if d < 0 {
		return false
	}
	if d == 0 && a == b && !m.equal[n][a] && len(m.equal[n]) < mostEqual {
		if m.equal[n] == nil {
			m.equal[n] = map[operand]bool{}
		}
		m.equal[n][a] = true
		return true
	}
	best, known := m.closest[n]
	if known && d >= best {
		return false
	}
	m.closest[n] = d
	return true
}

func compareBools(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

func (m *meetings) put(rank, n, at int, whole []uint64, p *place, choices []uint64) {
	h := hash(strconv.Itoa(n), strconv.Itoa(at))
	for _, c := range choices {
		h = (h ^ c) * 1099511628211
	}
	if m.tried[h] || len(m.tried) >= mostMeetings {
		return
	}
	m.tried[h] = true
	m.queues[rank] = append(m.queues[rank], p.with(whole, choices))
}

// waiting is how many cases are to be tried.
func (m *meetings) waiting() int { return len(m.queues[0]) + len(m.queues[1]) }

// next takes the case that waits longest, guesses last; nil where none does.
func (m *meetings) next() []uint64 {
	for i, queue := range m.queues {
		if len(queue) > 0 {
			m.queues[i] = queue[1:]
			return queue[0]
		}
	}
	return nil
}

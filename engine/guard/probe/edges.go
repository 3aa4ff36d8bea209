package probe

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// The bounds of the edges of a library.
const (
	mostEdges       = 1200    // texts, and numbers
	mostPaired      = 24      // constants that are joined with each other
	mostMarks       = 20      // characters that the code treats in a way of its own
	longestEdge     = 4200    // bytes of a text made to a length
	longestEarly    = 1100    // those of a text that is tried before what is drawn
	largestEarly    = 1 << 20 // numbers that are
	largestSize     = 300     // elements of a slice or a map
	mostTextNumbers = 40      // numbers written in texts
	largestBits     = 32      // powers of two
	largestMade     = 1 << 53 // numbers that are no constant: beyond, sums wrap and floats round
	longestSpan     = 10 * 365 * 24 * time.Hour
)

// edges are the values at which the code is likely to turn: at and beside its
// constants, and at moderate bounds. The ends of what the machine holds are none, for
// there any two ways to add differ, unless the code names them. The order is fixed, what
// only one version of the code has comes first.
type edges struct {
	ints      []int64
	own       map[int64]bool // those at and beside constants
	floats    []float64
	texts     []string
	sizes     []int
	durations []time.Duration
	stretched []string // texts with a long run, behind all others
}

// newEdges makes the edges of constants, the most telling first.
func newEdges(lits *Literals) *edges {
	var ints []int64
	var floats []float64
	var strs []string
	for _, c := range lits.Edges {
		switch {
		case c.Int != nil && !slices.Contains(ints, *c.Int):
			ints = append(ints, *c.Int)
		case c.Float != nil && !slices.Contains(floats, *c.Float):
			floats = append(floats, *c.Float)
		case c.Str != nil && !slices.Contains(strs, *c.Str):
			strs = append(strs, *c.Str)
		}
	}
	e := &edges{ints: numbers(ints), own: map[int64]bool{}}
	for _, v := range beside(ints) {
		e.own[v] = true
	}
	e.floats = realNumbers(ints, floats)
	e.sizes = sizes(e.ints)
	e.durations = spans(ints)
	e.texts = edgeTexts(ints, floats, strs, lits.Strings, e.ints)
	e.stretched = stretched(ints, strs, marks(ints, strs), lits.Strings)
	return e
}

// distinct keeps the first of equal values, and no more than most.
func distinct[T comparable](list []T, most int) []T {
	seen := map[T]bool{}
	var out []T
	for _, v := range list {
		if !seen[v] && len(out) < most {
			seen[v] = true
			out = append(out, v)
		}
	}
	return out
}

// inTurn takes one of each list after the other.
func inTurn[T any](lists ...[]T) []T {
	var out []T
	for i := 0; ; i++ {
		more := false
		for _, list := range lists {
			if i < len(list) {
				out, more = append(out, list[i]), true
			}
		}
		if !more {
			return out
		}
	}
}

// beside are constants, the numbers next to them and those below zero.
func beside(consts []int64) []int64 {
	var out []int64
	for _, c := range consts {
		out = append(out, c, c+1, c-1, -c)
	}
	return out
}

// numbers are whole numbers at and beside constants, at what two of them make, and at
// the bounds of bytes and words.
func numbers(consts []int64) []int64 {
	var joined, bounds []int64
	few := consts[:min(len(consts), mostPaired)]
	for i, x := range few {
		for _, y := range few[i:] {
			a, b := float64(x), float64(y) // a float tells what is too large
			list := []float64{a + b, a - b, b - a, a * b, 2*a + b, a + 2*b, 3*a + b, a + 3*b, a*b + 1, a*b - 1}
			for _, v := range list {
				if math.Abs(v) <= largestMade {
					joined = append(joined, int64(v))
				}
			}
		}
	}
	for _, v := range []int64{0, 1, 127, 255, 256, 65535, 2, 3, math.MaxInt32, 128, 10, 100, 32767, 65536, 1 << 31, math.MaxUint32, 1 << 32} {
		bounds = append(bounds, v, -v)
	}
	for bits := 2; bits <= largestBits; bits++ {
		bounds = append(bounds, 1<<bits, 1<<bits-1, 1<<bits+1)
	}
	for ten := int64(10); ten < largestMade; ten *= 10 {
		bounds = append(bounds, ten, ten-1)
	}
	return distinct(inTurn(beside(consts), joined, bounds), mostEdges)
}

// whole is a whole number for a type of so many bits. One at the ends of a type of half
// a word that is no constant of the code is taken smaller: there any sum wraps.
func (e *edges) whole(index, bits int, signed bool) int64 {
	v := e.ints[index]
	if !signed && v < 0 {
		v = -v // and no number near the largest
	}
	if bits > 16 && bits <= 32 && !e.own[v] {
		for end := int64(1) << (bits - 1); v > end || v < -end; {
			v /= 4
		}
	}
	return v
}

// realNumbers are numbers at constants and the nearest beside them, those that two make,
// and what is no number.
func realNumbers(ints []int64, floats []float64) []float64 {
	var at, joined []float64
	all := slices.Clone(floats)
	for _, c := range ints {
		all = append(all, float64(c))
	}
	for _, c := range all {
		at = append(at, c, c+1e-6*math.Max(1, math.Abs(c)), c-1e-6*math.Max(1, math.Abs(c)), -c, c+0.5, c-0.5, c+0.1, c-0.1, c+1, c-1, c/2)
		if c != 0 { // beside nothing are the smallest numbers of the machine
			at = append(at, math.Nextafter(c, math.Inf(1)), math.Nextafter(c, math.Inf(-1)))
		}
		joined = append(joined, 2*c, c*c, 10*c, 100*c)
	}
	few := all[:min(len(all), mostPaired)]
	for i, a := range few {
		for _, b := range few[i:] {
			joined = append(joined, a+b, a-b, a*b)
			if b != 0 {
				joined = append(joined, a/b)
			}
		}
	}
	joined = slices.DeleteFunc(joined, func(v float64) bool { return math.Abs(v) > largestMade })
	bounds := []float64{
		0, math.Copysign(0, -1), 1, -1, 0.5, -0.5, math.Inf(1), math.Inf(-1), math.NaN(), 255, 256, 65535, 1 << 31, 1 << 32, 1e-7, 1e-5, 0.1, 0.999999, 1.5, 2.5, 1e6, 1e9,
	}
	out := inTurn(at, joined, bounds)
	seen := map[uint64]bool{} // -0 and NaN are values of their own
	return slices.DeleteFunc(out, func(v float64) bool {
		bits := math.Float64bits(v)
		again := seen[bits] || len(seen) >= mostEdges
		seen[bits] = true
		return again
	})
}

// sizes are numbers of elements.
func sizes(ints []int64) []int {
	var out []int
	for _, v := range ints {
		if v >= 0 && v <= largestSize {
			out = append(out, int(v))
		}
	}
	return distinct(out, mostEdges)
}

// spans are lengths of time at constants, in each unit.
func spans(ints []int64) []time.Duration {
	units := []time.Duration{time.Nanosecond, time.Second, time.Minute, time.Hour, 24 * time.Hour, time.Millisecond, time.Microsecond}
	var at []time.Duration
	for _, unit := range units {
		for _, c := range append([]int64{0, 1}, ints[:min(len(ints), mostPaired)]...) {
			d := time.Duration(c) * unit
			if int64(d)/int64(unit) != c || unit > 1 && d.Abs() > longestSpan {
				continue
			}
			at = append(at, d, d+1, d-1, -d, d+unit, d-unit)
		}
	}
	at = append(at, 30*24*time.Hour, 365*24*time.Hour, 7*24*time.Hour)
	return distinct(at, mostEdges)
}

// edgeTexts are texts of what the code looks for: its strings and characters with what
// comes badly behind them, lengths at its numbers, and those numbers written out.
func edgeTexts(ints []int64, floats []float64, strs, recorded []string, numbers []int64) []string {
	marks := marks(ints, strs)
	numbered := shapes(recorded)
	recorded = someOf(recorded)
	list := inTurn(
		[]string{"", " ", "\x00", "\xff", "é", "世界", "\u0301", "😀", "\ufeff", "\ufffd", "\r\n", "\u2028", "İ", "ß", "ǆ"},
		variantsOf(strs, recorded),
		marked(marks, recorded),
		ofLengths(ints, numbers, marks, recorded),
		writtenOut(ints, numbers, floats, numbered),
		pairs(marks),
		nested(strs),
	)
	return distinct(list, mostEdges)
}

// nested are texts in which one that the code looks for stands within itself, alone or with
// what ends it, and with another in what is left: what takes it out once leaves another. Long
// ones come first: short ones stand in anything.
func nested(strs []string) []string {
	few := slices.DeleteFunc(slices.Clone(strs), func(s string) bool { return s == "" || len(s) > 12 })
	slices.SortStableFunc(few, func(a, b string) int { return len(b) - len(a) })
	few = few[:min(len(few), mostMarks)]
	var out []string
	for _, s := range few {
		r := []rune(s)
		begin, rest := string(r[:len(r)/2]), string(r[len(r)/2:])
		if begin == "" {
			continue
		}
		out = append(out, begin+s+rest)
		for _, end := range few {
			if end == s {
				continue
			}
			out = append(out, begin+s+"x"+end+rest+"y"+end)
			for _, left := range few {
				if left != s && left != end && len(out) < mostEdges {
					out = append(out, begin+s+"x"+end+rest+"y"+left+end)
				}
			}
		}
	}
	return out
}

// someOf are a few texts of the tests, of other lengths.
func someOf(texts []string) []string {
	var out []string
	for _, s := range texts {
		if len(out) < 6 && s != "" && len(s) < 200 && !slices.ContainsFunc(out, func(o string) bool { return len(o) == len(s) }) {
			out = append(out, s)
		}
	}
	return out
}

// marks are the characters that code treats in a way of its own: those among its
// numbers, and what is no letter in its strings.
func marks(ints []int64, strs []string) []string {
	var out []string
	for _, s := range strs {
		for _, r := range s {
			if !unicode.IsLetter(r) && !unicode.IsDigit(r) || r > unicode.MaxASCII {
				out = append(out, string(r))
			}
		}
	}
	for _, c := range ints {
		if c >= ' ' && c <= unicode.MaxRune && (c < 0xd800 || c > 0xdfff) || c == '\t' || c == '\n' || c == '\r' {
			out = append(out, string(rune(c)))
		}
	}
	return distinct(out, mostMarks)
}

// after is what follows a character badly: no UTF-8, half a character, NUL, many bytes.
var after = []string{"\xff", "\x80", "\xe4\xb8", "\x00", "é", "世", "\n", " ", "a", "A", "0", "\u0301", "\ufffd"}

// marked puts each character alone, twice, at the ends, and before what follows badly.
func marked(marks, recorded []string) []string {
	var out [][]string
	for _, m := range marks {
		r := []rune(m)[0]
		list := []string{m, m + "\xff", m + "\x00", m + "世", m + m, "a" + m, m + "a", "a" + m + "b", "a" + m + "\xffb", m + "a" + m, m + "\xff" + m, m + m + m}
		for _, s := range recorded[:min(len(recorded), 3)] {
			half := []rune(s)[:len([]rune(s))/2]
			list = append(list, s+m, m+s, string(half)+m+s[len(string(half)):], m+s+m)
		}
		for _, a := range after {
			list = append(list, m+a, "a"+m+a+"b")
		}
		if r > 0 {
			list = append(list, string(r-1), string(r+1), "a"+string(r+1)+"b", "a"+string(r-1)+"b")
		}
		out = append(out, list)
	}
	return inTurn(out...)
}

// pairs are two characters of the code behind each other.
func pairs(marks []string) []string {
	var out []string
	for _, a := range marks {
		for _, b := range marks {
			out = append(out, a+b, "x"+a+b+"y", a+"x"+b)
		}
	}
	return out
}

// variantsOf are strings of the code at the begin and the end of others, cut, doubled
// and in other cases.
func variantsOf(strs, recorded []string) []string {
	var out [][]string
	for _, s := range strs {
		if s == "" || len(s) > 300 {
			continue
		}
		r := []rune(s)
		list := []string{
			s, s + "x", "x" + s, "x" + s + "x", s + s, string(r[1:]), string(r[:len(r)-1]), strings.ToUpper(s), strings.ToLower(s),
			strings.ToUpper(string(r[:1])) + string(r[1:]), " " + s, s + " ", s + "\n", s + "\xff", s + "\x00", "x" + strings.ToUpper(s), strings.ToUpper(s) + "x", s + "1", s + s + s,
		}
		for _, o := range recorded[:min(len(recorded), 2)] {
			list = append(list, o+s, s+o, o+s+o)
		}
		out = append(out, list)
	}
	return inTurn(out...)
}

// ofLengths are texts whose length is a number of the code, one less and one more: of a
// letter, of the characters of the code, of many bytes and of texts of the tests.
func ofLengths(consts, numbers []int64, marks, recorded []string) []string {
	special := strings.Join(marks, "")
	if special == "" {
		special = "a b"
	}
	bases := append([]string{"a", special, "ab ", "é"}, recorded[:min(len(recorded), 2)]...)
	var out []string
	add := func(n int64, bases []string) {
		for _, base := range bases {
			if n > 0 && n <= longestEdge && n*int64(len(base))/int64(max(1, len([]rune(base)))) <= longestEdge {
				out = append(out, toLength(base, int(n)))
			}
		}
	}
	for _, c := range consts {
		for _, n := range []int64{c, c + 1, c - 1} {
			add(n, bases)
			if n > 1 && n <= largestSize && len(marks) > 0 { // a character of the code at that place
				out = append(out, strings.Repeat("a", int(n))+marks[0]+"aaa", strings.Repeat("a", int(n))+" b")
			}
		}
	}
	for _, n := range []int64{127, 128, 129, 255, 256, 257, 63, 64, 65, 31, 32, 33, 1023, 1024, 1025} {
		add(n, bases[:2])
	}
	for i, n := range numbers {
		if i < mostEdges/4 && n <= 1000 {
			add(n, bases[1:2])
		}
	}
	return out
}

// toLength repeats a text to so many bytes; one with characters of many bytes to so many
// characters.
func toLength(base string, n int) string {
	r := []rune(base)
	if len(r) == len(base) {
		return strings.Repeat(base, n/len(base)+1)[:n]
	}
	out := make([]rune, n)
	for i := range out {
		out[i] = r[i%len(r)]
	}
	return string(out)
}

// mostShapes bounds the texts of the tests whose numbers are exchanged.
const mostShapes = 10

// shapes are texts of the tests that hold a number, each of another form: two that differ
// in digits or in letters alone have the same.
func shapes(texts []string) []string {
	var out, seen []string
	for _, s := range texts {
		form := letterRuns.ReplaceAllString(digitRuns.ReplaceAllString(s, "0"), "a")
		if len(out) < mostShapes && strings.Contains(form, "0") && len(s) < 100 && !slices.Contains(seen, form) {
			out, seen = append(out, s), append(seen, form)
		}
	}
	return out
}

// writtenOut are numbers in texts: alone, and in the place of the first and of the last one in
// a text of the tests. Where the code names as many bits, those that they hold come first.
func writtenOut(ints, numbers []int64, floats []float64, recorded []string) []string {
	var texts, out []string
	for _, k := range ints {
		if k >= 7 && k <= 64 && len(texts) < mostTextNumbers/2 {
			texts = append(texts, power(k, 0), power(k, -1))
		}
	}
	for _, v := range numbers[:min(len(numbers), 2*mostTextNumbers)] {
		texts = append(texts, strconv.FormatInt(v, 10))
	}
	for i, s := range texts {
		out = append(out, s)
		for _, o := range recorded {
			runs := digitRuns.FindAllStringIndex(o, -1)
			if i >= mostTextNumbers {
				break
			}
			for _, at := range [][]int{runs[0], runs[len(runs)-1]} {
				out = append(out, o[:at[0]]+s+o[at[1]:])
			}
		}
		if i < mostTextNumbers/4 {
			out = append(out, "0"+s, "+"+s, s+".5", s+"x")
		}
	}
	for _, f := range floats {
		out = append(out, strconv.FormatFloat(f, 'g', -1, 64))
	}
	return out
}

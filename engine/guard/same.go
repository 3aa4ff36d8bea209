package guard

import (
	"cmp"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"atoll/engine/guard/probe"
)

// same reports that two outcomes, of the root and of a candidate, read the same
// but for rounding, for nil in the place of empty, for the order of lists within objects, and for results of the
// root that share memory. in is the
// input that they are of: the larger its numbers, the larger the rounding.
func same(in, a, b string) bool {
	a, b = held(a), held(b)
	if sharesNoMore(a, b) {
		a, b = unshared(a), unshared(b)
	}
	if a == b || beyondRoom(in, a, b) {
		return true
	}
	pa, pb := strings.Split(a, probe.FloatMark), strings.Split(b, probe.FloatMark)
	if len(pa) != len(pb) || pa[0] != pb[0] {
		return false
	}
	scale := scaleOf(in)
	for i := 1; i < len(pa); i++ {
		x, restA, okA := leadingFloat(pa[i])
		y, restB, okB := leadingFloat(pb[i])
		if !okA || !okB || restA != restB || !near(x, y, scale) || !near(x, y, 0) && taken(in, x) && taken(in, y) {
			return false
		}
	}
	return true
}

// agree reports whether two answers of the root to one case agree, and whether they do in what the call gave alone: what an object holds may
// be drawn at random, such as the levels of a skip list.
func agree(a, b probe.Answer) (steady, results bool) {
	switch {
	case a.In != b.In:
		return false, false
	case a.Out == b.Out:
		return true, false
	}
	steady = a.Results != "" && a.Results == b.Results
	return steady, steady
}

// ofResults is what a call gave, alone.
func ofResults(a probe.Answer) string { return cmp.Or(a.Results, a.Out) }

// noRoom are the panics of Go where something is to have more room than there can be.
var noRoom = regexp.MustCompile(`panic: (strings|bytes): (negative Repeat count|Repeat output length overflow)|panic: runtime error: (makeslice|growslice): (len|cap) out of range`)

// beyondNumbers is how large a number is of which nobody wants so many.
const beyondNumbers = 1 << 62

// beyondRoom reports that the root panics for room that no machine has, on a number that no caller means, and the
// candidate does not, with nothing else before.
func beyondRoom(in, root, candidate string) bool {
	at := noRoom.FindStringIndex(root)
	return at != nil && !strings.Contains(candidate, "panic: ") && strings.HasPrefix(candidate, root[:at[0]]) && scaleOf(in) >= beyondNumbers
}

// Rounding: relative to the numbers, and to the square of the inputs, whose
// terms may cancel.
const (
	relativeRounding = 1e-9
	squaredRounding  = 1e-14
	mostTaken        = 400 // numbers of an input that are looked at
)

func near(x, y, scale float64) bool {
	d := math.Abs(x - y)
	return d <= relativeRounding*max(math.Abs(x), math.Abs(y)) || d <= squaredRounding*scale*scale
}

func leadingFloat(s string) (float64, string, bool) {
	n := 0
	for n < len(s) && strings.IndexByte("0123456789+-.eE", s[n]) >= 0 {
		n++
	}
	f, err := strconv.ParseFloat(s[:n], 64)
	return f, s[n:], err == nil
}

// fewestDigits are those of a number that comes out of a sum by no chance.
const fewestDigits = 3

// taken reports that a number stands in an input as it is, of so many digits that no rounding of others makes it: a result
// that is another of those is another choice.
func taken(in string, v float64) bool {
	text := strconv.FormatFloat(math.Abs(v), 'g', -1, 64)
	digits := len(strings.Trim(strings.Replace(text, ".", "", 1), "0"))
	return digits >= fewestDigits && slices.Contains(number.FindAllString(in, mostTaken), text)
}

var number = regexp.MustCompile(`[0-9]+(\.[0-9]+)?(e[+-]?[0-9]+)?`)

// scaleOf is the largest number of an input, at least 1.
func scaleOf(in string) float64 {
	scale := 1.0
	for _, n := range number.FindAllString(in, 200) {
		if f, err := strconv.ParseFloat(n, 64); err == nil && f > scale && f < 1e100 {
			scale = f
		}
	}
	return scale
}

// held is what of an outcome holds a candidate back: all but nil and empty, and the order of lists within objects.
func held(text string) string {
	return without(strings.ReplaceAll(text, probe.NilMark, ""), probe.LayoutMark)
}

// sameButTold reports that two outcomes differ, and in nothing that holds a candidate back.
func sameButTold(_, a, b string) bool { return a != b && held(a) == held(b) }

// toldKind is what two such outcomes differ in.
func toldKind(a, b string) string {
	if strings.ReplaceAll(a, probe.NilMark, "") == strings.ReplaceAll(b, probe.NilMark, "") {
		return Nil
	}
	return Layout
}

// sharesNoMore reports that all that b tells of shared memory a tells, too.
func sharesNoMore(a, b string) bool {
	parts := strings.Split(b, probe.ShareMark)
	for i := 1; i < len(parts); i += 2 {
		if !strings.Contains(a, probe.ShareMark+parts[i]+probe.ShareMark) {
			return false
		}
	}
	return true
}

// unshared drops what is told of shared memory.
func unshared(text string) string { return without(text, probe.ShareMark) }

// without drops what stands between each two marks.
func without(text, mark string) string {
	if !strings.Contains(text, mark) {
		return text
	}
	parts := strings.Split(text, mark)
	var kept strings.Builder
	for i := 0; i < len(parts); i += 2 {
		kept.WriteString(parts[i])
	}
	return kept.String()
}

var marks = strings.NewReplacer(probe.FloatMark, "", probe.ShareMark, "", probe.LayoutMark, "",
	probe.NilMark+"[]", "nil", probe.NilMark+"map[]", "nil", probe.NilMark+`""`, "nil", probe.NilMark, "")

// readable drops the marks, and what is told for comparisons alone.
func readable(text string) string { return marks.Replace(without(text, probe.AsideMark)) }

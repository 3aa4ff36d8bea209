package guard

import (
	"fmt"
	"unicode/utf8"
)

// How much of a text stands in a line.
const (
	wholeInLine = 120 // runes that are told as they are
	inFront     = 40  // before the first place at which two outputs differ, and behind the last
	differing   = 120 // of what lies between the two
	inputHead   = 200
	inputTail   = 60
)

// inLine shortens what is too long for a line; the report itself has all of it.
func inLine(text string) string {
	if r := []rune(text); len(r) > inputHead+inputTail+40 {
		return fmt.Sprintf("%s… (%d more) …%s", string(r[:inputHead]), len(r)-inputHead-inputTail, string(r[len(r)-inputTail:]))
	}
	return text
}

// isLong reports that a text does not stand in a line as it is.
func isLong(text string) bool { return utf8.RuneCountInString(text) > wholeInLine }

// apart shortens two outputs to the part in which they differ, with some of what is before and behind it.
func apart(root, candidate string) (string, string) {
	if !isLong(root) && !isLong(candidate) {
		return root, candidate
	}
	i, j := agreeing(root, candidate)
	a, b := []rune(root), []rune(candidate)
	i, j = utf8.RuneCountInString(root[:i]), utf8.RuneCountInString(candidate[:j])
	same := 0
	for same < len(a)-i && same < len(b)-j && a[len(a)-1-same] == b[len(b)-1-same] {
		same++
	}
	return around(a, i, len(a)-same), around(b, j, len(b)-same)
}

// around is what lies from one rune to another, cut where it is long, with some of what is before and behind it.
func around(text []rune, from, to int) string {
	begin, end := max(0, from-inFront), min(len(text), to+inFront)
	if to-from > differing {
		end = from + differing
	}
	if begin < 3 { // an ellipsis is no shorter
		begin = 0
	}
	out := string(text[begin:end])
	if begin > 0 {
		out = "…" + out
	}
	if end < len(text) {
		out += "…"
	}
	return out
}

// agreeing is how far two outputs agree, in bytes of each: numbers that differ by rounding alone do.
func agreeing(a, b string) (i, j int) {
	for i < len(a) && j < len(b) {
		if x, restA, okA := leadingFloat(a[i:]); okA && !inNumber(a, i) && !inNumber(b, j) {
			y, restB, okB := leadingFloat(b[j:])
			if !okB || !near(x, y, 1) {
				return i, j
			}
			i, j = len(a)-len(restA), len(b)-len(restB)
			continue
		}
		r, n := utf8.DecodeRuneInString(a[i:])
		s, m := utf8.DecodeRuneInString(b[j:])
		if r != s || n != m {
			return i, j
		}
		i, j = i+n, j+m
	}
	return i, j
}

// inNumber reports that a place lies behind a letter or a digit, where no number begins.
func inNumber(text string, at int) bool { return at > 0 && isLetter(text[at-1]) }

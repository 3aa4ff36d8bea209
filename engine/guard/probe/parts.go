package probe

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// digitRuns are the numbers in a text, letterRuns the words, parts a number or a word with the character before it.
var (
	digitRuns  = regexp.MustCompile(`[0-9]+`)
	letterRuns = regexp.MustCompile(`\pL+`)
	parts      = regexp.MustCompile(`[^\pL\pN]?[\pL\pN]+`)
)

// grafted puts a part of another text of the sources into s, behind one of its own parts;
// its number may be another.
func (g *maker) grafted(s string) string {
	lits := g.lib.lits.Strings
	if len(lits) == 0 {
		return s
	}
	from := parts.FindAllString(lits[g.d.n(len(lits))], -1)
	if len(from) == 0 {
		return s
	}
	part := from[g.d.n(len(from))]
	if g.d.n(2) == 1 {
		part = digitRuns.ReplaceAllStringFunc(part, g.numeral)
	}
	ends := append(parts.FindAllStringIndex(s, -1), []int{0, len(s)})
	at := ends[g.d.n(len(ends))][1]
	return s[:at] + part + s[at:]
}

// reparted has a part more or less, at its end in half of all cases, or two that changed places: versions, paths,
// names and lists of another length than those beside them.
func reparted(s string, pick func(int) int) string {
	at := parts.FindAllStringIndex(s, -1)
	if len(at) == 0 {
		return s
	}
	i := pick(2 * len(at))
	i = min(i, len(at)-1)
	from, to := at[i][0], at[i][1]
	switch pick(8) {
	case 0, 1:
		return s[:to] + joint(s, at, i) + "0" + s[to:]
	case 2:
		return s[:to] + joint(s, at, i) + "1" + s[to:]
	case 3: // again
		return s[:to] + joint(s, at, i) + beheaded(s[from:to]) + s[to:]
	case 4, 5:
		return s[:from] + s[to:]
	case 6: // what stands behind it goes
		return s[:to]
	}
	other := at[pick(len(at))]
	if from > other[0] {
		from, to, other = other[0], other[1], at[i]
	}
	if to > other[0] {
		return s
	}
	one, two := beheaded(s[from:to]), beheaded(s[other[0]:other[1]])
	return s[:to-len(one)] + two + s[to:other[1]-len(two)] + one + s[other[1]:]
}

func notOfPart(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) }

// joint is what stands between two parts at a place.
func joint(s string, at [][]int, i int) string {
	for _, k := range []int{i, min(i+1, len(at)-1), len(at) - 1} {
		if r, n := utf8.DecodeRuneInString(s[at[k][0]:]); notOfPart(r) {
			return s[at[k][0] : at[k][0]+n]
		}
	}
	return ""
}

// beheaded is a text from its first letter or digit on.
func beheaded(s string) string { return strings.TrimLeftFunc(s, notOfPart) }

// spliced is other behind what s has before its first letter or digit, such as an operator; or it begins or
// ends as other does, or has one of its parts in the place of its own.
func spliced(s, other string, pick func(int) int) string {
	if pick(3) == 0 {
		whole := s[:len(s)-len(beheaded(s))] + beheaded(other)
		if pick(2) == 0 {
			return reparted(whole, pick)
		}
		return whole
	}
	own, theirs := parts.FindAllStringIndex(s, -1), parts.FindAllStringIndex(other, -1)
	n := min(len(own), len(theirs))
	if n == 0 {
		return s
	}
	i := pick(n)
	switch pick(4) {
	case 0, 1:
		return other[:theirs[i][1]] + s[own[i][1]:]
	case 2:
		return s[:own[i][0]] + other[theirs[i][0]:theirs[i][1]] + s[own[i][1]:]
	}
	return s + other[theirs[i][0]:]
}

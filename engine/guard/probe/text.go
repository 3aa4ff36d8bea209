package probe

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// Alphabets of random text: what splits, escapes, counts or folds in another
// way than letters do.
var alphabets = [][]rune{
	[]rune("abcdefghijklmnopqrstuvwxyz"),
	[]rune("aAbBcCxXyYzZ"),
	[]rune("0123456789"),
	[]rune(" \t\n-_./,:;"),
	[]rune("\"'`\\()[]{}<>#@!?*+=|&%$^~"),
	[]rune("éßİıøΣςж世界ﬁ\u0301\u200d😀\u00a0"),
	[]rune("aB1_- ."),
	[]rune("éßǆǅǈǌǲŉﬃΐᾳaz"), // one letter of many bytes, another title than upper case, a case of several letters
	[]rune("אבגعربيहिन्दीไทยกำ한글각ㄱ中文。、！ａＡ１カナ🇩🇪👩‍💻👍🏽\r\n\u2028\u0308\ufe0f"),
}

// mostTexts bounds the texts of a case that others may be near to.
const mostTexts = 8

// text draws a string. Some are near one that the case has already: what
// compares, searches or merges is dull on strangers.
func (g *maker) text() (s string) {
	if g.given != "" {
		return g.given
	}
	from, before := len(g.d.used), g.texts
	defer func() {
		madeAt(g, from, place{kind: edgeText, text: s, near: len(before) > 0, others: before})
		if len(g.texts) < mostTexts {
			g.texts = append(g.texts, s)
		}
	}()
	if at, ok := g.d.target(edgeText); ok {
		if len(g.texts) > 0 {
			g.d.force(0)
		}
		if long := at - len(g.lib.edges.texts); long >= 0 {
			g.d.force(longText, uint64(long))
		} else {
			g.d.force(18, uint64(at))
		}
	}
	if len(g.texts) == 0 || !g.d.chance(7) {
		return g.newText()
	}
	s = g.texts[g.d.n(len(g.texts))]
	switch g.d.n(6) {
	case 0:
		s = wordOf(g, s)
	case 1: // what compares numbers in texts asks for two that differ in one
		s = g.renumbered(s)
	case 2: // and what compares lists of them for one that is longer
		s = reparted(s, g.d.n)
	case 3:
		s = spliced(g.newText(), s, g.d.n)
	default:
		s = g.changed(s)
	}
	return s
}

// wordOf is by chance one word of a text: what stands in a template, a path or an expression asks for a name elsewhere.
func wordOf(g *maker, s string) string {
	if list := words.FindAllString(s, mostHeard); len(list) > 0 && g.d.chance(8) {
		return list[g.d.n(len(list))]
	}
	return s
}

// newText draws a string. Most come from the sources and tests, as they are or
// changed a little.
func (g *maker) newText() string {
	d, lits := g.d, g.lib.lits.Strings
	d.unspelled(spelledText)
	kind := d.n(longText + 1)
	if long := g.lib.edges.stretched; kind == longText && len(long) > 0 {
		return long[d.n(len(long))]
	}
	if kind >= spelledText {
		return d.spelled()
	}
	if kind == 18 {
		return g.lib.edges.texts[d.n(len(g.lib.edges.texts))]
	}
	if kind >= 16 {
		return g.nearText()
	}
	if len(lits) == 0 && kind >= 4 {
		kind = kind % 4
	}
	switch {
	case kind == 0:
		return g.random(4)
	case kind == 1:
		return g.random(12)
	case kind == 2:
		return g.words()
	case kind == 3:
		return strings.Repeat(g.random(2), d.n(20))
	case kind < 9:
		return lits[d.n(len(lits))]
	case kind < 14:
		return g.changed(lits[d.n(len(lits))])
	case kind == 14:
		return lits[d.n(len(lits))] + g.random(2) + lits[d.n(len(lits))]
	}
	return g.changed(g.changed(lits[d.n(len(lits))]))
}

// nearText is a text of what the changed code looks for: its strings and
// characters, and a length at one of its numbers.
func (g *maker) nearText() string {
	d, lits := g.d, g.lib.lits
	var b strings.Builder
	for range 1 + d.n(4) {
		switch k := d.n(5); {
		case k == 4:
			b.WriteString(g.digits())
		case k == 0 && len(lits.NearStrings) > 0:
			b.WriteString(lits.NearStrings[d.n(len(lits.NearStrings))])
		case k <= 1 && len(lits.Strings) > 0:
			b.WriteString(lits.Strings[d.n(len(lits.Strings))])
		case k == 2:
			b.WriteString(g.random(3))
		default:
			b.WriteRune(g.nearRune())
		}
	}
	r := []rune(b.String())
	if n := len(lits.NearInts); n > 0 && d.n(4) == 3 {
		if to := int(min(300, max(0, lits.NearInts[d.n(n)]))) + d.n(3) - 1; to > 0 && len(r) > 0 {
			for len(r) < to {
				r = append(r, r[d.n(len(r))])
			}
			r = r[:to]
		}
	}
	return string(r)
}

// nearRune is a character of the changed code or one beside it, one of a page of
// characters with such a number, or any.
func (g *maker) nearRune() rune {
	d := g.d
	v := int64(-1)
	if n := len(g.lib.lits.NearInts); n > 0 {
		v = g.lib.lits.NearInts[d.n(n)]
	}
	switch kind := d.n(8); {
	case kind < 5 && v >= 0:
		v += int64(d.n(3)) - 1
	case kind == 5 && v >= 0:
		v = v<<8 + int64(d.n(256))
	case kind == 6:
		v = int64(d.n(0x10000))
	case kind == 7:
		v = int64(d.n(unicode.MaxRune))
	}
	if v >= 9 && v <= unicode.MaxRune && (v < 0xd800 || v > 0xdfff) {
		return rune(v)
	}
	alphabet := alphabets[d.n(len(alphabets))]
	return alphabet[d.n(len(alphabet))]
}

func (g *maker) random(most int) string {
	var b strings.Builder
	for range g.d.n(most + 1) {
		if g.d.chance(3) {
			b.WriteRune(g.nearRune())
			continue
		}
		alphabet := alphabets[g.d.n(len(alphabets))]
		b.WriteRune(alphabet[g.d.n(len(alphabet))])
	}
	return b.String()
}

// words is text of the form that names and sentences have.
func (g *maker) words() string {
	var parts []string
	for range 1 + g.d.n(4) {
		var b strings.Builder
		for range 1 + g.d.n(6) {
			b.WriteRune(alphabets[0][g.d.n(26)])
		}
		w := b.String()
		switch g.d.n(4) {
		case 1:
			w = strings.ToUpper(w)
		case 2:
			w = strings.ToUpper(w[:1]) + w[1:]
		case 3:
			w += string(alphabets[2][g.d.n(10)])
		}
		parts = append(parts, w)
	}
	return strings.Join(parts, []string{" ", "_", "-", ".", "", "  "}[g.d.n(6)])
}

// renumbered has another number in the place of one; a text without stays.
func (g *maker) renumbered(s string) string {
	runs := digitRuns.FindAllStringIndex(s, -1)
	if len(runs) == 0 {
		return s
	}
	if len(runs) > 1 && g.d.n(4) == 3 {
		return rolled(s, runs[g.d.n(len(runs)-1):], g.d.n(2))
	}
	run := runs[g.d.n(len(runs))]
	return s[:run[0]] + g.numeral(s[run[0]:run[1]]) + s[run[1]:]
}

// rolled has 0 for all numbers behind the first of some, which goes up by so many: where a version, or a time, begins anew.
func rolled(s string, runs [][]int, up int) string {
	first := runs[0]
	out := s[:first[0]] + s[first[0]:first[1]]
	if n, err := strconv.Atoi(s[first[0]:first[1]]); err == nil && up > 0 {
		out = s[:first[0]] + fmt.Sprintf("%0*d", first[1]-first[0], n+up)
	}
	end := first[1]
	for _, run := range runs[1:] {
		out += s[end:run[0]] + strings.Repeat("0", run[1]-run[0])
		end = run[1]
	}
	return out + s[end:]
}

// recased has one word in other letters: small for large, or large for small.
func recased(s string, pick func(int) int) string {
	list := wordsAndNumbers.FindAllStringIndex(s, -1)
	if len(list) == 0 {
		return s
	}
	at := list[pick(len(list))]
	word := s[at[0]:at[1]]
	other := strings.ToLower(word)
	if other == word {
		other = strings.ToUpper(word)
	}
	return s[:at[0]] + other + s[at[1]:]
}

// changed makes one small edit.
func (g *maker) changed(s string) string {
	d, r := g.d, []rune(s)
	at := d.n(len(r) + 1)
	switch d.n(20) {
	case 0:
		return string(r[:at])
	case 1:
		return string(r[at:])
	case 2:
		return string(r[:at]) + g.random(1) + string(r[at:])
	case 3:
		if at < len(r) {
			return string(r[:at]) + string(r[at+1:])
		}
	case 4:
		if d.n(2) == 1 {
			return recased(s, d.n)
		}
		if at < len(r) {
			if unicode.IsUpper(r[at]) {
				r[at] = unicode.ToLower(r[at])
			} else {
				r[at] = unicode.ToUpper(r[at])
			}
		}
		return string(r)
	case 5:
		to := min(len(r), at+1+d.n(4))
		return string(r[:to]) + string(r[at:])
	case 8:
		return []string{strings.ToUpper(s), strings.ToLower(s), strings.ToUpper(string(r[:min(1, len(r))])) + string(r[min(1, len(r)):])}[d.n(3)]
	case 9:
		return []string{" " + s, s + " ", s + "\n", "\t" + s}[d.n(4)]
	case 7, 10: // one number
		if digitRuns.MatchString(s) {
			return g.renumbered(s)
		}
	case 11: // all numbers anew, or all of them small
		if d.n(3) == 0 {
			return digitRuns.ReplaceAllStringFunc(s, g.numeral)
		}
		return digitRuns.ReplaceAllStringFunc(s, func(string) string { return strconv.Itoa(d.n(3)) })
	case 12:
		return g.grafted(s)
	case 14: // two neighbours change places
		if at+1 < len(r) {
			r[at], r[at+1] = r[at+1], r[at]
			return string(r)
		}
	case 15:
		return reparted(s, d.n)
	case 16: // something of the changed code, or of the sources
		return string(r[:at]) + g.nearText() + string(r[at:])
	case 17: // one character many times
		if at < len(r) {
			return string(r[:at]) + strings.Repeat(string(r[at:at+1]), 2+d.n(30)) + string(r[at:])
		}
	case 18, 19:
		return doubled(s, d.n)
	case 13: // without what stands before it
		return beheaded(s)
	case 6:
		b := []byte(s)
		if len(b) > 0 {
			b[d.n(len(b))] = byte(0x80 + d.n(128)) // most often not UTF-8
		}
		return string(b)
	}
	return string(r[:at]) + g.random(3) + string(r[at:])
}

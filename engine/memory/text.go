package memory

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// clip makes one clean line of at most n characters.
func clip(s string, n int) string {
	s = plainLine(s)
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	return strings.TrimRight(string([]rune(s)[:max(0, n-3)]), " ") + "..."
}

// plainLine replaces control characters and runs of space by one space.
func plainLine(s string) string {
	return strings.Join(strings.FieldsFunc(strings.ToValidUTF8(s, "?"), func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }), " ")
}

// lastLines joins the last n lines that are not empty.
func lastLines(s string, n int) string {
	var lines []string
	for _, l := range strings.Split(s, "\n") {
		if l = plainLine(l); l != "" {
			lines = append(lines, l)
		}
	}
	return strings.Join(lines[max(0, len(lines)-n):], " / ")
}

// wordsOf reduces a text to its words in lower case: figures, names of
// candidates and punctuation do not count.
func wordsOf(s string) string {
	var out []string
	for _, w := range strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		if !strings.ContainsFunc(w, unicode.IsDigit) {
			out = append(out, w)
		}
	}
	return strings.Join(out, " ")
}

// alike reports whether two texts say the same: equal words, or at least four
// fifths of them shared.
func alike(a, b string) bool {
	if plainLine(a) == plainLine(b) {
		return true
	}
	a, b = wordsOf(a), wordsOf(b)
	if a == b {
		return a != ""
	}
	x, y := set(a), set(b)
	if len(x) < 4 || len(y) < 4 {
		return false
	}
	both := 0
	for w := range x {
		if y[w] {
			both++
		}
	}
	return 5*both >= 4*(len(x)+len(y)-both)
}

func set(s string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(s) {
		out[w] = true
	}
	return out
}

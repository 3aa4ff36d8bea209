package output

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// MaxReason is the length of a reason in runes.
const MaxReason = 300

// Clean removes terminal control sequences and control characters but for
// newline and tab, and makes the text valid UTF-8.
func Clean(s string) string {
	s = ansi.Strip(strings.ToValidUTF8(s, "\uFFFD"))
	s = strings.ReplaceAll(s, "\r\n", "\n")
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case r == '\r':
			return '\n'
		case unicode.IsControl(r), unicode.Is(unicode.Bidi_Control, r):
			return -1
		}
		return r
	}, s)
}

// OneLine makes a text one line of at most n runes, fit for a screen.
func OneLine(s string, n int) string {
	return clip(strings.Join(strings.Fields(Clean(s)), " "), n)
}

// clip shortens a text to n runes and shows that it did.
func clip(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	r := []rune(s)
	return string(r[:n-1]) + "…"
}

// clipBytes cuts a text to n bytes at a rune boundary.
func clipBytes(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// Tail keeps the last n bytes of a text from the start of a line, and says how
// many bytes it left out.
func Tail(s string, n int) (string, int64) {
	if len(s) <= n {
		return s, 0
	}
	cut := len(s) - n
	if i := strings.IndexByte(s[cut:], '\n'); i >= 0 && i < n-1 {
		cut += i + 1
	}
	for cut < len(s) && !utf8.RuneStart(s[cut]) {
		cut++
	}
	return s[cut:], int64(cut)
}

func OrElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

func AllDigits(s string) bool {
	for _, r := range s {
		if r < '0' || r > '9' {
			return false
		}
	}
	return s != ""
}

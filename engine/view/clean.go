package view

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// lineCap bounds one line of foreign text on its way to a screen or a log.
const lineCap = 2000

// Shorten makes one harmless line of foreign text with single spaces, of at most so many
// characters: "…" stands for the rest.
func Shorten(s string, most int) string {
	return clip(strings.Join(strings.Fields(CleanLine(s)), " "), most)
}

// clip cuts a line to so many characters.
func clip(line string, most int) string {
	if letters := []rune(line); len(letters) > most {
		return strings.TrimSpace(string(letters[:most-1])) + "…"
	}
	return line
}

// CleanLine makes one harmless line of foreign text: no control sequences, no
// control or formatting characters (bidirectional overrides, zero-width), no
// invalid UTF-8, at most [lineCap] bytes.
func CleanLine(s string) string {
	if len(s) > lineCap {
		n := lineCap
		for n > lineCap-utf8.UTFMax && !utf8.RuneStart(s[n]) {
			n-- // no character is cut in two
		}
		s = s[:n]
	}
	clean := true
	for i := range len(s) {
		if c := s[i]; c < 0x20 || c >= 0x7f {
			clean = false
			break
		}
	}
	if clean {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	put := func(r rune) {
		if b.Len()+utf8.RuneLen(r) <= lineCap { // what stands for a bad byte is longer than it
			b.WriteRune(r)
		}
	}
	for i := 0; i < len(s); {
		if s[i] == 0x1b {
			i += escapeLen(s[i:])
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		i += n
		switch {
		case r == '\t' || r == '\n':
			put(' ')
		case r == utf8.RuneError && n == 1:
			put('\uFFFD')
		case r < 0x20 || r >= 0x7f && r < 0xa0, unicode.Is(unicode.Cf, r), unicode.Is(unicode.Zl, r), unicode.Is(unicode.Zp, r):
		default:
			put(r)
		}
	}
	return b.String()
}

// escapeLen returns the length of the control sequence that s begins with
// (ECMA-48: CSI, and the string sequences OSC, DCS, SOS, PM, APC; ECMA-35: the
// choice of a character set, such as ESC ( B, which ends in the first byte that is
// none of 0x20 to 0x2f). An escape before anything else stands alone.
func escapeLen(s string) int {
	if len(s) < 2 {
		return 1
	}
	switch s[1] {
	case '[':
		for i := 2; i < len(s); i++ {
			if s[i] >= 0x40 && s[i] <= 0x7e {
				return i + 1
			}
		}
		return len(s)
	case ']', 'P', 'X', '^', '_':
		for i := 2; i < len(s); i++ {
			if s[i] == 0x07 {
				return i + 1
			}
			if s[i] == 0x1b && i+1 < len(s) && s[i+1] == '\\' {
				return i + 2
			}
		}
		return len(s)
	}
	n := 1
	for n < len(s) && s[n] >= 0x20 && s[n] <= 0x2f {
		n++
	}
	if n < len(s) && s[n] >= 0x30 && s[n] <= 0x7e {
		n++
	}
	return n
}

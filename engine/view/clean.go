package view

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// lineCap bounds one line of foreign text on its way to a screen or a log.
const lineCap = 2000

// CleanLine makes one harmless line of foreign text: no control sequences, no
// control or formatting characters (bidirectional overrides, zero-width), no
// invalid UTF-8, at most [lineCap] bytes.
func CleanLine(s string) string {
	if len(s) > lineCap {
		s = s[:lineCap]
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
	for i := 0; i < len(s); {
		if s[i] == 0x1b {
			i += escapeLen(s[i:])
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		i += n
		switch {
		case r == '\t' || r == '\n':
			b.WriteByte(' ')
		case r == utf8.RuneError && n == 1:
			b.WriteRune('\uFFFD')
		case r < 0x20 || r >= 0x7f && r < 0xa0, unicode.Is(unicode.Cf, r), unicode.Is(unicode.Zl, r), unicode.Is(unicode.Zp, r):
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// escapeLen returns the length of the control sequence that s begins with
// (ECMA-48: CSI, and the string sequences OSC, DCS, SOS, PM, APC).
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
	return 2
}

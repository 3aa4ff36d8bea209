// Package clean makes text of others fit to be shown: a line without control
// characters, cut to a length, without terminal sequences. The caveat: it takes
// no secrets out.
package clean

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
)

// Line makes one clean line: control characters and runs of space become
// one space.
func Line(s string) string {
	var b strings.Builder
	space := false
	for _, r := range strings.ToValidUTF8(s, "?") {
		if r <= ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 || r == '\u2028' || r == '\u2029' {
			space = b.Len() > 0
			continue
		}
		if space {
			b.WriteByte(' ')
			space = false
		}
		b.WriteRune(r)
	}
	return b.String()
}

// Clip cuts a line to n characters, the last three of them dots.
func Clip(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	if n <= 3 {
		return string([]rune(s)[:max(n, 0)])
	}
	return strings.TrimRight(string([]rune(s)[:n-3]), " ") + "..."
}

// Short shortens code to a single printable line of at most n bytes.
func Short(s string, n int) string {
	s = strings.Join(strings.FieldsFunc(s, func(r rune) bool { return r <= ' ' || r == 0x7f || r == 0xfffd }), " ")
	if len(s) > n {
		cut := n - 3
		for cut > 0 && s[cut]&0xc0 == 0x80 {
			cut--
		}
		s = s[:cut] + "..."
	}
	return s
}

// Text replaces terminal control sequences and control bytes by
// spaces, and bytes that are no UTF-8 by question marks.
func Text(b []byte) []byte {
	b = escapes.ReplaceAll(b, nil)
	return bytes.ToValidUTF8(bytes.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 {
			return ' '
		}
		if r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 {
			return -1
		}
		return r
	}, b), []byte("?"))
}

var escapes = regexp.MustCompile("\x1b(?:\\[[0-?]*[ -/]*[@-~]|\\][^\x07\x1b]*(?:\x07|\x1b\\\\)?|[@-Z\\\\-_])")

// LastLine returns the last line that says something.
func LastLine(b []byte) string {
	lines := strings.Split(strings.TrimSpace(string(Text(b))), "\n")
	return Short(lines[len(lines)-1], 300)
}

// IsText reports whether a prompt can carry the content.
func IsText(data []byte) bool {
	return utf8.Valid(data) && bytes.IndexByte(data, 0) < 0
}

// Middle leaves out the middle of a text that is longer than n bytes, and
// says so.
func Middle(s string, n int) string {
	if len(s) <= n {
		return s
	}
	half := n/2 - 40
	return strings.ToValidUTF8(s[:half], "") + fmt.Sprintf("\n... %d bytes left out ...\n", len(s)-2*half) + strings.ToValidUTF8(s[len(s)-half:], "")
}

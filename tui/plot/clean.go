package plot

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

const (
	tabStop    = 4
	maxClean   = 4 << 10 // bytes of one line that are looked at
	maxMarks   = 2       // combining marks kept after one character
	badRune    = '\uFFFD'
	cleanASCII = 0x7f
)

// Clean makes one line of foreign text safe and predictable on a terminal. It
// removes escape sequences (CSI, OSC, DCS and their like), C0 and C1 controls,
// bidirectional and zero-width characters and surplus combining marks; line
// breaks become spaces, tabs become spaces up to the next stop of four,
// invalid UTF-8 becomes U+FFFD. Text beyond 4 KiB is cut.
func Clean(s string) string {
	if plainASCII(s) {
		return s
	}
	if len(s) > maxClean {
		s = s[:maxClean]
	}
	if strings.ContainsAny(s, "\x1b\u0090\u0098\u009b\u009d\u009e\u009f") {
		s = ansi.Strip(foldC1(s))
	}
	var b strings.Builder
	b.Grow(len(s))
	col, marks := 0, 0
	for _, r := range s {
		switch {
		case r == '\t':
			n := tabStop - col%tabStop
			b.WriteString(strings.Repeat(" ", n))
			col += n
			continue
		case r == '\n' || r == '\r':
			r = ' '
		case r == utf8.RuneError:
			r = badRune
		case hidden(r):
			continue
		}
		if unicode.In(r, unicode.Mn, unicode.Me) {
			if marks++; marks > maxMarks || col == 0 {
				continue
			}
		} else {
			marks = 0
			col++
		}
		b.WriteRune(r)
	}
	return b.String()
}

// CleanLines splits foreign text into lines and cleans each. At most limit
// lines come back; more says how many were left out.
func CleanLines(s string, limit int) (lines []string, more int) {
	s = strings.TrimRight(strings.ReplaceAll(s, "\r\n", "\n"), "\n")
	if s == "" {
		return nil, 0
	}
	for line := range strings.SplitSeq(s, "\n") {
		if len(lines) == limit {
			more++
			continue
		}
		// A carriage return redraws a line: what it ends with is what is seen.
		if i := strings.LastIndexByte(strings.TrimRight(line, "\r"), '\r'); i >= 0 {
			line = line[i+1:]
		}
		lines = append(lines, Clean(line))
	}
	return lines, more
}

// foldC1 rewrites C1 introducers in UTF-8 to their two-byte form, so that the
// stripper sees the sequences they begin.
func foldC1(s string) string {
	return strings.NewReplacer("\u009b", "\x1b[", "\u009d", "\x1b]", "\u0090", "\x1bP",
		"\u0098", "\x1bX", "\u009e", "\x1b^", "\u009f", "\x1b_").Replace(s)
}

func plainASCII(s string) bool {
	if len(s) > maxClean {
		return false
	}
	for i := range len(s) {
		if s[i] < 0x20 || s[i] >= cleanASCII {
			return false
		}
	}
	return true
}

// hidden reports characters that show nothing, reorder their neighbours or
// speak to the terminal.
func hidden(r rune) bool {
	switch {
	case r < 0x20, r >= 0x7f && r < 0xa0:
		return true
	case r == 0xad, r == 0x34f, r == 0x61c, r == 0x115f, r == 0x1160, r == 0x17b4, r == 0x17b5, r == 0x3164, r == 0xffa0:
		return true
	case r >= 0x180b && r <= 0x180f, r >= 0x200b && r <= 0x200f, r >= 0x2028 && r <= 0x202e, r >= 0x2060 && r <= 0x206f:
		return true
	case r == 0xfeff, r >= 0xfe00 && r <= 0xfe0f, r >= 0xfff0 && r <= 0xfffb, r >= 0xe0000 && r <= 0xe0fff:
		return true
	case r >= 0x1d173 && r <= 0x1d17a:
		return true
	case unicode.Is(unicode.Cf, r): // format characters: some join what follows
		return true
	case r >= 0xe000 && r <= 0xf8ff, r >= 0xf0000: // private use: no terminal agrees on it
		return true
	}
	return false
}

// Width returns the number of cells a line takes; escape codes count nothing.
// Text of ASCII, SGR codes and drawing characters, which is nearly all, is
// counted here; the rest goes by grapheme clusters.
func Width(s string) int {
	n := 0
	for i := 0; i < len(s); {
		switch c := s[i]; {
		case c >= 0x20 && c < cleanASCII:
			i++
			n++
		case c == 0x1b:
			j := sgrEnd(s, i)
			if j < 0 {
				return ansi.StringWidth(s)
			}
			i = j
		case c == 0xc2 || c == 0xc3 || c == 0xe2:
			r, size := utf8.DecodeRuneInString(s[i:])
			if !narrow(r) {
				return ansi.StringWidth(s)
			}
			i += size
			n++
		default:
			return ansi.StringWidth(s)
		}
	}
	return n
}

// sgrEnd returns the index after an SGR sequence at i, -1 when it is none.
func sgrEnd(s string, i int) int {
	if i+1 >= len(s) || s[i+1] != '[' {
		return -1
	}
	for i += 2; i < len(s); i++ {
		switch c := s[i]; {
		case c == 'm':
			return i + 1
		case c != ';' && (c < '0' || c > '9'):
			return -1
		}
	}
	return -1
}

// narrow reports drawing characters that take one cell everywhere.
func narrow(r rune) bool {
	return r >= 0x2500 && r <= 0x259f || r >= 0x2800 && r <= 0x28ff || r == '·' || r == '×' || r == '±' || r == '…' || r == '–' || r == '“' || r == '”'
}

// Fit returns s cut or padded to exactly w cells; styles inside stay. A cut is
// marked by "…".
func Fit(s string, w int) string {
	if w <= 0 {
		return ""
	}
	n := Width(s)
	if n > w {
		s = ansi.Truncate(s, w, "…")
		n = Width(s)
	}
	if n == w {
		return s
	}
	out := s + strings.Repeat(" ", max(0, w-n))
	if plainASCII(s) || Width(out) == w {
		return out
	}
	return Fit(plainOnly(s), w)
}

// plainOnly replaces what clusters with its neighbours in ways that make a
// width unpredictable.
func plainOnly(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r < 0x20:
			return -1
		case r < cleanASCII || narrow(r):
			return r
		}
		return '?'
	}, s)
}

// FitRight is Fit with the text on the right.
func FitRight(s string, w int) string {
	if w <= 0 {
		return ""
	}
	if n := Width(s); n < w {
		if out := strings.Repeat(" ", w-n) + s; Width(out) == w {
			return out
		}
		return FitRight(plainOnly(s), w)
	}
	return Fit(s, w)
}

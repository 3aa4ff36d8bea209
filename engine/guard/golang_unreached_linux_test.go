package guard_test

import (
	"testing"
	"time"

	"atoll/config/suitetest"
	"atoll/engine/guard"
)

// globs are patterns of one letter and classes, in a function of which one text of very many runs the line that changes.
const globs = `package kit

// Match reports whether a text is what a pattern of letters, classes such as [a-c] and [^a-c] and backslashes says.
func Match(pattern, text string) bool {
	p, in := []rune(pattern), []rune(text)
	for len(p) > 0 {
		if len(in) == 0 {
			return false
		}
		c, fits := p[0], false
		switch p = p[1:]; {
		case c == '[':
			p, fits = class(p, in[0])
		case c == '\\' && len(p) > 0:
			fits, p = p[0] == in[0], p[1:]
		default:
			fits = c == in[0]
		}
		if in = in[1:]; !fits {
			return false
		}
	}
	return len(in) == 0
}

// class reads a class up to its end, and says whether a letter is of it.
func class(p []rune, r rune) (rest []rune, fits bool) {
	not := len(p) > 0 && p[0] == '^'
	if not {
		p = p[1:]
	}
	for len(p) > 0 && p[0] != ']' {
		low := p[0]
		escaped := low == '\\'
		if p = p[1:]; escaped {
			if len(p) == 0 {
				return nil, false
			}
			low, p = p[0], p[1:]
		}
		high := low
		if len(p) > 1 && p[0] == '-' && p[1] != ']' {
			if high, p = p[1], p[2:]; high == '\\' {
				if len(p) == 0 && not && escaped {
					return nil, false // the end of a range is missing
				}
				if len(p) == 0 {
					return nil, false
				}
				high, p = p[0], p[1:]
			}
		}
		fits = fits || low <= r && r <= high
	}
	if len(p) == 0 {
		return nil, false
	}
	return p[1:], fits != not
}
`

const globsTest = `package kit

import "testing"

func TestMatch(t *testing.T) {
	for _, tt := range []struct {
		pattern, text string
		want          bool
	}{{"tea", "tea", true}, {"t[ea]", "ta", true}, {"[a-c]x", "bx", true}, {"[a-c]x", "dx", false}, {"t\\[", "t[", true}, {"[^a-c]x", "dx", true}, {"[\\a-c]x", "bx", true}} {
		if got := Match(tt.pattern, tt.text); got != tt.want {
			t.Error(tt)
		}
	}
}
`

func TestWhatNoInputOfGoReachedIsLookedForOn(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "compares a Go module for long; TestWhereNothingReachedTheChangeAllIsCloseToIt says of what inputs are looked for")
	root := mustTable(t, guard.Options{Work: 4 * time.Minute}, mustFiles(t, map[string]string{"go.mod": "module example.com/kit\n\ngo 1.22\n", "kit.go": globs, "kit_test.go": globsTest}))
	wantWhere(t, root.mustCheck(t, "kit.go", "return nil, false // the end", "return nil, true // the end"), "kit.Match")
}

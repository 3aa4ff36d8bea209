package config

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/agext/levenshtein"
)

// Problem is one thing that is wrong with a configuration, where it stands and
// what to write instead.
type Problem struct {
	Source string // "atoll.yaml:12:3", "environment ATOLL_WORKERS", "flag --workers"; empty: no single place
	Line   int    // in the file, from 1; 0 = not from the file
	Column int
	Key    string // dotted key, "" for the file as a whole
	Text   string // what is wrong and what to do
}

// String returns "source: key: text" without the parts that are empty.
func (p Problem) String() string {
	parts := make([]string, 0, 3)
	for _, s := range []string{p.Source, p.Key, p.Text} {
		if s != "" {
			parts = append(parts, s)
		}
	}
	return strings.Join(parts, ": ")
}

// Problems are all that is wrong at once: those of the file in the order of
// the file, then environment, flags, and rules between several keys.
type Problems []Problem

// Error prints one problem on a line.
func (ps Problems) Error() string {
	lines := make([]string, len(ps))
	for i, p := range ps {
		lines[i] = p.String()
	}
	return strings.Join(lines, "\n")
}

// sort brings what stands in the file into its order and before all else.
func (ps Problems) sort() {
	slices.SortStableFunc(ps, func(a, b Problem) int {
		switch {
		case a.Line == 0 || b.Line == 0:
			return cmp.Compare(b.Line, 0) - cmp.Compare(a.Line, 0)
		case a.Line != b.Line:
			return cmp.Compare(a.Line, b.Line)
		}
		return cmp.Compare(a.Column, b.Column)
	})
}

// err returns nil for no problem, so that a nil error stays nil.
func (ps Problems) err() error {
	if len(ps) == 0 {
		return nil
	}
	return ps
}

// nearest returns the name that word was probably meant to be, or "". A third
// of the letters may be wrong.
func nearest(word string, names []string) string {
	best, bestDistance := "", 1+max(1, len(word)/3)
	for _, name := range names {
		if d := levenshtein.Distance(strings.ToLower(word), strings.ToLower(name), nil); d < bestDistance {
			best, bestDistance = name, d
		}
	}
	return best
}

// Meant returns "; did you mean X?" or nothing.
func Meant(word string, names []string) string {
	if n := nearest(word, names); n != "" {
		return fmt.Sprintf("; did you mean %s?", n)
	}
	return ""
}

// elsewhere names the key that was probably meant by a word that is none of
// the names at hand: one of them, or the same name in another section.
func elsewhere(word string, here []string) string {
	if n := nearest(word, here); n != "" {
		return n
	}
	inList := ""
	for _, k := range Keys() {
		switch {
		case k.Path != word && !strings.HasSuffix(k.Path, "."+word):
		case !strings.Contains(k.Path, "[]"):
			return k.Path
		case inList == "":
			inList = k.Path
		}
	}
	return inList
}

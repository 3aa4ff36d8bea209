package probe

import (
	"slices"
	"testing"
)

func TestMomentsAreWrittenInTheLayoutsOfTheCode(t *testing.T) {
	layout, word := "2006-01-02T15:04Z07:00", "word"
	lits := withMoments(Literals{NearStrings: []string{word, layout}, Edges: Tuple{{Str: &word}, {Str: &layout}}})
	for _, want := range []string{"2014-01-02T15:04Z", "2023-11-30T06:05+05:30", "1965-12-31T23:59-03:00"} {
		if !slices.Contains(lits.NearStrings, want) {
			t.Errorf("%s is not among %q", want, lits.NearStrings)
		}
		if !slices.ContainsFunc(lits.Edges, func(c Constant) bool { return c.Str != nil && *c.Str == want }) {
			t.Errorf("%s is no edge", want)
		}
	}
	if n := len(lits.NearStrings); n != 5 {
		t.Errorf("%d texts: a word is no layout", n)
	}
}

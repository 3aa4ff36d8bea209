package text

import (
	"slices"
	"strings"
	"testing"
)

// Every function does what its like of package strings does.
func TestAsStringsDoes(t *testing.T) {
	for _, s := range []string{"", "/", "a", "a/b", "/a//b/", "//", "A/B. ", " .", "PATH=x", "é/É\xff\xfe/z", "PATH="} {
		same := func(what string, got, want any) {
			t.Helper()
			if got != want {
				t.Errorf("%s of %q is %v, strings says %v", what, s, got, want)
			}
		}
		same("Index", Index(s, '/'), strings.IndexByte(s, '/'))
		same("LastIndex", LastIndex(s, '/'), strings.LastIndexByte(s, '/'))
		same("Count", Count(s, '/'), strings.Count(s, "/"))
		same("Has", Has(s, '/'), strings.Contains(s, "/"))
		same("Begins", Begins(s, "/a"), strings.HasPrefix(s, "/a"))
		same("Ends", Ends(s, "b/"), strings.HasSuffix(s, "b/"))
		same("TrimLeft", TrimLeft(s, "/ ."), strings.TrimLeft(s, "/ ."))
		same("TrimRight", TrimRight(s, "/ ."), strings.TrimRight(s, "/ ."))
		same("Lower", Lower(s), strings.ToLower(s))
		same("Valid", Valid(s, "?"), strings.ToValidUTF8(s, "?"))
		rest, ok := After(s, "PATH=")
		wantRest, wantOK := strings.CutPrefix(s, "PATH=")
		same("After", rest, wantRest)
		same("whether After", ok, wantOK)
		for _, sep := range []string{"=", "/b", "PATH="} {
			before, behind, found := Cut(s, sep)
			wantBefore, wantBehind, wantFound := strings.Cut(s, sep)
			same("before "+sep, before, wantBefore)
			same("behind "+sep, behind, wantBehind)
			same("whether "+sep, found, wantFound)
		}
		if got, want := Split(s, '/'), strings.Split(s, "/"); !slices.Equal(got, want) {
			t.Errorf("Split of %q is %q, strings says %q", s, got, want)
		}
	}
}

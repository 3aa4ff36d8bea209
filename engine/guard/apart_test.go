package guard

import (
	"strings"
	"testing"
)

func TestLongOutputsAreToldByThePartInWhichTheyDiffer(t *testing.T) {
	t.Parallel()
	x := strings.Repeat("x", 300)
	near40 := strings.Repeat("x", inFront)
	for name, c := range map[string]struct {
		root, candidate string
		was, is         string
	}{
		"short ones are whole":                       {"[1 2]", "[1 3]", "[1 2]", "[1 3]"},
		"a part in the middle":                       {x + "12" + x, x + "3" + x, "…" + near40 + "12" + near40 + "…", "…" + near40 + "3" + near40 + "…"},
		"a number is not cut":                        {x + " 1234 " + x, x + " 1235 " + x, "…" + near40[1:] + " 1234 " + near40[1:] + "…", "…" + near40[1:] + " 1235 " + near40[1:] + "…"},
		"the beginning":                              {"a" + x, "b" + x, "a" + near40 + "…", "b" + near40 + "…"},
		"the end":                                    {x + "a", x + "b", "…" + near40 + "a", "…" + near40 + "b"},
		"one that goes on":                           {x, x + "y", "…" + near40, "…" + near40 + "y"},
		"one that is short":                          {"(1)", x, "(1)", x[:differing] + "…"},
		"a long part is cut":                         {x + strings.Repeat("a", 500), x + "b", "…" + near40 + strings.Repeat("a", differing) + "…", "…" + near40 + "b"},
		"rounding before it is passed over":          {"0.1 " + x + " 2 " + x, "0.10000000000000001 " + x + " 3 " + x, "…" + near40[1:] + " 2 " + near40[1:] + "…", "…" + near40[1:] + " 3 " + near40[1:] + "…"},
		"letters of more than a byte are not broken": {strings.Repeat("é", 200) + "ä", strings.Repeat("é", 200) + "ö", "…" + strings.Repeat("é", inFront) + "ä", "…" + strings.Repeat("é", inFront) + "ö"},
	} {
		if was, is := apart(c.root, c.candidate); was != c.was || is != c.is {
			t.Errorf("%s: %q and %q, want %q and %q", name, was, is, c.was, c.is)
		}
	}
}

package mutant

import "testing"

func TestAnEditThatGivesTheSameNumberIsNoMutant(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, before, after string
		want                bool
	}{
		{"a term of nothing", "if (n < 70) return", "if (n < 70 + 1.45 * 0) return", true},
		{"the size of a number above 0", "x = c > 0x80 ? 1 : 2", "x = c > Math.abs(0x80) ? 1 : 2", true},
		{"the smaller of two", "f(3, a)", "f(Math.min(3, 7), a)", true},
		{"in brackets within a product", "y = a * 70 * b", "y = a * (70 + 0) * b", true},
		{"another number", "if (n < 70) return", "if (n < 70 + 1.45) return", false},
		{"within a product", "y = a * 70", "y = a * 70 + 1 * 0", false},
		{"behind a word", "y = 'n' + 70", "y = 'n' + 70 + 0", false},
		{"behind a product of the line above", "y = a *\n  70", "y = a *\n  70 + 0", false},
		{"in a text", "y = '70'", "y = '70 + 0'", false},
		{"in a template", "y = `70`", "y = `70 + 0`", false},
		{"the other zero", "y = 0", "y = -0", false},
		{"a number of another kind", "y = 70n", "y = 70n + 0n", false},
		{"of the number's own method", "y = 70..toFixed()", "y = 70 + 0..toFixed()", false},
		{"a variable", "y = a", "y = Math.abs(a)", false},
		{"two places", "f(1, 2)", "f(1 + 0, 2 + 0)", false},
		{"nothing but the layout changed", "y = 70", "y  = 70 // as it was", true},
	} {
		if got := SameNumber("lib/x.js", []byte(c.before), []byte(c.after)); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
	if SameNumber("x.py", []byte("range(70)"), []byte("range(70 + 1.5 * 0)")) {
		t.Error("in Python 70.0 is not 70")
	}
}

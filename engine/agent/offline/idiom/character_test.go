package idiom_test

import (
	"strings"
	"testing"
)

func TestATextOfACharacterThatIsKeptComesFromAConstant(t *testing.T) {
	const one, more = "the text of a character from a constant", "a text of runes made on the stack"
	for _, tc := range []struct{ name, idiom, body, want string }{
		{"a rune that is added", one, "func f(a []string, r rune) []string { return append(a, string(r)) }", "append(a, fChar(r))"},
		{"a byte that is returned", one, "func f(s string) string { return string(s[0]) }", "return fChar(rune(s[0]))"},
		{"an element", one, "func f(r rune) []string { return []string{string(r)} }", "{fChar(r)}"},
		{"a rune of which the bytes are added", one, "func f(a []byte, r rune) []byte { return append(a, string(r)...) }", ""},
		{"a rune in a sum", one, "func f(s string, r rune) string { return s + string(r) }", ""},
		{"a rune that is looked up", one, "func f(m map[string]int, r rune) int { return m[string(r)] }", ""},
		{"a text of bytes", one, "func f(b []byte) string { return string(b) }", ""},
		{"a wider number", one, "func f(n int64) string { return string(n) }", ""},
		{"another function of that name", one, "func string(rune) int { return 0 }\nfunc f(r rune) int { return string(r) }", ""},
		{"runes that are returned", more, "func f(r []rune) string { return string(r[1:]) }", "return fText(r[1:])"},
		{"runes in a sum", more, "func f(r []rune) string { return \"x\" + string(r) }", ""},
		{"runes for a function of a package", more, "func f(r []rune) string { return strings.ToUpper(string(r)) }", ""},
		{"bytes", more, "func f(r []byte) string { return string(r) }", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := rewriteIn(t, inFile("strings", tc.body), tc.idiom, "")
			if (tc.want == "") != (got == "") || !strings.Contains(got, tc.want) {
				t.Errorf("got\n%s", got)
			}
		})
	}
}

package idiom_test

import (
	"go/token"
	"strings"
	"testing"

	"atoll/engine/agent/offline/idiom"
	"atoll/engine/agent/offline/language"
)

// rewriteIn applies the first rewrite of an idiom where no other file names what is not in
// elsewhere; "" where it is not offered. Its result compiles and is not offered again.
func rewriteIn(t *testing.T, src, name, elsewhere string) string {
	t.Helper()
	parse := func(src string) *language.GoFile {
		f, err := language.ParseGo([]byte(src), &language.GoSiblings{Fset: token.NewFileSet(), Elsewhere: func(n string) bool { return n == elsewhere }}, func(*language.GoFile) {})
		if err != nil {
			t.Fatal(err, "\n", src)
		}
		return f
	}
	f := parse(src)
	all := idiom.Go(f, []byte(src), 26)
	for _, r := range all {
		if r.Name != name {
			continue
		}
		out, err := r.Apply([]byte(src))
		if err != nil {
			t.Fatal(err)
		}
		now := parse(string(out))
		if now.Worse(f) || named(idiom.Go(now, out, 26), name) >= named(all, name) {
			t.Errorf("does not compile, or is offered again:\n%s", out)
		}
		return string(out)
	}
	return ""
}

// inFile is a file with a body and an import, where one is named.
func inFile(imports, body string) string {
	src := "package p\n\n"
	if imports != "" {
		src += "import \"" + imports + "\"\n\n"
	}
	return src + body + "\n"
}

func TestACharacterIsComparedWithAConstantSet(t *testing.T) {
	for _, tc := range []struct{ name, body, want string }{
		{"a rune and few characters", "func f(r rune) bool { return strings.ContainsRune(\" \\t\", r) }", "return (r == '\\t' || r == ' ')"},
		{"a rune and many characters, one of them twice", "func f(r rune) bool { return strings.ContainsRune(\"aeioua\", r) }", "func fIs5(r rune) bool {\n\tswitch r {\n\tcase 'a', 'e', 'i', 'o', 'u':\n"},
		{"a rune that is computed", "func g() rune\nfunc f() bool { return strings.ContainsRune(\"ab\", g()) }", "return fIs6(g())"},
		{"a place that is there", "func f(c byte) bool { return strings.IndexByte(\"+-\", c) >= 0 }", "return (c == '+' || c == '-')"},
		{"a place that is not there", "func f(c byte) bool { return strings.IndexByte(\"+-\", c) == -1 }", "return (c != '+' && c != '-')"},
		{"a place that is not there, of many", "func f(c rune) bool { return strings.IndexRune(\"+-*/\", c) < 0 }", "return !fIs5(c)"},
		{"the text of a rune", "func f(r rune) bool { return strings.Contains(\"+-\", string(r)) }", "return (r == '+' || r == '-')"},
		{"the text of a byte", "func f(s string) bool { return strings.ContainsAny(string(s[1]), \"abcd\") }", "func fIs5(r byte) bool {"},
		{"a variable that nothing changes", "var set = \"+-\"\n\nfunc f(r rune) bool { return strings.ContainsRune(set, r) }", "(r == '+' || r == '-')"},
		{"a variable that is changed", "var set = \"+-\"\n\nfunc g() { set = \"\" }\nfunc f(r rune) bool { return strings.ContainsRune(set, r) }", ""},
		{"a variable that another file names", "var used = \"+-\"\n\nfunc f(r rune) bool { return strings.ContainsRune(used, r) }", ""},
		{"a variable that others can change", "var Set = \"+-\"\n\nfunc f(r rune) bool { return strings.ContainsRune(Set, r) }", ""},
		{"a set that is given", "func f(set string, r rune) bool { return strings.ContainsRune(set, r) }", ""},
		{"a set of more than ASCII", "func f(r rune) bool { return strings.ContainsRune(\"aé\", r) }", ""},
		{"a place", "func f(c byte) int { return strings.IndexByte(\"+-\", c) }", ""},
		{"a certain place", "func f(c byte) bool { return strings.IndexByte(\"+-\", c) > 0 }", ""},
		{"any text", "func f(s string) bool { return strings.Contains(\"+-\", s) }", ""},
		{"a text of runes", "func f(r []rune) bool { return strings.Contains(\"+-\", string(r)) }", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := rewriteIn(t, inFile("strings", tc.body), "comparisons for a constant set of characters", "used")
			if (tc.want == "") != (got == "") || !strings.Contains(got, tc.want) {
				t.Errorf("got\n%s", got)
			}
		})
	}
}

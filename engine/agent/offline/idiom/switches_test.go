package idiom_test

import (
	"strings"
	"testing"
)

func TestAKeyOfAMapOfConstantsIsLookedUpByASwitch(t *testing.T) {
	const m = "var m = map[string]int{\"a\": 1, \"b\": 2, \"c\": 1}\n\n"
	for _, tc := range []struct{ name, body, want string }{
		{"a value", m + "func f(s string) int { return m[s] }", "return mOf(s) }\n\n// mOf is what m has for a key.\nfunc mOf(key string) (value int) {\n\tswitch key {\n\tcase \"a\", \"c\":\n\t\treturn 1\n\tcase \"b\":\n\t\treturn 2\n\t}\n\treturn value\n}\n"},
		{"a value and whether it is there", m + "func f(s string) int {\n\tif v, ok := m[s]; ok {\n\t\treturn v\n\t}\n\treturn -1\n}", "if v, ok := mAt(s); ok {"},
		{"runes and texts", "var m = map[rune]string{'a': \"x\", 'ä': \"ae\"}\n\nfunc f(r rune) string { return m[r] }", "func mOf(key rune) (value string) {\n\tswitch key {\n\tcase 'a':\n"},
		{"names of constants", "type kind int\n\nconst (\n\tone kind = iota\n\ttwo\n)\n\nvar m = map[kind]bool{one: true, two: false}\n\nfunc f(k kind) bool { return m[k] }", "case one:\n\t\treturn true\n"},
		{"a map that is walked over, too", m + "func f(s string) (n int) {\n\tfor k := range m {\n\t\tn += len(k)\n\t}\n\treturn n + m[s]\n}", "mOf(s)"},
		{"a map that is written", m + "func f(s string) int {\n\tm[s] = 3\n\treturn m[s]\n}", ""},
		{"a map from which is taken away", m + "func f(s string) int {\n\tdelete(m, s)\n\treturn m[s]\n}", ""},
		{"a map that is passed on", m + "func g(map[string]int)\nfunc f(s string) int {\n\tg(m)\n\treturn m[s]\n}", ""},
		{"a map that is returned", m + "func g() map[string]int { return m }\nfunc f(s string) int { return m[s] }", ""},
		{"a map that another file names", strings.ReplaceAll(m, "m =", "used =") + "func f(s string) int { return used[s] }", ""},
		{"a map that others can write", strings.ReplaceAll(m, "m =", "M =") + "func f(s string) int { return M[s] }", ""},
		{"a map of the function", "func f(s string) int {\n\tm := map[string]int{\"a\": 1, \"b\": 2}\n\treturn m[s]\n}", ""},
		{"values that are made", "func g() int\nvar m = map[string]int{\"a\": g(), \"b\": 2}\n\nfunc f(s string) int { return m[s] }", ""},
		{"values that are shared", "var m = map[string][]int{\"a\": {1}, \"b\": {2}}\n\nfunc f(s string) []int { return m[s] }", ""},
		{"keys of any type", "var m = map[any]int{\"a\": 1, 2: 2}\n\nfunc f(s any) int { return m[s] }", ""},
		{"a key that has the name of the function's", "const key = \"k\"\n\nvar m = map[string]int{\"a\": 1, key: 2}\n\nfunc f(s string) int { return m[s] }", ""},
		{"a constant key", m + "func f() int { return m[\"a\"] }", ""},
		{"a name that is taken", m + "func mOf() {}\n\nfunc f(s string) int { return m[s] }", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := rewriteIn(t, inFile("", tc.body), "a switch for a map of constants", "used")
			if (tc.want == "") != (got == "") || !strings.Contains(got, tc.want) {
				t.Errorf("got\n%s", got)
			}
		})
	}
}

func TestTwoLooksIntoAMapOfConstantsShareASwitch(t *testing.T) {
	src := inFile("", "var m = map[string]int{\"a\": 1, \"b\": 2}\n\nfunc f(s, t string) int { return m[s] + m[t] }")
	once := rewriteIn(t, src, "a switch for a map of constants", "")
	twice := rewriteIn(t, once, "a switch for a map of constants", "")
	if strings.Count(twice, "func mOf(") != 1 || !strings.Contains(twice, "mOf(s) + mOf(t)") || strings.Contains(twice, "map[") {
		t.Errorf("got\n%s", twice)
	}
}

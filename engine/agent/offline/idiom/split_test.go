package idiom_test

import (
	"strings"
	"testing"
)

func TestPartsThatAreOnlyTakenLieOnTheStack(t *testing.T) {
	const name = "parts of a text on the stack"
	for _, tc := range []struct{ name, body, want string }{
		{"parts that are taken and counted", "func f(s string) string {\n\tp := strings.Split(s, \",\")\n\tif len(p) == 1 {\n\t\treturn p[0]\n\t}\n\treturn p[2]\n}", "\tvar pRoom [8]string\n\tp := fParts(pRoom[:0], s)\n"},
		{"a separator of several bytes", "func f(s string) (n int) {\n\tp := strings.Split(s, \"::\")\n\tfor range p {\n\t\tn++\n\t}\n\treturn n\n}", "i := strings.Index(s, \"::\")\n\t\tif i < 0 {\n\t\t\tbreak\n\t\t}\n\t\tto = append(to, s[:i])\n\t\ts = s[i+2:]\n"},
		{"a separator with a name", "const sep = \".\"\n\nfunc f(s string) string {\n\tp := strings.Split(s, sep)\n\treturn p[0]\n}", "strings.IndexByte(s, '.')"},
		{"at most three parts", "func f(s string) string {\n\tp := strings.SplitN(s, \".\", 3)\n\treturn p[0]\n}", "\tfor len(to) < 2 {\n\t\ti := strings.IndexByte(s, '.')\n"},
		{"parts that are changed and joined", "func f(s string) string {\n\tp := strings.Split(s, \".\")\n\tp[0] = \"x\"\n\treturn strings.Join(p, \".\")\n}", "pRoom"},
		{"parts that are returned", "func f(s string) []string {\n\tp := strings.Split(s, \".\")\n\treturn p\n}", ""},
		{"some parts that are returned", "func f(s string) []string {\n\tp := strings.Split(s, \".\")\n\treturn p[1:]\n}", ""},
		{"parts that a function gets", "func g([]string)\nfunc f(s string) {\n\tp := strings.Split(s, \".\")\n\tg(p)\n}", ""},
		{"parts that a function in the function takes", "func f(s string) func() string {\n\tp := strings.Split(s, \".\")\n\treturn func() string { return p[0] }\n}", ""},
		{"a part of which the address is taken", "func f(s string) *string {\n\tp := strings.Split(s, \".\")\n\treturn &p[0]\n}", ""},
		{"parts that get more", "func f(s string) int {\n\tp := strings.Split(s, \".\")\n\tp = append(p, s)\n\treturn len(p)\n}", ""},
		{"a separator that is given", "func f(s, sep string) string {\n\tp := strings.Split(s, sep)\n\treturn p[0]\n}", ""},
		{"each character for itself", "func f(s string) string {\n\tp := strings.Split(s, \"\")\n\treturn p[0]\n}", ""},
		{"one part at most", "func f(s string) string {\n\tp := strings.SplitN(s, \".\", 1)\n\treturn p[0]\n}", ""},
		{"parts that a loop walks over", "func f(s string) (n int) {\n\tfor i, p := range strings.Split(s, \",\") {\n\t\tn += i * len(p)\n\t}\n\treturn n\n}", "\tvar partsRoom [8]string\n\tfor i, p := range fParts(partsRoom[:0], s) {\n"},
		{"parts that a loop with a name walks over", "func f(s string) (n int) {\nnext:\n\tfor _, p := range strings.Split(s, \",\") {\n\t\tfor range p {\n\t\t\tcontinue next\n\t\t}\n\t}\n\treturn n\n}", ""},
		{"room that is asked for", "func f(s string) int {\n\tp := strings.Split(s, \".\")\n\treturn cap(p)\n}", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := rewriteIn(t, inFile("strings", tc.body), name, "")
			if (tc.want == "") != (got == "") || !strings.Contains(got, tc.want) {
				t.Errorf("got\n%s", got)
			}
		})
	}
}

func TestRunesAreCountedAtOnce(t *testing.T) {
	for _, tc := range []struct{ name, body, want string }{
		{"runes that are counted", "func f(s string) (n int) {\n\tfor range s {\n\t\tn++\n\t}\n\treturn n\n}", "\tn += utf8.RuneCountInString(s)\n"},
		{"runes without a name", "func f(s string) (n int) {\n\tfor _ = range s[1:] {\n\t\tn++\n\t}\n\treturn n\n}", "\tn += utf8.RuneCountInString(s[1:])\n"},
		{"bytes", "func f(s []byte) (n int) {\n\tfor range s {\n\t\tn++\n\t}\n\treturn n\n}", ""},
		{"some runes", "func f(s string) (n int) {\n\tfor _, r := range s {\n\t\tif r > 9 {\n\t\t\tn++\n\t\t}\n\t}\n\treturn n\n}", ""},
		{"a number that is smaller", "func f(s string) (n uint8) {\n\tfor range s {\n\t\tn++\n\t}\n\treturn n\n}", ""},
		{"a number that others see meanwhile", "var n int\n\ntype v struct{ n int }\n\nfunc f(s string, c *v) {\n\tfor range s {\n\t\tc.n++\n\t}\n}", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := rewriteIn(t, inFile("", tc.body), "runes counted at once", "")
			if (tc.want == "") != (got == "") || !strings.Contains(got, tc.want) {
				t.Errorf("got\n%s", got)
			}
		})
	}
}

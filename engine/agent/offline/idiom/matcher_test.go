package idiom_test

import (
	"fmt"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"atoll/config/suitetest"
	"atoll/engine/agent/offline/idiom"
	"atoll/engine/agent/offline/language"
)

const finds = "an automaton that finds what an expression does"

func TestAnAutomatonFindsWhatAnExpressionDoes(t *testing.T) {
	eachCallIsRewritten(t, finds, []callCase{
		{"what is replaced", "(?m)^[ \\t]+$", `p.ReplaceAllString(s, "")`, "fReplaceAllString7(s, \"\")"},
		{"what is replaced by what a function makes", `\\.`, "p.ReplaceAllStringFunc(s, g)", "with(s[at[i]:at[i+1]])"},
		{"what is replaced as it is", "a[bc]", `p.ReplaceAllLiteralString(s, "$1")`, "fReplaceAllLiteralString7("},
		{"all texts", "[a-z]+[0-9]", "p.FindAllString(s, -1)[0]", "fFindAllString7(s)[0]"},
		{"the first text", "a|b+?c", "p.FindString(s)", "return s[at[0]:at[1]]"},
		{"parts", ", *", "p.Split(s, -1)[0]", "return append(out, s[from:])"},
		{"one of groups", "(a)(b)", `p.ReplaceAllString(s, "$2")`, ""},
		{"a text that is no constant", "ab", "p.ReplaceAllString(s, s)", ""},
		{"what may be empty", "a*", `p.ReplaceAllString(s, "")`, ""},
		{"what may be empty at a border", `\b`, `p.ReplaceAllString(s, "")`, ""},
		{"some of the texts", "ab", "p.FindAllString(s, 2)[0]", ""},
		{"what one class does, which has a loop", "[a-z]+", "p.FindString(s)", ""},
		{"what takes too many states", "(a|b)*a(a|b){9}", "p.FindString(s)", ""},
	})
	if got := rewriteIn(t, inFile("regexp", "var p = regexp.MustCompile(\"ab\")\n\nfunc init() { p.Longest() }\n\nfunc f(s string) string { return p.FindString(s) }"), finds, ""); got != "" {
		t.Errorf("the longest match is found by\n%s", got)
	}
}

// callCase is a call of an expression, and a part of what an idiom makes of it; "" for nothing.
type callCase struct{ name, pattern, call, want string }

func eachCallIsRewritten(t *testing.T, idiom string, cases []callCase) {
	t.Helper()
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			src := inFile("regexp", fmt.Sprintf("var p = regexp.MustCompile(%q)\n\nfunc f(s string) string { return %s }\n\nfunc g(s string) string { return s }", tc.pattern, tc.call))
			got := rewriteIn(t, src, idiom, "")
			if (tc.want == "") != (got == "") || !strings.Contains(got, tc.want) {
				t.Errorf("got\n%s", got)
			}
		})
	}
}

func TestAnExpressionIsKnownByConstantsAndWhatNothingChanges(t *testing.T) {
	const f = "func f(s string) string { return p.FindString(s) }"
	for _, tc := range []struct{ name, idiom, body, want string }{
		{"a sum with a variable that nothing changes", finds, "var raw = \"b|cd\"\n\nvar p = regexp.MustCompile(\"a\" + raw)\n\n" + f, "pMatches"},
		{"a sum with a variable that is changed", finds, "var raw = \"b|cd\"\n\nfunc init() { raw = \"\" }\n\nvar p = regexp.MustCompile(\"a\" + raw)\n\n" + f, ""},
		{"a sum with a variable that another file names", finds, "var used = \"b|cd\"\n\nvar p = regexp.MustCompile(\"a\" + used)\n\n" + f, ""},
		{"compiled in the function from a constant of the package", "an expression compiled once", "const raw = \"a+\"\n\nfunc f(s string) string { return regexp.MustCompile(raw + \"b\").FindString(s) }", "= regexp.MustCompile(raw + \"b\")\n"},
		{"compiled in the function from a constant of its own", "an expression compiled once", "func f(s string) string {\n\tconst raw = \"a+\"\n\treturn regexp.MustCompile(raw).FindString(s)\n}", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := rewriteIn(t, inFile("regexp", tc.body), tc.idiom, "used")
			if (tc.want == "") != (got == "") || !strings.Contains(got, tc.want) {
				t.Errorf("got\n%s", got)
			}
		})
	}
}

func TestAnExpressionThatMayMatchNothingHasNoMatcher(t *testing.T) {
	for _, pattern := range []string{"", "a?", "^", "$", `\b`, "(?m)^$", "a|", "("} {
		if idiom.NewMatcher(pattern) != nil {
			t.Errorf("%q has one", pattern)
		}
	}
}

// TestMatchersFindWhatTheirExpressionsFind asks both for texts of all kinds of bytes, and
// for one of which the automaton gives up.
func TestMatchersFindWhatTheirExpressionsFind(t *testing.T) {
	suitetest.Full(t, "a program is compiled and asks thousands of texts; TestAnAutomatonFindsWhatAnExpressionDoes looks at the same rewrites every day")
	t.Parallel()
	patterns := []string{
		`(?m)^[ \t]+$`, `a+?|ab`, `(a|ab)(c|bcd)?`, `\ba+\b|1`, `(?i)k+\d`, `^\s+|\s+$`, `a.*?d`, `a.*d`, `[^a]b?`, `é|\x{FFFD}+`, `(?m)^a|d$`, `\Ba`, `a{2,3}`,
		`(?s).,`, `.1`, `[\x1b\x{9b}][;\d]*[a-m]`, `(?m)(^[ \t]*)(?:[^ \t\n])`, `^a`, `a$`, `(?:a|b|bc)+?(?:1|$)`, `a+1`, `[[:alpha:]]+[[:digit:]]`, `\[[a-z0-9_-]+\]`, `(a*)+b`,
	}
	calls := []call{
		{"FindAllStringIndex(s, -1)", "[][]int"},
		{"FindStringIndex(s)", "[]int"},
		{`ReplaceAllLiteralString(s, "<$0>")`, "string"},
		{"ReplaceAllStringFunc(s, twice)", "string"},
		{"FindAllString(s, -1)", "[]string"},
		{"Split(s, -1)", "[]string"},
		{"FindString(s)", "string"},
		{`ReplaceAllString(s, "-")`, "string"},
		{"MatchString(s)", "bool"},
	}
	agreeWithExpressions(t, finds, patterns, calls, 5)
}

// call is one of an expression p, as it stands behind its point, and what it returns.
type call struct{ call, result string }

// agreeWithExpressions compiles a program in which the calls of each expression are rewritten, at least so
// many, and asks both for texts of all kinds of bytes.
func agreeWithExpressions(t *testing.T, name string, patterns []string, calls []call, least int) {
	t.Helper()
	dir := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var checks strings.Builder
	for i, p := range patterns {
		src := fmt.Sprintf("package main\n\nimport \"regexp\"\n\nvar p%d = regexp.MustCompile(%q)\n\n", i, p)
		for k, c := range calls {
			src += fmt.Sprintf("func f%d_%d(s string) %s { return p%d.%s }\n\n", i, k, c.result, i, c.call)
			fmt.Fprintf(&checks, "\tif got, want := f%d_%d(s), p%d.%s; !reflect.DeepEqual(got, want) {\n\t\tfmt.Printf(\"%%q by %%s, %s: %%q, not %%q\\n\", s, p%d, got, want)\n\t\tos.Exit(1)\n\t}\n", i, k, i, c.call, strings.Split(c.call, "(")[0], i)
		}
		made := 0
		for next := applied(t, src, name); next != ""; next = applied(t, src, name) {
			src, made = next, made+1
		}
		if made < least {
			t.Errorf("%s: %d calls were rewritten", p, made)
		}
		write(fmt.Sprintf("p%d.go", i), src)
	}
	write("main.go", mainOfMatchers+"func check(s string) {\n"+checks.String()+"}\n")
	write("go.mod", "module m\n\ngo 1.24\n")
	cmd := exec.CommandContext(t.Context(), "go", "run", ".")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}

// applied makes the first rewrite of an idiom; "" where none is offered.
func applied(t *testing.T, src, name string) string {
	t.Helper()
	f, err := language.ParseGo([]byte(src), &language.GoSiblings{Fset: token.NewFileSet()}, func(*language.GoFile) {})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range idiom.Go(f, []byte(src), 26) {
		if r.Name == name {
			out, err := r.Apply([]byte(src))
			if err != nil {
				t.Fatal(err)
			}
			return string(out)
		}
	}
	return ""
}

const mainOfMatchers = `package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"reflect"
	"strings"
)

func twice(s string) string { return s + s }

func main() {
	parts := []string{"a", "aa", "b", "bc", "d", "1", "23", " ", "\t", ",", "k", "\u212a", "\u00e9", "\xff", "\x1b", "\n", "\ufffd", "[", "]", "\u009b"}
	for range 2000 {
		s := ""
		for range rand.IntN(9) {
			s += parts[rand.IntN(len(parts))]
		}
		check(s)
	}
	check(strings.Repeat("a", 999))
}

`

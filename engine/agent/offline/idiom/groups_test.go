package idiom_test

import (
	"strings"
	"testing"

	"atoll/config/suitetest"
	"atoll/engine/agent/offline/idiom"
)

const findsGroups = "an automaton that finds what an expression does, and its groups"

func TestAnAutomatonFindsTheGroupsOfAnExpression(t *testing.T) {
	eachCallIsRewritten(t, findsGroups, []callCase{
		{"of the first match", `^v?(\d+)\.(\d+)$`, "p.FindStringSubmatch(s)[1]", "fFindStringSubmatch7(s)[1]"},
		{"of one that may be empty", `^(\d+h)?(\d+m)?$`, "p.FindStringSubmatch(s)[1]", "fFindStringSubmatch7(s)[1]"},
		{"of all matches", `(\w+)=(\w+)`, "p.FindAllStringSubmatch(s, -1)[0][1]", "fFindAllStringSubmatch7(s)[0][1]"},
		{"put into what is replaced", "(.)([A-Z][a-z]+)", `p.ReplaceAllString(s, "${1}_$2")`, "out = append(out, \"_\"...)"},
		{"a name that goes on behind a number", "(.)([A-Z][a-z]+)", `p.ReplaceAllString(s, "$1_$2")`, ""},
		{"a name", "(?P<a>.)([A-Z][a-z]+)", `p.ReplaceAllString(s, "${a}")`, ""},
		{"a dollar", "(.)b", `p.ReplaceAllString(s, "$$1")`, ""},
		{"no group put into it", "(.)b", `p.ReplaceAllString(s, "c")`, ""},
		{"some of the matches", "(a)b", "p.FindAllStringSubmatch(s, 2)[0][1]", ""},
		{"all of one that may be empty", "(a)*", "p.FindAllStringSubmatch(s, -1)[0][1]", ""},
		{"no groups", "a+b", "p.FindStringSubmatch(s)[0]", ""},
		{"more groups than fit", strings.Repeat("(a)", 16), "p.FindStringSubmatch(s)[0]", ""},
	})
}

func TestAnExpressionWithoutGroupsHasNone(t *testing.T) {
	for _, pattern := range []string{"", "a", "(", "(?:a)", "(a|b)*a(a|b){9}"} {
		if idiom.NewGroups(pattern) != nil {
			t.Errorf("%q has some", pattern)
		}
	}
}

func TestGroupsAreThoseOfTheirExpressions(t *testing.T) {
	suitetest.Full(t, "a program is compiled and asks thousands of texts; TestAnAutomatonFindsTheGroupsOfAnExpression looks at the same rewrites every day")
	t.Parallel()
	agreeWithExpressions(t, findsGroups, []string{
		`(a)(b)?`, `^(a*)(a|b)*$`, `(a|(b))*`, `(a|ab)(c|bcd)(d*)`, `(?i)(k+)(\d)?`, `^(\s*)(.*?)(\s*)$`, `(a*?)(a+)b`, `((a)|(b)|(1))+`, `(.)(b|$)`, `(é|\x{FFFD})(.)?`, `(?m)^(a)|(d)$`,
		`\b(a+)\b(.?)`, `(?s)(.)(.)(.)`, `(a)|b`, `()a`, `(\d*)(a?)`, `(((a)))`, `(?:(a)|b|(bc))+?(1|$)`, `(a{1,2}){2}`, `(a+)(b+)|(a)`, `([[:alpha:]]+)([[:digit:]]+)?`, `(a*)+b`, `(|a)+`, `(a|b|)*d`,
		`^v?(\d+)(?:,(\d+))?(?:\[([a-d]+)\])?$`,
	}, []call{
		{"FindStringSubmatch(s)", "[]string"},
		{"FindStringSubmatchIndex(s)", "[]int"},
		{"FindAllStringSubmatch(s, -1)", "[][]string"},
		{`ReplaceAllString(s, "<${1}$2-${3}>$0")`, "string"},
	}, 2)
}

package guard_test

import (
	"strings"
	"testing"

	"atoll/config/suitetest"
	"atoll/engine/guard"
)

// filling gives functions, of which callers see only what they give when they are called: that is in the tests.
const filling = `package kit

import "strings"

// Compile gives what fills a text with values.
func Compile(text string) func(values map[string]string) string {
	parts := strings.Split(text, "$")
	return func(values map[string]string) string {
		var b strings.Builder
		b.WriteString(parts[0])
		for _, p := range parts[1:] {
			name, rest, _ := strings.Cut(p, " ")
			b.WriteString(values[name])
			if rest != "" {
				b.WriteString(" " + rest)
			}
		}
		return b.String()
	}
}
`

const fillingTest = `package kit_test

import (
	"testing"

	"example.com/kit"
)

var fillings = []struct {
	text string
	values map[string]string
	want string
}{
	{"dear $name how are you", map[string]string{"name": "Ann"}, "dear Ann how are you"},
	{"$a $b", map[string]string{"a": "1", "b": "2"}, "12"},
}

func TestCompile(t *testing.T) {
	for _, tt := range fillings {
		fill := kit.Compile(tt.text)
		if got := fill(tt.values); got != tt.want {
			t.Fatalf("%q gave %q", tt.text, got)
		}
	}
}
`

func TestGoTestsAreComparedWithOtherValues(t *testing.T) {
	suitetest.Full(t, "compares a Go module for each edit; TestLiteralsAndCallsOfGoTestsAreWrapped looks at what is put in")
	t.Parallel()
	mustHave(t, "go")
	files := map[string]string{"go.mod": "module example.com/kit\n\ngo 1.22\n", "kit.go": filling, "kit_test.go": fillingTest}
	for name, c := range map[string]struct {
		edits []string
		found bool
	}{
		"spaces around a value go":     {[]string{`b.WriteString(values[name])`, `b.WriteString(strings.TrimSpace(values[name]))`}, true},
		"no more than two values":      {[]string{`strings.Split(text, "$")`, `strings.SplitN(text, "$", 3)`}, true},
		"written in another way":       {[]string{`b.WriteString(" " + rest)`, "b.WriteByte(' ')\n\t\t\t\tb.WriteString(rest)", `parts[1:] {`, "parts[1:] { //"}, false},
		"the parts are made each time": {[]string{"\tparts := strings.Split(text, \"$\")\n", "", "\t\tvar b strings.Builder\n", "\t\tparts := strings.Split(text, \"$\")\n\t\tvar b strings.Builder\n"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			report := mustCheckEdited(t, guard.Options{Cases: 300}, mustFiles(t, files), "kit.go", c.edits...)
			if report.Same() == c.found || report.Tests != 1 {
				t.Fatalf("%d tests with other values: %v", report.Tests, report.Differences)
			}
			if c.found && !strings.Contains(report.Differences[0].Input, "TestCompile, with ") {
				t.Errorf("told as %q", report.Differences[0].Input)
			}
		})
	}
}

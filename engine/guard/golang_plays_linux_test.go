package guard_test

import (
	"strings"
	"testing"

	"atoll/config/suitetest"
	"atoll/engine/guard"
)

// filling takes a channel, which no input of a function can be: what it does is in the tests alone.
const filling = `package kit

import "strings"

// Fill fills a text with values in their order.
func Fill(text string, values chan string) string {
	parts := strings.Split(text, "$")
	var b strings.Builder
	b.WriteString(parts[0])
	for _, p := range parts[1:] {
		value := <-values
		b.WriteString(value)
		if p != "" {
			b.WriteString(" " + p)
		}
	}
	return b.String()
}
`

const fillingTest = `package kit_test

import (
	"testing"

	"example.com/kit"
)

var fillings = []struct {
	text   string
	values []string
	want   string
}{
	{"dear $how are you", []string{"Ann"}, "dear Ann how are you"},
	{"$$", []string{"1", "2"}, "12"},
}

func TestFill(t *testing.T) {
	for _, tt := range fillings {
		values := make(chan string, 20)
		for _, v := range tt.values {
			values <- v
		}
		close(values)
		if got := kit.Fill(tt.text, values); got != tt.want {
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
		"spaces around a value go":  {[]string{`b.WriteString(value)`, `b.WriteString(strings.TrimSpace(value))`}, true},
		"no more than two values":   {[]string{`strings.Split(text, "$")`, `strings.SplitN(text, "$", 3)`}, true},
		"written in another way":    {[]string{`b.WriteString(" " + p)`, "b.WriteByte(' ')\n\t\t\tb.WriteString(p)"}, false},
		"the first part before all": {[]string{"	var b strings.Builder\n	b.WriteString(parts[0])\n", "	b := strings.Builder{}\n	if parts[0] != \"\" {\n		b.WriteString(parts[0])\n	}\n"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			report := mustCheckEdited(t, guard.Options{Cases: 300}, mustFiles(t, files), "kit.go", c.edits...)
			if report.Same() == c.found || report.Tests != 1 {
				t.Fatalf("%d tests with other values: %v", report.Tests, report.Differences)
			}
			if c.found && !strings.Contains(report.Differences[0].Input, "TestFill, with ") {
				t.Errorf("told as %q", report.Differences[0].Input)
			}
		})
	}
}

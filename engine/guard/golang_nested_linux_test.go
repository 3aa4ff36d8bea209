package guard_test

import (
	"testing"

	"atoll/config/suitetest"
	"atoll/engine/guard"
)

func TestTextsThatStandWithinThemselvesAreGivenToGoCode(t *testing.T) {
	t.Parallel()
	suitetest.Slow(t, "compares a Go module; the same for Python is every day's")
	mustHave(t, "go")
	root := mustFiles(t, map[string]string{"go.mod": "module example.com/kit\n\ngo 1.22\n", "kit.go": `package kit

import "strings"

// Uncommented takes all comments out.
func Uncommented(text string) string {
	for {
		at := strings.Index(text, "<!--")
		if at < 0 {
			return text
		}
		end := strings.Index(text[at:], "-->")
		if end < 0 {
			return text
		}
		text = text[:at] + text[at+end+3:]
	}
}
`})
	report := mustCheckEdited(t, guard.Options{NoTests: true}, root, "kit.go", `	for {
		at := strings.Index(text, "<!--")
		if at < 0 {
			return text
		}
		end := strings.Index(text[at:], "-->")
		if end < 0 {
			return text
		}
		text = text[:at] + text[at+end+3:]
	}
`, `	var out strings.Builder
	for {
		at := strings.Index(text, "<!--")
		end := -1
		if at >= 0 {
			end = strings.Index(text[at:], "-->")
		}
		if end < 0 {
			out.WriteString(text)
			return out.String()
		}
		out.WriteString(text[:at])
		text = text[at+end+3:]
	}
`)
	wantWhere(t, report, "kit.Uncommented")
}

package work

import (
	"strings"

	"atoll/engine/eval/output"
)

// diffBytes bounds a difference that agents are shown, and each text that is kept as
// evidence.
const diffBytes = 64 << 10

// firstLine is the first line of a text that is not blank.
func firstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return line
}

// tail is the end of a text, at most n bytes, from the beginning of a line where it is
// cut.
func tail(text string, n int) string {
	text, _ = output.Tail(text, max(n, 0))
	return text
}

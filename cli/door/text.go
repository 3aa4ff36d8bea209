package door

import (
	"math"
	"strings"

	"atoll/engine/view"
)

// textCap bounds a text of an answer, in bytes.
const textCap = 64 << 10

// clean makes foreign text of several lines harmless; what is cut is said.
func clean(s string) string {
	cut := len(s) > textCap
	if cut {
		s = s[:textCap]
	}
	var b strings.Builder
	b.Grow(len(s))
	for line := range strings.Lines(s) {
		body := strings.TrimSuffix(line, "\n")
		b.WriteString(view.CleanLine(strings.ReplaceAll(body, "\t", "    ")))
		if len(body) < len(line) {
			b.WriteByte('\n')
		}
	}
	if cut {
		b.WriteString("\n(the rest is left out)\n")
	}
	return b.String()
}

// finite gives the values that JSON can carry, nil for others.
func finite(list []float64) []*float64 {
	out := make([]*float64, len(list))
	for i := range list {
		if v := list[i] + 0; !math.IsNaN(v) && !math.IsInf(v, 0) { // + 0 makes -0 plain
			out[i] = &v
		}
	}
	return out
}

// every returns fn of all elements, never nil.
func every[A, B any](list []A, fn func(A) B) []B {
	out := make([]B, len(list))
	for i, v := range list {
		out[i] = fn(v)
	}
	return out
}

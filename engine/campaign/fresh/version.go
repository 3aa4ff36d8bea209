package fresh

import (
	"cmp"
	"strconv"
	"strings"
)

// numbers are the parts of a release as npm and Python write them: "1.26.4" is 1, 26, 4. A
// text that is no release, such as a range, an address or "2.0.0-beta.1", gives nil.
func numbers(version string) []int {
	version = strings.TrimPrefix(version, "v")
	if version, _, _ = strings.Cut(version, "+"); version == "" {
		return nil
	}
	var out []int
	for _, part := range strings.Split(version, ".") {
		if post, ok := strings.CutPrefix(part, "post"); ok { // 1.0.post2 is later than 1.0
			part = post
		}
		n, err := strconv.Atoi(part)
		if err != nil || n < 0 || strings.HasPrefix(part, "+") {
			return nil
		}
		out = append(out, n)
	}
	return out
}

// compareNumbers orders two releases; what is missing counts as 0.
func compareNumbers(a, b string) int {
	x, y := numbers(a), numbers(b)
	for i := range max(len(x), len(y)) {
		p, q := 0, 0
		if i < len(x) {
			p = x[i]
		}
		if i < len(y) {
			q = y[i]
		}
		if c := cmp.Compare(p, q); c != 0 {
			return c
		}
	}
	return 0
}

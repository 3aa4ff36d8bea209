package e2e_test

import "strings"

// compares lays the best beside its parent, and three marked ones side by side.
func compares(t *tour) {
	t.press("c")
	t.wait("newest first")
	t.press("m")
	t.wait("best first")
	t.press("space", "space", "space")
	t.wait("3 marked")
	t.press("D")
	t.wait("Compare base c")
	t.wait("steps since")
	at := func(s string) string {
		for _, l := range strings.Split(s, "\n") {
			if strings.Contains(l, "Compare base c") {
				return l
			}
		}
		return ""
	}
	t.changes("m", at)
	t.changes("s", at)
	t.hides("d", "steps since")
	t.press("d")
	t.wait("steps since")
}

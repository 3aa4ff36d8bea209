package gate

import (
	"fmt"

	"atoll/store/record"
)

// From these sizes on a diff is large enough to deserve a look.
const (
	largeFiles = 10
	LargeLines = 400
)

// Risky returns why a person should look at a candidate, in plain words; none
// means nothing stands out. It lists the gate's findings, a large diff, files
// that no earlier candidate changed (seenBefore; nil skips this) and a new
// best, which deserves doubt for being one.
func Risky(v Verdict, diffs []record.FileDiff, seenBefore func(path string) bool, newBest bool) []string {
	const most = 8
	var why []string
	for i, f := range v.Findings {
		if i == most {
			why = append(why, fmt.Sprintf("%d more findings of the gate", len(v.Findings)-most))
			break
		}
		why = append(why, f.Text)
	}
	lines := 0
	for i := range diffs {
		lines += max(diffs[i].Added, 0) + max(diffs[i].Removed, 0)
	}
	if len(diffs) >= largeFiles || lines >= LargeLines {
		why = append(why, fmt.Sprintf("large diff: %s, %s", record.Plural(len(diffs), "file"), record.Plural(lines, "line")))
	}
	if seenBefore != nil {
		why = append(why, unseenFiles(diffs, seenBefore)...)
	}
	if newBest {
		why = append(why, "it would be the new best")
	}
	return why
}

func unseenFiles(diffs []record.FileDiff, seenBefore func(string) bool) []string {
	var first string
	n := 0
	for i := range diffs {
		if !seenBefore(diffs[i].Path) {
			if n == 0 {
				first = quote(diffs[i].Path)
			}
			n++
		}
	}
	switch n {
	case 0:
		return nil
	case 1:
		return []string{first + " was never touched before"}
	}
	return []string{fmt.Sprintf("%s and %d more were never touched before", first, n-1)}
}

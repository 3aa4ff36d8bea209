package cli

import (
	"strings"
	"testing"

	"atoll/engine/view"
)

func TestWhatIsSaidOfManyJobsIsPrintedOnceWithACount(t *testing.T) {
	var s sentences
	var printed []string
	for _, l := range []view.LogLine{
		{Level: "warn", Job: 1, Text: "#1 failed: the agent changed nothing"},
		{Level: "info", Job: 2, Text: "c2 opens (1,1) with 3"},
		{Level: "warn", Job: 3, Text: "#3 failed: the agent changed nothing"},
		{Level: "warn", Job: 4, Text: "c4 failed: exit 1"},
		{Level: "warn", Job: 5, Text: "c5 failed: exit 1"},
		{Level: "warn", Job: 6, Text: "c6 failed: exit 2"},
		{Level: "warn", Job: 7, Text: "#7 failed: the agent changed nothing"},
		{Level: "info", Job: 8, Text: "c2 opens (1,1) with 3"},
		{Level: "warn", Job: 9, Text: "behaviour was not compared: no go"},
		{Level: "warn", Job: 10, Text: "behaviour was not compared: no go"},
		{Level: "warn", Job: -1, Text: "the machine is busy"},
		{Level: "warn", Job: -1, Text: "the machine is busy"},
	} {
		if s.first(&l) {
			printed = append(printed, l.Text)
		}
	}
	want := []string{
		"#1 failed: the agent changed nothing", "c2 opens (1,1) with 3", "c4 failed: exit 1", "c6 failed: exit 2", "c2 opens (1,1) with 3",
		"behaviour was not compared: no go", "the machine is busy", "the machine is busy",
	}
	if got := strings.Join(printed, "\n"); got != strings.Join(want, "\n") {
		t.Errorf("printed\n%s", got)
	}
	var b strings.Builder
	s.tell(&b, func(t string) string { return t })
	if want := "3 jobs failed: the agent changed nothing\n2 jobs failed: exit 1\n2 jobs: behaviour was not compared: no go\n"; b.String() != want {
		t.Errorf("told\n%s", b.String())
	}
}

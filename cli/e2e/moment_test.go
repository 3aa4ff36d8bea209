package e2e_test

import (
	"regexp"
	"strings"
	"testing"

	"atoll/store/record"
)

// mapRow is a row of the map on the dashboard drawn in plain characters.
func mapRows(screen string) (rows []string) {
	for _, l := range strings.Split(screen, "\n") {
		if m := regexp.MustCompile(`^\| {1,3}[ 0-9]{0,3}[|+](.*?)\|\|`).FindStringSubmatch(l); m != nil {
			rows = append(rows, m[1])
		}
	}
	return rows
}

func TestValuesOnTheMapAreReadWithoutColours(t *testing.T) {
	t.Parallel()
	c := start(t, newLab(t), []string{"LC_ALL=C"}, cols, rows)
	c.wait("* paused")
	value := regexp.MustCompile(`-?\d+\.\d+`)
	apart := regexp.MustCompile(`^[ \[]-?\d+\.\d+[ \]]$`)
	c.see("values on the map", func(s string) bool { return value.MatchString(strings.Join(mapRows(s), "\n")) })
	for _, row := range mapRows(c.screen()) {
		for _, at := range value.FindAllStringIndex(row, -1) {
			if cell := row[max(0, at[0]-1):min(len(row), at[1]+1)]; !apart.MatchString(cell) {
				t.Errorf("a value touches its shade: %q in %q", cell, row)
			}
		}
		if strings.ContainsAny(value.ReplaceAllString(row, ""), "0123456789oO") {
			t.Errorf("a shade looks like a digit: %q", row)
		}
	}
}

func TestAllOfAMomentIsOfThatMoment(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	c := opened(t, l, cols, rows)
	seq := l.last().Seq
	c.press("r")
	c.wait("if approved now")
	c.marks(2)
	c.press("a")
	last := c.decided(l, seq, record.Approve)
	if last.Group == 0 {
		t.Fatalf("two are approved by %+v", last)
	}
	first := l.decisions(2)[1].Candidate.String()
	c.wait("approved " + first + ", ")
	c.press("esc")
	c.lost("if approved now")
	c.press("H")
	// One act is one moment, and its text is that of the log.
	c.all(" the past ", "ada: approve "+first+", "+last.Candidate.String())
	c.press("5")
	c.wait("╭ 5 Log")
	c.press("z")
	c.all("Log", first+" waits for review: ", "ada: approve "+first)
	if line := regexp.MustCompile(first + ` waits for review: *[^ │]`); !line.MatchString(c.screen()) {
		t.Errorf("the log has lost why %s waited:\n%s", first, c.screen())
	}
	// The budget is the one of then, and the screen of what steers too.
	c.press("home")
	c.all(" 1 of ", " 0/40 jobs")
	c.press("O")
	c.wait("╭ Log > Steering as it was set then", "╭ Steering as it was set then", "Steering as it was set then")
	c.see("the budget of then", func(s string) bool { return regexp.MustCompile(`jobs +40 `).MatchString(s) })
	for _, row := range strings.Split(c.screen(), "\n") {
		if strings.Contains(row, "crossover ") && strings.Contains(row, "%") {
			t.Errorf("chances of now stand beside the weights of then: %q", row)
		}
	}
	c.press("right")
	c.wait("this is the past; H goes back to now")
	// What is read from the store says that it is of now.
	c.press("c")
	c.wait(" now  Candidates")
	c.press("H")
	c.lost(" now  Candidates")
}

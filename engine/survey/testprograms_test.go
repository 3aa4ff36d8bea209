package survey_test

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

func TestProgramsThatMakeBuildsToTestBecomeAStage(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("make"); err != nil {
		t.Skip("make is not on the PATH")
	}
	const passes = "#!/bin/sh\n. ./sum.sh\ntest $(sum 3) = 6\n"
	for name, c := range map[string]struct {
		target, text string
		stage        string // the program that it runs; "" for none
		said         string
	}{
		"one that passes":        {"sum_test", passes, "./sum_test", "the tests pass"},
		"one in a folder":        {"tests/run-test", passes, "./tests/run-test", "the tests pass"},
		"one that fails":         {"sum-test", "#!/bin/sh\necho wants two words >&2\nexit 2\n", "", "./sum-test, which make builds (wants two words)"},
		"one of another purpose": {"latest", passes, "", "no tests were found: nothing but"},
		"a benchmark of tests":   {"bench-test", passes, "", "no tests were found: nothing but"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			source := c.target + ".txt"
			r, said, err := surveyed(t, map[string]string{
				"Makefile": c.target + ": " + source + " sum.sh\n\tcp " + source + " $@ && chmod +x $@\n", source: c.text,
				"sum.sh": "sum() { echo $(($1 * ($1 + 1) / 2)); }\n", "bench.sh": ". ./sum.sh\necho score = $(sum 5)\n",
			})
			if err != nil || !strings.Contains(said, c.said) {
				t.Fatalf("%v: not told: %s\n%s", err, c.said, said)
			}
			if stages := r.Measured.Stages; c.stage == "" && len(stages) > 0 || c.stage != "" && (len(stages) != 1 || !slices.Contains(stages[0].Command, c.stage)) {
				t.Errorf("stages %+v\n%s", stages, said)
			}
			if c.stage != "" && !slices.Contains(r.Protected, source) && !slices.Contains(r.Protected, "tests/**/*") {
				t.Errorf("%s may change: protected %q", source, r.Protected)
			}
		})
	}
}

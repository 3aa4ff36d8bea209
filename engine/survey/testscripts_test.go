package survey_test

import (
	"slices"
	"strings"
	"testing"
)

func TestScriptsThatRunTestsBecomeAStage(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		script, text string
		command      string // of the stage; "" for none
		said         string
	}{
		"one that compares":           {"tests/run_all.sh", "#!/bin/sh\nset -e\n. ../sum.sh\nsum 3 > got\ndiff got want.txt\nrm got\n", "cd tests && exec ./run_all.sh", "the tests pass"},
		"one that runs from the top":  {"tests/unittest.sh", "#!/bin/sh\nset -e\n. ./sum.sh\ntest $(sum 3) = 6\n", "./tests/unittest.sh", "the tests pass"},
		"one at the top":              {"runtests.sh", "#!/bin/sh\nset -e\n. ./sum.sh\ntest $(sum 3) = 6\n", "./runtests.sh", "the tests pass"},
		"one that writes what it got": {"tests/unittest.sh", "#!/bin/sh\n. ../sum.sh\nsum 3 > want.txt\nrm -f got\n", "", "tests/unittest.sh (it writes over committed files and compares nothing)"},
		"one that goes on":            {"tests/runtest.sh", "#!/bin/sh\ncat ../sum.sh ../sums.sh\ntrue\n", "", "tests/runtest.sh (it ends well although it says: No such file or directory)"},
		"one that reads no source":    {"test/test.sh", "#!/bin/sh\ntrue\n", "", "test/test.sh (it reads no source that may change)"},
		"one that fails":              {"tests/runtest.sh", "#!/bin/sh\necho wants two words >&2\nexit 2\n", "", "tests/runtest.sh (wants two words)"},
		"one of another purpose":      {"latest.sh", "#!/bin/sh\n. ./sum.sh\n", "", "no tests were found: nothing but"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, said, err := surveyed(t, map[string]string{
				c.script: c.text, "tests/want.txt": "6\n", "sum.sh": "sum() { echo $(($1 * ($1 + 1) / 2)); }\n", "bench.sh": ". ./sum.sh\necho score = $(sum 5)\n",
			})
			if err != nil || !strings.Contains(said, c.said) {
				t.Fatalf("%v: not told: %s\n%s", err, c.said, said)
			}
			if stages := r.Measured.Stages; c.command == "" && len(stages) > 0 || c.command != "" && (len(stages) != 1 || !slices.Contains(stages[0].Command, c.command)) {
				t.Errorf("stages %+v\n%s", stages, said)
			}
			if c.command != "" && !strings.HasPrefix(c.script, "tests/") && !slices.Contains(r.Protected, c.script) {
				t.Errorf("%s may change: protected %q", c.script, r.Protected)
			}
			if c.command == "" && strings.Contains(c.said, "(") && !strings.Contains(said, "evaluator.stages: [") {
				t.Errorf("it is not told how to name a test:\n%s", said)
			}
		})
	}
}

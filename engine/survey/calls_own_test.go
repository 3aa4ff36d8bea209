package survey_test

import (
	"os/exec"
	"strings"
	"testing"

	"atoll/config/suitetest"
)

func TestHowMuchOfTheTimeOfJavaScriptTestsIsTheCodesOwnIsTold(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("node is not on the PATH")
	}
	const share, hardly = "of the processor time of the tests about ", "a gain will hardly be seen; write bench.js"
	for name, c := range map[string]struct {
		rounds string
		check  bool
	}{
		"mostly the start of node":  {"1", true},
		"mostly what the code does": {"60000", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if !c.check {
				suitetest.Full(t, "tests that take long run again and again; those that do next to nothing stand for them")
			}
			r, said, err := surveyed(t, map[string]string{
				"package.json": `{"name": "kit", "scripts": {"test": "node test/all.js"}}`,
				"kit.js":       "exports.sum = async (n) => {\n  let s = 0;\n  for (let i = 0; i < n * 1000; i++) s += Math.sqrt(i);\n  return s;\n};\n",
				"test/all.js":  "const kit = require('../kit.js');\nkit.sum(" + c.rounds + ").then((s) => { if (!(s > 0)) throw new Error('wrong'); });\n",
			})
			if err != nil || r.Measured.Objective != "time_ms" {
				t.Fatalf("%v\n%s", err, said)
			}
			if !strings.Contains(said, share) || strings.Contains(said, hardly) != c.check || strings.Contains(said, "CHECK evaluator.command: "+share) != c.check {
				t.Errorf("said\n%s", said)
			}
			if notes := strings.Join(r.Measured.Notes, "\n"); !strings.Contains(notes, share) {
				t.Errorf("notes\n%s", notes)
			}
		})
	}
}

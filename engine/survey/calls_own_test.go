package survey_test

import (
	"os/exec"
	"strings"
	"testing"

	"atoll/config/suitetest"
)

func TestHowMuchOfTheTimeOfTestsIsTheCodesOwnIsTold(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("node is not on the PATH")
	}
	javaScript := func(rounds string) map[string]string {
		return map[string]string{
			"package.json": `{"name": "kit", "scripts": {"test": "node test/all.js"}}`,
			"kit.js":       "exports.sum = async (n) => {\n  let s = 0;\n  for (let i = 0; i < n * 1000; i++) s += Math.sqrt(i);\n  return s;\n};\n",
			"test/all.js":  "const kit = require('../kit.js');\nkit.sum(" + rounds + ").then((s) => { if (!(s > 0)) throw new Error('wrong'); });\n",
		}
	}
	python := func(rounds string) map[string]string {
		return map[string]string{
			"kit.py":      "async def total(n):\n    return sum(i * i for i in range(n))\n",
			"test_kit.py": "import asyncio\nimport unittest\n\nimport kit\n\n\nclass Tests(unittest.TestCase):\n    def test_total(self):\n        self.assertGreater(asyncio.run(kit.total(" + rounds + ")), 0)\n",
		}
	}
	const share, hardly = "of the processor time of the tests about ", "a gain will hardly be seen; write "
	for name, c := range map[string]struct {
		files map[string]string
		check bool
		write string
	}{
		"mostly the start of node":    {javaScript("1"), true, "bench.js"},
		"mostly what JavaScript does": {javaScript("60000"), false, ""},
		"mostly the start of Python":  {python("10"), true, "bench.py"},
		"mostly what Python does":     {python("5000000"), false, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if !c.check {
				suitetest.Full(t, "tests that take long run again and again; those that do next to nothing stand for them")
			}
			r, said, err := surveyed(t, c.files)
			if err != nil || r.Measured.Objective != "time_ms" {
				t.Fatalf("%v\n%s", err, said)
			}
			if !strings.Contains(said, share) || strings.Contains(said, hardly+c.write) != c.check || strings.Contains(said, "CHECK evaluator.command: "+share) != c.check {
				t.Errorf("said\n%s", said)
			}
			if notes := strings.Join(r.Measured.Notes, "\n"); !strings.Contains(notes, share) {
				t.Errorf("notes\n%s", notes)
			}
		})
	}
}

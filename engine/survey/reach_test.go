package survey_test

import (
	"os/exec"
	"strings"
	"testing"

	"atoll/config/suitetest"
)

func TestWhatTheMeasuredCallsDoNotReachIsSaid(t *testing.T) {
	t.Parallel()
	const head = "the calls that time_us is made of "
	const tail = ": a change of what they do not run cannot be told to be better; take it out of gate.scope, or measure it too"
	python := func(kit, use string) map[string]string {
		return map[string]string{
			"setup.py": "print(1)\n", "kit/__init__.py": "", "kit/words.py": "def count(text):\n    n = 0\n    for _ in range(3000):\n        n += len(text)\n    return n\n" + kit,
			"kit/far.py": "def area(w, h):\n    if w < 0:\n        return 0\n    return w * h\n", "tests/__init__.py": "",
			"tests/test_kit.py": "import unittest\n\nfrom kit import words" + use + "\n\n\nclass Tests(unittest.TestCase):\n    def test_all(self):\n        for _ in range(20):\n            words.count('a b')\n",
		}
	}
	for name, c := range map[string]struct {
		program string
		files   map[string]string
		want    string // "" = nothing is said
	}{
		"all is run":           {"python3", python("", ""), ""},
		"a file is not":        {"python3", python("", ", far"), head + "run 57 % of the lines of functions that candidates may change, and reach nothing in kit/far.py" + tail},
		"most of a file isn't": {"python3", python("\n\ndef never(a):\n    b = 2 * a\n    c = b + a\n    d = c * b\n    e = d - a\n    return e\n", ""), "CHECK gate.scope: " + head + "run 44 % of the lines of functions that candidates may change" + tail},
		"a file of JavaScript": {"node", map[string]string{
			"package.json": `{"name":"kit","version":"1.0.0","scripts":{"test":"node test/all.js"}}`,
			"words.js":     "const far = require('./far.js');\nfunction count(text) {\n  let n = 0;\n  for (let i = 0; i < 2000; i++) n += text.split(' ').length;\n  return n;\n}\nmodule.exports = { count, far };\n",
			"far.js":       "function area(w, h) {\n  return w * h;\n}\nmodule.exports = { area };\n",
			"test/all.js":  "const { count } = require('../words.js');\nfor (let i = 0; i < 20; i++) if (count('a b c') !== 6000) throw new Error('wrong');\n",
		}, head + "reach nothing in far.js" + tail},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if name != "a file is not" {
				suitetest.Full(t, "it records and makes calls in a sandbox; the file that is not reached stands for it")
			}
			if _, err := exec.LookPath(c.program); err != nil {
				t.Skip("needs " + c.program + ", which is not on PATH")
			}
			r, said, err := surveyed(t, c.files)
			if err != nil {
				t.Fatalf("%v\n%s", err, said)
			}
			got := ""
			for line := range strings.Lines(said) {
				if strings.Contains(line, head) {
					got = strings.TrimSpace(line)
				}
			}
			if got != c.want {
				t.Errorf("said %q, want %q", got, c.want)
			}
			if notes := strings.Join(r.Measured.Notes, "\n"); c.want != "" && !strings.Contains(notes, c.want+".") {
				t.Errorf("atoll.yaml has\n%s", notes)
			}
		})
	}
}

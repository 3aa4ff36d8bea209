package survey_test

import (
	"strings"
	"testing"

	"atoll/config/suitetest"
)

func TestCallsOfClassesAreChosenByTheTimeOfTheTests(t *testing.T) {
	t.Parallel()
	needsPython(t)
	const kit = "import string\n\n\ndef small(text):\n    return text[:1]\n\n\nclass Text:\n    def __init__(self, lines):\n        self.lines = [l.strip() for l in lines]\n\n    @classmethod\n    def parsed(cls, text, *, repeat=1):\n        for _ in range(4000 * repeat):\n            lines = text.split('\\n')\n        return cls(lines)\n\n" +
		"    @staticmethod\n    def length(text, known=string):\n        return sum(len(text) for _ in range(4000))\n\n    def counted(self, by):\n        return sum(len(l) for _ in range(20000) for l in self.lines)\n"
	const heavy = "\n\nclass More(unittest.TestCase):\n    def test_more(self):\n        for _ in range(200):\n            Text(['a', 'b']).counted(object())\n"
	tests := func(lines ...string) string {
		return "import unittest\n\nfrom kit import Text, small\n\n\nclass Tests(unittest.TestCase):\n    def test_all(self):\n        for _ in range(20):\n            small('a b')\n            " + strings.Join(lines, "\n            ") + "\n"
	}
	for name, c := range map[string]struct {
		tests      string
		calls      []string // none: the tests are timed
		said, left string
	}{
		"constructors and methods of classes, one with a module for a default": {
			tests("Text.parsed('a\\nb', repeat=2)", "Text.length('abc')"),
			[]string{`"kit:Text.parsed"`, `"('a\\nb',)"`, `"kit:Text.length"`},
			"left out of time_us, because the tests spend there less", "no call could be made again",
		},
		"methods of objects that are given what cannot be written down take the time": {
			tests("Text([]).counted(object())"),
			[]string{`"kit:Text"`},
			"CHECK evaluator.command: of the time that the tests spend in this repository ", "for the time of the tests",
		},
		"tests that take longer than their start stand in for such methods": {
			tests("Text(['a', 'b'])") + heavy, nil, "no benchmark of calls of the tests: of the time that the tests spend in this repository ", "calls.json",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if c.calls == nil {
				suitetest.Full(t, "tests that take long run again and again; methods that cannot be made again stand for it")
			}
			r, said, err := surveyed(t, map[string]string{"setup.py": "print(1)\n", "kit.py": kit, "tests/__init__.py": "", "tests/test_kit.py": c.tests})
			if err != nil {
				t.Fatalf("%v\n%s", err, said)
			}
			for _, want := range c.calls {
				if !strings.Contains(r.Scaffold["calls.json"], want) {
					t.Errorf("no %s in\n%s", want, r.Scaffold["calls.json"])
				}
			}
			if !strings.Contains(said, c.said) || strings.Contains(said, c.left) || c.left != "no call could be made again" && !strings.Contains(said, "no call could be made again of kit.Text.counted ") {
				t.Errorf("said\n%s", said)
			}
			if timed := r.Measured.Objective == "time_ms"; timed != (c.calls == nil) {
				t.Errorf("%s\n%s", r.Measured.Objective, said)
			}
			if c.calls != nil && !strings.Contains(strings.Join(r.Measured.Notes, "\n"), "for they are objects, of kit.Text") {
				t.Errorf("notes %q", r.Measured.Notes)
			}
		})
	}
}

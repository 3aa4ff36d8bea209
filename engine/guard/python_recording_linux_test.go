package guard_test

import (
	"testing"

	"atoll/config/suitetest"
	"atoll/engine/guard"
)

// The tests of a module whose calls are recorded: what they do to the process does not lose them.
func TestCallsOfPythonTestsAreRecordedWhateverTheTestsDo(t *testing.T) {
	t.Parallel()
	const (
		module = "def named(text):\n    return text.upper() if text.startswith('order 66:') else text\n"
		begin  = "import os\nimport unittest\nimport kit\n\n\nclass Test(unittest.TestCase):\n    def test_a(self):\n        self.assertEqual(kit.named('order 66: all'), 'ORDER 66: ALL')\n\n    def test_b(self):\n"
		// Two hundred calls of each function are kept, of 48 KiB: more than leaves a sandbox.
		many = "        for n in range(200):\n            for f in [kit.named] + kit.MANY:\n                f('%d %s' % (n, 'x' * 49152))\n"
	)
	for i, c := range []struct{ name, more, test string }{
		{"they end the process at once", "", "        os._exit(0)\n"},
		{"they empty the environment", "", "        os.environ.clear()\n"},
		{"they end a process that they forked by an exit", "", "        if not os.fork():\n            raise SystemExit\n        os.wait()\n"},
		{"they make more and larger calls than are kept", "\n\n" + `MANY = []
for n in range(8):
    exec("def f%d(text):\n    return len(text) + %d\nMANY.append(f%d)\n" % (n, n, n))
`, many},
		{
			"they make objects of which each holds the one before twice", "\n\nclass Pair:\n    def __init__(self, a, b):\n        self.a, self.b = a, b\n\n\ndef depth(p):\n    return 0 if p is None else 1 + depth(p.a)\n",
			"        p = None\n        for _ in range(40):\n            p = kit.Pair(p, p)\n        self.assertEqual(kit.depth(p), 40)\n",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if i > 0 {
				suitetest.Full(t, "compares a Python module; the first case stands for it")
			}
			report := mustCheckPython(t, guard.Options{Cases: 40}, module+c.more, begin+c.test, "text.upper()", "text.title()")
			if wantWhere(t, report, "kit.named"); report.Failed != "" {
				t.Errorf("it says %q", report.Failed)
			}
		})
	}
}

func TestTestsThatKillTheirProcessAreToldAsAComparisonThatFailed(t *testing.T) {
	t.Parallel()
	const test = "import os\nimport signal\nimport unittest\nimport kit\n\n\nclass Test(unittest.TestCase):\n    def test_a(self):\n        os.kill(os.getpid(), signal.SIGKILL)\n"
	report := mustCheckPython(t, guard.Options{Cases: 40}, "def f(x):\n    return x + 1\n", test, "x + 1", "x + 2")
	const want = "the Python code was not compared: the probe did not answer: the calls of the tests could not be recorded: it was ended by a signal (killed)"
	if report.Failed != want || report.Compared() || report.Summary() != "behaviour was not compared: "+want {
		t.Errorf("it says %q, and %q", report.Failed, report.Summary())
	}
}

// The tests of a file that no framework looks for by its name are given to it where it finds no others.
func TestCallsOfPythonTestsInAFileOfAnyNameAreRecorded(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "compares a Python module; TestAChangeOfAPythonFunctionIsFound stands for it")
	mustHave(t, "python3")
	const (
		module = "class Line:\n    def __init__(self, weight):\n        self.weight = weight\n\n\ndef total(*lines):\n    return sum(line.weight for line in lines)\n"
		test   = "import unittest\nimport kit\n\n\nclass Total(unittest.TestCase):\n    def test(self):\n        self.assertEqual(kit.total(kit.Line(2), kit.Line(3)), 5)\n"
	)
	root := mustFiles(t, map[string]string{"kit.py": module, "tests/totals.py": test})
	o := guard.Options{Cases: 40, NoTests: true, PythonTests: []string{"-m", "unittest", "-q"}}
	wantWhere(t, mustCheckEdited(t, o, root, "kit.py", "sum(line.weight for line in lines)", "max((line.weight for line in lines), default=0)"), "kit.total")
}

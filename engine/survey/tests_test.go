package survey_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"atoll/config"
	"atoll/config/suitetest"
	"atoll/engine/sandbox"
	"atoll/engine/survey"
)

func TestWherePytestCannotLoadAllTestsThoseOfTheUsualFoldersRun(t *testing.T) {
	t.Parallel()
	needsPython(t)
	const (
		bench = "cat kit.py\necho time_ms = 1\n"
		// pytest stands before an installed one; it cannot load all tests unless it is given a folder.
		pytest = "import sys\nif sys.argv[1:] == ['-q', 'test']:\n    print('1 passed')\n    sys.exit()\n" +
			"print(\"E   ModuleNotFoundError: No module named 'hypothesis'\\n= short test summary info =\\nERROR extra/test_more.py\\n! Interrupted: 1 error during collection !\\n1 error in 0.10s\")\nsys.exit(2)\n"
		unit = "import unittest\n\n\nclass Tests(unittest.TestCase):\n    def test_one(self):\n        pass\n"
	)
	for name, c := range map[string]struct {
		tests   string
		command []string
		said    string
	}{
		"a folder of tests":    {"test/test_one.py", []string{"python3", "-m", "pytest", "-q", "test"}, "python3 -m pytest -q cannot load all tests, so those of test run alone: "},
		"tests beside modules": {"test_one.py", []string{"python3", "-m", "unittest", "discover"}, "python3 -m pytest -q does not run the tests: "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, said, err := surveyed(t, map[string]string{"bench.sh": bench, "kit.py": "x = 1\n", "pytest.py": pytest, "extra/test_more.py": "import hypothesis\n", c.tests: unit})
			if err != nil {
				t.Fatalf("%v\n%s", err, said)
			}
			if len(r.Measured.Stages) != 1 || !slices.Equal(r.Measured.Stages[0].Command, c.command) {
				t.Errorf("stages %+v\n%s", r.Measured.Stages, said)
			}
			_, why, ok := strings.Cut(said, c.said)
			if line, _, _ := strings.Cut(why, "\n"); !ok || !strings.Contains(line, "No module named 'hypothesis'") {
				t.Errorf("not said: %s\n%s", c.said, said)
			}
		})
	}
}

// interpreters are two interpreters of Python, the second of which has packages that the first
// lacks.
func interpreters(t *testing.T, packages map[string]string) []string {
	t.Helper()
	needsPython(t)
	dir := filepath.Join(t.TempDir(), "venv")
	if out, err := exec.Command("python3", "-m", "venv", "--without-pip", dir).CombinedOutput(); err != nil {
		t.Skipf("python3 makes no virtual environment here: %v\n%s", err, out)
	}
	at, err := filepath.Glob(filepath.Join(dir, "lib", "*", "site-packages"))
	if err != nil || len(at) != 1 {
		t.Fatalf("%v: %q", err, at)
	}
	for name, text := range packages {
		if err := os.WriteFile(filepath.Join(at[0], name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return []string{"python3", filepath.Join(dir, "bin", "python3")}
}

func TestWhatIsToldOfTestsIsTheRunThatGotFurthest(t *testing.T) {
	t.Parallel()
	const (
		count = "def count(text):\n    seen = {}\n    for w in text.split():\n        seen[w] = seen.get(w, 0) + 1\n    return seen\n"
		tests = "import onlythere_kit\nfrom words import count\n\n\ndef test_count():\n    for _ in range(20):\n        assert count('a b a ' * 50) == {'a': 100, 'b': 50}\n"
		bench = "import onlythere_kit\nimport words\n\nprint('words_ms=%d' % len(words.count('a b c')))\n"
	)
	// A pytest of few lines: runs the tests, and tells some as failed that have no name among those left out.
	pytest := func(cases string) string {
		return "import runpy, sys\nleft = [a.split('=', 1)[1] for a in sys.argv if a.startswith('--deselect=')]\n" +
			"space = runpy.run_path('tests/test_words.py')\nspace['test_count']()\n" +
			"failed = [f for f in " + cases + " if not any(f.startswith(d) for d in left)]\n" +
			"for f in failed:\n    print('FAILED ' + f + ' - ImportError: Please, install numbers')\n" +
			"print(('%d failed, ' % len(failed) if failed else '') + '372 passed in 1.00s')\nsys.exit(1 if failed else 0)\n"
	}
	for name, c := range map[string]struct {
		cases  string // that fail, in Python
		stages int
		said   []string
	}{
		"many cases of few functions are left out by function": {
			"['tests/test_words.py::test_%s[%d]' % (n, i) for n in 'abc' for i in range(16)]", 1,
			[]string{"48 of 420 tests fail on the root in the sandbox; they are left out with all cases of theirs: test_words.py::test_a, test_words.py::test_b, test_words.py::test_c"},
		},
		"few are left out by name": {
			"['tests/test_words.py::test_%s' % n for n in 'abc']", 1,
			[]string{"3 tests fail on the root in the sandbox and are left out: test_words.py::test_a, test_words.py::test_b, test_words.py::test_c"},
		},
		"too many are counted and named": {
			"['tests/test_words.py::test_%d' % n for n in range(58)]", 0,
			[]string{"/python3 -m pytest -q: 58 of 430 tests fail (test_words.py::test_0, test_words.py::test_1, test_words.py::test_2 and 55 more): "},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if c.stages == 0 {
				suitetest.Full(t, "surveys a project; tests that are left out stand for it")
			}
			pythons := interpreters(t, map[string]string{"pytest.py": pytest(c.cases), "onlythere_kit.py": ""})
			l, _ := open(t, box(t, sandbox.ModeAuto), repository(t, map[string]string{"words/__init__.py": count, "tests/__init__.py": "", "tests/test_words.py": tests, "bench.py": bench}))
			said := ""
			r, err := survey.Run(t.Context(), survey.Options{Lab: l, Look: config.Detect(l.Files, l.Read), Env: os.Environ(), Pythons: pythons, Say: func(s string) { said += s + "\n" }})
			if err != nil {
				t.Fatalf("%v\n%s", err, said)
			}
			for _, want := range c.said {
				if !strings.Contains(said, want) {
					t.Errorf("not said: %s\n%s", want, said)
				}
			}
			if strings.Contains(said, "onlythere_kit") && c.stages == 0 || len(r.Measured.Stages) != c.stages {
				t.Errorf("stages %+v\n%s", r.Measured.Stages, said)
			}
			if r.Measured.Objective != "words_ms" || r.Evaluator[0] != pythons[1] {
				t.Errorf("what measures runs by another interpreter than the tests: %q\n%s", r.Evaluator, said)
			}
		})
	}
}

func TestABenchmarkRunsByTheInterpreterThatHasWhatItImports(t *testing.T) {
	t.Parallel()
	pythons := interpreters(t, map[string]string{"onlythere_table.py": ""})
	l, _ := open(t, box(t, sandbox.ModeAuto), repository(t, map[string]string{"words.py": "n = 3\n", "bench.py": "import onlythere_table\nimport words\n\nprint('words_ms=%d' % words.n)\n"}))
	said := ""
	r, err := survey.Run(t.Context(), survey.Options{Lab: l, Look: config.Detect(l.Files, l.Read), Env: os.Environ(), Pythons: pythons, Say: func(s string) { said += s + "\n" }})
	if err != nil || r.Evaluator[0] != pythons[1] {
		t.Errorf("%v: %q\n%s", err, r.Evaluator, said)
	}
}

func TestWhyABenchmarkDoesNotMeasureIsToldOfTheInterpreterThatCameFurthest(t *testing.T) {
	t.Parallel()
	pythons := interpreters(t, map[string]string{"onlythere_table.py": ""})
	l, _ := open(t, box(t, sandbox.ModeAuto), repository(t, map[string]string{"words.py": "n = 3\n", "bench.py": "import words\nimport onlythere_table\nimport nowhere_table\n"}))
	said := ""
	_, err := survey.Run(t.Context(), survey.Options{Lab: l, Look: config.Detect(l.Files, l.Read), Env: os.Environ(), Pythons: pythons, Say: func(s string) { said += s + "\n" }})
	if !errors.Is(err, survey.ErrNothing) || !strings.Contains(said, pythons[1]+" bench.py does not measure: ") || !strings.Contains(said, "No module named 'nowhere_table'") || strings.Contains(said, "'onlythere_table'") {
		t.Errorf("%v\n%s", err, said)
	}
}

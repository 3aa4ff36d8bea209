package survey_test

import (
	"slices"
	"strings"
	"testing"
)

func TestWherePytestCannotLoadAllTestsThoseOfTheUsualFoldersRun(t *testing.T) {
	t.Parallel()
	needsPython(t)
	const (
		bench = "echo time_ms = 1\n"
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

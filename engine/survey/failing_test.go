package survey

import (
	"slices"
	"testing"

	"atoll/engine/eval"
	"atoll/engine/sandbox"
)

func TestTestsOfGoThatDoNotPassAreToldByNameAndMessage(t *testing.T) {
	t.Parallel()
	event := func(fields string) string { return `{"Time":"2026-01-01T00:00:00Z",` + fields + "}\n" }
	fails := event(`"Action":"output","Package":"x","Test":"TestSum","Output":"=== RUN   TestSum\n"`) +
		event(`"Action":"output","Package":"x","Test":"TestSum/one","Output":"    x_test.go:3: got 1, want 2\n"`) +
		event(`"Action":"output","Package":"x","Test":"TestSum","Output":"--- FAIL: TestSum (0.00s)\n"`) + event(`"Action":"fail","Package":"x","Test":"TestSum"`)
	for _, c := range []struct {
		name   string
		stdout string
		exit   int
		reason string
		want   string
	}{
		{"one fails", fails + event(`"Action":"fail","Package":"x"`), 1, "{}", "TestSum fails: x_test.go:3: got 1, want 2"},
		{"several fail", fails + event(`"Action":"fail","Package":"x","Test":"TestTwo"`) + event(`"Action":"fail","Package":"x"`), 1, "{}", "TestSum fails: x_test.go:3: got 1, want 2; 1 more fail"},
		{
			"none builds", event(`"Action":"build-output","ImportPath":"x","Output":"# x\n"`) + event(`"Action":"build-output","ImportPath":"x","Output":"./x_test.go:3:1: undefined: Sum\n"`) +
				event(`"Action":"output","Package":"x","Output":"FAIL\tx [build failed]\n"`) + event(`"Action":"fail","Package":"x"`), 1, "{}",
			"those of x do not build or end badly: ./x_test.go:3:1: undefined: Sum",
		},
		{"go does not run", "", 1, "go: go.mod requires go >= 9", "go: go.mod requires go >= 9"},
		{"there are none", event(`"Action":"output","Package":"x","Output":"?   \tx\t[no test files]\n"`) + event(`"Action":"skip","Package":"x"`), 0, "the evaluator ended well but wrote no result", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			tests := readTests([]byte(c.stdout))
			if got := tests.whyNone(&Sample{Outcome: eval.Outcome{Reason: c.reason}, Raw: sandbox.Result{Exit: c.exit}}); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

func TestTestsThatPassAndFailAreCounted(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text string
		want counts
	}{
		"pytest -q":                 {"...F\n= FAILURES =\n1 passed in a text\n58 failed, 372 passed in 160.65s (0:02:40)\n", counts{372, 58}},
		"pytest with a frame":       {"===== 2 failed, 3 passed, 1 skipped, 4 errors in 0.10s =====\n", counts{3, 6}},
		"pytest, all pass":          {"1 passed in 0.01s\n", counts{1, 0}},
		"unittest":                  {"Ran 12 tests in 0.1s\n\nFAILED (failures=2, errors=1)\n", counts{9, 3}},
		"unittest, all pass":        {"Ran 1 test in 0.1s\n\nOK\n", counts{1, 0}},
		"errors of loading alone":   {"Ran 3 tests in 0.1s\n\nFAILED (errors=3)\n", counts{0, 3}},
		"another runner says other": {"3 passing (20ms)\n", counts{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := countTests(c.text); got != c.want {
				t.Errorf("%+v, want %+v", got, c.want)
			}
		})
	}
}

func TestTestsThatFailAreNamedAsPytestKnowsThem(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		line string
		want []string
	}{
		"a function":                           {"FAILED tests/test_x.py::test_y - assert 'a' == 'b'\n", []string{"tests/test_x.py::test_y"}},
		"a folder and a file with blanks":      {"FAILED sub dir/test my x.py::TestA::test_y - assert 1\n", []string{"sub dir/test my x.py::TestA::test_y"}},
		"a case with blanks":                   {"FAILED test_x.py::test_y[a b] - E: no [z]\n", []string{"test_x.py::test_y[a b]"}},
		"a case with a dash":                   {"FAILED test_x.py::test_y[a - b]\n", []string{"test_x.py::test_y[a - b]"}},
		"one that cannot be set up, and fails": {"FAILED test_x.py::test_y\nERROR test_x.py::test_y\nERROR test_x.py::test_z - fixture\n", []string{"test_x.py::test_y", "test_x.py::test_z"}},
		"a text":                               {"FAILED README.rst::README.rst\n", []string{"README.rst::README.rst"}},
		"a file that cannot be loaded":         {"ERROR tests/test_x.py - ImportError: x\nERROR tests/test_z.py\n", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := failedTests([]byte(c.line)); !slices.Equal(got, c.want) {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

func TestACommandIsALineForAShell(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		words []string
		want  string
	}{
		{"words that are none of a shell's", []string{"go", "test", "-run=^$", "-bench=.", "./..."}, "go test -run=^$ -bench=. ./..."},
		{"a blank", []string{"python3", "sub dir/bench words.py"}, "python3 'sub dir/bench words.py'"},
		{"quotes and what a shell reads", []string{"it's", "$HOME", "a[b]", ""}, `'it'\''s' '$HOME' 'a[b]' ''`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := inShell(c.words...); got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
		})
	}
}

func TestTheAttemptThatGotFurthestCounts(t *testing.T) {
	t.Parallel()
	attemptOf := func(reason string, passed int, command ...string) attempt {
		return attempt{command: command, reason: reason, passed: passed}
	}
	bare, unit := attemptOf("No module named 'pytest'", 0, "python3", "-m", "pytest"), attemptOf("No module named 'kit'", 0, "python3", "-m", "unittest")
	lacks, elsewhere := attemptOf("ModuleNotFoundError: No module named 'typing_extensions'", 0, "python3", "-m", "pytest", "-q"), attemptOf("ImportError: Start directory is not importable: 'tests'", 0, "python3", "-m", "unittest", "discover", "-s", "tests")
	further := attemptOf("No module named 'hypothesis'", 0, "/usr/bin/python3", "-m", "pytest")
	for name, c := range map[string]struct {
		tried []attempt
		want  attempt
	}{
		"a missing module before a folder that cannot be loaded":              {[]attempt{lacks, unit, elsewhere, elsewhere}, lacks},
		"one that lacks a module of another before one that finds no test":    {[]attempt{elsewhere, attemptOf("no tests ran in 0.01s", 0, "python3", "-m", "pytest"), lacks}, lacks},
		"one without its runner before one that looked elsewhere, as it came": {[]attempt{bare, elsewhere}, bare},
		"pytest that lacks something else than the first does":                {[]attempt{lacks, elsewhere, further}, further},
		"one with tests that pass":                                            {[]attempt{bare, unit, attemptOf("x", 372, "/usr/bin/python3", "-m", "pytest"), attemptOf("y", 3, "/usr/bin/python3", "-m", "unittest")}, attemptOf("x", 372, "/usr/bin/python3", "-m", "pytest")},
		"pytest that lacks something else":                                    {[]attempt{bare, unit, attemptOf("No module named 'kit'", 0, "/usr/bin/python3", "-m", "pytest")}, attemptOf("No module named 'kit'", 0, "/usr/bin/python3", "-m", "pytest")},
		"another one that lacks something":                                    {[]attempt{bare, unit}, unit},
		"the first where all lack the same":                                   {[]attempt{bare, attemptOf("No module named 'pytest'", 0, "other")}, bare},
		"one that fails before one of none":                                   {[]attempt{attemptOf(noTest, 0, "a"), attemptOf("x", 0, "b")}, attemptOf("x", 0, "b")},
		"one that runs longer than a failure":                                 {[]attempt{unit, {reason: "they did not end", timedOut: true}}, attempt{reason: "they did not end", timedOut: true}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := furthest(c.tried); got.reason != c.want.reason || !slices.Equal(got.command, c.want.command) {
				t.Errorf("%+v, want %+v", got, c.want)
			}
		})
	}
}

package cli_test

import (
	"encoding/json"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"atoll/config/suitetest"
)

// halfTested is a Go module of which the tests run a half, with a profile that says more.
var halfTested = map[string]string{
	"go.mod":       "module example.com/m\n\ngo 1.21\n",
	"a.go":         "package m\n\nfunc Used(a int) int {\n\treturn a\n}\n\nfunc Unused(a int) int {\n\treturn a + 1\n}\n",
	"a_test.go":    "package m\n\nimport \"testing\"\n\nfunc TestUsed(t *testing.T) {\n\tif Used(1) != 1 {\n\t\tt.Fatal()\n\t}\n}\n",
	"coverage.out": "mode: set\nexample.com/m/a.go:3.22,5.2 1 1\nexample.com/m/a.go:7.24,9.2 1 1\n",
	"atoll.yaml":   "goal: test it all\nworkers: 1\nevaluator: {command: [echo, \"1\"], output: last-number, objective: n}\n",
}

func newRepository(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "repo")
	put(t, dir, files)
	git(t, dir, "init", "--quiet", "--initial-branch=main")
	git(t, dir, "add", "--all")
	git(t, dir, "commit", "--quiet", "--message", "start")
	return dir
}

func TestTheAuditorRunsTheTestsForTheirCoverage(t *testing.T) {
	suitetest.Full(t, "it builds Go for its coverage; TestTheCoverageOfPythonIsThatOfItsTestsWhereCoverageIsThere stands for it")
	t.Parallel()
	dir := newRepository(t, halfTested)
	var said struct {
		Files []struct{ Coverage *float64 }
	}
	coverage := func(args ...string) float64 {
		t.Helper()
		if err := json.Unmarshal([]byte(must(t, dir, append([]string{"audit", "--all", "--json"}, args...)...)), &said); err != nil {
			t.Fatal(err)
		}
		if len(said.Files) != 1 || said.Files[0].Coverage == nil {
			t.Fatalf("with %v no coverage is told", args)
		}
		return *said.Files[0].Coverage
	}
	if got := coverage(); got != 100 {
		t.Errorf("the profile of the commit says %v, want 100", got)
	}
	if got := coverage("--collect"); got != 50 {
		t.Errorf("the tests run %v percent, want 50", got)
	}
	if out := git(t, dir, "status", "--porcelain"); out != "" {
		t.Errorf("the work tree was touched: %s", out)
	}
}

func TestAnAcceptanceOfCoverageIsMeasuredByTheTestsAndNotByAProfile(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "it compiles Go with coverage; TestTheAuditorRunsTheTestsForTheirCoverage stands for it")
	dir := newRepository(t, halfTested)
	must(t, dir, "backlog", "add", "Claim it", "--run", "echo >> coverage.out", "--accept", "audit coverage a.go >= 90", "--value", "9")
	must(t, dir, "backlog", "add", "Test it", "--accept", "audit coverage a.go:Unused >= 90", "--run",
		`printf 'package m\n\nimport "testing"\n\nfunc TestUnused(t *testing.T) {\n\tif Unused(1) != 2 {\n\t\tt.Fatal()\n\t}\n}\n' > b_test.go`)
	must(t, dir, "campaign", "run", "--headless", "--no-audit")
	var tasks []struct{ Status, Reason string }
	if err := json.Unmarshal([]byte(must(t, dir, "backlog", "--json")), &tasks); err != nil {
		t.Fatal(err)
	}
	if tasks[0].Status != "failed" || !strings.Contains(tasks[0].Reason, "coverage a.go is 50") {
		t.Errorf("what a profile claims is %s: %s", tasks[0].Status, tasks[0].Reason)
	}
	if tasks[1].Status != "done" || !strings.Contains(tasks[1].Reason, "ended with 0") {
		t.Errorf("what tests run is %s: %s", tasks[1].Status, tasks[1].Reason)
	}
}

func TestTheCoverageOfPythonIsThatOfItsTestsWhereCoverageIsThere(t *testing.T) {
	t.Parallel()
	dir := newRepository(t, map[string]string{
		"words.py":      "def used():\n    return 1\n\n\ndef unused():\n    return 2\n",
		"test_words.py": "import unittest\n\nimport words\n\n\nclass Used(unittest.TestCase):\n    def test_used(self):\n        self.assertEqual(words.used(), 1)\n",
	})
	got := atoll(t, dir, "audit", "--covered", "80")
	if exec.Command("python3", "-c", "import coverage").Run() != nil {
		if got.code != 0 || !strings.Contains(got.err, "the coverage is not known: the tests gave no profile") || !strings.Contains(got.err, "coverage") {
			t.Errorf("without coverage.py: exit %d, %s", got.code, got.err)
		}
		return
	}
	if !strings.Contains(got.out, "words.py: p2 tests run 75 % of its lines") {
		t.Errorf("exit %d, %s%s", got.code, got.out, got.err)
	}
}

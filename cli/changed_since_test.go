package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestAnEvaluatorThatChangedOrMovedSinceTheExperimentBeganIsTold(t *testing.T) {
	t.Parallel()
	s := newScale(t)
	must(t, s.dir, "run", "--headless", "--max-jobs", "2")
	bare := func() string {
		c := atoll(t, s.dir)
		if c.code != 0 {
			t.Fatalf("exit %d: %s%s", c.code, c.out, c.err)
		}
		return c.out + c.err
	}
	if out := bare(); strings.Contains(out, "evaluator's folder") {
		t.Errorf("nothing changed, and yet it says:\n%s", out)
	}
	s.write("evaluator/factor", "2\n")
	if out := bare(); !strings.Contains(out, "folder evaluator changed since this experiment began") || !strings.Contains(out, "run --new`") {
		t.Errorf("a folder that changed is not told:\n%s", out)
	}
	if c := atoll(t, s.dir, "run", "--headless"); c.code != 2 || !strings.Contains(c.err, "--new") {
		t.Errorf("run takes the folder as it is: exit %d\n%s", c.code, c.err)
	}
	if err := os.Rename(filepath.Join(s.dir, "evaluator"), filepath.Join(s.dir, "elsewhere")); err != nil {
		t.Fatal(err)
	}
	if out := bare(); !strings.Contains(out, "folder evaluator is no longer there") || !strings.Contains(out, "run --new`") {
		t.Errorf("a folder that moved is not told:\n%s", out)
	}
	if out := must(t, s.dir, "run", "--headless", "--max-jobs", "4"); !strings.Contains(out, "is no longer there") || !strings.Contains(out, "4/4 ended") {
		t.Errorf("it does not go on with its copy:\n%s", out)
	}
}

func TestAScriptThatChangedSinceTheExperimentBeganIsTold(t *testing.T) {
	t.Parallel()
	dir := searchedSmall(t)
	told := func() string {
		c := atoll(t, dir)
		return c.out + c.err
	}
	if out := told(); strings.Contains(out, "eval.sh") {
		t.Errorf("nothing changed, and yet it says:\n%s", out)
	}
	put(t, dir, map[string]string{"eval.sh": "echo total=5000\n"})
	if out := told(); !strings.Contains(out, "eval.sh: changed since this experiment began") || !strings.Contains(out, "commit it, and `") {
		t.Errorf("a script that changed is not told:\n%s", out)
	}
	git(t, dir, "commit", "--quiet", "--all", "--message", "another scale")
	if out := told(); !strings.Contains(out, "eval.sh: changed since this experiment began") || strings.Contains(out, "commit it") || !strings.Contains(out, "run --new`") {
		t.Errorf("a committed script that changed is not told:\n%s", out)
	}
}

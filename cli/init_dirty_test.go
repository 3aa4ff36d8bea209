package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestAFirstRunSaysThatChangesWhichAreNotCommittedAreLeftOut(t *testing.T) {
	t.Parallel()
	dir := newSmall(t)
	put(t, dir, map[string]string{"eval.sh": "echo total=5000\n"})
	c := atoll(t, dir, "run", "--headless", "--max-jobs", "1")
	if c.code != 0 || !strings.Contains(c.err, "eval.sh has changes that are not committed: the search begins with the commit HEAD, without them") || strings.Contains(c.out+c.err, "since this experiment began") {
		t.Errorf("exit %d\n%s%s", c.code, c.out, c.err)
	}
	if c := atoll(t, dir, "run", "--headless", "--max-jobs", "2"); c.code != 0 || !strings.Contains(c.out+c.err, "eval.sh: changed since this experiment began") {
		t.Errorf("the run that goes on: exit %d\n%s%s", c.code, c.out, c.err)
	}
}

func TestInitSaysFirstWhatItLeavesOutAndWhatIsInItsWay(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "own")
	put(t, dir, map[string]string{"bench.sh": "echo score = 1\n", "README.md": "a\n"})
	git(t, dir, "init", "--quiet")
	git(t, dir, "add", "--all")
	git(t, dir, "commit", "--quiet", "--message", "own")
	put(t, dir, map[string]string{"README.md": "b\n"})
	if out := must(t, dir, "init", "--yes"); !strings.HasPrefix(out, "README.md has changes that are not committed: init looks at the commit, without them") {
		t.Errorf("a change that is not committed is not told first:\n%s", out)
	}
	put(t, dir, map[string]string{"atoll-evaluator/measure.sh": "echo score = 2\n"})
	if err := os.Remove(filepath.Join(dir, "atoll.yaml")); err != nil {
		t.Fatal(err)
	}
	c := atoll(t, dir, "init", "--yes")
	if c.code != 2 || !strings.Contains(c.err, "atoll-evaluator of an earlier init is there already") || c.out != "" {
		t.Errorf("exit %d\n%s%s", c.code, c.out, c.err)
	}
	if out := must(t, dir, "init", "--yes", "--force"); !strings.Contains(out, "wrote ") {
		t.Errorf("with --force:\n%s", out)
	}
}

func TestACandidateThatIsNotThereIsToldInOneSentence(t *testing.T) {
	t.Parallel()
	dir := searchedSmall(t)
	if c := atoll(t, dir, "show", "c999"); c.code != 2 || !strings.Contains(c.err, " has no candidate c999; --experiment NAME asks another one of those that `") || !strings.HasSuffix(c.err, " experiments` lists\n") {
		t.Errorf("exit %d\n%s", c.code, c.err)
	}
}

package cli_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"atoll/config/suitetest"
	"atoll/gitops"
	"atoll/store/record"
)

// TestNoVerbLeavesACheckoutBehind looks where checkouts lie, mostly in memory, after
// each verb that measures. It sets this process's environment, so it is not parallel.
func TestNoVerbLeavesACheckoutBehind(t *testing.T) {
	suitetest.Full(t, "runs most verbs one after the other; TestWhatVerbsPrintFitsTheSchema runs them every day")
	t.Setenv("HOME", filepath.Join(filepath.Dir(program(t)), "home"))
	t.Setenv("XDG_CACHE_HOME", "")
	dir := plot(t, "budget: {jobs: 3}")
	state := filepath.Join(dir, ".git", "atoll")
	cache := gitops.CacheDir(state)
	none := func(after string) {
		t.Helper()
		if _, err := os.Stat(cache); !errors.Is(err, fs.ErrNotExist) {
			left, _ := filepath.Glob(filepath.Join(cache, "*", "*", "*"))
			t.Errorf("after %s there is %s, %v: %q", after, cache, err, left)
		}
	}
	must(t, dir, "run", "--headless")
	none("a run")
	for _, args := range suitetest.Every(2, [][]string{{"measure", "c0"}, {"doctor", "--mutants", "2"}, {"run", "--headless"}, {"promote", "best", "--verify", "--rounds", "8"}}) {
		must(t, dir, args...)
		none(args[0])
	}
	for _, verb := range [][]string{{"status"}, {"run", "--headless"}} {
		leave(t, state, cache)
		must(t, dir, verb...)
		none(verb[0] + " on what a killed run left")
	}
}

// leave lays the root out as a run does that is killed.
func leave(t *testing.T, state, cache string) {
	t.Helper()
	repo, err := gitops.Open(t.Context(), gitops.Options{Dir: filepath.Join(state, "store.git"), Cache: cache})
	if err != nil {
		t.Fatal(err)
	}
	defer repo.Close()
	tree, err := record.ParseHash(git(t, filepath.Dir(filepath.Dir(state)), "rev-parse", "HEAD^{tree}"))
	if err != nil {
		t.Fatal(err)
	}
	_, release, err := repo.Checkout(t.Context(), tree)
	if err != nil {
		t.Fatal(err)
	}
	release()
}

func TestAnEvaluatorIsGradedBeforeTheFirstRun(t *testing.T) {
	t.Parallel()
	dir := newRepository(t, map[string]string{
		"add.py":             "def add(a, b):\n    return a + b\n\n\ndef twice(a):\n    return add(a, a)\n",
		"measure/measure.sh": "python3 -c 'import add; assert add.add(2, 1) == 3 and add.twice(4) == 8'\necho score=1\n",
		"atoll.yaml": "name: graded\nevaluator: {command: [sh, -e, \"{dir}/measure.sh\"], dir: measure, output: name=value, objective: score, direction: maximize}\n" +
			"gate: {scope: [add.py]}\nmap: {axes: [{metric: score, min: 0, max: 2, bins: 2}]}\nagents: [{name: offline, kind: offline}]\nbudget: {jobs: 2}\n",
	})
	must(t, dir, "doctor", "--mutants", "3")
	if c := atoll(t, dir, "status"); c.code == 0 || strings.Contains(c.err, "lost") {
		t.Errorf("without an experiment: exit %d: %s%s", c.code, c.out, c.err)
	}
	if out := must(t, dir, "run", "--headless"); !strings.Contains(out, "evaluator ") || strings.Contains(out, "not graded") {
		t.Errorf("the run does not know the grade:\n%s", out)
	}
}

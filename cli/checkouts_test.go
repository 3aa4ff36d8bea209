package cli_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"atoll/config/suitetest"
	"atoll/gitops"
	"atoll/store/record"
)

// TestNoVerbLeavesACheckoutBehind looks where checkouts lie, mostly in memory, after
// each verb that measures. It sets this process's environment, so it is not parallel.
func TestNoVerbLeavesACheckoutBehind(t *testing.T) {
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

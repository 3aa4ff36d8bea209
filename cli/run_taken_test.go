package cli_test

import (
	"path/filepath"
	"strings"
	"testing"

	"atoll/engine"
)

func TestARunThatIsRefusedBesideAnotherWritesNothing(t *testing.T) {
	t.Parallel()
	dir := newSmall(t)
	must(t, dir, "run", "--headless", "--max-jobs", "2")
	before := must(t, dir, "experiments", "--json") + must(t, dir, "events", "--json")
	lock, err := engine.LockState(filepath.Join(dir, ".git", "atoll"))
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Close()
	for name, args := range map[string][]string{
		"a new experiment":     {"--headless", "--new", "--max-jobs", "1"},
		"another budget":       {"--headless", "--max-jobs", "1"},
		"another setting":      {"--headless", "--workers", "7"},
		"one job of a new one": {"--once", "--new"},
	} {
		c := atoll(t, dir, append([]string{"run"}, args...)...)
		if c.code != 1 || !strings.Contains(c.err, "process") {
			t.Errorf("%s: code %d, %s", name, c.code, c.err)
		}
	}
	if after := must(t, dir, "experiments", "--json") + must(t, dir, "events", "--json"); after != before {
		t.Errorf("a refused run left\n%s\nwhere was\n%s", after, before)
	}
}

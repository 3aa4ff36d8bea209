package cli_test

import (
	"os"
	"testing"
)

// A folder that was there before may be open to others; what a run puts there is not.
func TestNobodyElseLooksIntoAStateThatLiesInAnOpenFolder(t *testing.T) {
	t.Parallel()
	dir, state := newSmall(t), t.TempDir()
	if err := os.Chmod(state, 0o755); err != nil {
		t.Fatal(err)
	}
	must(t, dir, "--state", state, "run", "--headless", "--max-jobs", "2")
	list, err := os.ReadDir(state)
	if err != nil || len(list) < 4 {
		t.Fatalf("%d entries, %v", len(list), err)
	}
	for _, e := range list {
		if info, err := e.Info(); err != nil || info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %v, %v", e.Name(), info.Mode(), err)
		}
	}
}

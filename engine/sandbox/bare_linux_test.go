package sandbox_test

import (
	"os"
	"path/filepath"
	"testing"

	"atoll/engine/sandbox"
	"atoll/store/record"
)

// Without a base the tree is empty, and what is laid on top is there all the
// same.
func TestTreeWithoutABase(t *testing.T) {
	onRungs(t, modes, func(t *testing.T, b *sandbox.Box) {
		w := newWorld(t)
		trusted := filepath.Join(t.TempDir(), "trusted.sh")
		if err := os.WriteFile(trusted, []byte("echo trusted\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		s := w.sh(`cat a/one.txt && sh measure.sh && ls | sort | tr '\n' ' ' && echo new > two.txt`)
		s.Base = ""
		s.Delta = []record.Change{
			{Path: "a/one.txt", Mode: record.Regular, Data: []byte("one\n")},
			{Path: "measure.sh", Mode: record.Regular, Data: []byte("echo forged\n")},
		}
		s.Seal = []sandbox.Seal{{Path: "measure.sh", Host: trusted}}
		s.Harvest = true
		res := w.mustRun(b, s)
		if res.Exit != 0 {
			t.Fatalf("exit %d: %s", res.Exit, res.Stderr)
		}
		wantOut(t, res, "one\n", "trusted\n", "a measure.sh ")
		wantNoOut(t, res, "forged")
		wantChanges(t, res.Changes, []record.Change{
			{Path: "a/one.txt", Mode: record.Regular, Data: []byte("one\n")},
			{Path: "two.txt", Mode: record.Regular, Data: []byte("new\n")},
		})
		s.TreeReadOnly, s.Harvest = true, false
		if res := w.mustRun(b, s); b.Rung() == sandbox.Namespaces && res.Exit == 0 {
			t.Error("a read-only tree without a base could be written")
		}
	})
}

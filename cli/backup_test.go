package cli_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"atoll/config/suitetest"
	"atoll/engine"
	"atoll/engine/backup"
)

func TestABackupMakesTheSameExperimentsElsewhere(t *testing.T) {
	t.Parallel()
	dir := finished(t)
	file := filepath.Join(t.TempDir(), "monday.atoll")
	if out := must(t, dir, "backup", file); !strings.Contains(out, "1 experiment, ") {
		t.Errorf("backup says %q", out)
	}
	t.Run("a file that is there is not replaced", func(t *testing.T) {
		if c := atoll(t, dir, "backup", file); c.code == 0 || !strings.Contains(c.err, "is there already") {
			t.Errorf("code %d, %s", c.code, c.err)
		}
	})
	t.Run("experiments that are there are not replaced", func(t *testing.T) {
		if c := atoll(t, dir, "restore", file); c.code == 0 || !strings.Contains(c.err, "none is replaced") {
			t.Errorf("code %d, %s", c.code, c.err)
		}
	})
	state := filepath.Join(t.TempDir(), "deep", "state")
	must(t, dir, "--state", state, "restore", file)
	for _, verb := range [][]string{{"candidates", "--json"}, {"niches", "--json"}, {"events", "--json"}, {"diff", "best"}} {
		if here, there := must(t, dir, verb...), must(t, dir, append([]string{"--state", state}, verb...)...); here != there {
			t.Errorf("%s differs", verb)
		}
	}
	if out := must(t, dir, "--state", state, "run", "--headless", "--max-jobs", "44"); !strings.Contains(out, "44/44 ended") {
		t.Errorf("the restored experiment does not go on:\n%s", out)
	}
}

func TestADamagedBackupIsRefusedAndLeavesNothing(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "several files; engine/backup has TestAFileThatIsNoWholeBackupLeavesNothing")
	dir := finished(t)
	file := filepath.Join(t.TempDir(), "whole.atoll")
	must(t, dir, "backup", file)
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	into := t.TempDir()
	refused := func(t *testing.T, data []byte) {
		t.Helper()
		part := filepath.Join(t.TempDir(), "damaged.atoll")
		if err := os.WriteFile(part, data, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := backup.Restore(t.Context(), part, filepath.Join(into, "state")); !errors.Is(err, backup.ErrFormat) {
			t.Errorf("restore says %v", err)
		}
		if list, err := os.ReadDir(into); err != nil || len(list) > 0 {
			t.Errorf("restore leaves %v, %v", list, err)
		}
	}
	manifest := bytes.Index(whole, []byte(`"sha256"`))
	for i := range 12 {
		// The padding between the parts carries nothing, so each place is in a part.
		at := manifest + 2048 + i*(len(whole)-manifest-8192)/12
		t.Run("cut", func(t *testing.T) { refused(t, whole[:at]) })
		t.Run("one byte changed", func(t *testing.T) {
			data := bytes.Clone(whole)
			if data[at] == 0 {
				t.Skip("this place may be padding between two parts")
			}
			data[at] ^= 0x55
			refused(t, data)
		})
	}
	t.Run("a part that leads outside", func(t *testing.T) {
		refused(t, bytes.Replace(whole, []byte(`"evaluators/`), []byte(`"../luators/`), 1))
	})
	t.Run("another file", func(t *testing.T) { refused(t, []byte("# a text\n")) })
	t.Run("an empty file", func(t *testing.T) { refused(t, nil) })
	t.Run("of a newer format", func(t *testing.T) {
		refused(t, bytes.Replace(whole, []byte(`"format": 1`), []byte(`"format": 9`), 1))
	})
}

func TestABackupBesideARunLeadsASessionOfItsOwn(t *testing.T) {
	t.Parallel()
	dir := finished(t)
	lock, err := engine.LockState(filepath.Join(dir, ".git", "atoll"))
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Close()
	file := filepath.Join(t.TempDir(), "beside.atoll")
	if out := must(t, dir, "backup", file); !strings.Contains(out, "1 experiment, ") {
		t.Errorf("backup says %q", out)
	}
	c := atoll(t, dir, "backup", file)
	if c.code != 1 || strings.Count(c.err, "is there already") != 1 || strings.Contains(c.err, "exit code") {
		t.Errorf("over a file that is there: code %d, %s", c.code, c.err)
	}
}

func TestAnExperimentGoesOnWhereItsRepositoryWasMoved(t *testing.T) {
	t.Parallel()
	dir := newSmall(t)
	must(t, dir, "run", "--headless", "--max-jobs", "2")
	moved := filepath.Join(t.TempDir(), "elsewhere")
	if err := os.Rename(dir, moved); err != nil {
		t.Fatal(err)
	}
	if out := must(t, moved, "run", "--headless", "--max-jobs", "3"); !strings.Contains(out, "3/3 ended") {
		t.Errorf("it does not go on:\n%s", out)
	}
}

func TestARunDoesNotStartOverWhereADatabaseWasLost(t *testing.T) {
	t.Parallel()
	dir := newSmall(t)
	must(t, dir, "run", "--headless", "--max-jobs", "3")
	db := filepath.Join(dir, ".git", "atoll", "atoll.db")
	for _, name := range []string{"it is empty", "it is gone"} {
		lose := os.Remove
		if name == "it is empty" {
			lose = func(path string) error { return os.Truncate(path, 0) }
		}
		if err := lose(db); err != nil {
			t.Fatal(err)
		}
		if c := atoll(t, dir, "run", "--headless"); c.code != 1 || !strings.Contains(c.err, "repair --from BACKUP") {
			t.Errorf("%s: code %d, %s", name, c.code, c.err)
		}
		if c := atoll(t, dir, "doctor"); c.code != 1 {
			t.Errorf("%s: and doctor ends with %d afterwards: %s", name, c.code, c.out)
		}
	}
	must(t, dir, "run", "--new", "--headless", "--max-jobs", "2")
}

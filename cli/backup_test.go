package cli_test

import (
	"bytes"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	_ "github.com/mattn/go-sqlite3" // makes a database that nobody laid out

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

func TestNoVerbMakesADatabaseWhereOneWasLost(t *testing.T) {
	t.Parallel()
	dir := newSmall(t)
	must(t, dir, "run", "--headless", "--max-jobs", "3")
	state := filepath.Join(dir, ".git", "atoll")
	db := filepath.Join(state, "atoll.db")
	whole, err := os.ReadFile(db)
	if err != nil {
		t.Fatal(err)
	}
	verbs := [][]string{
		{"run", "--headless"}, {"status"}, {"note", "a word"}, {"show", "root"}, {"gc"}, {"report"}, {"backup", filepath.Join(t.TempDir(), "b")}, {"run", "--new", "--experiment", "1"},
	}
	for name, lose := range map[string]func() error{
		"it is gone":      func() error { return os.Remove(db) },
		"it is empty":     func() error { return os.WriteFile(db, nil, 0o600) },
		"it has no table": func() error { return os.WriteFile(db, tableless(t), 0o600) },
		"with the objects": func() error {
			return errors.Join(os.Remove(db), os.RemoveAll(filepath.Join(state, "store.git", "objects")))
		},
		"an evaluator is left": func() error {
			return errors.Join(os.Remove(db), os.RemoveAll(filepath.Join(state, "store.git")), os.MkdirAll(filepath.Join(state, "evaluators", "ab.part"), 0o700))
		},
	} {
		kept := filepath.Join(t.TempDir(), "state")
		if err := os.CopyFS(kept, os.DirFS(state)); err != nil {
			t.Fatal(err)
		}
		if err := lose(); err != nil {
			t.Fatal(err)
		}
		was, _ := os.ReadFile(db)
		asked := verbs
		if name != "it is gone" { // which every verb is tried on; two of them stand for the rest every day
			asked = suitetest.Every(4, verbs)
		}
		for _, args := range asked {
			c := atoll(t, dir, args...)
			if c.code != 1 || !strings.Contains(c.err, "was lost") || !strings.Contains(c.err, "repair --from BACKUP") || !strings.Contains(c.err, "run --new") {
				t.Errorf("%s: %s: code %d, %s", name, args, c.code, c.err)
			}
		}
		if now, _ := os.ReadFile(db); !bytes.Equal(was, now) {
			t.Errorf("%s: the verbs wrote %d bytes", name, len(now))
		}
		if c := atoll(t, dir, "doctor"); c.code != 1 || !strings.Contains(c.out, "was lost") {
			t.Errorf("%s: doctor ends with %d: %s", name, c.code, c.out)
		}
		if c := atoll(t, dir, "repair"); c.code != 1 || !strings.Contains(c.out, "LOST") {
			t.Errorf("%s: repair ends with %d: %s", name, c.code, c.out)
		}
		must(t, dir, "repair", "--from", kept)
		if now, _ := os.ReadFile(db); len(now) < len(whole) {
			t.Errorf("%s: repair brings back %d of %d bytes", name, len(now), len(whole))
		}
	}
}

// tableless is a database that was laid out in a write-ahead log which went.
func tableless(t *testing.T) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "db")
	db, err := sql.Open("sqlite3", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec("PRAGMA journal_mode = WAL"); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil || len(data) == 0 {
		t.Fatalf("%d bytes, %v", len(data), err)
	}
	return data
}

func TestARunStartsOverWhereADatabaseWasLostIfItIsTold(t *testing.T) {
	t.Parallel()
	dir := newSmall(t)
	must(t, dir, "run", "--headless", "--max-jobs", "3")
	state := filepath.Join(dir, ".git", "atoll")
	if err := os.Truncate(filepath.Join(state, "atoll.db"), 0); err != nil {
		t.Fatal(err)
	}
	c := atoll(t, dir, "run", "--new", "--headless", "--max-jobs", "2")
	if c.code != 0 || !strings.Contains(c.err, "what is left is in") {
		t.Fatalf("code %d, %s", c.code, c.err)
	}
	if found, err := filepath.Glob(filepath.Join(state, "aside", "*", "store.git", "refs", "heads", "anchor", "1")); err != nil || len(found) != 1 {
		t.Errorf("the candidates of before are not aside: %v %v", found, err)
	}
	must(t, dir, "doctor")
}

func TestAStateDirectoryThatNeverHadADatabaseStartsWithoutAWord(t *testing.T) {
	t.Parallel()
	for name, leave := range map[string]func(state string) error{
		"an empty folder":   func(string) error { return nil },
		"a lock":            func(state string) error { return os.WriteFile(filepath.Join(state, "engine.lock"), nil, 0o600) },
		"an empty database": func(state string) error { return os.WriteFile(filepath.Join(state, "atoll.db"), nil, 0o600) },
	} {
		dir := newSmall(t)
		state := filepath.Join(dir, ".git", "atoll")
		if err := errors.Join(os.MkdirAll(state, 0o700), leave(state)); err != nil {
			t.Fatal(err)
		}
		if c := atoll(t, dir, "run", "--headless", "--max-jobs", "1"); c.code != 0 || strings.Contains(c.err, "lost") {
			t.Errorf("%s: code %d, %s", name, c.code, c.err)
		}
	}
}

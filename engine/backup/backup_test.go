package backup

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"atoll/store"
)

// emptied is a backup of a state directory that has an evaluator's copy and no experiment.
func emptied(t *testing.T) (path string, m Manifest) {
	t.Helper()
	dir := t.TempDir()
	fileAt(t, filepath.Join(dir, evaluators, "ab12", "score.sh"), "echo 1\n")
	fileAt(t, filepath.Join(dir, evaluators, "ab12.sum"), "ab12\n")
	db, err := store.Open(t.Context(), filepath.Join(dir, "atoll.db"), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(t.TempDir(), "all.atoll")
	m, err = Write(t.Context(), Source{Dir: dir, DB: db}, path, "test", time.Unix(0, 0))
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	return path, m
}

func fileAt(t *testing.T, path, text string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o600)); err != nil {
		t.Fatal(err)
	}
}

// repacked is the backup with some more parts, whose sums are right, and its manifest
// as change leaves it.
func repacked(t *testing.T, path string, change func(*Manifest), more ...string) string {
	t.Helper()
	dir := t.TempDir()
	m, err := extract(t.Context(), path, dir)
	if err != nil {
		t.Fatal(err)
	}
	var files []string
	for _, p := range m.Parts {
		files = append(files, filepath.Join(dir, filepath.FromSlash(p.Name)))
	}
	for i, name := range more {
		file := filepath.Join(dir, fmt.Sprint("more", i))
		fileAt(t, file, "of a stranger\n")
		p, err := measure(name, file)
		if err != nil {
			t.Fatal(err)
		}
		m.Parts, files = append(m.Parts, p), append(files, file)
	}
	if change != nil {
		change(&m)
	}
	out := filepath.Join(dir, "repacked")
	if err := join(t.Context(), out, &m, files); err != nil {
		t.Fatal(err)
	}
	return out
}

func TestABackupIsRestoredWithItsEvaluators(t *testing.T) {
	path, m := emptied(t)
	dir := filepath.Join(t.TempDir(), "state")
	got, err := Restore(t.Context(), path, dir)
	if err != nil || len(got.Parts) != len(m.Parts) || got.Made != "1970-01-01T00:00:00Z" {
		t.Fatalf("%+v, %v", got, err)
	}
	if text, err := os.ReadFile(filepath.Join(dir, evaluators, "ab12", "score.sh")); err != nil || string(text) != "echo 1\n" {
		t.Errorf("its evaluator: %q, %v", text, err)
	}
	if _, err := os.Stat(filepath.Join(dir, databaseName)); err == nil {
		t.Error("the parts that were read are left behind")
	}
}

func TestADamagedDatabaseIsNotCopied(t *testing.T) {
	dir := t.TempDir()
	path, file := filepath.Join(dir, "atoll.db"), filepath.Join(t.TempDir(), "all.atoll")
	db, err := store.Open(t.Context(), path, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	db.KeepSealed()
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	data[len(data)-1] ^= 1
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	if db, err = store.Open(t.Context(), path, store.Options{ReadOnly: true}); err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	_, err = Write(t.Context(), Source{Dir: dir, DB: db}, file, "test", time.Unix(0, 0))
	if !errors.Is(err, store.ErrDamaged) || !strings.Contains(err.Error(), "`atoll repair --from`") {
		t.Errorf("it says %v", err)
	}
	if _, err := os.Stat(file); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("it leaves a file: %v", err)
	}
}

func TestAFileThatIsNoWholeBackupLeavesNothing(t *testing.T) {
	path, _ := emptied(t)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	at := func(t *testing.T, data []byte) string {
		t.Helper()
		file := filepath.Join(t.TempDir(), "file")
		fileAt(t, file, string(data))
		return file
	}
	for name, file := range map[string]func(t *testing.T) string{
		"no bytes":                      func(t *testing.T) string { return at(t, nil) },
		"a text":                        func(t *testing.T) string { return at(t, []byte("goal: be quick\n")) },
		"one byte of a part is another": func(t *testing.T) string { return at(t, bytes.Replace(whole, []byte("echo 1"), []byte("echo 2"), 1)) },
		"its second half is missing":    func(t *testing.T) string { return at(t, whole[:len(whole)/2]) },
		"of a format to come":           func(t *testing.T) string { return repacked(t, path, func(m *Manifest) { m.Format++ }) },
		"a part of another sum": func(t *testing.T) string {
			return repacked(t, path, func(m *Manifest) { m.Parts[1].SHA256 = m.Parts[0].SHA256 })
		},
		"a part that no backup has": func(t *testing.T) string { return repacked(t, path, nil, "atoll.yaml") },
		"a part above the folder":   func(t *testing.T) string { return repacked(t, path, nil, evaluators+"/../../outside") },
		"a hook of the store to be made": func(t *testing.T) string {
			return repacked(t, path, nil, evaluators+"/../store.git/hooks/reference-transaction")
		},
		"settings of that store": func(t *testing.T) string { return repacked(t, path, nil, evaluators+"/./../store.git/config") },
		"a path from the top":    func(t *testing.T) string { return repacked(t, path, nil, "/"+evaluators+"/x") },
		"the same part twice":    func(t *testing.T) string { return repacked(t, path, nil, evaluators+"/ab12.sum") },
	} {
		t.Run(name, func(t *testing.T) {
			parent := t.TempDir()
			dir := filepath.Join(parent, "state")
			if _, err := Restore(t.Context(), file(t), dir); !errors.Is(err, ErrFormat) {
				t.Errorf("restored: %v", err)
			}
			if left, err := os.ReadDir(parent); err != nil || len(left) > 0 {
				t.Errorf("left behind: %v, %v", left, err)
			}
		})
	}
}

func TestNothingThatIsThereIsReplaced(t *testing.T) {
	path, _ := emptied(t)
	dir := t.TempDir()
	fileAt(t, filepath.Join(dir, "mine"), "kept")
	if _, err := Restore(t.Context(), path, dir); !errors.Is(err, ErrTaken) {
		t.Errorf("restored into a folder that holds something: %v", err)
	}
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Write(t.Context(), Source{Dir: dir}, path, "test", time.Unix(0, 0)); !errors.Is(err, ErrTaken) {
		t.Errorf("written over a file: %v", err)
	}
	if after, err := os.ReadFile(path); err != nil || !bytes.Equal(before, after) {
		t.Errorf("the file changed: %v", err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
		t.Errorf("the folder has %v, %v", left, err)
	}
}

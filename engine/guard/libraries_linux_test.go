package guard_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"atoll/config/suitetest"
	"atoll/engine/guard"
	"atoll/store/record"
)

// These tests edit libraries of others, fetched from the module proxy at a pinned
// version. At the full level they take one edit of each kind; all of them are for
//
//	ATOLL_SLOW=1 go test ./engine/guard -run 'OfLibraries' -v -timeout 3h

// An edit exchanges the first place where a text stands in a file of a library.
type edit struct {
	what    string
	module  string
	file    string
	old     string
	changed string
}

// mustModule is a copy of a module from the proxy.
func mustModule(t *testing.T, module string) string {
	t.Helper()
	cmd := exec.Command("go", "mod", "download", "-json", module)
	cmd.Dir = t.TempDir()
	out, err := cmd.Output()
	var at struct{ Dir, GoMod string }
	if err == nil {
		err = json.Unmarshal(out, &at)
	}
	if err != nil {
		t.Skipf("%s cannot be had from the module proxy: %v", module, err)
	}
	dir := filepath.Join(t.TempDir(), "library")
	if err := os.CopyFS(dir, os.DirFS(at.Dir)); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "go.mod")); err != nil { // older than modules
		text, err := os.ReadFile(at.GoMod)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "go.mod"), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// mustCompare makes an edit and compares the library with and without it.
func (e edit) mustCompare(t *testing.T) guard.Report {
	t.Helper()
	mustHave(t, "go")
	root := mustModule(t, e.module)
	data, err := os.ReadFile(filepath.Join(root, e.file))
	if err != nil {
		t.Fatal(err)
	}
	now := bytes.Replace(data, []byte(e.old), []byte(e.changed), 1)
	if bytes.Equal(data, now) {
		t.Fatalf("%s of %s has no %q", e.file, e.module, e.old)
	}
	candidate := guard.Tree{Base: root, Delta: []record.Change{{Path: e.file, Mode: record.Regular, Data: now}}}
	report := mustCheck(t, guard.Options{NoTests: true, Wall: 30 * time.Minute}, guard.Tree{Base: root}, candidate, e.file)
	e.mustPassTests(t, root, now)
	t.Logf("%d inputs of %d functions, %v", report.Cases, report.Functions, report.Notes)
	return report
}

// mustPassTests runs the library's own tests on the edit: what they see needs no guard.
func (e edit) mustPassTests(t *testing.T, root string, now []byte) {
	t.Helper()
	if err := os.Chmod(filepath.Join(root, e.file), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root, e.file), now, 0o644); err != nil {
		t.Fatal(err)
	}
	var out []byte
	var err error
	for range 5 { // some of them wait for fractions of a second, which a busy machine does not keep
		cmd := exec.Command("go", "test", "-short", "-vet=off", "./"+path.Dir(e.file))
		cmd.Dir = root
		if out, err = cmd.CombinedOutput(); err == nil {
			return
		}
	}
	t.Errorf("the library's own tests do not pass: %v\n%s", err, out)
}

// share is one edit that takes less than most, or all of them.
func share(all []edit, one int) []edit {
	return suitetest.Pick(nil, []edit{all[one]}, all)
}

func TestPlantedChangesOfLibrariesAreNoticed(t *testing.T) {
	suitetest.Full(t, "compiles libraries from the module proxy and compares each for a minute; planted changes of a small module stand for them every day")
	t.Parallel()
	list, missed := share(planted, len(planted)/3), 0
	for _, e := range list {
		t.Run(e.what, func(t *testing.T) {
			report := e.mustCompare(t)
			if report.Same() && len(report.Told) == 0 {
				missed++
				t.Log("not noticed")
			}
			t.Log(report.Summary(), report.Told)
		})
	}
	t.Logf("%d of %d were noticed", len(list)-missed, len(list))
	if missed > len(list)/10 { // what takes a rare number at a rare place is not found: docs/benchmarks.md
		t.Errorf("%d of %d changes were not noticed", missed, len(list))
	}
}

func TestRefactoringsOfLibrariesRaiseNoAlarm(t *testing.T) {
	suitetest.Slow(t, "compiles libraries from the module proxy and compares each for a minute; refactorings of a small module stand for them every day")
	t.Parallel()
	for _, e := range share(refactored, len(refactored)/2) {
		t.Run(e.what, func(t *testing.T) {
			if report := e.mustCompare(t); !report.Same() || report.Cases == 0 {
				t.Error(strings.TrimSpace(report.Summary()))
			}
		})
	}
}

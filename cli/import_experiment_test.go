package cli_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"atoll/config/suitetest"
)

// told is what an experiment says of itself but for its number and the time.
func told(t *testing.T, dir string, flags ...string) map[string]string {
	t.Helper()
	out := map[string]string{}
	verbs := [][]string{{"candidates", "--json"}, {"events", "--json"}, {"notes", "--json"}, {"export", "-"}}
	if suitetest.IsFull() {
		verbs = append(verbs, []string{"niches", "--json"}, []string{"jobs", "--json"}, []string{"diff", "best"}, []string{"why", "best"})
	}
	for _, verb := range verbs {
		out[strings.Join(verb, " ")] = must(t, dir, append(flags, verb...)...)
	}
	return out
}

func TestAnExperimentTravelsInOneFileAndASecondImportGivesTheSame(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "three runs and four imports; TestABackupMakesTheSameExperimentsElsewhere stands for it")
	dir := finished(t)
	must(t, dir, "note", "the pump first")
	must(t, dir, "freeze", "best")
	must(t, dir, "run", "--headless", "--max-jobs", "42") // which writes the note
	// A second experiment, which must not travel along.
	must(t, dir, "run", "--headless", "--new", "--seed", "5", "--max-jobs", "6")
	first := []string{"--experiment", "1"}
	want := told(t, dir, first...)
	if notes := want["notes --json"]; !strings.Contains(notes, "the pump first") {
		t.Errorf("notes %s", notes)
	}
	folder := t.TempDir()
	file := filepath.Join(folder, "one.atoll")
	if out := must(t, dir, append(first, "export", file)...); !strings.Contains(out, "1 experiment, ") {
		t.Errorf("export says %q", out)
	}
	same := func(t *testing.T, got map[string]string) {
		t.Helper()
		for verb, text := range want {
			if got[verb] != text {
				t.Errorf("%s differs:\n%s\nwas\n%s", verb, got[verb], text)
			}
		}
	}
	empty := filepath.Join(folder, "empty")
	must(t, dir, "--state", empty, "import", file)
	same(t, told(t, dir, "--state", empty))

	// Beside others: where it came from, it gets another number and name.
	var added []struct {
		Is struct {
			ID   int
			Name string
		}
	}
	if err := json.Unmarshal([]byte(must(t, dir, "--json", "import", file)), &added); err != nil || len(added) != 1 || added[0].Is.ID != 3 {
		t.Fatalf("%+v, %v", added, err)
	}
	third := []string{"--experiment", "3"}
	got := told(t, dir, third...)
	if notes := got["notes --json"]; !strings.Contains(notes, "the pump first") {
		t.Errorf("notes %s", notes)
	}
	// Notes are numbered over all experiments.
	delete(want, "notes --json")
	delete(want, "events --json")
	same(t, got)
	same(t, told(t, dir, first...))

	// Out again and in again: the same once more.
	again := filepath.Join(folder, "again.atoll")
	must(t, dir, append(third, "export", again)...)
	other := filepath.Join(folder, "other")
	must(t, dir, "--state", other, "import", again)
	same(t, told(t, dir, "--state", other))
	for _, state := range []string{empty, other} {
		if out := must(t, dir, "--state", state, "doctor", "--deep"); strings.Contains(out, "FAIL") {
			t.Errorf("%s", out)
		}
		if out := must(t, dir, "--state", state, "run", "--headless", "--max-jobs", "44"); !strings.Contains(out, "44/44 ended") {
			t.Errorf("it does not go on:\n%s", out)
		}
	}
	git(t, dir, "--git-dir", filepath.Join(dir, ".git/atoll/store.git"), "fsck", "--strict", "--no-dangling")
	if doc := atoll(t, dir, "doctor"); strings.Contains(doc.out, "FAIL") {
		t.Errorf("%s", doc.out)
	}
}

func TestADamagedFileAddsNothing(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "several files; engine/backup has TestAFileThatIsNoWholeBackupLeavesNothing")
	dir := finished(t)
	file := filepath.Join(t.TempDir(), "whole.atoll")
	must(t, dir, "export", file)
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before := must(t, dir, "experiments", "--json")
	for _, at := range []int{len(whole) / 4, len(whole) / 2, len(whole) * 3 / 4} {
		part := filepath.Join(t.TempDir(), "cut.atoll")
		if err := os.WriteFile(part, whole[:at], 0o600); err != nil {
			t.Fatal(err)
		}
		if c := atoll(t, dir, "import", part); c.code != 1 || !strings.Contains(c.err, "not a backup that can be read") {
			t.Errorf("cut at %d: exit %d: %s", at, c.code, c.err)
		}
	}
	if after := must(t, dir, "experiments", "--json"); after != before {
		t.Errorf("experiments are now\n%s", after)
	}
	if left, err := filepath.Glob(filepath.Join(dir, ".git/atoll/.import-*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	if c := atoll(t, dir, "import", "nothing.atoll"); c.code != 2 {
		t.Errorf("a file that is not there: exit %d: %s", c.code, c.err)
	}
}

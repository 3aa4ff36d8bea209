package cli_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"atoll/config/suitetest"
)

// stairs is a repository whose one number an agent raises by one, a job at a time, so
// that each candidate descends from the one before.
func stairs(t *testing.T, jobs string) string {
	t.Helper()
	return plot(t, "budget: {jobs: "+jobs+"}",
		"agents:", `  - {name: coder, kind: command, weight: 1, command: [sh, -c, "echo $(($(cat value.txt)+1)) > value.txt"]}`)
}

// loosen unpacks the object store of a repository, so that single objects can be lost.
func loosen(t *testing.T, dir string) (store string) {
	t.Helper()
	store = filepath.Join(dir, ".git/atoll/store.git")
	packs, err := filepath.Glob(filepath.Join(store, "objects/pack/*.pack"))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range packs {
		text, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		for _, ext := range []string{".pack", ".idx", ".rev"} {
			_ = os.Remove(strings.TrimSuffix(p, ".pack") + ext)
		}
		unpack := gitCommand(store, "unpack-objects", "-q")
		unpack.Stdin = strings.NewReader(string(text))
		if out, err := unpack.CombinedOutput(); err != nil {
			t.Fatalf("unpack: %v %s", err, out)
		}
	}
	return store
}

// lose takes an object out of a store.
func lose(t *testing.T, store, rev string) {
	t.Helper()
	h := git(t, store, "rev-parse", rev)
	if err := os.Remove(filepath.Join(store, "objects", h[:2], h[2:])); err != nil {
		t.Fatal(err)
	}
}

func TestACandidateWhoseAncestorIsLostLeavesByWhatNeedsItNotAndTheSearchGoesOn(t *testing.T) {
	suitetest.Full(t, "runs an experiment several times; TestDecisionsWithoutAnEngineWaitForTheNextRun stands for it")
	t.Parallel()
	dir := stairs(t, "3")
	must(t, dir, "run", "--headless", "--set", "search.operators.mutate=1", "--set", "search.selection=rank")
	store := loosen(t, dir)
	var c1, best struct {
		ID     int
		Commit string
	}
	for line := range strings.Lines(must(t, dir, "candidates", "--json")) {
		var c struct {
			ID      int
			Commit  string
			Status  string
			Parents []struct{ ID int }
		}
		if err := json.Unmarshal([]byte(line), &c); err != nil {
			t.Fatal(err)
		}
		if c.ID == 1 {
			c1.Commit = c.Commit
		}
		if len(c.Parents) > 0 && c.Parents[0].ID == 1 {
			best.ID, best.Commit = c.ID, c.Commit
		}
	}
	if c1.Commit == "" || best.Commit == "" {
		t.Fatalf("no candidate descends from c1:\n%s", must(t, dir, "candidates"))
	}
	lose(t, store, c1.Commit+":value.txt")
	id := "c" + string(rune('0'+best.ID))
	for _, form := range [][]string{{"--branch", "b1"}, {"--bundle", "b.bundle"}, {"--series", "patches"}} {
		refused(t, atoll(t, dir, append([]string{"promote", id}, form...)...), "c1", "lost", "--patch", "--squash")
	}
	if out := must(t, dir, "promote", id, "--patch", "-"); !strings.Contains(out, "value.txt") {
		t.Errorf("the patch is\n%s", out)
	}
	must(t, dir, "promote", id, "--branch", "one", "--verify", "--squash")
	if got := git(t, dir, "show", "one:value.txt"); got != "3" {
		t.Errorf("the branch has %q", got)
	}
	must(t, dir, "run", "--headless", "--max-jobs", "6")
	if out := must(t, dir, "jobs", "--status", "failed"); strings.Contains(out, "not found") && strings.Count(out, "\n") > 2 {
		t.Errorf("jobs failed for an ancestor's sake:\n%s", out)
	}
}

func TestARunThatAnErrorEndsLeavesNothingInWork(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "several runs; TestASecondEngineIsRefusedAndTheFirstGoesOn and those of engine that end early stand for it")
	dir := stairs(t, "2")
	must(t, dir, "run", "--headless")
	lose(t, loosen(t, dir), git(t, dir, "rev-parse", "HEAD:value.txt"))
	c := atoll(t, dir, "run", "--headless", "--max-jobs", "8", "--set", "workers=2")
	refused(t, c, "missing", "repair")
	if strings.Contains(c.out, "running") {
		t.Errorf("the run ends with\n%s", c.out)
	}
	var s struct {
		State, Reason string
		Jobs          struct{ Running, Queued int }
	}
	if err := json.Unmarshal([]byte(must(t, dir, "status", "--json")), &s); err != nil {
		t.Fatal(err)
	}
	if s.State != "stopped" || s.Jobs.Running != 0 || !strings.Contains(s.Reason, "missing") {
		t.Errorf("status %+v", s)
	}
	for _, state := range []string{"editing", "committed", "gated", "evaluating"} {
		if out := must(t, dir, "jobs", "--status", state); strings.Count(out, "\n") > 1 {
			t.Errorf("jobs in work:\n%s", out)
		}
	}
}

func TestWhatRepairCouldNotBringBackIsToldAndTheDirectoryIsWholeWithoutIt(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "several wrecks of a run; TestACandidateWhoseAncestorIsLostLeavesByWhatNeedsItNotAndTheSearchGoesOn is one")
	dir := stairs(t, "3")
	must(t, dir, "run", "--headless", "--set", "search.operators.mutate=1")
	store := loosen(t, dir)
	var c1 struct{ Commit string }
	if err := json.Unmarshal([]byte(must(t, dir, "show", "c1", "--json")), &c1); err != nil || c1.Commit == "" {
		t.Fatalf("%v %s", err, must(t, dir, "show", "c1", "--json"))
	}
	lose(t, store, c1.Commit+":value.txt")
	if c := atoll(t, dir, "doctor", "--deep"); c.code == 0 || !strings.Contains(c.out, "without all its files") {
		t.Errorf("%d %s", c.code, c.out)
	}
	if got := atoll(t, dir, "repair"); got.code != 1 || !strings.Contains(got.out, "LOST  c1") || strings.Contains(got.out, "FAIL") {
		t.Errorf("exit %d\n%s%s", got.code, got.out, got.err)
	}
	if got := must(t, dir, "doctor", "--deep"); !strings.Contains(got, "1 candidate that nobody can choose") || strings.Contains(got, "FAIL") {
		t.Error(got)
	}
	if got := must(t, dir, "repair"); got != "nothing to repair\n" {
		t.Error(got)
	}
}

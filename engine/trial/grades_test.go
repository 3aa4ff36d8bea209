package trial_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"atoll/engine/trial"
	"atoll/store/record"
)

func TestAGradeIsKnownForItsRootAndEvaluatorAlone(t *testing.T) {
	state := filepath.Join(t.TempDir(), "state")
	one, other := record.Hash{1}, record.Hash{2}
	r := trial.Report{Caught: 9, Missed: make([]trial.Missed, 3), Smallest: 0.031}
	if err := trial.Keep(state, one, "key", &r); err != nil {
		t.Fatal(err)
	}
	r.Caught = 1
	if err := trial.Keep(state, other, "key", &r); err != nil {
		t.Fatal(err)
	}
	g, ok := trial.Known(state, one, "key")
	if want := "good: caught 9 of 12 broken programs; a gain of 3.1 % or more shows"; !ok || g.String() != want {
		t.Errorf("got %q, want %q", g, want)
	}
	if g, ok = trial.Known(state, other, "key"); !ok || !strings.HasPrefix(g.String(), "weak: caught 1 of 4") {
		t.Errorf("got %q", g)
	}
	if _, ok = trial.Known(state, one, "another key"); ok {
		t.Error("a grade of another evaluator is told")
	}
	r.Caught = 0
	if err := trial.Keep(state, one, "key", &r); err != nil {
		t.Fatal(err)
	}
	if g, _ = trial.Known(state, one, "key"); g.Grade != "blind" {
		t.Errorf("the older grade stays: %q", g)
	}
}

func TestGradesThatCannotBeReadAreNamed(t *testing.T) {
	state := t.TempDir()
	if err := os.WriteFile(filepath.Join(state, "grades.json"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := trial.Keep(state, record.Hash{}, "key", &trial.Report{}); err == nil || !strings.Contains(err.Error(), "grades.json") {
		t.Errorf("got %v", err)
	}
	if _, ok := trial.Known(state, record.Hash{}, "key"); ok {
		t.Error("a grade is told")
	}
}

package pane

import (
	"strings"
	"testing"

	"atoll/store/record"
	"atoll/tui/tuitest"
)

func TestABrokenExperimentSaysWhatCanBeDone(t *testing.T) {
	s := tuitest.Snapshot(8)
	s.State, s.Reason, s.Running = record.ExperimentBroken, "the evaluator fails on the root commit (test): the data is gone", nil
	got := newBench(t, s, nil, Jobs, 100, 20).p.(*jobsPane).d.idleWords()
	for _, want := range []string{"broken: the evaluator fails on the root commit", "tries again once that is mended", "run --new` begins anew"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in %q", want, got)
		}
	}
}

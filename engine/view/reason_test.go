package view_test

import (
	"strings"
	"testing"

	"atoll/engine/evidence"
	"atoll/engine/view"
	"atoll/store/record"
)

func TestAStateAndItsReasonAreSaidOnce(t *testing.T) {
	for _, c := range []struct {
		state        record.ExperimentState
		reason, want string
	}{
		{record.ExperimentPaused, "paused by ada", "paused by ada"},
		{record.ExperimentPaused, "the key of chat is refused", "paused: the key of chat is refused"},
		{record.ExperimentDone, "", "done"},
		{record.ExperimentDone, "done what was asked", "done what was asked"},
	} {
		if got := view.StateText(c.state, c.reason); got != c.want {
			t.Errorf("%s for %q is told as %q, want %q", c.state, c.reason, got, c.want)
		}
	}
}

func TestTheReasonTellsWhatIsLeftAsOfNow(t *testing.T) {
	for _, c := range []struct {
		name   string
		state  record.ExperimentState
		reason string
		held   int
		best   record.CandidateID
		word   evidence.Word
		want   string
	}{
		{"nothing is left", record.ExperimentDone, "80 jobs done", 0, 3, "", "80 jobs done"},
		{"the jobs of those that wait are not done", record.ExperimentDone, "80 jobs done", 52, 0, "", "28 jobs done; 52 candidates waiting for review"},
		{"a count that the log kept is told as of now", record.ExperimentDone, "80 jobs done; 49 candidates waiting for review", 1, 0, "", "79 jobs done; 1 candidate waiting for review"},
		{"none waits any more", record.ExperimentDone, "80 jobs done; 49 candidates waiting for review", 0, 0, "", "80 jobs done"},
		{"a gain is not confirmed", record.ExperimentDone, "80 jobs done", 2, 7, evidence.Unconfirmed, "78 jobs done; 2 candidates waiting for review; the gain of c7 is not confirmed"},
		{"the root has no gain", record.ExperimentDone, "80 jobs done", 0, 0, evidence.Unconfirmed, "80 jobs done"},
		{"a run whose time was over", record.ExperimentStopped, view.TimeOver, 2, 7, evidence.Unconfirmed, view.TimeOver + "; the gain of c7 is not confirmed"},
		{"a drained run", record.ExperimentStopped, view.Drained, 2, 7, evidence.Unconfirmed, view.Drained + "; the gain of c7 is not confirmed"},
		{"a pause has its own words", record.ExperimentPaused, "paused by Ada", 2, 7, evidence.Unconfirmed, "paused by Ada"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := view.Snapshot{State: c.state, Reason: c.reason, Jobs: view.Counts{Held: c.held, Scored: 80 - c.held}, Best: view.Standing{ID: c.best, Claim: evidence.Claim{Word: c.word}}}
			s.TellRest()
			if s.Reason != c.want {
				t.Errorf("%q, not %q", s.Reason, c.want)
			}
			if s.TellRest(); s.Reason != c.want {
				t.Errorf("told twice it is %q", s.Reason)
			}
			if got, want := view.WithoutDoubt(s.Reason), strings.TrimSuffix(c.want, "; the gain of c7 is not confirmed"); got != want {
				t.Errorf("without its doubt it is %q, not %q", got, want)
			}
		})
	}
}

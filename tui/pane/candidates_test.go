package pane

import (
	"testing"

	"atoll/store/record"
)

func TestTheListOfCandidatesTellsWhatEachIsAbout(t *testing.T) {
	for _, c := range []struct {
		name string
		of   record.Candidate
		want string
	}{
		{"one that is good, its intent", record.Candidate{Status: record.StatusScored, Intent: "nudge a"}, "nudge a"},
		{"one that waits, its intent before why it waits", record.Candidate{Status: record.StatusHeld, Intent: "nudge a", Reason: "held by review.niche = all"}, "nudge a · held by review.niche = all"},
		{"one that failed, why", record.Candidate{Status: record.StatusFailed, Intent: "nudge a", Class: record.ClassTest, Reason: "a is above 13"}, "test: a is above 13"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := candidateNote(&c.of); got != c.want {
				t.Errorf("it tells %q, not %q", got, c.want)
			}
		})
	}
}

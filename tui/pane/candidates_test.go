package pane

import (
	"slices"
	"testing"

	"atoll/engine/view"
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

func TestWhoIsNamedStandsFirst(t *testing.T) {
	p := newCandidates(&Shared{Snap: &view.Snapshot{}})
	p.text, p.all = "c2", []record.Candidate{{ID: 45, Intent: "cross c2"}, {ID: 28}, {ID: 2, Intent: "nudge"}, {ID: 1}}
	table := p.table()
	if ids, _ := p.arrange(&table); !slices.Equal(ids, []record.CandidateID{2, 45, 28}) {
		t.Errorf("the list is %v", ids)
	}
}

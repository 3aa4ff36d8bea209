package pane

import (
	"testing"

	"atoll/engine/view"
	"atoll/store/record"
	"atoll/tui/tuitest"
)

func TestStaleAnswersAreDropped(t *testing.T) {
	r := newBench(t, tuitest.Snapshot(16), nil, Candidate, 120, 36)
	p := r.panes.Candidate
	p.Set(298)
	r.run(p.Load())
	if p.detail == nil || p.detail.Candidate.ID != 298 {
		t.Fatal("the candidate was not loaded")
	}
	late := view.CandidateDetail{Candidate: tuitest.Candidate(5)}
	p.Take(Loaded{Pane: Candidate, key: "candidate 5", val: late})
	if p.detail.Candidate.ID != 298 {
		t.Errorf("an answer to an old question is shown: %s", p.detail.Candidate.ID)
	}
}

func TestTheWordThatTheStoreLooksFor(t *testing.T) {
	for _, tt := range []struct {
		filter, word string
		search       bool
	}{
		{"", "", false},
		{"  ", "", false},
		{"tune", "tune", false},
		{"tune rewrite x", "rewrite", false},
		{"fail tune", "tune", false}, // part of the name of a state
		{"failed", "", true},
		{"!tune", "", true},
		{"!", "", false},
		{"größe", "", true},
		{"Tune Größe", "tune", false},
	} {
		if word, search := storeWord(tt.filter, record.JobStateNames()); word != tt.word || search != tt.search {
			t.Errorf("%q asks for %q, search %v", tt.filter, word, search)
		}
	}
}

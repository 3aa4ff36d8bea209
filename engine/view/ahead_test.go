package view_test

import (
	"testing"

	"atoll/engine/evidence"
	"atoll/engine/view"
	"atoll/store/record"
)

func TestWhoLooksBetterThanTheRootIsNotSilentlyPassedOver(t *testing.T) {
	cell := func(id record.CandidateID, value float64, claim *evidence.Claim) view.Cell {
		return view.Cell{Elite: id, Objective: value, Samples: 2, Claim: claim}
	}
	held := func(word evidence.Word, gain float64) *evidence.Claim {
		return &evidence.Claim{Word: word, N: 4, Gain: gain}
	}
	verified := &view.Standing{ID: 4, Verified: &view.Branch{Name: "atoll/x-c4", Of: 4, Promotion: record.Promotion{Base: "main", Onto: "1234567890", Gain: "a gain of +82 %"}}}
	for name, c := range map[string]struct {
		steady bool
		best   record.CandidateID
		hope   *view.Rival
		sure   *view.Standing
		cells  []view.Cell
		who    record.CandidateID
		said   string
	}{
		"the root is alone":                 {cells: []view.Cell{cell(0, 1, nil), {Elite: record.NoCandidate}}, who: record.NoCandidate, said: "nothing better was found yet"},
		"all are worse":                     {cells: []view.Cell{cell(3, 1.2, nil)}, who: record.NoCandidate, said: "nothing better was found yet"},
		"two look better":                   {cells: []view.Cell{cell(5, 0.978, nil), cell(10, 0.869, nil)}, who: 10, said: "nothing is sure to be better yet"},
		"held-out samples are worse":        {cells: []view.Cell{cell(10, 0.869, held(evidence.Unconfirmed, -0.1))}, who: record.NoCandidate, said: "nothing better was found yet"},
		"held-out samples are within noise": {cells: []view.Cell{cell(10, 0.869, held(evidence.WithinNoise, 0.1))}, who: record.NoCandidate, said: "nothing better was found yet"},
		"held-out samples are few":          {cells: []view.Cell{cell(10, 0.869, held(evidence.Unconfirmed, 0.1))}, who: 10, said: "nothing is sure to be better yet"},
		"one does by more than noise":       {hope: &view.Rival{ID: 7, Objective: 0.5, Samples: 1, Plain: true}, cells: []view.Cell{cell(10, 0.4, nil)}, who: 7, said: "nothing is sure to be better yet"},
		"one waits to be measured further":  {hope: &view.Rival{ID: 7, Objective: 0.5, Samples: 1}, cells: []view.Cell{cell(10, 0.7, nil)}, who: 7, said: "nothing is sure to be better yet"},
		"one waits, and an elite is better": {hope: &view.Rival{ID: 7, Objective: 0.8, Samples: 1}, cells: []view.Cell{cell(10, 0.7, nil)}, who: 10, said: "nothing is sure to be better yet"},
		"one was verified": {
			sure: verified, hope: &view.Rival{ID: 7, Objective: 0.5, Samples: 1}, who: record.NoCandidate,
			said: "the run's own samples are sure of nothing better, but c4 was verified by promote on main at 1234567: a gain of +82 %; it is on branch atoll/x-c4",
		},
		"nothing varies":                    {steady: true, cells: []view.Cell{cell(10, 0.869, nil)}, who: record.NoCandidate, said: "nothing better was found yet"},
		"one leads without a proof":         {best: 4, hope: &view.Rival{ID: 7, Objective: 0.5, Samples: 3, Leads: true}, who: 7, said: "nothing is sure to be better yet"},
		"another than the root is the best": {best: 4, cells: []view.Cell{cell(10, 0.869, nil)}, who: record.NoCandidate, said: "nothing better was found yet"},
	} {
		s := view.Snapshot{Direction: "minimize", Noisy: !c.steady, Best: view.Standing{ID: c.best}, Hope: c.hope, Sure: c.sure}
		s.Root.Objective, s.Grid.Cells = 1, c.cells
		who, ok := s.Ahead()
		if !ok {
			who.ID = record.NoCandidate
		}
		if who.ID != c.who || s.NothingBetter() != c.said {
			t.Errorf("%s: %v, %q, want %v, %q", name, who.ID, s.NothingBetter(), c.who, c.said)
		}
	}
	r := view.Rival{ID: 10, Objective: 0.86863, Samples: 2}
	if got := r.Text(); got != "c10 looks better, 0.86863 by 2 samples: it may be noise" {
		t.Error(got)
	}
}

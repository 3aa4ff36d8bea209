package cli

import (
	"math"
	"testing"

	"atoll/engine/evidence"
	"atoll/engine/view"
	"atoll/store/record"
)

func value(v float64) *float64 { return &v }

func TestAGainCountsOnlyWhenItIsConfirmed(t *testing.T) {
	root := view.Standing{ID: record.Root, Objective: 100}
	best := func(word evidence.Word, percent float64) view.Snapshot {
		return view.Snapshot{Root: root, Best: view.Standing{ID: 3, Percent: percent, Claim: evidence.Claim{Word: word}}}
	}
	for _, c := range []struct {
		name      string
		snap      view.Snapshot
		gain      *float64
		confirmed bool
		pass      bool // --fail-under 5
	}{
		{"nothing was measured", view.Snapshot{Best: view.Standing{ID: record.NoCandidate}}, nil, false, false},
		{"the root is the best", view.Snapshot{Root: root, Best: root}, value(0), true, false},
		{"nothing varies", best(evidence.Exact, 10), value(10), true, true},
		{"it varies and nothing was held out", best(evidence.Unconfirmed, math.NaN()), nil, false, false},
		{"it varies and no gain was seen", best(evidence.WithinNoise, math.NaN()), nil, false, false},
		{"a gain that is confirmed and small", best(evidence.Confirmed, 4), value(4), true, false},
		{"a gain that is confirmed", best(evidence.Confirmed, 10), value(10), true, true},
		{"the root is 0", best(evidence.Exact, math.NaN()), nil, true, false},
	} {
		gain, confirmed := gainOf(&c.snap)
		if (gain == nil) != (c.gain == nil) || gain != nil && math.Abs(*gain-*c.gain) > 1e-9 || confirmed != c.confirmed {
			t.Errorf("%s: gain %v, confirmed %v", c.name, gain, confirmed)
		}
		f := runFlags{failUnder: value(5)}
		if err := f.enough(&c.snap); (err == nil) != c.pass {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	if err := (&runFlags{}).enough(&view.Snapshot{}); err != nil {
		t.Error(err)
	}
}

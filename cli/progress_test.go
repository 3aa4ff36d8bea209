package cli

import (
	"math"
	"testing"

	"atoll/engine/view"
	"atoll/store/record"
)

func value(v float64) *float64 { return &v }

func TestAGainCountsOnlyWhenItIsConfirmed(t *testing.T) {
	root := view.Standing{ID: record.Root, Objective: 100}
	for _, c := range []struct {
		name      string
		snap      view.Snapshot
		gain      *float64
		confirmed bool
		pass      bool // --fail-under 5
	}{
		{"nothing was measured", view.Snapshot{Best: view.Standing{ID: record.NoCandidate}}, nil, false, false},
		{"the root is the best", view.Snapshot{Root: root, Best: root}, value(0), true, false},
		{"nothing varies", view.Snapshot{Root: root, Best: view.Standing{ID: 3, Objective: 110, Percent: 10}}, value(10), true, true},
		{"it varies and nothing was held out", view.Snapshot{Noisy: true, Root: root, Best: view.Standing{ID: 3, Objective: 110, Percent: 10}}, value(10), false, false},
		{"held-out samples say less", view.Snapshot{Noisy: true, Root: root, Best: view.Standing{ID: 3, Objective: 110, Percent: 10, Claimed: value(104)}}, value(4), true, false},
		{"a smaller value is better", view.Snapshot{Noisy: true, Direction: "minimize", Root: root, Best: view.Standing{ID: 3, Objective: 80, Percent: 20, Claimed: value(90)}}, value(10), true, true},
		{"the root is 0", view.Snapshot{Root: view.Standing{ID: record.Root}, Best: view.Standing{ID: 3, Objective: 1, Percent: math.NaN()}}, nil, true, false},
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

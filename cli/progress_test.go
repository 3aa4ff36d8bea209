package cli

import (
	"math"
	"testing"
	"time"

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

func TestARunLastsAsLongAsItsJobsOrItsTime(t *testing.T) {
	t.Parallel()
	now := time.Unix(1e9, 0)
	for name, c := range map[string]struct {
		jobs, time time.Duration // 0 = unknown
		want       time.Duration
	}{
		"its jobs take longer than its time":   {8 * time.Minute, 3 * time.Minute, 3 * time.Minute},
		"its jobs are done before its time":    {time.Minute, 3 * time.Minute, time.Minute},
		"it has no bound of time":              {8 * time.Minute, 0, 8 * time.Minute},
		"nobody knows how long its jobs take":  {0, 3 * time.Minute, 3 * time.Minute},
		"its time is over and it still closes": {8 * time.Minute, -time.Minute, 0},
	} {
		p := progress{}
		if c.time != 0 {
			p.until = now.Add(c.time)
		}
		if got := p.left(&view.Snapshot{ETA: c.jobs}, now); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

package cli

import (
	"bytes"
	"math"
	"strings"
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
		by        confirmedBy
		pass      bool // --fail-under 5
	}{
		{"nothing was measured", view.Snapshot{Best: view.Standing{ID: record.NoCandidate}}, nil, false, "", false},
		{"the root is the best", view.Snapshot{Root: root, Best: root}, value(0), true, "root", false},
		{"nothing varies", best(evidence.Exact, 10), value(10), true, "repeats", true},
		{"it varies and nothing was held out", best(evidence.Unconfirmed, math.NaN()), nil, false, "", false},
		{"it varies and no gain was seen", best(evidence.WithinNoise, math.NaN()), nil, false, "", false},
		{"a gain that is confirmed and small", best(evidence.Confirmed, 4), value(4), true, "held-out samples", false},
		{"a gain that is confirmed", best(evidence.Confirmed, 10), value(10), true, "held-out samples", true},
		{"the root is 0", best(evidence.Exact, math.NaN()), nil, true, "repeats", false},
	} {
		g := gainOf(&c.snap)
		if (g.Gain == nil) != (c.gain == nil) || g.Gain != nil && math.Abs(*g.Gain-*c.gain) > 1e-9 || g.Confirmed != c.confirmed || g.By != c.by {
			t.Errorf("%s: %+v", c.name, g)
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

func TestARunInWhichNothingBeginsSaysWhy(t *testing.T) {
	now, out := time.Unix(1e9, 0), &bytes.Buffer{}
	a := &App{Out: out, Now: func() time.Time { return now }}
	p := progress{app: a}
	paused := view.Snapshot{State: record.ExperimentPaused, Reason: "paused by ada"}
	runs := view.Snapshot{State: record.ExperimentRunning, Jobs: view.Counts{Queued: 2}}
	busy := view.Snapshot{State: record.ExperimentRunning, Running: []view.Running{{Started: now}}}
	for _, c := range []struct {
		name  string
		after time.Duration
		snap  view.Snapshot
		says  string
	}{
		{"as an earlier run left it", 0, paused, ""},
		{"it begins", time.Second, runs, ""},
		{"nothing begins for a moment", 10 * time.Second, runs, ""},
		{"nothing begins", 5 * time.Second, runs, "in the queue waits 2 jobs, for a review 0 candidates"},
		{"it works", time.Second, busy, ""},
		{"it is paused", time.Second, paused, "paused by ada: nothing begins until"},
		{"it was said just before", 30 * time.Second, paused, ""},
		{"it is paused for long", 31 * time.Second, paused, "paused by ada: nothing begins until"},
		{"it goes on", time.Second, busy, ""},
		{"it is paused again", time.Second, paused, "resume`"},
	} {
		out.Reset()
		now = now.Add(c.after)
		p.see(&c.snap)
		if got := out.String(); (got == "") != (c.says == "") || !strings.Contains(got, c.says) {
			t.Errorf("%s: it says %q", c.name, got)
		}
	}
}

func TestARunSaysWhatItDoesBeforeItsJobsEnd(t *testing.T) {
	now, out := time.Unix(1e9, 0), &bytes.Buffer{}
	a := &App{Out: out, Now: func() time.Time { return now }}
	p := progress{app: a}
	see := func(after time.Duration, s view.Snapshot) string {
		out.Reset()
		now = now.Add(after)
		p.see(&s)
		return out.String()
	}
	none := view.Standing{ID: record.NoCandidate}
	root := view.Standing{ID: record.Root, Samples: 3, Objective: 42}
	measuring := []view.Running{{Job: record.Job{ID: 0}, Stage: "measuring", Started: now}}
	for _, c := range []struct {
		name  string
		after time.Duration
		snap  view.Snapshot
		want  string // "": nothing is printed
	}{
		{"nothing is known yet", 0, view.Snapshot{Loading: true, Root: none, Best: none}, ""},
		{"a phase begins", time.Second, view.Snapshot{Loading: true, Doing: "preparing the sandbox", Root: none, Best: none}, "preparing the sandbox\n"},
		{"it goes on for a while", 14 * time.Second, view.Snapshot{Loading: true, Doing: "preparing the sandbox", Root: none, Best: none}, ""},
		{"too long", time.Second, view.Snapshot{Loading: true, Doing: "preparing the sandbox", Root: none, Best: none}, "still preparing the sandbox, for 15s\n"},
		{"the root is measured", time.Second, view.Snapshot{Root: none, Best: none, Running: measuring}, "measuring the root\n"},
		{"it takes long", 16 * time.Second, view.Snapshot{Root: none, Best: none, Running: measuring}, "0 jobs; #0 is measuring, begun 33s ago\n"},
		{"it is done", time.Second, view.Snapshot{Objective: "time_ms", Root: root, Best: root}, "the root is measured: time_ms 42, by 3 samples\n"},
		{"the guard looks", time.Second, view.Snapshot{Root: root, Best: root, Running: []view.Running{{Job: record.Job{ID: 5}, Stage: "comparing behaviour", Started: now.Add(30 * time.Second)}}}, "#5: comparing behaviour with the root's, for the first time in this run: what all comparisons need, such as the calls of the tests, is made before; one may use up to 5m0s of processor time, which is more by the clock\n"},
		{"it looks for long", 16 * time.Second, view.Snapshot{Root: root, Best: root, Running: []view.Running{{Job: record.Job{ID: 5}, Stage: "comparing behaviour", Line: "comparing kit.f, 12 inputs so far, 9s of up to 5m0s of processor time", Started: now.Add(35 * time.Second)}}}, "0 jobs; #5 is comparing behaviour, begun 16s ago: comparing kit.f, 12 inputs so far, 9s of up to 5m0s of processor time\n"},
		{"and again", time.Second, view.Snapshot{Root: root, Best: root, Running: []view.Running{{Job: record.Job{ID: 6}, Stage: "comparing behaviour", Started: now.Add(30 * time.Second)}}}, ""},
	} {
		got := see(c.after, c.snap)
		if c.want == "" && got != "" || c.want != "" && (!strings.HasSuffix(got, " "+c.want) || strings.Count(got, "\n") != 1) {
			t.Errorf("%s: it prints %q, want %q", c.name, got, c.want)
		}
	}
	see(time.Second, view.Snapshot{Root: root, Best: view.Standing{ID: 7, Samples: 1}})
	if got, want := see(time.Second, view.Snapshot{Root: root, Best: root}), " c7 is the best no more: by all that is known now nothing is better than the root\n"; !strings.HasSuffix(got, want) {
		t.Errorf("when the best is lost it prints %q, want %q", got, want)
	}
	a.flags.json = true
	p = progress{app: a}
	if got := see(0, view.Snapshot{Loading: true, Doing: "preparing the sandbox", Root: none, Best: none}); !strings.Contains(got, `"type":"event"`) || !strings.Contains(got, `"text":"preparing the sandbox"`) {
		t.Errorf("with --json it prints %q", got)
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

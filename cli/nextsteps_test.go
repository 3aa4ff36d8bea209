package cli

import (
	"bytes"
	"math"
	"strings"
	"testing"
	"time"

	"atoll/config"
	"atoll/engine/evidence"
	"atoll/engine/view"
	"atoll/store/record"
)

func TestABestIsNotCalledAGainThatIsNone(t *testing.T) {
	for name, c := range map[string]struct {
		claim                evidence.Claim
		announced, best, why string
	}{
		"nothing was held out": {
			evidence.Claim{Word: evidence.Unconfirmed, Value: 0.8},
			"c7 leads for now: ", "0.8 of the root's ms (unconfirmed: no sample was held out yet)", "the gain of c7 is not confirmed: no sample was held out yet",
		},
		"held-out samples are worse": {
			evidence.Claim{Word: evidence.Unconfirmed, Value: 1.02, N: 4, Gain: -0.02, Interval: evidence.Interval{Low: 0.9, High: 1.14}, Root: 1},
			"c7 leads for now: ", "1.02 [0.9, 1.14] n 4 of the root's ms (unconfirmed, worse than the root so far)", "c7 leads by the samples that chose it; by the 4 samples held out so far it is worse than the root: take it as no gain",
		},
		"held-out samples are better and few": {
			evidence.Claim{Word: evidence.Unconfirmed, Value: 0.97, N: 4, Gain: 0.03, Interval: evidence.Interval{Low: 0.9, High: 1.04}, Root: 1},
			"c7 leads for now: ", "0.97 [0.9, 1.04] n 4 of the root's ms (unconfirmed)", "the gain of c7 is not confirmed: by the 4 samples held out so far it may be none",
		},
		"it is confirmed": {
			evidence.Claim{Word: evidence.Confirmed, Value: 0.9, N: 8, Gain: 0.1, Interval: evidence.Interval{Low: 0.85, High: 0.95}, GainIn: evidence.Interval{Low: 0.05, High: 0.15}, Root: 1},
			"new best c7: ", "0.9 [0.85, 0.95] n 8 of the root's ms (+10.0 % [5.0, 15.0] confirmed)", "",
		},
		"its clock is fooled": {
			evidence.Claim{Word: evidence.Confirmed, Value: -5, N: 8, Gain: 6, Interval: evidence.Interval{Low: -6, High: -4}, GainIn: evidence.Interval{Low: 5, High: 7}, Root: 1},
			"new best c7: ", "-5 [-6, -4] n 8 of the root's ms (+600.0 % [500.0, 700.0] confirmed); less than a thousandth of the root's is beyond belief: look at its diff", "",
		},
	} {
		s := view.Snapshot{Objective: "ms", Direction: "minimize", Paired: true, Noisy: true, Best: view.Standing{ID: 7, Claim: c.claim, Percent: view.ClaimPercent(c.claim)}}
		if got := newBestText(&s); got != c.announced+c.best {
			t.Errorf("%s: it is announced as %q", name, got)
		}
		if got := unsure(&s); got != c.why {
			t.Errorf("%s: %q, want %q", name, got, c.why)
		}
		least := math.Inf(-1)
		err := (&runFlags{failUnder: &least}).enough(&s)
		if (err == nil) != (c.why == "") || err != nil && !strings.HasSuffix(err.Error(), c.why) {
			t.Errorf("%s: --fail-under says %v", name, err)
		}
		s.Best.Verified = &view.Branch{Name: "b", Of: 7, Promotion: record.Promotion{Base: "main", Onto: "0123456789"}}
		if got := unsure(&s); got != "" {
			t.Errorf("%s: verified it is told as %q", name, got)
		}
	}
}

func TestWhoLooksBetterIsNamedWithWhatFindsOut(t *testing.T) {
	s := view.Snapshot{Objective: "ms", Direction: "minimize", Paired: true, Noisy: true}
	if got := (&App{}).hopeful(&s); got != "" {
		t.Errorf("of nobody it says %q", got)
	}
	s.Hope = &view.Rival{ID: 25, Objective: 0.338, Samples: 2, Plain: true}
	const want = "c25 looks better than the best, 0.338 of the root's ms by 2 samples, which is too few to be sure: `atoll run` goes on, `atoll promote c25 --verify` measures it alone"
	if got := (&App{}).hopeful(&s); got != want {
		t.Errorf("it says %q, want %q", got, want)
	}
	s.Hope, s.Root.Objective, s.Grid.Cells = nil, 1, []view.Cell{{Elite: 10, Objective: 0.869, Samples: 1}}
	const noise = "c10 looks better than the root, 0.869 of the root's ms by 1 sample, which may be noise: `atoll run` goes on"
	if got := (&App{}).hopeful(&s); got != noise {
		t.Errorf("it says %q, want %q", got, noise)
	}
	if got := bestLine(&s); got != "the root: nothing is sure to be better yet" {
		t.Errorf("the best is %q", got)
	}
}

func TestWhoLeadsWithoutAProofIsNamedBesideABestWhoseGainIsConfirmed(t *testing.T) {
	s := view.Snapshot{Objective: "ms", Direction: "minimize", Paired: true, Noisy: true, Best: view.Standing{ID: 19, Claim: evidence.Claim{Word: evidence.Confirmed, Value: 0.9}}}
	if got := (&App{}).hopeful(&s); got != "" {
		t.Errorf("of nobody it says %q", got)
	}
	s.Hope = &view.Rival{ID: 29, Objective: 0.89, Samples: 8, Leads: true}
	const want = "c29 looks better than the best, 0.89 of the root's ms by 8 samples, and its gain is not confirmed: `atoll run` goes on, `atoll promote c29 --verify` measures it alone"
	if got := (&App{}).hopeful(&s); got != want {
		t.Errorf("it says %q, want %q", got, want)
	}
}

func TestWhatIsSaidToDoNextIsTrue(t *testing.T) {
	root := view.Standing{ID: record.Root}
	verified := &view.Standing{ID: 4, Verified: &view.Branch{Name: "atoll/x-c4", Promotion: record.Promotion{Base: "main"}}}
	offline := []view.Yield{{Name: "offline"}}
	scoped := func(globs ...string) record.Experiment {
		cfg := config.Defaults()
		cfg.Gate.Scope = globs
		return record.Experiment{Config: config.Encode(cfg)}
	}
	for name, c := range map[string]struct {
		s    view.Snapshot
		want []string
	}{
		"a promotion verified one that does not lead": {
			view.Snapshot{Best: root, Sure: verified, State: record.ExperimentStopped, Grade: "good", Jobs: view.Counts{Scored: 3, Max: 30}}, []string{"show c4", "run"},
		},
		"there is a best":      {view.Snapshot{Best: view.Standing{ID: 7}}, []string{"show best", "diff best", "promote best --verify"}},
		"nothing was measured": {view.Snapshot{Best: view.Standing{ID: record.NoCandidate}}, nil},
		"what was held out speaks against the best": {
			view.Snapshot{Best: view.Standing{ID: 7, Claim: evidence.Claim{Word: evidence.Unconfirmed, N: 4, Gain: -0.1}}, State: record.ExperimentStopped},
			[]string{"show best", "diff best", "run"},
		},
		"the gain of the best is within noise": {
			view.Snapshot{Best: view.Standing{ID: 7, Claim: evidence.Claim{Word: evidence.WithinNoise, N: 4, Gain: 0.1}}, State: record.ExperimentDone, Jobs: view.Counts{Scored: 30, Max: 30}},
			[]string{"show best", "diff best", "run --max-jobs 130"},
		},
		"a promotion found the gain of the best": {
			view.Snapshot{Best: view.Standing{ID: 7, Claim: evidence.Claim{Word: evidence.WithinNoise, N: 4}, Verified: &view.Branch{}}, State: record.ExperimentStopped},
			[]string{"show best", "diff best"},
		},
		"the gain of the best is not confirmed, and jobs are left": {
			view.Snapshot{Best: view.Standing{ID: 7, Claim: evidence.Claim{Word: evidence.Unconfirmed}}, State: record.ExperimentStopped, Jobs: view.Counts{Scored: 10, Max: 30}},
			[]string{"show best", "diff best", "run --for 10m", "promote best --verify"},
		},
		"the gain of the best is not confirmed, and its behaviour was not compared": {
			view.Snapshot{Best: view.Standing{ID: 7, Uncompared: true, Claim: evidence.Claim{Word: evidence.Unconfirmed}}, State: record.ExperimentStopped, Jobs: view.Counts{Scored: 10, Max: 30}},
			[]string{"show best", "diff best", "promote best --verify"},
		},
		"the evaluator fails on the root": {
			view.Snapshot{Best: view.Standing{ID: record.NoCandidate}, State: record.ExperimentBroken}, []string{"run --new"},
		},
		"the root took too long": {
			view.Snapshot{Best: view.Standing{ID: record.NoCandidate}, State: record.ExperimentBroken, Reason: "the root failed beside it: timed out after 15s"}, []string{"run"},
		},
		"an agent is not there": {
			view.Snapshot{Best: root, State: record.ExperimentBroken, Reason: "coder failed: my-coder: not found; install it, then resume"}, []string{"run"},
		},
		"the evaluator fails on the root, later": {
			view.Snapshot{Best: root, State: record.ExperimentBroken, Reason: "the evaluator fails on the root as well: mend it, then run --new"}, []string{"run --new"},
		},
		"its jobs are used up": {
			view.Snapshot{Best: root, State: record.ExperimentDone, Grade: "good", Jobs: view.Counts{Scored: 30, Max: 30}},
			[]string{"run --max-jobs 130"},
		},
		"there is a best, and its jobs are used up": {
			view.Snapshot{Best: view.Standing{ID: 7}, State: record.ExperimentDone, Jobs: view.Counts{Scored: 30, Max: 30}},
			[]string{"show best", "diff best", "promote best --verify", "run --max-jobs 130"},
		},
		"its time is over": {
			view.Snapshot{Best: root, State: record.ExperimentStopped, Grade: "good", Jobs: view.Counts{Scored: 10, Max: 30}},
			[]string{"run"},
		},
		"another budget than that of jobs is used up": {
			view.Snapshot{Best: root, State: record.ExperimentDone, Grade: "good", Jobs: view.Counts{Scored: 10, Max: 30}}, nil,
		},
		"nobody put the evaluator on trial, and one waits": {
			view.Snapshot{Best: root, State: record.ExperimentStopped, Jobs: view.Counts{Scored: 10, Held: 1}},
			[]string{"candidates --status held", "run", "doctor --mutants 20"},
		},
		"no candidate could be measured": {
			view.Snapshot{Best: root, State: record.ExperimentStopped, Grade: "good", Jobs: view.Counts{Failed: 10}},
			[]string{"doctor --deep", "jobs --status failed", "run"},
		},
		"most were rejected": {
			view.Snapshot{Best: root, State: record.ExperimentStopped, Grade: "good", Jobs: view.Counts{Scored: 4, Failed: 4, Rejected: 10}}, []string{"run"},
		},
		"nothing new is made by the agent that is built in": {
			view.Snapshot{Best: root, State: record.ExperimentStopped, Grade: "good", Agents: offline, Jobs: view.Counts{Scored: 4, Duplicate: 6}},
			[]string{"run", "config explain agents"},
		},
		"most repeated what was known, and few files may change": {
			view.Snapshot{Best: root, State: record.ExperimentStopped, Grade: "good", Agents: offline, Jobs: view.Counts{Scored: 4, Duplicate: 6}, Experiment: scoped("lib/a.py")},
			[]string{"run", "config explain gate.scope", "config explain agents"},
		},
		"most repeated what was known, and all sources may change": {
			view.Snapshot{Best: root, State: record.ExperimentStopped, Grade: "good", Jobs: view.Counts{Scored: 4, Duplicate: 6}, Experiment: scoped("lib/*.py")},
			[]string{"run", "config explain agents"},
		},
	} {
		var got []string
		for _, n := range nextSteps(&c.s) {
			got = append(got, n.command)
		}
		if strings.Join(got, "\n") != strings.Join(c.want, "\n") {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	out := &bytes.Buffer{}
	a := &App{Out: out}
	a.printNext([]step{{"run", "the search goes on"}, {"doctor --deep", "why"}})
	if got, want := out.String(), "next  atoll run            # the search goes on\n      atoll doctor --deep  # why\n"; got != want {
		t.Errorf("it prints\n%s, want\n%s", got, want)
	}
}

func TestARaceIsOneForMoreThanTheRoot(t *testing.T) {
	curve := func(best ...float64) *view.Snapshot {
		s := &view.Snapshot{Direction: "minimize"}
		for i, v := range best {
			s.Curves.X, s.Curves.Best = append(s.Curves.X, i+1), append(s.Curves.Best, v)
		}
		return s
	}
	if r := raceOf(curve(1, 1, 0.9, 0.7), curve(1, 0.8)); r == nil || r.Level != 0.8 || r.Measured[0] != 4 || r.Measured[1] != 2 {
		t.Errorf("the race is %+v", r)
	}
	for name, second := range map[string]*view.Snapshot{"never left the root": curve(1, 1, 1), "is worse by held-out samples": curve(1, 1.2)} {
		if r := raceOf(curve(1, 0.7), second); r != nil {
			t.Errorf("one that %s makes the race %+v", name, r)
		}
	}
	if r := raceOf(curve(1, 0.7), curve()); r != nil {
		t.Errorf("one without a curve makes the race %+v", r)
	}
}

func TestTheLogAndTheProgressAnnounceABestOnce(t *testing.T) {
	out := &bytes.Buffer{}
	a := &App{Out: out}
	l := view.LogLine{At: time.Unix(1e9, 0), Level: "info", Job: 7, Text: "new best: c7 takes (1,2) from c3 with 0.8"}
	if a.printLine(l); !strings.HasSuffix(out.String(), " c7 takes (1,2) from c3 with 0.8\n") || strings.Contains(out.String(), "best") {
		t.Errorf("a line of the log is told as %q", out)
	}
	a.flags.json = true
	if a.printLine(l); !strings.Contains(out.String(), `"new best: c7 takes`) {
		t.Errorf("as data it is %q", out)
	}
}

func TestThePastTellsWhatItsBestWasWorth(t *testing.T) {
	root, best := 1.0, 2.5
	for word, want := range map[string]string{
		"":            "past  objective version 1 (score): root 1, best c3 2.5, 9 measured, 2 niches",
		"exact":       "past  objective version 1 (score): root 1, best c3 2.5, 9 measured, 2 niches",
		"unconfirmed": "past  objective version 1 (score): root 1, best c3 2.5 (unconfirmed), 9 measured, 2 niches",
	} {
		got := pastText(record.PastObjective{Version: 1, Metric: "score", Root: &root, Best: 3, Value: &best, Evidence: word, Scored: 9, Filled: 2})
		if got != want {
			t.Errorf("%q: %q, want %q", word, got, want)
		}
	}
}

package tui

import (
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"atoll/engine/evidence"
	"atoll/engine/view"
	"atoll/store/record"
	"atoll/tui/pane"
	"atoll/tui/plot"
	"atoll/tui/tuitest"
)

// finished is an experiment that is done and whose best is confirmed.
func finished() *view.Snapshot {
	s := tuitest.Snapshot(16)
	s.State, s.Reason, s.Running, s.Jobs.Running = record.ExperimentDone, "500 jobs done", nil, 0
	s.Best.Claim = evidence.Claim{Value: 2.4098, Interval: evidence.Interval{Low: 2.408, High: 2.4116}, N: 12, Level: 0.95, Root: 2.1602, RootN: 12, Gain: 0.2496, GainIn: evidence.Interval{Low: 0.24, High: 0.26}, Word: evidence.Confirmed}
	return s
}

func TestAFinishedSearchIsSummedUp(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {120, 36}, {300, 80}} {
		r := newRig(t, finished(), size[0], size[1])
		if frame := ansi.Strip(r.app.frame()); !strings.Contains(frame, "F sums it up") && size[0] > 80 {
			t.Errorf("the dashboard does not say where the summary is:\n%s", frame)
		}
		r.keys("F")
		frame := ansi.Strip(r.app.frame())
		for _, want := range []string{"500 jobs done", "c298", "confirmed on root", "[2.408, 2.412] of 12 held-out samples", "not verified on main", "write it to a branch"} {
			if !strings.Contains(frame, want) {
				t.Errorf("at %dx%d the summary lacks %q:\n%s", size[0], size[1], want, frame)
			}
		}
		exact(t, "summary", r.app.frame(), size[0], size[1])
	}
}

func TestTheSummaryCountsWhatWasRejectedByWhom(t *testing.T) {
	s := finished()
	s.Jobs.Rejected, s.Rejections = 1, view.Rejections{People: 2, Guard: 1}
	r := newRig(t, s, 120, 36)
	r.keys("F")
	if frame := ansi.Strip(r.app.frame()); !strings.Contains(frame, "rejected 4") || !strings.Contains(frame, "rejected by: gate 1, people 2, guard 1") {
		t.Errorf("the gate rejected one, people two and the guard one:\n%s", frame)
	}
}

func TestTheSummaryNamesWhoLeadsWithoutAProof(t *testing.T) {
	s := finished()
	for _, tt := range []struct {
		name string
		hope *view.Rival
		want bool
	}{{"somebody does", &view.Rival{ID: 7, Objective: 2.5, Samples: 4, Leads: true}, true}, {"nobody does", nil, false}} {
		s.Hope = tt.hope
		r := newRig(t, s, 120, 36)
		r.keys("F")
		if frame := ansi.Strip(r.app.frame()); strings.Contains(frame, "c7 looks better, 2.5 by 4 samples: its gain is not") != tt.want {
			t.Errorf("%s:\n%s", tt.name, frame)
		}
	}
}

func TestTheSummaryOfARootBesideItselfTellsItsTime(t *testing.T) {
	s := finished()
	own := 17.25
	s.Paired, s.Objective, s.Root.Own = true, "time_ms", &own
	s.Best = s.Root
	r := newRig(t, s, 120, 36)
	r.keys("F")
	if frame := ansi.Strip(r.app.frame()); !strings.Contains(frame, "its value is 1 by definition, its own time_ms 17.25") {
		t.Error(frame)
	}
}

func TestTheSummaryDoubtsATimeOfWhichNearlyNothingIsLeft(t *testing.T) {
	s := finished()
	s.Direction, s.Objective = "minimize", "time_ms"
	for _, c := range []struct {
		value   float64
		doubted bool
	}{{0.0021, true}, {0.0023, false}} {
		s.Best.Claim.Value = c.value
		r := newRig(t, s, 120, 36)
		r.keys("F")
		if frame := ansi.Strip(r.app.frame()); strings.Contains(frame, "beyond belief") != c.doubted {
			t.Errorf("%g of %g is left:\n%s", c.value, s.Best.Claim.Root, frame)
		}
	}
}

func TestTheSummaryOffersWhatLeadsOn(t *testing.T) {
	s := finished()
	r := newRig(t, s, 120, 36, func(o *Options) {
		o.Verb = func(args ...string) []string { return append([]string{"true"}, args...) }
	})
	r.keys("F")
	lines := strings.Split(ansi.Strip(r.app.frame()), "\n")
	if bar := lines[len(lines)-1]; !strings.HasPrefix(bar, " w write a branch  d diff alone  + more jobs") {
		t.Errorf("the bar begins with %q", bar)
	}
	s = finished()
	s.Best.ID = record.Root
	r = newRig(t, s, 120, 36)
	r.keys("F")
	if frame := ansi.Strip(r.app.frame()); strings.Contains(frame, "write it to a branch") || !strings.Contains(frame, "start another one") {
		t.Errorf("without a gain it offers to ship the root:\n%s", frame)
	}
}

func TestCommandsAreToldAsTheyCanBeTypedHere(t *testing.T) {
	s := finished()
	s.State, s.Reason = record.ExperimentStopped, "drained; `atoll run` goes on"
	r := newRig(t, s, 160, 40, func(o *Options) {
		o.Verb = func(args ...string) []string { return append([]string{"true"}, args...) }
		o.Typed = func(text string) string { return strings.ReplaceAll(text, "`atoll ", "`atoll -C there ") }
	})
	if frame := ansi.Strip(r.app.frame()); !strings.Contains(frame, "`atoll -C there run` goes on") {
		t.Errorf("the state line is of another folder:\n%s", frame)
	}
	r.keys("F", "N")
	if frame := ansi.Strip(r.app.frame()); !strings.Contains(frame, "copied `atoll -C there run --new`") {
		t.Errorf("the command to start anew is of another folder:\n%s", frame)
	}
}

func TestAPromotionSaysWhetherItIsVerified(t *testing.T) {
	r := newRig(t, tuitest.Snapshot(16), 120, 36, func(o *Options) {
		o.Verb = func(args ...string) []string { return append([]string{"true"}, args...) }
	})
	r.keys("w")
	frame := ansi.Strip(r.app.frame())
	if !strings.Contains(frame, "verify, then write atoll/circle-packing-c298") || !strings.Contains(frame, "unverified") {
		t.Errorf("the promotion offers no verification:\n%s", frame)
	}
	r.keys("down", "enter")
	if frame := ansi.Strip(r.app.frame()); !strings.Contains(frame, "unverified") {
		t.Errorf("the branch is not called unverified:\n%s", frame)
	}
}

func TestASearchWhoseElitesLookBetterThanItsRootSaysSo(t *testing.T) {
	s := tuitest.Noisy(16)
	s.Best, s.Hope, s.State, s.Reason = s.Root, nil, record.ExperimentStopped, view.TimeOver
	who, ok := s.Ahead()
	if !ok {
		t.Fatal("nobody looks better")
	}
	r := newRig(t, s, 120, 36)
	r.keys("F")
	r.tells([]string{"stopped: the time was over", "nothing is sure to be better than the root yet", who.ID.String() + " looks better"}, "nothing better than the root")
}

func TestTheSummaryNamesWhomAPromotionVerifiedBesideARootThatLeads(t *testing.T) {
	s := tuitest.Noisy(16)
	s.Best, s.Hope, s.State, s.Reason = s.Root, nil, record.ExperimentStopped, view.TimeOver
	s.Sure = &view.Standing{ID: 4, Verified: &view.Branch{Name: "atoll/x-c4", Of: 4, Promotion: record.Promotion{Base: "main", Onto: "1234567890", Gain: "a gain of +82 %"}}}
	r := newRig(t, s, 120, 36)
	r.keys("F")
	r.tells([]string{"c4 is better than the root, verified by promote", "on main at 1234567: a gain of", "+82 %; it is on branch atoll/x-c4"}, "nothing better than the root")
}

func TestTheTimeOfARunIsToldWhereItIsOverBeforeTheJobsAre(t *testing.T) {
	for _, c := range []struct {
		name string
		ends time.Duration
		want string
		not  string
	}{
		{"its time is over first", 89 * time.Second, "1m29s left", "ETA"},
		{"its jobs are done first", time.Hour, "ETA 13m", " left "},
		{"its time was over", -time.Second, "12.4/min", "ETA"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := tuitest.Snapshot(16)
			s.Ends = tuitest.Now().Add(c.ends)
			newRig(t, s, 160, 40).tells([]string{c.want}, c.not)
		})
	}
}

func TestRateAndTimeLeftGoBlankWhenTheyAreStale(t *testing.T) {
	s := tuitest.Snapshot(16)
	r := newRig(t, s, 160, 40)
	if frame := ansi.Strip(r.app.frame()); !strings.Contains(frame, "12.4/min") || !strings.Contains(frame, "ETA") {
		t.Fatalf("a search that runs does not tell its rate:\n%s", frame)
	}
	r.app.d.Clock = func() time.Time { return tuitest.Now().Add(10 * time.Minute) }
	r.app.d.Gen++
	if frame := ansi.Strip(r.app.frame()); strings.Contains(frame, "12.4/min") || strings.Contains(frame, "ETA") {
		t.Errorf("ten minutes without a result it still tells its rate:\n%s", frame)
	}
}

func TestEveryDecisionIsInTheLogOnce(t *testing.T) {
	r := newRig(t, tuitest.Snapshot(16), 160, 40)
	r.keys("f")
	if n := strings.Count(ansi.Strip(r.app.frame()), "frozen c298"); n != 1 {
		t.Errorf("the decision shows %d times: the log of the experiment tells it, and one message", n)
	}
	r.keys("5", "z")
	if frame := ansi.Strip(r.app.frame()); strings.Count(frame, "frozen c298") > 1 {
		t.Errorf("the console's log tells what the experiment's tells:\n%s", frame)
	}
}

func TestLayerAndLevelBelongToAnExperiment(t *testing.T) {
	one := newRig(t, tuitest.Snapshot(16), 120, 36)
	one.keys("v", "5", "L", "L")
	kept := one.app.state()
	for _, c := range []struct {
		name  string
		other bool
	}{{"the same experiment", false}, {"another one", true}} {
		s := tuitest.Snapshot(16)
		if c.other {
			s.Experiment.ID, s.Experiment.Name = 2, "bin-packing"
		}
		r := newRig(t, s, 120, 36)
		r.app.remembered(kept, true)
		frame := ansi.Strip(r.app.frame())
		if got := r.app.at.focus == pane.Log; got == c.other {
			t.Errorf("%s: the focus is remembered: %v", c.name, got)
		}
		if got := strings.Contains(frame, "Niches age") && strings.Contains(frame, "from error"); got == c.other {
			t.Errorf("%s: layer and level are remembered: %v\n%s", c.name, got, frame)
		}
	}
}

func TestLocalesWithoutUTF8GetPlainCharacters(t *testing.T) {
	for _, c := range []struct {
		env  []string
		want plot.Glyphs
	}{
		{[]string{"TERM=xterm"}, plot.Braille},
		{[]string{"TERM=xterm", "LANG=en_US.UTF-8"}, plot.Braille},
		{[]string{"TERM=xterm", "LANG=de_DE.utf8"}, plot.Braille},
		{[]string{"TERM=xterm", "LANG=en_US.UTF-8", "LC_ALL=C"}, plot.ASCII},
		{[]string{"TERM=xterm", "LC_CTYPE=POSIX"}, plot.ASCII},
		{[]string{"TERM=xterm", "LANG=de_DE.ISO-8859-1"}, plot.ASCII},
		{[]string{"TERM=linux", "LANG=C.UTF-8"}, plot.Blocks},
	} {
		if got := glyphsOf(&Options{Env: c.env}); got != c.want {
			t.Errorf("%v: characters %d, want %d", c.env, got, c.want)
		}
	}
}

func TestAConsoleThatLooksOnTellsThatNobodyRunsIt(t *testing.T) {
	s := tuitest.Snapshot(16)
	s.Owner, s.OwnerPID, s.Running, s.Jobs.Running = false, 0, nil, 0
	r := newRig(t, s, 160, 40)
	if frame := ansi.Strip(r.app.frame()); !strings.Contains(frame, "no engine") || strings.Contains(frame, "● running") {
		t.Errorf("it seems to run:\n%s", frame)
	}
	s = tuitest.Snapshot(16)
	s.Owner, s.OwnerPID = false, 4711
	r = newRig(t, s, 160, 40)
	if frame := ansi.Strip(r.app.frame()); !strings.Contains(frame, "● running") || !strings.Contains(frame, "#342") {
		t.Errorf("what another process runs is not shown:\n%s", frame)
	}
}

func TestKeysOfOneSayOneWhileSeveralAreMarked(t *testing.T) {
	r := newRig(t, tuitest.Snapshot(16), 120, 36)
	r.keys("space", "left", "space")
	marked := len(r.app.d.Marks)
	for _, b := range r.app.keys.Active(r.app.panes.ByID[pane.Niches].Scopes()) {
		if b.Decides && !b.Many && !b.One {
			t.Errorf("with %d marked %s does not say on how many it acts", marked, b.ID)
		}
	}
	if now := r.app.keys.Get("promote").Now(marked); !strings.HasSuffix(now, " 1") {
		t.Errorf("promote says %q", now)
	}
}

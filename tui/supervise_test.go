package tui

import (
	"context"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"atoll/engine/evidence"
	"atoll/engine/view"
	"atoll/store/record"
	"atoll/tui/pane"
	"atoll/tui/tuitest"
)

// bar is the last line of the screen.
func (r *rig) bar() string {
	lines := strings.Split(ansi.Strip(r.app.frame()), "\n")
	return lines[len(lines)-1]
}

func TestKeysSayOnHowManyTheyAct(t *testing.T) {
	r := newRig(t, tuitest.Snapshot(16), 200, 60)
	r.keys("r", "space", "space")
	if bar := r.bar(); !strings.Contains(bar, "a approve 2") || !strings.Contains(bar, "x reject 2") {
		t.Errorf("with two marked the keys say %s", bar)
	}
	r.keys("esc", "2")
	if bar := r.bar(); !strings.Contains(bar, "X cancel 2") {
		t.Errorf("of jobs with two marked the keys say %s", bar)
	}
	r.keys("X")
	r.tells([]string{"Cancel #281, #288", "cancel them"}, "")
	r.keys("esc", "r", "U")
	if bar := r.bar(); !strings.Contains(bar, "a approve  ") {
		t.Errorf("with nothing marked the keys say %s", bar)
	}
}

func TestAStateIsSaidOnce(t *testing.T) {
	s := tuitest.Snapshot(16)
	for i, why := range []string{"cancelled", "cancelled by ada"} {
		j := &s.Recent[i].Job
		j.State, j.Reason, s.Recent[i].Objective = record.Cancelled, why, nil
	}
	for _, keys := range [][]string{{"2"}, {"2", "z"}} {
		r := newRig(t, s, 120, 36)
		r.keys(keys...)
		frame := ansi.Strip(r.app.frame())
		if n := strings.Count(frame, "cancelled"); n != 2 || !strings.Contains(frame, "by ada") {
			t.Errorf("after %v two cancelled jobs are called so %d times:\n%s", keys, n, frame)
		}
	}
}

func TestWhyNothingRunsIsSaidWithOneColon(t *testing.T) {
	for reason, want := range map[string]string{"drained": " stopped: drained ", "stopped by ada": " nothing runs: stopped by ada "} {
		s := tuitest.Snapshot(16)
		s.State, s.Reason, s.Running, s.Jobs.Running = record.ExperimentStopped, reason, nil, 0
		frame := ansi.Strip(newRig(t, s, 120, 36).app.frame())
		if !strings.Contains(frame, want) || strings.Contains(frame, "runs: stopped:") {
			t.Errorf("not %q:\n%s", want, frame)
		}
	}
}

func TestAMeanThatLeftTheChartHasNoNameInIt(t *testing.T) {
	s := tuitest.Snapshot(16)
	n := len(s.Curves.Mean)
	for i := n / 2; i < n; i++ {
		s.Curves.Mean[i] = -40
	}
	r := newRig(t, s, 200, 60)
	r.keys("3", "z")
	r.tells([]string{"-40.0000, off the chart"}, " mean│")
	s.Curves.Mean[n-1] = s.Curves.Best[n-1] - 0.02
	r = newRig(t, s, 200, 60)
	r.keys("3", "z")
	r.tells([]string{" mean│"}, "off the chart")
}

func TestAPausedExperimentIsResumed(t *testing.T) {
	s := tuitest.Snapshot(8)
	s.State = record.ExperimentPaused
	r := newRig(t, s, 200, 60)
	if bar := r.bar(); !strings.Contains(bar, "P resume") {
		t.Errorf("while it is paused the keys say %s", bar)
	}
}

func TestTheWordsOfPausingAreTrueNow(t *testing.T) {
	s := tuitest.Snapshot(8)
	s.State = record.ExperimentPaused
	r := newRig(t, s, 120, 36)
	r.keys(":", "p", "a", "u", "s", "e")
	frame := ansi.Strip(r.app.frame())
	if !strings.Contains(frame, "resume the experiment") || strings.Contains(frame, "pause the experiment") {
		t.Errorf("of a paused experiment the commands say:\n%s", frame)
	}
	if strings.Index(frame, "resume the experiment") > strings.Index(frame, "pause the view") {
		t.Errorf("the command whose name was typed does not come first:\n%s", frame)
	}
	r.keys("esc", "p", ":", "p", "a", "u", "s", "e")
	if frame := ansi.Strip(r.app.frame()); !strings.Contains(frame, "let the view go on") {
		t.Errorf("of a view that is held the commands say:\n%s", frame)
	}
}

func TestWhyThereIsNoMapIsToldWhole(t *testing.T) {
	s := tuitest.Snapshot(16)
	s.Grid.Cells, s.Grid.Filled, s.Grid.NeedFit, s.Grid.Unplaced = nil, 0, 32, 12
	r := newRig(t, s, 80, 24)
	if frame := ansi.Strip(r.app.frame()); !strings.Contains(frame, "12 so far") {
		t.Errorf("how far it is to a map is cut:\n%s", frame)
	}
}

func TestTheFirstCommandWorks(t *testing.T) {
	for _, screen := range []string{"1", "2", "r"} {
		s := tuitest.Snapshot(8)
		if screen == "r" {
			s.Review, s.Jobs.Held = nil, 0
		}
		r := newRig(t, s, 120, 36)
		r.run(r.app.open(map[string]pane.ID{"1": pane.Niches, "2": pane.Jobs, "r": pane.Review}[screen]))
		off := false
		for _, b := range r.app.keys.Active(append(r.app.Current().Scopes(), "everywhere")) {
			off = off || r.app.off(b) != ""
		}
		if !off {
			t.Errorf("on %s everything works: the case shows nothing", screen)
		}
		r.keys(":", "enter")
		for _, said := range r.app.toasts.shown {
			if said.bad {
				t.Errorf("on %s the first command says %s", screen, said.text)
			}
		}
	}
}

func TestAnEmptyReviewHasNothingToSkip(t *testing.T) {
	s := tuitest.Snapshot(8)
	s.Review, s.Jobs.Held = nil, 0
	r := newRig(t, s, 120, 36)
	r.run(r.app.open(pane.Review))
	for _, id := range []string{"skip", "split", "next-file"} {
		if why := r.app.off(r.app.keys.Get(id)); why == "" {
			t.Errorf("%s seems to work", id)
		}
	}
}

func TestRejectedByTheGateIsCounted(t *testing.T) {
	s := tuitest.Snapshot(8)
	s.Jobs.Rejected = 17
	r := newRig(t, s, 200, 60)
	if frame := ansi.Strip(r.app.frame()); !strings.Contains(frame, "rejected 17") {
		t.Errorf("the header does not count them:\n%s", frame)
	}
}

func TestTheHeaderKeepsWhatFits(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {120, 36}, {200, 60}} {
		s := tuitest.Snapshot(8)
		s.Jobs.Rejected, s.Noisy, s.Best.Claimed = 5, false, nil
		s.Guarantees = []string{"one", "two"}
		r := newRig(t, s, size[0], size[1])
		line := strings.Split(ansi.Strip(r.app.frame()), "\n")[1]
		for _, want := range []string{"rejected 5", "niches ", "2 "} {
			if !strings.Contains(line, want) {
				t.Errorf("at %dx%d %q is dropped: %q", size[0], size[1], want, line)
			}
		}
	}
}

func TestAGainIsReadTheSameEverywhere(t *testing.T) {
	s := tuitest.Snapshot(16)
	s.Direction = "minimize"
	r := newRig(t, s, 80, 24)
	if frame := ansi.Strip(r.app.frame()); !strings.Contains(frame, "sum_radii ↓") {
		t.Errorf("the legend has no direction:\n%s", frame)
	}
	r = newRig(t, s, 120, 36)
	r.keys("F")
	frame := ansi.Strip(r.app.frame())
	if !strings.Contains(frame, "↓ lower is better; what is gained is +") || !strings.Contains(frame, "time_ms ↓") {
		t.Errorf("the metrics do not say which way is better:\n%s", frame)
	}
}

func TestWhatWasUndoneIsMarked(t *testing.T) {
	r := newRig(t, tuitest.Snapshot(16), 120, 36)
	r.keys("9")
	frame := ansi.Strip(r.app.frame())
	for _, line := range strings.Split(frame, "\n") {
		if strings.Contains(line, " reject ") && !strings.Contains(line, "undone · games the metric") {
			t.Errorf("the rejection that was taken back reads %s", line)
		}
		if strings.Contains(line, " c190 ") && strings.Contains(line, " restore ") {
			t.Errorf("what took it back reads %s", line)
		}
		if strings.Contains(line, " boost ") && strings.Contains(line, "undone") {
			t.Errorf("the boost that stands reads %s", line)
		}
	}
	if !regexp.MustCompile(`ada +undo +c190`).MatchString(frame) {
		t.Errorf("no decision is an undo:\n%s", frame)
	}
}

func TestAJobTellsWhyItWasDrawn(t *testing.T) {
	r := newRig(t, tuitest.Snapshot(16), 120, 36)
	r.keys("i") // from the dashboard: the best candidate's job
	frame := ansi.Strip(r.app.frame())
	for _, want := range []string{"why", "c255 is 1 of 82 elites", "rewrite with a chance of 10 %", "2 requests, 18.4k tokens in,"} {
		if !strings.Contains(frame, want) {
			t.Errorf("the job's screen lacks %q:\n%s", want, frame)
		}
	}
	if strings.Contains(frame, " own ") {
		t.Errorf("the time of atoll itself is called own:\n%s", frame)
	}
}

func TestAMinimisedObjectiveSaysSo(t *testing.T) {
	s := tuitest.Snapshot(16)
	s.Direction = "minimize"
	for _, size := range [][2]int{{60, 16}, {80, 24}, {84, 24}, {100, 30}, {120, 36}, {200, 60}} {
		r := newRig(t, s, size[0], size[1])
		r.keys("3")
		if frame := ansi.Strip(r.app.frame()); !strings.Contains(frame, "lower is better") && !strings.Contains(frame, "minimize") {
			t.Errorf("at %dx%d nothing says that lower is better:\n%s", size[0], size[1], frame)
		}
	}
}

func TestBeforeThereIsAMapThereIsNoMeanOfIt(t *testing.T) {
	s := tuitest.Snapshot(16)
	s.Grid.Cells, s.Grid.Filled, s.Grid.NeedFit, s.Grid.QD, s.Grid.Mean = nil, 0, 32, 0, 0
	r := newRig(t, s, 120, 36)
	if frame := ansi.Strip(r.app.frame()); strings.Contains(frame, "mean") || strings.Contains(frame, "QD") {
		t.Errorf("mean or QD are told of niches that are not there:\n%s", frame)
	}
}

func TestASmallScreenKeepsApproveAndReject(t *testing.T) {
	r := newRig(t, tuitest.Snapshot(16), 60, 16)
	r.keys("r")
	if bar := r.bar(); !strings.Contains(bar, "a approve") || !strings.Contains(bar, "x reject") {
		t.Errorf("at 60x16 the keys are %s", bar)
	}
}

// TestTasksTakeFewKeys counts the key presses of what supervising is made of,
// from the dashboard.
func TestYieldsAreSortedWithinTheirGroups(t *testing.T) {
	r := newRig(t, tuitest.Snapshot(16), 120, 36)
	r.keys("7")
	p, ok := r.app.Current().(pane.Sorter)
	if !ok || len(p.Heads()) == 0 {
		t.Fatal("yields cannot be sorted")
	}
	p.Order().Toggle("yield") // the largest first
	r.app.d.Gen++
	frame := ansi.Strip(r.app.frame())
	at := 0
	for _, name := range []string{"tune ", "mutate ", "crossover ", "rewrite ", "offline ", "chat "} {
		i := strings.Index(frame[at:], "│ "+name)
		if i < 0 {
			t.Fatalf("%s is not after those with a larger yield:\n%s", name, frame)
		}
		at += i
	}
}

func TestTasksTakeFewKeys(t *testing.T) {
	verb := func(o *Options) {
		o.Verb = func(args ...string) []string { return append([]string{"true"}, args...) }
	}
	for _, c := range []struct {
		task  string
		open  []string // actions that are not counted
		does  []string // actions, in the key table
		most  int
		shown string // on the screen then
		did   record.Verb
	}{
		{"approve the best that waits", []string{"review-queue"}, []string{"approve"}, 1, "", record.Approve},
		{"see the exact change", nil, []string{"diff"}, 1, "-    rate = 0.05", ""},
		{"compare with the parent", nil, []string{"compare"}, 2, "╭ Compare", ""},
		{"freeze", nil, []string{"freeze"}, 1, "", record.Freeze},
		{"promote, verified", nil, []string{"promote"}, 1, "verify, then write", ""}, // and enter, which runs a program
		{"why this parent", nil, []string{"job-of"}, 2, "is 1 of 82 elites", ""},
	} {
		t.Run(c.task, func(t *testing.T) {
			r := newRig(t, tuitest.Snapshot(16), 120, 36, verb)
			pressed := 0
			for _, id := range slices.Concat(c.open, c.does) {
				b := r.app.keys.Get(id)
				if b == nil || len(b.Keys) == 0 {
					t.Fatalf("no key does %s", id)
				}
				r.keys(b.Keys[0])
				pressed++
			}
			if pressed -= len(c.open); pressed > c.most {
				t.Errorf("takes %d keys, not %d", pressed, c.most)
			}
			if frame := ansi.Strip(r.app.frame()); !strings.Contains(frame, c.shown) {
				t.Errorf("the screen lacks %q:\n%s", c.shown, frame)
			}
			if ds := r.ctl.Decisions(); c.did != "" && (len(ds) != 1 || ds[0].Verb != c.did) {
				t.Errorf("decided %+v", ds)
			}
		})
	}
}

// thrice is a reader whose job was measured three times.
type thrice struct{ *tuitest.Reader }

func (r thrice) Job(ctx context.Context, id record.JobID) (view.JobDetail, error) {
	d, err := r.Reader.Job(ctx, id)
	d.Evidence = nil
	for i := range 3 {
		d.Evidence = append(d.Evidence, record.Evidence{Job: id, Attempt: 1, Kind: "evaluation", Text: fmt.Appendf(nil, "run %d of the evaluator\n", i+1)})
	}
	return d, err
}

func TestTheTextsOfARepeatedEvaluationAreNumbered(t *testing.T) {
	for _, size := range [][2]int{{120, 36}, {80, 24}} {
		s := tuitest.Snapshot(16)
		r := newRig(t, s, size[0], size[1], func(o *Options) { o.Reader = thrice{&tuitest.Reader{Snap: s}} })
		r.keys("2", "enter")
		r.tells([]string{"evaluation 1/3", "evaluation 2/3", "evaluation 3/3"}, "")
		r.keys("]")
		r.tells([]string{"run 2 of the evaluator"}, "run 1 of")
	}
}

func TestTheSummaryTellsAWholeReason(t *testing.T) {
	s := finished()
	s.Reason = "500 jobs done; 52 candidates waiting for review; the gain of c298 is not confirmed"
	for _, size := range [][2]int{{120, 36}, {80, 24}} {
		r := newRig(t, s, size[0], size[1])
		r.keys("F")
		r.tells([]string{"500 jobs done; 52 candidates waiting for review", "the gain of c298 is", "not confirmed"}, "")
	}
}

func TestAGainInTheReviewHasDecimalsAndNoPowersOfTen(t *testing.T) {
	for _, size := range [][2]int{{120, 36}, {80, 24}} {
		s := tuitest.Snapshot(16)
		h := &s.Review[0]
		best := s.Best.Objective + 14.316
		h.Candidate.Objective, h.Cell = &best, s.Best.Cell
		r := newRig(t, s, size[0], size[1])
		r.keys("r")
		r.tells([]string{"+14.3"}, "e1")
	}
}

func TestTheRootHasNoParentToDifferFrom(t *testing.T) {
	for _, size := range [][2]int{{120, 36}, {80, 24}} {
		r := newRig(t, tuitest.Snapshot(16), size[0], size[1])
		r.run(r.app.openCandidate(record.Root))
		r.tells([]string{"╭ root "}, "difference to parent")
	}
}

func TestTheHeaderSaysThatABestIsWorseThanTheRootSoFar(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {120, 40}, {200, 50}} {
		s := tuitest.Noisy(8)
		s.Best.Claim = evidence.Claim{Word: evidence.Unconfirmed, Value: 2.4, N: 4, Gain: -0.1, Root: 2.5, RootN: 16, Interval: evidence.Interval{Low: 2.2, High: 2.6}}
		s.Best.Percent = math.NaN()
		r := newRig(t, s, size[0], size[1])
		line := strings.Split(ansi.Strip(r.app.frame()), "\n")[1]
		want := "unconfirmed, worse than the root so far"
		if size[0] < 100 {
			want = "unconfirmed, worse so far"
		}
		if !strings.Contains(line, want) || !strings.Contains(line, "niches ") {
			t.Errorf("at %dx%d the header is %q", size[0], size[1], line)
		}
		s.Best.Claim.Gain = 0.1
		r = newRig(t, s, size[0], size[1])
		if line := strings.Split(ansi.Strip(r.app.frame()), "\n")[1]; !strings.Contains(line, "unconfirmed") || strings.Contains(line, "worse") {
			t.Errorf("at %dx%d one that looks well is told as %q", size[0], size[1], line)
		}
	}
}

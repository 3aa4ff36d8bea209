package fold

import (
	"encoding/json"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"atoll/config"
	"atoll/config/suitetest"
	"atoll/store/record"
)

// story is a state that rows are told to one after another, as the log would.
type story struct {
	t     testing.TB
	st    *State
	seq   record.Seq
	order []record.JobID    // jobs as they were folded
	rows  *[]record.FoldRow // as they were told, where they are wanted
}

// begin returns the state of an experiment with one axis of ten niches from 0 to 1.
func begin(t testing.TB, change ...func(*record.Experiment, *config.Config)) *story {
	t.Helper()
	cfg := config.Defaults()
	cfg.Map.Axes = []config.Axis{{Metric: "x", Min: 0, Max: 1, Bins: 10}}
	cfg.Evaluator.Direction = "maximize"
	exp := record.Experiment{ID: 1, Name: "story", Objective: 1, State: record.ExperimentRunning}
	for _, fn := range change {
		fn(&exp, &cfg)
	}
	exp.Config = config.Encode(cfg)
	st, err := newState(exp, record.Settings{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	return &story{t: t, st: st}
}

func strict(exp *record.Experiment, _ *config.Config) { exp.Strict, exp.Lookahead = true, 8 }

func (s *story) row(r record.FoldRow) {
	s.t.Helper()
	s.seq++
	r.Seq, r.Experiment, r.At = s.seq, 1, record.Millis(s.seq)
	if s.rows != nil {
		*s.rows = append(*s.rows, r)
	}
	if err := s.st.fold(r, func(id record.JobID) error { s.order = append(s.order, id); return nil }); err != nil {
		s.t.Fatalf("row %d: %v", s.seq, err)
	}
}

func data(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return b
}

// measured ends a make job (the root's evaluate job) whose candidate has a value at
// a coordinate.
func (s *story) measured(id int, value, x float64) {
	s.t.Helper()
	s.placed(id, value, x)
}

// placed is measured with a coordinate for each axis.
func (s *story) placed(id int, value float64, at ...float64) {
	s.t.Helper()
	kind := record.Make
	if id == 0 {
		kind = record.Evaluate
	}
	s.row(record.FoldRow{
		LogRow: record.LogRow{Kind: record.LogEnd, Job: record.JobID(id), Candidate: record.CandidateID(id)},
		Work:   &record.Job{ID: record.JobID(id), Kind: kind, State: record.Scored, Purpose: record.PurposeRoot, Operator: record.OpTune, Agent: "offline", Parent: record.Root},
		Cand: &record.FoldCandidate{
			ID: record.CandidateID(id), Parent: min(0, record.CandidateID(id)-1), Operator: record.OpTune, Agent: "offline", Status: record.StatusScored,
			Objective: &value, Samples: 1, Version: 1, Measures: at,
		},
	})
}

// ended ends a make job without a candidate.
func (s *story) ended(id int, end record.EndData, duplicate record.CandidateID) {
	s.t.Helper()
	s.row(record.FoldRow{
		LogRow: record.LogRow{Kind: record.LogEnd, Job: record.JobID(id), Candidate: record.NoCandidate, Data: data(end)},
		Work: &record.Job{
			ID: record.JobID(id), Kind: record.Make, State: end.State, Operator: record.OpTune, Agent: "offline", Parent: record.Root, Duplicate: duplicate,
			Candidate: record.NoCandidate,
		},
	})
}

// failed ends a make job whose candidate failed its tests.
func (s *story) failed(id int) {
	s.t.Helper()
	s.row(record.FoldRow{
		LogRow: record.LogRow{
			Kind: record.LogEnd, Job: record.JobID(id), Candidate: record.CandidateID(id),
			Data: data(record.EndData{State: record.Failed, Class: record.ClassTest, Reason: "broken"}),
		},
		Work: &record.Job{ID: record.JobID(id), Kind: record.Make, State: record.Failed, Operator: record.OpTune, Agent: "offline"},
		Cand: &record.FoldCandidate{ID: record.CandidateID(id), Operator: record.OpTune, Agent: "offline", Status: record.StatusFailed},
	})
}

func (s *story) decide(d record.Decision) {
	s.t.Helper()
	s.decideBy("ada", d)
}

func (s *story) decideBy(who string, d record.Decision) {
	s.t.Helper()
	d.Who, d.Cell = who, max(d.Cell, -1)
	s.row(record.FoldRow{LogRow: record.LogRow{Kind: record.LogDecision, Job: record.NoJob, Candidate: record.NoCandidate, Data: data(d)}})
}

// elites tells who holds which niche, "3:c7" for c7 in niche 3.
func (s *story) elites() string {
	var out []string
	for _, h := range s.st.Archive().Holders() {
		out = append(out, fmt.Sprintf("%d:%s", h.Cell, h.ID))
	}
	return strings.Join(out, " ")
}

func TestAResultTakesItsNicheByTheTieRule(t *testing.T) {
	for _, c := range []struct {
		name   string
		told   func(s *story)
		elites string
		best   record.CandidateID
	}{
		{"the root holds its niche", func(*story) {}, "0:c0", 0},
		{"a result in another niche opens it", func(s *story) { s.measured(1, 0.5, 0.55) }, "0:c0 5:c1", 0},
		{"a better one takes its niche and leads", func(s *story) { s.measured(1, 3, 0.05) }, "0:c1", 1},
		{"a worse one does not", func(s *story) { s.measured(1, 0.5, 0.05) }, "0:c0", 0},
		{"of equals the lower number stays", func(s *story) { s.measured(1, 1, 0.05) }, "0:c0", 0},
		{"a coordinate beyond the axis lies at its end", func(s *story) { s.measured(1, 3, 7) }, "0:c0 9:c1", 1},
		{"a rejected elite gives its niche to the runner-up", func(s *story) {
			s.measured(1, 2, 0.05)
			s.measured(2, 3, 0.05)
			s.decide(record.Decision{Verb: record.Reject, Candidate: 2})
		}, "0:c1", 1},
		{"and has it back when it is restored", func(s *story) {
			s.measured(1, 2, 0.05)
			s.measured(2, 3, 0.05)
			s.decide(record.Decision{Verb: record.Reject, Candidate: 2})
			s.decide(record.Decision{Verb: record.Restore, Candidate: 2})
		}, "0:c2", 2},
		{"a frozen one keeps its niche from a better one", func(s *story) {
			s.decide(record.Decision{Verb: record.Freeze, Candidate: 0})
			s.measured(1, 3, 0.05)
		}, "0:c0", 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := begin(t)
			s.measured(0, 1, 0.05)
			c.told(s)
			if got := s.elites(); got != c.elites || s.st.Best != c.best {
				t.Errorf("elites %s, best %s; want %s, %s", got, s.st.Best, c.elites, c.best)
			}
			if err := s.st.CheckArchive(); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestWhereLessIsBetterTheLowerValueLeads(t *testing.T) {
	s := begin(t, func(_ *record.Experiment, cfg *config.Config) { cfg.Evaluator.Direction = "minimize" })
	s.measured(0, 10, 0.05)
	s.measured(1, 12, 0.05)
	s.measured(2, 9, 0.05)
	if s.st.Best != 2 || s.elites() != "0:c2" {
		t.Errorf("best %s, elites %s", s.st.Best, s.elites())
	}
	if snap := s.st.Snapshot(); snap.Best.Objective != 9 || snap.Root.Objective != 10 {
		t.Errorf("told as %v after %v", snap.Best.Objective, snap.Root.Objective)
	}
}

func TestEndsAddUpToYieldsFailuresAndCurves(t *testing.T) {
	s := begin(t)
	s.measured(0, 1, 0.05)
	s.measured(1, 3, 0.05)
	s.measured(2, 2, 0.05)
	s.ended(3, record.EndData{State: record.Failed, Class: record.ClassBuild, Reason: "line 7 is wrong"}, record.NoCandidate)
	s.ended(4, record.EndData{State: record.Failed, Class: record.ClassBuild, Reason: "line 9 is wrong"}, record.NoCandidate)
	s.ended(5, record.EndData{State: record.Duplicate, Reason: "same tree as c1"}, 1)
	s.ended(6, record.EndData{State: record.Cancelled}, record.NoCandidate)
	y := s.st.yields.Operators()
	if len(y) != 1 || y[0].Tries != 5 || y[0].Scored != 2 || y[0].Improved != 1 || y[0].Best != 1 {
		t.Errorf("yields %+v", y)
	}
	groups := s.st.failures.groups(1000)
	if len(groups) != 1 || groups[0].Count != 2 || groups[0].Sample != 4 {
		t.Errorf("failures %+v", groups)
	}
	c := s.st.Snapshot().Curves
	if !slices.Equal(c.X, []int{1, 2, 3}) || !slices.Equal(c.Best, []float64{1, 3, 3}) {
		t.Errorf("the curve is %v at %v", c.Best, c.X)
	}
	if s.st.FoldCount() != 7 {
		t.Errorf("%d jobs were folded", s.st.FoldCount())
	}
}

func TestStrictOrderFoldsByNumberHoweverResultsCome(t *testing.T) {
	for _, c := range []struct {
		name  string
		told  func(s *story)
		order []record.JobID
		ends  string // of the jobs as snapshots tell them
	}{
		{"results wait for their turn", func(s *story) {
			s.measured(3, 3, 0.35)
			s.measured(1, 1, 0.15)
			s.measured(2, 2, 0.25)
		}, []record.JobID{0, 1, 2, 3}, "1 placed, 2 placed, 3 placed"},
		{"a gap holds back what comes after it", func(s *story) {
			s.measured(2, 2, 0.25)
			s.measured(3, 3, 0.35)
		}, []record.JobID{0}, ""},
		{"a job that was displaced is a duplicate and nothing else", func(s *story) {
			s.measured(2, 2, 0.25)
			s.ended(2, record.EndData{State: record.Duplicate, Reason: "same tree as c1"}, 1)
			s.measured(1, 2, 0.25)
		}, []record.JobID{0, 1, 2}, "1 placed, 2 duplicate"},
		{"as is one whose duplicates were told a new original", func(s *story) {
			s.ended(2, record.EndData{State: record.Duplicate, Reason: "same tree as c9"}, 9)
			s.ended(2, record.EndData{State: record.Duplicate, Reason: "same tree as c1"}, 1)
			s.measured(1, 2, 0.25)
		}, []record.JobID{0, 1, 2}, "1 placed, 2 duplicate"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := begin(t, strict)
			s.measured(0, 1, 0.05)
			c.told(s)
			var ends []string
			for _, e := range s.st.Snapshot().Recent {
				if e.Job.ID > 0 {
					ends = append(ends, fmt.Sprintf("%d %s", e.Job.ID, e.Job.State))
				}
			}
			slices.Sort(ends)
			if !slices.Equal(s.order, c.order) || strings.Join(ends, ", ") != c.ends {
				t.Errorf("folded %v with the ends %v; want %v, %s", s.order, ends, c.order, c.ends)
			}
		})
	}
}

func TestACandidateThatWasDisplacedIsForgotten(t *testing.T) {
	s := begin(t, strict)
	s.measured(0, 1, 0.05)
	s.row(record.FoldRow{
		LogRow: record.LogRow{Kind: record.LogMade, Job: 2, Candidate: 2},
		Cand:   &record.FoldCandidate{ID: 2, Operator: record.OpTune, Agent: "offline", Status: record.StatusMade},
	})
	if s.st.Candidate(2) == nil {
		t.Fatal("a candidate that was made is not known")
	}
	s.measured(1, 2, 0.25)
	s.ended(2, record.EndData{State: record.Duplicate, Reason: "same tree as c1"}, 1)
	if s.st.Candidate(2) != nil || s.st.Candidate(1) == nil {
		t.Error("the duplicate has a candidate, or the original none")
	}
}

func TestWhatWasAskedForIsNotAskedAgainUntilItEnds(t *testing.T) {
	s := begin(t)
	s.measured(0, 1, 0.05)
	for id := 1; id <= BreakAfter; id++ {
		s.failed(id)
	}
	first, ok := s.st.NextAsk()
	if second, again := s.st.NextAsk(); !ok || !again || first != second {
		t.Fatalf("choosing changed the choice: %v, then %v", first, second)
	}
	s.st.Asked(record.Job{ID: 99, Kind: record.Evaluate, Purpose: first.Purpose, Candidate: record.Root, Samples: 1})
	if _, again := s.st.NextAsk(); again {
		t.Error("the root is asked for twice")
	}
	if err := s.st.MayMeasure(record.Root); err == nil || !strings.Contains(err.Error(), "is being measured") {
		t.Errorf("the root may be measured meanwhile: %v", err)
	}
}

func TestStepsOfUndoAndRedoFollowTheLog(t *testing.T) {
	s := begin(t)
	s.measured(0, 1, 0.05)
	s.measured(1, 3, 0.55)
	step := func(what string, next func(string) ([]record.Decision, error)) {
		t.Helper()
		ds, err := next("ada")
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		for _, d := range ds {
			s.decide(d)
		}
	}
	d, err := s.st.Prepare(record.Decision{Who: "ada", Verb: record.Freeze, Candidate: 1, Job: record.NoJob, Cell: -1})
	if err != nil {
		t.Fatal(err)
	}
	s.decide(d)
	frozen := func() bool { return s.st.Archive().IsFrozen(1) }
	if !frozen() {
		t.Fatal("not frozen")
	}
	step("undo", s.st.NextUndo)
	if frozen() {
		t.Error("still frozen after undo")
	}
	step("redo", s.st.NextRedo)
	if !frozen() {
		t.Error("not frozen after redo")
	}
	step("undo", s.st.NextUndo)
	if _, err := s.st.NextUndo("ada"); err == nil {
		t.Error("there is more to undo than was done")
	}
}

func TestWhatWouldChangeNothingIsNoStepOfUndo(t *testing.T) {
	s := begin(t)
	s.measured(0, 1, 0.05)
	s.measured(1, 3, 0.55)
	pin := record.NewDecision(record.Pin)
	pin.Candidate = 1
	for _, d := range []record.Decision{pin, record.NewDecision(record.Pause)} {
		d, err := s.st.Prepare(d)
		if err != nil {
			t.Fatal(err)
		}
		s.decide(d)
	}
	for _, c := range []struct {
		name string
		run  record.ExperimentState
		verb record.Verb // that takes the last step back
	}{
		{"the pause of what is paused", record.ExperimentPaused, record.Resume},
		{"behind a run that went on with it, the step before", record.ExperimentRunning, record.Unpin},
	} {
		s.st.Run, s.st.Reason = c.run, "paused by ada"
		step, err := s.st.NextUndo("ada")
		if err != nil || len(step) != 1 || step[0].Verb != c.verb {
			t.Errorf("%s: %+v, %v", c.name, step, err)
			continue
		}
		if undo, _ := s.st.positions(); undo != step[0].Undoes {
			t.Errorf("%s: readers are told of %d, not of %d", c.name, undo, step[0].Undoes)
		}
	}
	s.st.Run = record.ExperimentPaused
	if _, err := s.st.Prepare(record.NewDecision(record.Pause)); err == nil || !strings.Contains(err.Error(), "paused by ada already") {
		t.Errorf("a second pause: %v", err)
	}
}

func TestABestWhoseNicheIsFrozenIsToldAndFollowsNobody(t *testing.T) {
	s := begin(t)
	s.measured(0, 1, 0.05)
	s.measured(1, 3, 0.55)
	s.decide(record.Decision{Verb: record.Freeze, Candidate: 1, Job: record.NoJob, Cell: -1})
	s.st.TakeEvents()
	s.measured(2, 5, 0.55)
	if s.st.Best != 2 || s.elites() != "0:c0 5:c1" {
		t.Fatalf("best %s, elites %s", s.st.Best, s.elites())
	}
	told := s.st.TakeEvents()
	if !slices.ContainsFunc(told, func(e event) bool {
		return strings.Contains(e.Text, "new best: c2 with 5, without a niche: c1 is frozen in (5)")
	}) {
		t.Errorf("it is told as %+v", told)
	}
	if past := s.st.takeovers(5, 10); len(past) != 1 || past[0].Candidate != 1 {
		t.Errorf("the niche was held by %+v", past)
	}
	s.decide(record.Decision{Verb: record.Release, Candidate: 1, Job: record.NoJob, Cell: 5})
	if past := s.st.takeovers(5, 10); len(past) != 2 || past[0].Candidate != 2 {
		t.Errorf("when it is released the niche was held by %+v", past)
	}
}

func TestANoteOnMissingMapsComesSeldom(t *testing.T) {
	s := begin(t, func(_ *record.Experiment, cfg *config.Config) { cfg.Map.Axes, cfg.Map.MinFit = nil, 8 })
	s.st.Vectors = map[record.CandidateID][]float32{}
	s.st.vector = func(record.CandidateID) ([]float32, error) { return []float32{1, 2}, nil } // all alike
	told := 0
	for id := range 70 {
		s.measured(id, float64(id), 0)
		for _, e := range s.st.TakeEvents() {
			if strings.HasPrefix(e.Text, "no map yet") {
				told++
			}
		}
	}
	if told != 3 { // at 16, 32 and 64
		t.Errorf("it was told %d times", told)
	}
	if g := s.st.Snapshot().Grid; g.Distinct != 1 || g.NeedFit != 8 || g.Unplaced != 70 {
		t.Errorf("%d different of %d, %d needed", g.Distinct, g.Unplaced, g.NeedFit)
	}
}

// TestAMillionCandidatesFitIn350MB folds what a run of a million jobs would have
// written. The figure is in docs/benchmarks.md.
func TestAMillionCandidatesFitIn350MB(t *testing.T) {
	n := suitetest.Pick(50_000, 100_000, 1_000_000)
	live := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := live()
	s := begin(t, func(_ *record.Experiment, cfg *config.Config) {
		cfg.Map.Axes = []config.Axis{{Metric: "x", Min: 0, Max: 1, Bins: 1024}}
	})
	for id := range n {
		s.measured(id, float64(id%977), float64(id%1024)/1024)
	}
	s.order = nil
	used := live() - before
	t.Logf("%d candidates take %d MB, %d bytes each", n, used>>20, used/uint64(n))
	if limit := uint64(n) * 350; used > limit {
		t.Errorf("%d candidates take %d MB, more than %d", n, used>>20, limit>>20)
	}
	if filled := s.st.Snapshot().Grid.Filled; filled != 1024 {
		t.Errorf("%d niches are filled", filled)
	}
}

func TestACandidateThatWaitsForAPersonIsToldOnceAndBeforeItsTurn(t *testing.T) {
	held := func(s *story, id int) {
		s.row(record.FoldRow{
			LogRow: record.LogRow{Kind: record.LogHeld, Job: record.JobID(id), Candidate: record.CandidateID(id), Data: data(record.HeldData{Reason: "a large diff"})},
			Work:   &record.Job{ID: record.JobID(id), Kind: record.Make, State: record.Held, Operator: record.OpTune, Agent: "offline"},
			Cand:   &record.FoldCandidate{ID: record.CandidateID(id), Operator: record.OpTune, Agent: "offline", Status: record.StatusHeld},
		})
	}
	for _, order := range [][]func(*record.Experiment, *config.Config){{strict}, nil} {
		s := begin(t, order...)
		s.measured(0, 1, 0.05)
		s.st.TakeEvents()
		held(s, 2)
		if ev := s.st.TakeEvents(); len(ev) != 1 || ev[0].Job != 2 || ev[0].Text != "c2 waits for review: a large diff" {
			t.Errorf("told when it was held: %v", ev)
		}
		s.measured(1, 1, 0.15)
		for _, e := range s.st.TakeEvents() {
			if strings.Contains(e.Text, "waits for review") {
				t.Errorf("told again at its turn: %v", e)
			}
		}
	}
}

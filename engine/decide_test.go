package engine_test

import (
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"atoll/config/suitetest"
	"atoll/engine"
	"atoll/engine/fold"
	"atoll/engine/view"
	"atoll/store/record"
)

func decision(verb record.Verb) record.Decision {
	return record.Decision{Who: "tester", Verb: verb, Candidate: record.NoCandidate, Job: record.NoJob, Cell: -1}
}

func about(verb record.Verb, id record.CandidateID) record.Decision {
	d := decision(verb)
	d.Candidate = id
	return d
}

func TestDecisionsChangeTheSearchAndUndoTakesThemBack(t *testing.T) {
	t.Parallel()
	l := newLab(t, "budget.jobs=0")
	eng, stop := l.start()
	defer stop()
	s := l.await(eng, "three niches are filled", func(s *view.Snapshot) bool { return s.Grid.Filled >= 3 && s.Best.ID > 0 })
	best := s.Best.ID
	decide := func(d record.Decision) {
		t.Helper()
		if _, err := eng.Decide(t.Context(), d); err != nil {
			t.Fatalf("%s: %v", d.Verb, err)
		}
	}
	cellOf := func(s *view.Snapshot, id record.CandidateID) *view.Cell {
		for i := range s.Grid.Cells {
			if s.Grid.Cells[i].Elite == id {
				return &s.Grid.Cells[i]
			}
		}
		return nil
	}

	decide(about(record.Freeze, best))
	l.await(eng, "the niche is frozen", func(s *view.Snapshot) bool { c := cellOf(s, best); return c != nil && c.Frozen })
	if _, err := eng.Undo(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	l.await(eng, "the freeze is undone", func(s *view.Snapshot) bool { c := cellOf(s, best); return c == nil || !c.Frozen })
	if _, err := eng.Redo(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	l.await(eng, "the freeze is done again", func(s *view.Snapshot) bool { c := cellOf(s, best); return c != nil && c.Frozen })

	boost := about(record.Boost, best)
	boost.Value = 4
	decide(boost)
	l.await(eng, "the niche is boosted", func(s *view.Snapshot) bool { c := cellOf(s, best); return c != nil && c.Boost == 4 })
	if said, err := eng.Undo(t.Context(), 0); err != nil || !strings.Contains(said.Said, "niche (") {
		t.Fatalf("undo says %+v, %v: the niche is to be named as on the map", said, err)
	}
	l.await(eng, "the boost is undone", func(s *view.Snapshot) bool { c := cellOf(s, best); return c != nil && c.Boost == 1 })
	if _, err := eng.Redo(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	l.await(eng, "the boost is done again", func(s *view.Snapshot) bool { c := cellOf(s, best); return c != nil && c.Boost == 4 })

	decide(about(record.Reject, best))
	l.await(eng, "another is the best and holds its niche", func(s *view.Snapshot) bool {
		return s.Best.ID != best && cellOf(s, best) == nil
	})
	if _, err := eng.Undo(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	l.await(eng, "the rejected one is back", func(s *view.Snapshot) bool { return cellOf(s, best) != nil })

	for _, d := range []record.Decision{about(record.Reject, record.Root), about(record.Freeze, 99999), about(record.Approve, best), decision(record.Refit)} {
		if _, err := eng.Decide(t.Context(), d); !errors.Is(err, fold.ErrDecision) {
			t.Errorf("%s: %v", d.Verb, err)
		}
	}
	for _, verb := range []record.Verb{record.Cancel, record.Prioritise} {
		d := decision(verb)
		if d.Job = record.JobID(best); verb == record.Prioritise {
			d = record.NewPriority(d.Job, 0, 1)
		}
		if _, err := eng.Decide(t.Context(), d); !errors.Is(err, fold.ErrDecision) || !strings.Contains(err.Error(), "has ended") {
			t.Errorf("%s of a job that ended: %v", verb, err)
		}
	}
	stop()
	if err := l.state().CheckArchive(); err != nil {
		t.Errorf("the archive is not the fold: %v", err)
	}
}

func TestPauseStopsClaimsAndResumeGoesOn(t *testing.T) {
	t.Parallel()
	l := newLab(t, "budget.jobs=0")
	eng, stop := l.start()
	defer stop()
	l.await(eng, "it runs", func(s *view.Snapshot) bool { return s.Jobs.Ended() > 2 })
	if _, err := eng.Decide(t.Context(), decision(record.Pause)); err != nil {
		t.Fatal(err)
	}
	s := l.await(eng, "nothing runs", func(s *view.Snapshot) bool {
		return s.State == record.ExperimentPaused && s.Jobs.Running == 0 && len(s.Running) == 0
	})
	ended := s.Jobs.Ended()
	if _, err := eng.Decide(t.Context(), decision(record.Resume)); err != nil {
		t.Fatal(err)
	}
	l.await(eng, "it goes on", func(s *view.Snapshot) bool { return s.Jobs.Ended() > ended+2 })
}

func TestOpeningAnExperimentToLookLeavesItAsItIs(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "several experiments; TestWhoLooksOnStartsFromTheKeptFold stands for it")
	for _, state := range []record.ExperimentState{record.ExperimentStopped, record.ExperimentPaused, record.ExperimentDone} {
		t.Run(string(state), func(t *testing.T) {
			l := newLab(t, "budget.jobs=3")
			l.run() // it is done now
			if state != record.ExperimentDone {
				l.raise(40)
				eng, stop := l.start()
				if state == record.ExperimentPaused {
					if _, err := eng.Decide(t.Context(), decision(record.Pause)); err != nil {
						t.Fatal(err)
					}
					l.await(eng, "it is paused", func(s *view.Snapshot) bool { return s.State == state })
				}
				stop()
			}
			rows, err := l.ses.DB.LastSeq(t.Context(), l.exp.ID)
			if err != nil {
				t.Fatal(err)
			}
			eng, stop := l.startWith(engine.Options{KeepState: true})
			s := l.await(eng, "it is read", func(s *view.Snapshot) bool { return s.Owner })
			if s.State != state {
				t.Errorf("%s becomes %s by looking", state, s.State)
			}
			stop()
			if now, err := l.ses.DB.LastSeq(t.Context(), l.exp.ID); err != nil || now != rows {
				t.Errorf("looking wrote %d rows; %v", now-rows, err)
			}
			if state == record.ExperimentDone {
				return
			}
			eng, stop = l.startWith(engine.Options{KeepState: true})
			defer stop()
			l.await(eng, "it is read", func(s *view.Snapshot) bool { return s.Owner })
			if _, err := eng.Decide(t.Context(), decision(record.Resume)); err != nil {
				t.Fatal(err)
			}
			ended := s.Jobs.Ended()
			l.await(eng, "it goes on", func(s *view.Snapshot) bool { return s.Jobs.Ended() > ended })
		})
	}
}

func TestWhatIsDecidedWhileNoEngineRunsHoldsAtOnceAndStartsNoneThatLooks(t *testing.T) {
	t.Parallel()
	l := newLab(t, "budget.jobs=3")
	l.run()
	l.raise(40)
	l.leave()
	for _, tt := range []struct {
		verb  record.Verb
		state record.ExperimentState
		why   string
	}{
		{record.Pause, record.ExperimentPaused, "paused by ada"},
		{record.Resume, record.ExperimentStopped, "no longer paused, by ada; `atoll run` goes on"},
	} {
		d := decision(tt.verb)
		d.Who = "ada"
		if _, err := l.ses.DB.AppendDecisions(t.Context(), l.exp.ID, d); err != nil {
			t.Fatal(err)
		}
		if err := engine.Settle(t.Context(), l.ses, l.exp.ID, d); err != nil {
			t.Fatal(err)
		}
		if st := l.state(); st.Run != tt.state || st.Reason != tt.why {
			t.Errorf("after %s it is %s: %s", tt.verb, st.Run, st.Reason)
		}
	}
	last, err := l.ses.DB.LastSeq(t.Context(), l.exp.ID)
	if err != nil {
		t.Fatal(err)
	}
	eng, stop := l.startWith(engine.Options{KeepState: true})
	defer stop()
	s := l.await(eng, "it is read", func(s *view.Snapshot) bool { return s.Owner && s.Fold >= last })
	if s.State != record.ExperimentStopped {
		t.Errorf("looking makes it %s: %s", s.State, s.Reason)
	}
	ended := s.Jobs.Ended()
	if _, err := eng.Decide(t.Context(), decision(record.Resume)); err != nil {
		t.Fatal(err)
	}
	l.await(eng, "it goes on", func(s *view.Snapshot) bool { return s.Jobs.Ended() > ended })
}

func TestWhatIsBrokenOrDoneIsNotResumedWhileNoEngineRuns(t *testing.T) {
	t.Parallel()
	l := newLab(t, "budget.jobs=3")
	l.run()
	l.leave()
	for _, state := range []record.ExperimentState{record.ExperimentBroken, record.ExperimentDone, record.ExperimentStopped} {
		if _, err := l.ses.DB.PutState(t.Context(), l.exp.ID, state, "as it was"); err != nil {
			t.Fatal(err)
		}
		if err := engine.Settle(t.Context(), l.ses, l.exp.ID, decision(record.Resume)); err != nil {
			t.Fatal(err)
		}
		if st := l.state(); st.Run != state || st.Reason != "as it was" {
			t.Errorf("a resume makes what was %s %s: %s", state, st.Run, st.Reason)
		}
	}
}

func TestARunGoesOnWithWhatWasPausedBeforeAndSaysSo(t *testing.T) {
	t.Parallel()
	l := newLab(t, "budget.jobs=3")
	l.run()
	l.raise(6)
	l.leave()
	d := decision(record.Pause)
	d.Who = "ada"
	if _, err := l.ses.DB.AppendDecisions(t.Context(), l.exp.ID, d); err != nil {
		t.Fatal(err)
	}
	if err := engine.Settle(t.Context(), l.ses, l.exp.ID, d); err != nil {
		t.Fatal(err)
	}
	s := l.run()
	if s.State != record.ExperimentDone || s.Jobs.Ended() < 6 {
		t.Errorf("it is %s after %d jobs", s.State, s.Jobs.Ended())
	}
	if !slices.ContainsFunc(s.Log, func(g view.LogLine) bool {
		return strings.HasPrefix(g.Text, "it was paused by ada at ") && strings.HasSuffix(g.Text, ": goes on")
	}) {
		t.Errorf("the run does not say so: %v", s.Log)
	}
}

func TestWhatIsApprovedAfterTheEndIsStillCarriedOut(t *testing.T) {
	t.Parallel()
	for _, gate := range []string{"review.measure", "review.niche"} {
		t.Run(gate, func(t *testing.T) {
			l := newLab(t, gate+"=all", "budget.jobs=6")
			eng, stop := l.start()
			defer stop()
			over := func(held int) func(s *view.Snapshot) bool {
				return func(s *view.Snapshot) bool {
					return s.State == record.ExperimentDone && s.Jobs.Held == held && s.Jobs.Queued+s.Jobs.Running == 0
				}
			}
			s := l.await(eng, "all is done but for what waits", func(s *view.Snapshot) bool { return s.Jobs.Held > 1 && over(s.Jobs.Held)(s) })
			ended, held, first := s.Jobs.Ended(), s.Jobs.Held, s.Review[0].Candidate.ID
			if _, err := eng.Decide(t.Context(), about(record.Approve, first)); err != nil {
				t.Fatal(err)
			}
			s = l.await(eng, "the approved one came to its end", over(held-1))
			if s.Jobs.Ended() != ended+1 {
				t.Errorf("%d jobs ended, %d before the approval", s.Jobs.Ended(), ended)
			}
			c, err := l.ses.DB.Candidate(t.Context(), l.exp.ID, first)
			if err != nil || c.Status != record.StatusScored {
				t.Errorf("the approved candidate is %s, %v", c.Status, err)
			}
		})
	}
}

func TestReviewHoldsCandidatesUntilAPersonDecides(t *testing.T) {
	t.Parallel()
	for _, gate := range []string{"review.measure", "review.niche"} {
		t.Run(gate, func(t *testing.T) {
			l := newLab(t, gate+"=all", "budget.jobs=6")
			s := l.run()
			if s.Jobs.Held < 2 {
				t.Fatalf("jobs %+v", s.Jobs)
			}
			held := l.jobs(record.Held)
			oldest := slices.MinFunc(held, func(a, b record.Job) int { return int(a.ID - b.ID) })
			if len(s.Review) != len(held) || s.Review[0].Job.ID != oldest.ID {
				t.Errorf("%d wait, the first is %s; held are %d, the oldest is %s", len(s.Review), s.Review[0].Job.ID, len(held), oldest.ID)
			}
			if few, err := l.ses.DB.Held(t.Context(), l.exp.ID, 1); err != nil || len(few) != 1 || few[0].ID != oldest.ID {
				t.Errorf("the store tells %v, %v", few, err)
			}
			approved, rejected := held[0].Candidate, held[1].Candidate
			for _, d := range []record.Decision{about(record.Approve, approved), about(record.Reject, rejected)} {
				p, err := l.state().Prepare(d)
				if err != nil {
					t.Fatal(err)
				}
				if _, err := l.ses.DB.AppendDecision(t.Context(), l.exp.ID, p); err != nil {
					t.Fatal(err)
				}
			}
			l.run()
			a, err := l.ses.DB.Job(t.Context(), l.exp.ID, record.JobID(approved))
			if err != nil || a.State != record.Placed && a.State != record.Scored {
				t.Errorf("the approved job is %s, %v", a.State, err)
			}
			r, err := l.ses.DB.Job(t.Context(), l.exp.ID, record.JobID(rejected))
			if err != nil || r.State != record.Rejected {
				t.Errorf("the rejected job is %s, %v", r.State, err)
			}
			if err := l.state().CheckArchive(); err != nil {
				t.Error(err)
			}
		})
	}
}

// A candidate that waits for its niche is marked on the map, under named axes
// and under learned ones.
func TestWhatWaitsForANicheIsMarkedOnTheMap(t *testing.T) {
	t.Parallel()
	for name, l := range map[string]*lab{
		"named axes":   newLab(t, "budget.jobs=30"),
		"learned axes": newScaleLab(t, strings.Replace(learnedYAML, "grid: [32, 32]", "grid: [8, 8], min_fit: 8, include: [program.txt]", 1), 40),
	} {
		t.Run(name, func(t *testing.T) {
			if name == "learned axes" {
				suitetest.Full(t, "two more runs; named axes stand for it")
			}
			if s := l.run(); len(s.Review) > 0 || waitingOn(s) > 0 {
				t.Fatalf("nobody is to look at anything, and %d wait", len(s.Review))
			}
			l.settings(func(s *record.Settings) { s.ReviewNiche, s.MaxJobs = "all", s.MaxJobs+40 })
			s := l.run()
			if len(s.Review) == 0 {
				t.Fatal("nothing waits: too little to show anything")
			}
			for _, h := range s.Review {
				i := slices.IndexFunc(s.Grid.Cells, func(c view.Cell) bool { return c.Index == h.Cell })
				if h.Cell < 0 || i < 0 || s.Grid.Cells[i].Waiting == 0 || s.Grid.Cells[i].Elite != h.From {
					t.Errorf("%s would take niche %d from %s; on the map: %+v", h.Candidate.ID, h.Cell, h.From, s.Grid.Cells[max(0, i)])
				}
			}
			if n := waitingOn(s); n != len(s.Review) {
				t.Errorf("%d are marked, %d wait", n, len(s.Review))
			}
		})
	}
}

func waitingOn(s *view.Snapshot) (n int) {
	for _, c := range s.Grid.Cells {
		n += c.Waiting
	}
	return n
}

// The one file of this experiment was never touched before: all wait for a
// person, until an approved candidate that changed it has a value.
func TestAFileThatACandidateChangedBeforeIsNoRiskAnyMore(t *testing.T) {
	t.Parallel()
	l := newLab(t, "review.measure=risky", "budget.jobs=4", "seed=2")
	if s := l.run(); s.Jobs.Held != 4 {
		t.Fatalf("before anything was measured jobs stand at %+v; want 4 held", s.Jobs)
	}
	held := l.jobs(record.Held)
	if !strings.Contains(held[0].Reason, "never touched before") {
		t.Errorf("it is held because: %s", held[0].Reason)
	}
	p, err := l.state().Prepare(about(record.Approve, held[0].Candidate))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.ses.DB.AppendDecision(t.Context(), l.exp.ID, p); err != nil {
		t.Fatal(err)
	}
	l.run()
	l.raise(8)
	if s := l.run(); s.Jobs.Held != 3 || s.Jobs.Ended() < 5 {
		t.Errorf("after one was approved and measured jobs stand at %+v; want the 3 of before held", s.Jobs)
	}
}

func TestJobsCanBeRetriedStartedAndInjected(t *testing.T) {
	t.Parallel()
	l := newLab(t, "budget.jobs=4")
	l.run()
	write(t, l.repo+"/program.txt", "a = 3.5\nb = 3.5\nc = 1.5\nd = 1.5\n")
	git(t, l.repo, "commit", "-q", "-a", "-m", "mine")
	if _, _, err := engine.Inject(t.Context(), l.ses, l.exp.ID, engine.Injection{Revision: "HEAD"}, "tester"); err != nil {
		t.Fatal(err)
	}
	retry := decision(record.Retry)
	retry.Job = 2
	if _, err := l.ses.DB.AppendDecision(t.Context(), l.exp.ID, retry); err != nil {
		t.Fatal(err)
	}
	set := decision(record.Set)
	set.Args = []byte(`{"key":"budget.jobs","value":"6"}`)
	set, err := l.state().Prepare(set)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.ses.DB.AppendDecision(t.Context(), l.exp.ID, set); err != nil {
		t.Fatal(err)
	}
	s := l.run()
	if s.Best.Objective != 0 {
		t.Errorf("the injected commit scores 0, the best is %v", s.Best.Objective)
	}
	if s.Settings.MaxJobs != 6 || s.Jobs.Ended() != 6 {
		t.Errorf("budget %d, jobs %+v", s.Settings.MaxJobs, s.Jobs)
	}
	found := false
	for _, j := range l.jobs() {
		found = found || j.RetryOf == 2
	}
	if !found {
		t.Error("job 2 was not tried again")
	}
}

func TestACandidateCanBeMeasuredAgain(t *testing.T) {
	t.Parallel()
	l := newLab(t, "budget.jobs=12")
	best := l.run().Best
	again := about(record.Measure, best.ID)
	if _, err := l.ses.DB.AppendDecision(t.Context(), l.exp.ID, again); err != nil {
		t.Fatal(err)
	}
	s := l.run()
	if want := best.ID.String() + " measured again: "; !slices.ContainsFunc(s.Log, func(l view.LogLine) bool { return strings.Contains(l.Text, want) }) {
		t.Errorf("the log does not tell what came of it: %+v", s.Log)
	}
	if s.Best.ID != best.ID || s.Best.Objective != best.Objective || s.Best.Samples != best.Samples+1 {
		t.Errorf("the best was %+v and is %+v", best, s.Best)
	}
	if err := l.state().CheckArchive(); err != nil {
		t.Error(err)
	}

	var failed record.CandidateID = record.NoCandidate
	for _, j := range l.jobs() {
		if j.State == record.Failed && j.Candidate != record.NoCandidate {
			failed = j.Candidate
		}
	}
	for id, why := range map[record.CandidateID]string{999: "no candidate", failed: "no value"} {
		if id == record.NoCandidate {
			continue
		}
		if _, err := l.state().Prepare(about(record.Measure, id)); !errors.Is(err, fold.ErrDecision) || !strings.Contains(err.Error(), why) {
			t.Errorf("measuring %s again: %v", id, err)
		}
	}
}

func TestAnUndoTakesBackWhatItsPersonSawOrNothing(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.run()
	eng, stop := l.startWith(engine.Options{KeepState: true})
	defer stop()
	l.await(eng, "it is read", func(s *view.Snapshot) bool { return s.Owner })
	for _, id := range []record.CandidateID{1, 2, 3} {
		if _, err := eng.Decide(t.Context(), about(record.Pin, id)); err != nil {
			t.Fatal(err)
		}
	}
	s := l.await(eng, "three are pinned", func(s *view.Snapshot) bool { return len(s.Decisions) == 3 })
	if s.Undo != s.Decisions[0].Seq || s.Redo != 0 {
		t.Fatalf("undo is about %d, redo about %d, the last decision is %d", s.Undo, s.Redo, s.Decisions[0].Seq)
	}
	t.Run("two at once take back one", func(t *testing.T) {
		var errs [2]error
		var both sync.WaitGroup
		for i, who := range []string{"ada", "lou"} {
			both.Go(func() { _, errs[i] = eng.As(who, nil).Undo(t.Context(), s.Undo) })
		}
		both.Wait()
		if (errs[0] == nil) == (errs[1] == nil) || !errors.Is(errors.Join(errs[0], errs[1]), fold.ErrDecision) {
			t.Errorf("got %v and %v", errs[0], errs[1])
		}
	})
	now := l.await(eng, "one is taken back", func(s *view.Snapshot) bool { return s.Undo == s.Decisions[len(s.Decisions)-2].Seq })
	if now.Redo != s.Undo || len(now.Decisions) != 4 {
		t.Errorf("redo is about %d, want %d; %d decisions", now.Redo, s.Undo, len(now.Decisions))
	}
	if _, err := eng.Redo(t.Context(), now.Undo); !errors.Is(err, fold.ErrDecision) {
		t.Errorf("redo of what was not undone: %v", err)
	}
	done, err := eng.Redo(t.Context(), now.Redo)
	if err != nil || done.Seq <= now.Decisions[0].Seq || done.Said == "" {
		t.Errorf("redo: %+v, %v", done, err)
	}
}

// leave gives the lock of the engine back, as the end of its process does.
func (l *lab) leave() {
	l.t.Helper()
	if err := l.ses.Unlock(); err != nil {
		l.t.Fatal(err)
	}
}

func TestWhatIsSetBehindTheEndDoesNotStartAnEngineThatLooks(t *testing.T) {
	t.Parallel()
	l := newLab(t, "budget.jobs=3")
	l.run()
	l.leave()
	d := decision(record.Set)
	d.Args = []byte(`{"key":"budget.jobs","value":"6"}`)
	step, err := l.state().PrepareStep([]record.Decision{d})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.ses.DB.AppendDecisions(t.Context(), l.exp.ID, step...); err != nil {
		t.Fatal(err)
	}
	last, err := l.ses.DB.LastSeq(t.Context(), l.exp.ID)
	if err != nil {
		t.Fatal(err)
	}
	eng, stop := l.startWith(engine.Options{KeepState: true})
	defer stop()
	s := l.await(eng, "it is carried out", func(s *view.Snapshot) bool { return s.Owner && s.Fold > last })
	if s.State != record.ExperimentDone {
		t.Errorf("looking makes it %s: %s", s.State, s.Reason)
	}
	if _, err := eng.Decide(t.Context(), decision(record.Resume)); err != nil {
		t.Fatal(err)
	}
	l.await(eng, "it uses what was set", func(s *view.Snapshot) bool { return s.State == record.ExperimentDone && s.Jobs.Ended() == 6 })
}

func TestWhoLooksOnResumesWhatAnEngineThatWasKilledLeftRunning(t *testing.T) {
	t.Parallel()
	l := newLab(t, "budget.jobs=3")
	l.run()
	if _, err := l.ses.DB.PutState(t.Context(), l.exp.ID, record.ExperimentRunning, ""); err != nil {
		t.Fatal(err)
	}
	l.leave()
	eng := l.lookOn().eng
	l.await(eng, "it is read", func(s *view.Snapshot) bool { return !s.Loading && s.State == record.ExperimentRunning })
	if _, err := eng.Decide(t.Context(), decision(record.Resume)); err != nil {
		t.Fatal(err)
	}
	l.await(eng, "it waits for a run", func(s *view.Snapshot) bool { return s.State == record.ExperimentStopped })
}

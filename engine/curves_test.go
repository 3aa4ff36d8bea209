package engine_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"atoll/config/suitetest"
	"atoll/engine"
	"atoll/engine/view"
	"atoll/store"
	"atoll/store/record"
)

// records returns who was better than all before among candidates in the order
// of their numbers, and how many were scored by then.
func records(all map[record.CandidateID]record.Candidate) []view.Reign {
	ids := make([]record.CandidateID, 0, len(all))
	for id := range all {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	var out []view.Reign
	scored, best := 0, 0.0
	for _, id := range ids {
		c := all[id]
		if c.Objective == nil {
			continue
		}
		if scored++; scored == 1 || *c.Objective > best {
			best = *c.Objective
			out = append(out, view.Reign{X: scored, ID: id})
		}
	}
	return out
}

// told leaves out the times.
func told(reigns []view.Reign) []view.Reign {
	out := slices.Clone(reigns)
	for i := range out {
		out[i].At = 0
	}
	return out
}

func TestReignsAreThoseOfTheRunAndSurviveARestart(t *testing.T) {
	suitetest.Full(t, "two whole runs; TestTheHistoryOfANicheEndsWithItsElite stands for it")
	t.Parallel()
	for _, extra := range [][]string{{"budget.jobs=40"}, {"budget.jobs=40", "order=strict", "workers=3"}} {
		t.Run(fmt.Sprint(extra), func(t *testing.T) {
			l := newLab(t, extra...)
			s := l.run()
			got := s.Curves.Reigns
			want := records(l.all())
			if len(want) < 4 {
				t.Fatalf("the best changed %d times only: too few to show anything", len(want))
			}
			if !slices.Equal(told(got), want) {
				t.Errorf("reigns %v\nthe candidates say %v", told(got), want)
			}
			for i, r := range got {
				if i > 0 && r.At < got[i-1].At || r.At == 0 {
					t.Errorf("reign %d begins at %d, after %d", i, r.At, got[max(0, i-1)].At)
				}
				if at := slices.Index(s.Curves.X, r.X); at < 0 || s.Curves.Best[at] != *l.all()[r.ID].Objective {
					t.Errorf("the curve of the best does not hold the value of %s at %d", r.ID, r.X)
				}
			}
			if last := got[len(got)-1]; last.ID != s.Best.ID || last.At != s.Best.At {
				t.Errorf("the last reign is %+v, the best %s since %d", last, s.Best.ID, s.Best.At)
			}
			l.reopen()
			if again := l.state().Snapshot().Curves.Reigns; !slices.Equal(again, got) {
				t.Errorf("after a restart %v\nbefore it %v", again, got)
			}
		})
	}
}

// A new map tells the curves anew and lets the reigns be.
func TestReignsOutliveANewMap(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "two maps; TestReignsAreThoseOfTheRunAndSurviveARestart stands for it")
	l := newScaleLab(t, strings.Replace(learnedYAML, "grid: [32, 32]", "grid: [8, 8], min_fit: 8, include: [program.txt]", 1), 40)
	s := l.run()
	if s.Grid.Map == 0 || len(s.Curves.Reigns) < 3 {
		t.Fatalf("map %d, reigns %v: too little to show anything", s.Grid.Map, s.Curves.Reigns)
	}
	if want := records(l.all()); !slices.Equal(told(s.Curves.Reigns), want) {
		t.Errorf("reigns %v\nthe candidates say %v", told(s.Curves.Reigns), want)
	}
	if again := l.state().Snapshot().Curves.Reigns; !slices.Equal(again, s.Curves.Reigns) {
		t.Errorf("after a restart %v\nbefore it %v", again, s.Curves.Reigns)
	}
}

// A search in which every candidate is better than all before it.
func TestASnapshotCarriesAtMostAThousandReignsAndValues(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "thousands of values; TestReignsAreThoseOfTheRunAndSurviveARestart has a few")
	const n = 1500
	p := past{lab: newScaleLab(t, scaleYAML, n)}
	p.root()
	var jobs []record.Job
	for id := record.JobID(1); id <= n; id++ {
		jobs = append(jobs, record.Job{
			Experiment: p.exp.ID, ID: id, Kind: record.Make, State: record.Queued, Island: "main", Parent: record.Root,
			Operator: record.OpTune, Agent: "offline", Candidate: record.NoCandidate, Duplicate: record.NoCandidate,
		})
	}
	if err := p.ses.DB.AddJobs(t.Context(), jobs); err != nil {
		t.Fatal(err)
	}
	for range n {
		p.rise()
	}
	got := p.state().Snapshot().Curves.Reigns
	if len(got) > 1000 || len(got) < 500 {
		t.Errorf("%d reigns of %d are told", len(got), n+1)
	}
	if first, last := got[0], got[len(got)-1]; first.ID != record.Root || first.X != 1 || last.ID != n || last.X != n+1 {
		t.Errorf("they go from %+v to %+v", first, last)
	}
	for i, r := range got {
		if r.X != int(r.ID)+1 || i > 0 && r.ID <= got[i-1].ID {
			t.Fatalf("%+v after %+v", r, got[max(0, i-1)])
		}
	}
	curve := p.state().Snapshot().Curves
	if len(curve.X) > 1000 || len(curve.X) < 500 || curve.X[0] != 1 || curve.X[len(curve.X)-1] != n+1 {
		t.Errorf("the curve has %d values from %d to %d", len(curve.X), curve.X[0], curve.X[len(curve.X)-1])
	}
	for i, x := range curve.X {
		want := -2 + float64(x-1)/10_000
		if i == 0 {
			want = *p.all()[record.Root].Objective
		}
		if math.Abs(curve.Best[i]-want) > 1e-12 || i > 0 && (x <= curve.X[i-1] || x > curve.X[i-1]+4) {
			t.Fatalf("the curve has %v at %d, after %d; want %v", curve.Best[i], x, curve.X[max(0, i-1)], want)
		}
	}
}

// rise ends the next job with a value above all before it.
func (p past) rise() {
	p.t.Helper()
	ctx, db := p.t.Context(), p.ses.DB
	lease, err := db.Lease(ctx, p.exp.ID, "past", time.Minute)
	if err != nil {
		p.t.Fatal(err)
	}
	id := int(lease.Job.ID)
	c := record.Candidate{
		Experiment: p.exp.ID, ID: record.CandidateID(id), Job: lease.Job.ID, Operator: record.OpTune, Agent: "offline",
		Parents: []record.ParentRef{{ID: record.Root, Role: record.RoleParent}}, Status: record.StatusMade, Version: 1,
		Tree: madeUp(1, id), Commit: madeUp(2, id),
	}
	if _, _, err := db.Made(ctx, *lease, c); err != nil {
		p.t.Fatal(err)
	}
	for _, step := range [][2]record.JobState{{record.Committed, record.Gated}, {record.Gated, record.Evaluating}} {
		if err := db.Stage(ctx, *lease, step[0], step[1]); err != nil {
			p.t.Fatal(err)
		}
	}
	obj := -2 + float64(id)/10_000
	c.Status, c.Objective, c.Samples, c.Metrics, c.Measures = record.StatusScored, &obj, 1, metricsAt(obj, 1, 1), p.measures(1, 1)
	out := store.Outcome{State: record.Scored, Candidate: &c, Evals: 1, Samples: []record.Sample{{Objective: obj, Version: 1}}}
	if _, err := db.Finish(ctx, *lease, out); err != nil {
		p.t.Fatal(err)
	}
}

func TestARejectedBestEndsItsReign(t *testing.T) {
	t.Parallel()
	l := newLab(t, "budget.jobs=0")
	eng, stop := l.start()
	l.await(eng, "the best changed twice", func(s *view.Snapshot) bool { return len(s.Curves.Reigns) >= 3 })
	if _, err := eng.Decide(t.Context(), decision(record.Pause)); err != nil {
		t.Fatal(err)
	}
	s := l.await(eng, "it is paused and has folded all", func(s *view.Snapshot) bool {
		return s.State == record.ExperimentPaused && len(s.Running) == 0 && s.Jobs.Running == 0 &&
			slices.Equal(s.Curves.X, l.state().Snapshot().Curves.X)
	})
	before, best := s.Curves, s.Best.ID
	n := len(before.Reigns)
	if _, err := eng.Decide(t.Context(), about(record.Reject, best)); err != nil {
		t.Fatal(err)
	}
	s = l.await(eng, "another is the best", func(s *view.Snapshot) bool { return s.Best.ID != best })
	if r := s.Curves.Reigns; len(r) != n+1 || r[n].ID != s.Best.ID || r[n].At < r[n-1].At || s.Best.At != r[n].At {
		t.Errorf("%s was rejected, %s is the best since %d; reigns %v", best, s.Best.ID, s.Best.At, r)
	}
	if c := s.Curves; c.Best[len(c.Best)-1] != s.Best.Objective || c.QD[len(c.QD)-1] != s.Grid.QD {
		t.Errorf("the curves end at %g and QD %g, where the best is %g and QD %g", c.Best[len(c.Best)-1], c.QD[len(c.QD)-1], s.Best.Objective, s.Grid.QD)
	}
	if _, err := eng.Undo(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	s = l.await(eng, "the rejected one is the best again", func(s *view.Snapshot) bool { return s.Best.ID == best })
	if c := s.Curves; !slices.Equal(c.Reigns, before.Reigns) || !slices.Equal(c.X, before.X) || !slices.Equal(c.QD, before.QD) {
		t.Errorf("%s is back; reigns %v, not %v; QD %v, not %v", best, c.Reigns, before.Reigns, c.QD, before.QD)
	}
	stop()
	if again := l.state().Snapshot().Curves.Reigns; !slices.Equal(again, s.Curves.Reigns) {
		t.Errorf("folded anew %v\nrunning %v", again, s.Curves.Reigns)
	}
}

func TestANewObjectiveVersionBeginsNewReigns(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "two evaluators; TestReignsAreThoseOfTheRunAndSurviveARestart stands for it")
	l := newLab(t)
	first := l.run()
	l.reopen()
	l.raise(40)
	second := l.remeasure(mirrored, "evaluator.direction=minimize")
	got := second.Curves.Reigns
	if len(got) == 0 || got[0].ID != record.Root || got[0].X < first.Curves.X[len(first.Curves.X)-1] {
		t.Fatalf("reigns %v; want the root's first, after the %v of version 1", got, first.Curves.Reigns)
	}
	all := l.all()
	for i, r := range got {
		if c := all[r.ID]; c.Version != 2 || i > 0 && *c.Objective >= *all[got[i-1].ID].Objective {
			t.Errorf("%s, of version %d, follows %s", r.ID, c.Version, got[max(0, i-1)].ID)
		}
	}
}

func TestMetricsOfManyAreThoseOfEach(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	eng := engine.New(l.ses, l.exp.ID, engine.Options{Who: "tester", Unattended: true})
	ctx, cancel := context.WithTimeout(t.Context(), deadline)
	defer cancel()
	if err := eng.Run(ctx); err != nil {
		t.Fatal(err)
	}
	ids := []record.CandidateID{record.Root}
	for _, r := range eng.Feed().Latest().Curves.Reigns {
		ids = append(ids, r.ID)
	}
	got, err := eng.Reader().Metrics(ctx, append(ids, 99_999))
	if err != nil {
		t.Fatal(err)
	}
	if _, found := got[99_999]; found {
		t.Error("a candidate that does not exist has metrics")
	}
	for _, id := range ids {
		c, err := l.ses.DB.Candidate(ctx, l.exp.ID, id)
		if err != nil || len(c.Metrics) != 3 || !slices.Equal(got[id], c.Metrics) {
			t.Errorf("%s has %v in the list and %v alone, %v", id, got[id], c.Metrics, err)
		}
	}
}

// Who took a niche is what was so when each job was folded, whoever reads the log later
// and under whatever map.
func TestYieldsAreTheSameForWhoeverReadsThemLater(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "the run is read several times; TestReignsAreThoseOfTheRunAndSurviveARestart stands for it")
	l := newScaleLab(t, strings.Replace(learnedYAML, "grid: [32, 32]", "grid: [8, 8], min_fit: 8, include: [program.txt]", 1), 40)
	s := l.run()
	if s.Grid.Map == 0 || s.Grid.Filled < 3 {
		t.Fatalf("map %d, %d niches: too little to show anything", s.Grid.Map, s.Grid.Filled)
	}
	count := func(list []view.Yield) (out []string, took int) {
		for _, y := range list {
			out = append(out, fmt.Sprint(y.Name, y.Tries, y.Scored, y.Improved, y.Best))
			took += y.Improved
		}
		return out, took
	}
	said, took := count(s.Operators)
	if took != s.Jobs.Placed || took == 0 {
		t.Errorf("the yields say that %d took a niche, the jobs %d", took, s.Jobs.Placed)
	}
	if later, _ := count(l.state().Snapshot().Operators); !slices.Equal(later, said) {
		t.Errorf("yields %v, read later %v", said, later)
	}
	if again := l.run(); again.Jobs.Placed != s.Jobs.Placed {
		t.Errorf("%d took a niche, after a restart %d", s.Jobs.Placed, again.Jobs.Placed)
	}
}

package fold

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"atoll/engine/view"
	"atoll/store/record"
)

func TestACurveKeepsTheFirstTheLastAndEveryStepthValue(t *testing.T) {
	for _, c := range []struct {
		name    string
		folds   int
		most    int
		samples int // more samples of the last candidate
	}{
		{"a short one has every value", 10, 10, 0},
		{"more samples of the last candidate mend its value", 10, 10, 3},
		{"a long one is thinned", 5*curvePoints + 3, curvePoints, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			var d curveData
			for x := 1; x <= c.folds; x++ {
				d.add(curvePoint{x: x, best: float64(x)}, record.Millis(x))
			}
			for i := 1; i <= c.samples; i++ {
				d.add(curvePoint{x: c.folds, best: float64(c.folds + i)}, record.Millis(c.folds+i))
			}
			got := d.snapshot()
			n := len(got.X)
			if n > c.most || n < c.most/2 || got.X[0] != 1 || got.X[n-1] != c.folds {
				t.Fatalf("%d values from %d to %d", n, got.X[0], got.X[n-1])
			}
			if got.Best[n-1] != float64(c.folds+c.samples) || got.At[n-1] != record.Millis(c.folds) {
				t.Errorf("the last value is %v at %d", got.Best[n-1], got.At[n-1])
			}
			if !slices.IsSorted(got.X) {
				t.Error("the values are not in the order of the fold")
			}
		})
	}
}

func TestAReignBeginsWhenTheBestChangesAndNotBeforeTheOneItFollows(t *testing.T) {
	var d curveData
	d.crowned(0, record.NoCandidate, 1)
	d.crowned(1, 0, 10)
	d.crowned(2, 0, 20) // still the root
	d.crowned(3, 7, 5)  // ended earlier, folded later
	want := []view.Reign{{X: 1, At: 10, ID: 0}, {X: 3, At: 10, ID: 7}}
	if !slices.Equal(d.snapshot().Reigns, want) || d.since(want[len(want)-1].ID) != 10 {
		t.Errorf("reigns %v since %d; want %v", d.snapshot().Reigns, d.since(want[len(want)-1].ID), want)
	}
}

func TestFailuresThatDifferInFiguresAloneAreOneGroup(t *testing.T) {
	type end struct {
		class  record.Class
		reason string
	}
	for _, c := range []struct {
		name string
		ends []end
		want []int // counts, most frequent first
	}{
		{"the same reason", []end{{record.ClassBuild, "a"}, {record.ClassBuild, "a"}}, []int{2}},
		{"other figures", []end{{record.ClassTest, "line 12: 0x1f"}, {record.ClassTest, "line 7: 0x2"}, {record.ClassTest, "no line"}}, []int{2, 1}},
		{"other classes", []end{{record.ClassTest, "a"}, {record.ClassBuild, "a"}, {record.ClassBuild, "a"}}, []int{2, 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := failures{}
			for i, e := range c.ends {
				f.count(record.JobID(i+1), e.class, e.reason)
			}
			var got []int
			for _, g := range f.groups(1000) {
				got = append(got, g.Count)
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("counts %v, want %v", got, c.want)
			}
		})
	}
}

func TestReasonsBeyondTheBoundAreCountedAsOthersOfTheirClass(t *testing.T) {
	f := failures{}
	letters := "abcdefghijklmnopqrstuvwxyz"
	for i := range failureGroups + 10 {
		f.count(record.JobID(i+1), record.ClassCrash, fmt.Sprintf("%c%c", letters[i/26], letters[i%26]))
	}
	groups := f.groups(1000)
	if len(groups) != failureGroups+1 || groups[0].Reason != "other" || groups[0].Count != 10 || groups[0].Sample != failureGroups+10 {
		t.Errorf("%d groups, the first %+v", len(groups), groups[0])
	}
}

func TestAFailedCandidateIsRepairedAFewTimes(t *testing.T) {
	for _, c := range []struct {
		name string
		do   func(*repairs)
		want []record.CandidateID
	}{
		{"one whose build fails waits", func(r *repairs) { r.failed(3, record.ClassBuild) }, []record.CandidateID{3}},
		{"no edit mends a gate", func(r *repairs) { r.failed(3, record.ClassGate) }, nil},
		{"twice the same is once", func(r *repairs) { r.failed(3, record.ClassBuild); r.failed(3, record.ClassTest) }, []record.CandidateID{3}},
		{"another operator is no try", func(r *repairs) {
			r.failed(3, record.ClassBuild)
			for range brokenTries {
				r.ended(record.OpMutate, 3)
			}
		}, []record.CandidateID{3}},
		{"after its tries it is left", func(r *repairs) {
			r.failed(3, record.ClassBuild)
			r.failed(4, record.ClassBuild)
			for range brokenTries {
				r.ended(record.OpRepair, 3)
			}
		}, []record.CandidateID{4}},
		{"the oldest leaves when there are too many", func(r *repairs) {
			for i := range brokenCap + 1 {
				r.failed(record.CandidateID(i+1), record.ClassBuild)
			}
		}, []record.CandidateID{2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var r repairs
			c.do(&r)
			var got []record.CandidateID
			for _, b := range r {
				got = append(got, b.id)
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("%v wait for a repair, want %v", got, c.want)
			}
		})
	}
}

func TestADecisionMovesBetweenUndoAndRedo(t *testing.T) {
	var s steering
	d := &s.Decided
	decide := func(seq, undoes record.Seq) {
		x := record.Decision{Seq: seq, Undoes: undoes, Verb: record.Pin, Candidate: 1}
		if undoes == 0 {
			x.Inverse = &record.Decision{Verb: record.Unpin, Candidate: 1}
		}
		d.remember(x)
	}
	for _, step := range []struct {
		name        string
		seq, undoes record.Seq
		undo, redo  int
	}{
		{"a decision can be taken back", 1, 0, 1, 0},
		{"so can another", 2, 0, 2, 0},
		{"taken back, it can be done again", 3, 2, 1, 1},
		{"done again, it can be taken back", 4, 2, 2, 0},
		{"taken back once more", 5, 4, 1, 1},
		{"a new decision ends what could be done again", 6, 0, 2, 0},
	} {
		decide(step.seq, step.undoes)
		if len(d.undo) != step.undo || len(d.redo) != step.redo {
			t.Errorf("%s: %d to undo and %d to redo, want %d and %d", step.name, len(d.undo), len(d.redo), step.undo, step.redo)
		}
	}
	if next, err := s.NextUndo("ann"); err != nil || len(next) != 1 || next[0].Undoes != 6 || next[0].Verb != record.Unpin || next[0].Who != "ann" {
		t.Errorf("the next to undo is %+v, %v", next, err)
	}
	if _, err := s.NextRedo("ann"); !errors.Is(err, ErrDecision) {
		t.Errorf("nothing is left to redo, and the error is %v", err)
	}
}

func TestStrictOrderFoldsRenewalsFirst(t *testing.T) {
	p := position{rules: &rules{Exp: record.Experiment{Strict: true}}}
	p.renewal = renewal{next: 5, end: 7, strict: true, ahead: map[record.JobID]bool{}}
	for _, step := range []struct {
		job   record.JobID
		count int
	}{{5, 0}, {6, 0}, {0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 7}, {7, 8}} { // 5 and 6 were folded ahead
		p.passed(step.job)
		if p.FoldCount() != step.count {
			t.Errorf("after job %d the fold is at %d, want %d", step.job, p.FoldCount(), step.count)
		}
	}
}

func TestNewsOfThePastAreNone(t *testing.T) {
	n := events{Quiet: true}
	n.say(record.FoldRow{}, "info", "long ago")
	n.Quiet = false
	n.say(record.FoldRow{}, "info", "now")
	if got := n.TakeEvents(); len(got) != 1 || got[0].Text != "now" {
		t.Errorf("events %v", got)
	}
	if got := n.TakeEvents(); got != nil {
		t.Errorf("they are told twice: %v", got)
	}
	for i := range 5 * recentCap {
		n.push(view.Ended{Job: record.Job{ID: record.JobID(i)}})
	}
	if k := len(n.recent); k < recentCap || k > 2*recentCap || n.recent[k-1].Job.ID != 5*recentCap-1 {
		t.Errorf("%d ended jobs are kept, the last of them %s", k, n.recent[k-1].Job.ID)
	}
}

func TestASampleIsTheSameInAnyOrderOfArrival(t *testing.T) {
	forth, back := newReservoir(7, 20), newReservoir(7, 20)
	for i := range 500 {
		forth.offer(record.CandidateID(i))
		back.offer(record.CandidateID(499 - i))
	}
	if !slices.Equal(forth.ids, back.ids) || len(forth.ids) != 20 {
		t.Errorf("the samples are %v and %v", forth.ids, back.ids)
	}
}

func TestCandidatesAreKeptByTheirNumber(t *testing.T) {
	var l candidates
	value := 3.5
	for _, id := range []record.CandidateID{0, 700, 4} {
		l.put(&record.FoldCandidate{ID: id, Parent: 0, Objective: &value, Samples: 1, Operator: record.OpTune, Agent: "offline"})
	}
	if l.Candidate(5) != nil || l.Candidate(-1) != nil || l.Candidate(9999) != nil {
		t.Error("a number without a candidate has one")
	}
	m := l.Candidate(700)
	if m == nil || m.ID() != 700 || m.Objective != value || l.Origin(m).agent != "offline" || l.last() != 700 {
		t.Fatalf("c700 is %+v", m)
	}
	if !l.count(m) || l.count(m) || l.Scored != 1 {
		t.Error("a candidate is counted once")
	}
	if l.Trials(m) != (Trials{}) {
		t.Error("nothing was tried with it")
	}
	l.Track(m).Strikes = 2
	if l.Trials(l.Candidate(700)).Strikes != 2 {
		t.Error("what was tried is forgotten")
	}
}

package pane

import (
	"context"
	"strings"
	"testing"

	"atoll/engine/view"
	"atoll/store/record"
	"atoll/tui/tuitest"
)

// merges is a reader whose jobs merge one candidate and have others beside them.
type merges struct {
	tuitest.Reader
	op record.Operator
}

func (r *merges) Job(context.Context, record.JobID) (view.JobDetail, error) {
	j := record.NewJob(1, 119, record.Make)
	j.Operator, j.Parent, j.Inspirations = r.op, 104, []record.CandidateID{84, 59, 116}
	return view.JobDetail{Job: j}, nil
}

func TestAJobNamesOneOtherParentAndThoseBesideIt(t *testing.T) {
	for op, want := range map[record.Operator]string{
		record.OpCrossover: "c104 crossed with c84 beside c59 c116",
		record.OpSynergy:   "c104 crossed with c84 beside c59 c116",
		record.OpTune:      "c104 beside c84 c59 c116",
	} {
		s := tuitest.Snapshot(8)
		b := newBench(t, s, &merges{tuitest.Reader{Snap: s}, op}, Job, 160, 40)
		b.p.(*jobPane).Set(119)
		b.run(b.p.Load())
		if frame := b.frame(); !strings.Contains(frame, want) {
			t.Errorf("of %s the job does not say %q:\n%s", op, want, frame)
		}
	}
}

func TestWhatADecisionKeepsIsNamedWithItsNiche(t *testing.T) {
	s := tuitest.Snapshot(8)
	elite := s.Grid.Cells[5]
	d := Decision(record.Freeze)
	d.Candidate = elite.Elite
	s.Decisions = []record.Decision{d}
	b := newBench(t, s, nil, Decisions, 120, 20)
	s.Decisions[0].Who = "Somebody with a long name"
	first := b.frame()
	b.w = 80
	for _, when := range []string{"at first", "drawn again"} {
		if frame := b.frame(); !strings.Contains(frame, "Somebody with a long") {
			t.Errorf("%s it is not told who decided:\n%s", when, frame)
		}
	}
	b.w = 120
	if again := b.frame(); again != first {
		t.Errorf("drawn again it is\n%s\nand was\n%s", again, first)
	}
	if want := CandidateName(elite.Elite) + " " + Niche(&s.Grid, elite.Index); !strings.Contains(b.frame(), want) {
		t.Errorf("a freeze is not named as %q:\n%s", want, b.frame())
	}
}

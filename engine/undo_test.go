package engine_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"atoll/engine"
	"atoll/engine/fold"
	"atoll/engine/view"
	"atoll/store/record"
)

// picture is all that decisions change, as JSON: no times, no log.
func picture(t *testing.T, l *lab, s *view.Snapshot) string {
	t.Helper()
	type waits struct {
		ID     record.CandidateID
		At     string
		Cell   int
		From   record.CandidateID
		Why    []string
		Status record.Status
	}
	type cell struct {
		Index   int
		Elite   record.CandidateID
		Value   float64
		Frozen  bool
		Boost   float64
		Waiting int
	}
	var p struct {
		State     record.ExperimentState
		Settings  record.Settings
		Best      record.CandidateID
		Filled    int
		QD        float64
		Cells     []cell
		Review    []waits
		Counts    view.Counts
		Operators []string
		Targets   []string
		Jobs      []string
	}
	p.State, p.Settings, p.Best, p.Filled, p.QD, p.Counts = s.State, s.Settings, s.Best.ID, s.Grid.Filled, s.Grid.QD, s.Jobs
	for _, c := range s.Grid.Cells {
		p.Cells = append(p.Cells, cell{c.Index, c.Elite, c.Objective, c.Frozen, c.Boost, c.Waiting})
	}
	for _, h := range s.Review {
		p.Review = append(p.Review, waits{h.Candidate.ID, h.Before, h.Cell, h.From, h.Findings, h.Candidate.Status})
	}
	for _, y := range s.Operators {
		p.Operators = append(p.Operators, fmt.Sprint(y.Name, y.Tries, y.Scored, y.Improved, y.Weight))
	}
	for _, y := range s.Targets {
		p.Targets = append(p.Targets, fmt.Sprint(y.Name, y.Frozen, y.Boost))
	}
	for _, j := range l.jobs() {
		text := fmt.Sprint(j.ID, j.State, j.Priority, j.Class, j.Reason)
		if j.Candidate != record.NoCandidate {
			c, err := l.ses.DB.Candidate(t.Context(), l.exp.ID, j.Candidate)
			if err != nil {
				t.Fatal(err)
			}
			text += fmt.Sprint(c.Status, c.Pinned, c.Reason)
		}
		p.Jobs = append(p.Jobs, text)
	}
	slices.Sort(p.Jobs)
	data, err := json.MarshalIndent(p, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// settled waits until every decision was carried out and its rows are folded, and
// takes the picture.
func settled(t *testing.T, l *lab, eng *engine.Engine) string {
	t.Helper()
	all, err := l.ses.DB.Decisions(t.Context(), l.exp.ID, 1)
	if err != nil {
		t.Fatal(err)
	}
	carried := func() bool {
		text, _, err := l.ses.DB.Meta(t.Context(), l.exp.ID, "acted")
		if err != nil {
			t.Fatal(err)
		}
		return len(all) == 0 || text == fmt.Sprint(int64(all[0].Seq))
	}
	s := l.await(eng, "the decision is carried out", func(s *view.Snapshot) bool {
		if !carried() {
			return false
		}
		last, err := l.ses.DB.LastSeq(t.Context(), l.exp.ID)
		if err != nil {
			t.Fatal(err)
		}
		return s.Fold >= last
	})
	return picture(t, l, s)
}

// randomStep draws decisions of one kind that can be taken back, on one to three
// candidates, niches or jobs.
func randomStep(rng *rand.Rand, s *view.Snapshot, jobs []record.Job) []record.Decision {
	verb := []record.Verb{
		record.Approve, record.Approve, record.Reject, record.Reject, record.Restore, record.Freeze, record.Release, record.Boost, record.Pin,
		record.Unpin, record.Set, record.Prioritise,
	}[rng.IntN(12)]
	var step []record.Decision
	for range 1 + 2*rng.IntN(2) {
		d := decision(verb)
		switch verb {
		case record.Set:
			d.Args = []byte(fmt.Sprintf(`{"key":%q,"value":"%d"}`, []string{"budget.jobs", "workers", "search.inspirations"}[rng.IntN(3)], 40+rng.IntN(9)))
			if rng.IntN(2) == 0 {
				d.Args = []byte(fmt.Sprintf(`{"key":"goal","value":"goal %d"}`, rng.IntN(9)))
			}
			return []record.Decision{d}
		case record.Prioritise:
			var queued []record.Job
			for _, j := range jobs {
				if j.State == record.Queued || j.State == record.Held {
					queued = append(queued, j)
				}
			}
			if len(queued) == 0 {
				return randomStep(rng, s, jobs)
			}
			j := queued[rng.IntN(len(queued))]
			d.Job, d.Value = j.ID, float64(rng.IntN(5))
			back := d
			back.Value = float64(j.Priority)
			d.Inverse = &back
			return []record.Decision{d}
		case record.Approve:
			if len(s.Review) > 0 {
				d.Candidate = s.Review[rng.IntN(len(s.Review))].Candidate.ID
			}
		case record.Freeze, record.Release, record.Boost:
			d.Candidate = s.Grid.Cells[rng.IntN(len(s.Grid.Cells))].Elite
			d.Value = 0
			if verb == record.Boost {
				d.Value = float64(2 + rng.IntN(3))
			}
		default:
			d.Candidate = record.CandidateID(1 + rng.IntN(40))
		}
		if !slices.ContainsFunc(step, func(o record.Decision) bool { return o.Candidate == d.Candidate }) {
			step = append(step, d)
		}
	}
	return step
}

// differs tells the first line in which two pictures differ.
func differs(a, b string) string {
	x, y := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range min(len(x), len(y)) {
		if x[i] != y[i] {
			return fmt.Sprintf("line %d: %s, not %s", i, x[i], y[i])
		}
	}
	return fmt.Sprintf("%d lines, not %d", len(x), len(y))
}

func TestAnyDecisionsAreTakenBackAndDoneAgainKeyByKey(t *testing.T) {
	t.Parallel()
	l := newLab(t, "review.niche=all", "budget.jobs=30")
	l.run()
	l.settings(func(s *record.Settings) { s.ReviewNiche, s.MaxJobs = "off", 60 })
	l.run()
	eng, stop := l.startWith(engine.Options{KeepState: true})
	defer func() { stop() }()
	l.await(eng, "it is read", func(s *view.Snapshot) bool { return s.Owner })
	if _, err := eng.Decide(t.Context(), decision(record.Pause)); err != nil {
		t.Fatal(err)
	}
	base := l.await(eng, "it is paused", func(s *view.Snapshot) bool { return s.State == record.ExperimentPaused })
	if len(base.Review) < 4 || base.Grid.Filled < 4 {
		t.Fatalf("%d wait, %d niches are filled: too little to decide about", len(base.Review), base.Grid.Filled)
	}
	rng := rand.New(rand.NewPCG(3, 9))
	pictures := []string{settled(t, l, eng)}
	kinds, bulk := map[record.Verb]int{}, 0
	for made := 0; made < 200; {
		step := randomStep(rng, eng.Feed().Latest(), l.jobs())
		if _, err := eng.Decide(t.Context(), step...); errors.Is(err, fold.ErrDecision) {
			continue
		} else if err != nil {
			t.Fatal(err)
		}
		made += len(step)
		kinds[step[0].Verb] += len(step)
		if len(step) > 1 {
			bulk++
		}
		pictures = append(pictures, settled(t, l, eng))
	}
	t.Logf("%d steps, %d of several decisions: %v", len(pictures)-1, bulk, kinds)
	check := func(what string, at int) {
		t.Helper()
		if got := settled(t, l, eng); got != pictures[at] {
			t.Fatalf("%s does not restore state %d of %d: %s", what, at, len(pictures)-1, differs(got, pictures[at]))
		}
	}
	for at := len(pictures) - 2; at >= 0; at-- {
		said, err := eng.Undo(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		check("undo ("+said+")", at)
		if at == len(pictures)/2 { // a restart in between changes nothing
			stop()
			eng, stop = l.startWith(engine.Options{KeepState: true})
			l.await(eng, "it is read", func(s *view.Snapshot) bool { return s.Owner })
			check("a restart", at)
		}
	}
	for at := 1; at < len(pictures); at++ {
		said, err := eng.Redo(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		check("redo ("+said+")", at)
	}
	stop()
	if err := l.state().CheckArchive(); err != nil {
		t.Errorf("the archive is not the fold: %v", err)
	}
}

func TestAnApprovalIsTakenBackAfterTheCandidateTookItsNiche(t *testing.T) {
	t.Parallel()
	for _, gate := range []string{"review.niche=all", "review.measure=all"} {
		for _, order := range []string{"strict", "completion"} {
			t.Run(gate+" "+order, func(t *testing.T) {
				l := newLab(t, gate, "budget.jobs=6", "order="+order)
				l.run()
				var step []record.Decision
				for _, j := range l.jobs(record.Held) {
					d, err := l.state().Prepare(about(record.Approve, j.Candidate))
					if err != nil {
						t.Fatal(err)
					}
					step = append(step, d)
				}
				if _, err := l.ses.DB.AppendDecisions(t.Context(), l.exp.ID, step...); err != nil {
					t.Fatal(err)
				}
				was := l.run()
				if was.Jobs.Held != 0 || was.Grid.Filled < 2 {
					t.Fatalf("after the approval: %+v, %d niches", was.Jobs, was.Grid.Filled)
				}
				eng, stop := l.startWith(engine.Options{KeepState: true})
				defer func() { stop() }()
				l.await(eng, "it is read", func(s *view.Snapshot) bool { return s.Owner })
				before := settled(t, l, eng)
				said, err := eng.Undo(t.Context())
				if err != nil || !strings.HasSuffix(said, "wait again") {
					t.Fatalf("undo says %q, %v", said, err)
				}
				held := settled(t, l, eng)
				s := eng.Feed().Latest()
				if s.Jobs.Held != len(step) || len(s.Review) != len(step) || s.Grid.Filled != 1 || s.Best.ID != record.Root {
					t.Errorf("%d held, %d in review of %d; %d niches, best %s", s.Jobs.Held, len(s.Review), len(step), s.Grid.Filled, s.Best.ID)
				}
				stop()
				if err := l.state().CheckArchive(); err != nil {
					t.Errorf("the archive is not the fold: %v", err)
				}
				eng, stop = l.startWith(engine.Options{KeepState: true})
				l.await(eng, "it is read", func(s *view.Snapshot) bool { return s.Owner })
				if got := settled(t, l, eng); got != held {
					t.Errorf("a restart changes it: %s", differs(got, held))
				}
				if _, err := eng.Redo(t.Context()); err != nil {
					t.Fatal(err)
				}
				if got := settled(t, l, eng); got != before {
					t.Errorf("redo does not bring it back: %s", differs(got, before))
				}
			})
		}
	}
}

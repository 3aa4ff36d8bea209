package tui

import (
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"atoll/engine/view"
	"atoll/store/record"
	"atoll/tui/pane"
	"atoll/tui/tuitest"
)

// waits is a snapshot in which candidates wait, each for a niche with its value.
type waits struct {
	id    record.CandidateID
	cell  int
	value float64
}

func queued(s *view.Snapshot, list ...waits) *view.Snapshot {
	s.Review = nil
	for _, w := range list {
		c := tuitest.Candidate(int(w.id))
		c.Status, c.Objective, c.Operator = record.StatusHeld, tuitest.F(w.value), record.OpTune
		s.Review = append(s.Review, view.Held{Job: record.Job{ID: record.JobID(w.id), State: record.Held, Candidate: w.id}, Candidate: c, Before: "its niche", Cell: w.cell, From: record.NoCandidate, Parent: tuitest.F(2.3)})
	}
	s.Jobs.Held = len(list)
	return s
}

// filled returns the filled cells of a snapshot, the best elite first.
func filled(s *view.Snapshot) []view.Cell {
	cells := slices.Clone(s.Grid.Cells)
	slices.SortFunc(cells, func(a, b view.Cell) int {
		switch {
		case a.Objective > b.Objective:
			return -1
		case a.Objective < b.Objective:
			return 1
		}
		return 0
	})
	return cells
}

// order lists the candidates on the review screen from above.
func (r *rig) order() []record.CandidateID {
	var out []record.CandidateID
	r.keys("home")
	for range r.app.d.Snap.Review {
		out = append(out, r.app.Current().Selected().Candidate)
		r.keys("down")
	}
	return slices.Compact(out)
}

func TestTheReviewIsTrueAsOfNow(t *testing.T) {
	s := tuitest.Snapshot(16)
	cells := filled(s)
	low, high := cells[40], cells[20]
	queued(s, waits{401, low.Index, low.Objective + 0.001}, waits{402, high.Index, high.Objective + 0.004})
	r := newRig(t, s, 140, 40)
	r.keys("r")
	if got := r.order(); !slices.Equal(got, []record.CandidateID{402, 401}) {
		t.Errorf("the queue is %v, not by gain", got)
	}
	if frame := ansi.Strip(r.app.frame()); !strings.Contains(frame, "takes "+pane.Niche(&s.Grid, low.Index)+" from "+low.Elite.String()) {
		t.Errorf("it is not told from whom c401 takes its niche:\n%s", frame)
	}

	next := tuitest.Snapshot(16) // somebody else takes the niche that c402 waits for
	next.Version++
	queued(next, waits{401, low.Index, low.Objective + 0.001}, waits{402, high.Index, high.Objective + 0.004})
	for i := range next.Grid.Cells {
		if c := &next.Grid.Cells[i]; c.Index == high.Index {
			c.Elite, c.Objective, c.Adjusted = 350, high.Objective+0.009, high.Adjusted+0.009
		}
	}
	r.send(snapMsg{next})
	frame := ansi.Strip(r.app.frame())
	if strings.Contains(frame, "from "+high.Elite.String()+" ") || !strings.Contains(frame, "1 more is no longer better") {
		t.Errorf("c402 is told to take its niche though it would lose:\n%s", frame)
	}
	r.keys("v")
	if frame := ansi.Strip(r.app.frame()); !strings.Contains(frame, "no better than c350") {
		t.Errorf("what is no better is not listed when asked for:\n%s", frame)
	}
}

func TestABetterThanTheBestIsSeenWhereItsNicheIsFrozen(t *testing.T) {
	s := tuitest.Snapshot(16)
	cells := filled(s)
	top, low := cells[0], cells[40]
	queued(s, waits{401, low.Index, top.Objective + 0.5}, waits{402, low.Index, low.Objective + 0.001}, waits{403, top.Index, top.Objective + 0.1})
	for i := range s.Grid.Cells {
		if s.Grid.Cells[i].Index == low.Index {
			s.Grid.Cells[i].Frozen = true
		}
	}
	for _, size := range [][2]int{{60, 16}, {80, 24}, {120, 36}, {200, 60}} {
		r := newRig(t, s, size[0], size[1])
		r.keys("r")
		if got := r.order(); !slices.Equal(got, []record.CandidateID{403, 401}) {
			t.Errorf("%v: the queue is %v", size, got)
		}
		r.keys("end")
		r.tells([]string{"its niche is frozen", "+0.6", "3 waiting"}, "")
	}
	r := newRig(t, s, 140, 40)
	r.keys("r", "A")
	if ds := r.ctl.Decisions(); len(ds) != 1 || ds[0].Candidate != 403 {
		t.Errorf("with the best of each niche it is approved as well: %+v", ds)
	}

	// Approved, it is the best without a niche.
	s.Review, s.Best.ID, s.Best.Objective, s.Best.Cell = nil, 401, top.Objective+0.5, low.Index
	at := pane.Niche(&s.Grid, low.Index)
	r = newRig(t, s, 160, 40)
	r.tells([]string{"c401, " + at + " is frozen"}, "c401 "+at)
	r.keys("F")
	r.tells([]string{"it holds no niche: " + low.Elite.String() + " is frozen in " + at}, "c401 "+at)
}

func TestTheQueueIsInOrderOfTheGainItTells(t *testing.T) {
	s := tuitest.Snapshot(16)
	cells := filled(s)
	top, low := cells[0], cells[40]
	empty := slices.IndexFunc(s.Grid.Cells, func(c view.Cell) bool { return c.Elite < 0 })
	if empty >= 0 {
		empty = s.Grid.Cells[empty].Index
	} else {
		for empty = 0; slices.ContainsFunc(s.Grid.Cells, func(c view.Cell) bool { return c.Index == empty }); empty++ {
		}
	}
	queued(s, waits{401, top.Index, top.Objective + 1e-6}, waits{402, low.Index, low.Objective + 0.002}, waits{403, empty, low.Objective - 0.1}, waits{404, low.Index, low.Objective + 0.001}, waits{405, empty, low.Objective - 0.2})
	for _, size := range [][2]int{{80, 24}, {140, 40}} {
		r := newRig(t, s, size[0], size[1])
		r.keys("r")
		if got := r.order(); !slices.Equal(got, []record.CandidateID{403, 405, 402, 404, 401}) {
			t.Errorf("%v: the queue is %v: first those that open a niche, then by gain on who holds it", size, got)
		}
	}
	r := newRig(t, s, 140, 40)
	r.keys("r")
	frame := ansi.Strip(r.app.frame())
	for _, want := range []string{"gain", "first in ", "new best, takes " + pane.Niche(&s.Grid, top.Index) + " from " + top.Elite.String(), "+0.0020"} {
		if !strings.Contains(frame, want) {
			t.Errorf("the queue does not say %q:\n%s", want, frame)
		}
	}
}

func TestTheCursorStaysOnItsCandidateWhenABetterOneComes(t *testing.T) {
	s := tuitest.Snapshot(16)
	cells := filled(s)
	low, high := cells[40], cells[20]
	r := newRig(t, queued(s, waits{401, low.Index, low.Objective + 0.001}), 140, 40)
	r.keys("r")
	next := queued(tuitest.Snapshot(16), waits{401, low.Index, low.Objective + 0.001}, waits{402, high.Index, high.Objective + 0.004})
	next.Version++
	r.send(snapMsg{next})
	_ = r.app.frame()
	r.keys("a")
	if ds := r.ctl.Decisions(); len(ds) != 1 || ds[0].Candidate != 401 {
		t.Errorf("a key meant for c401 decided %+v", ds)
	}
}

func TestACursorThatNobodyMovedIsOnTheBestThatWaits(t *testing.T) {
	cells := filled(tuitest.Snapshot(16))
	waiting := func(n int) *view.Snapshot { // each that comes gains more
		var list []waits
		for i := range n {
			list = append(list, waits{record.CandidateID(401 + i), cells[30+i].Index, cells[30+i].Objective + 0.001*float64(1+i)})
		}
		s := queued(tuitest.Snapshot(16), list...)
		s.Version += uint64(n)
		return s
	}
	r := newRig(t, waiting(1), 140, 40)
	for n := 2; n <= 8; n++ {
		r.send(snapMsg{waiting(n)})
		_ = r.app.frame()
	}
	if frame := ansi.Strip(r.app.frame()); !strings.Contains(frame, " c408 ") {
		t.Errorf("the dashboard does not list the best that waits:\n%s", frame)
	}
	r.keys("4")
	if at := r.app.Current().Selected().Candidate; at != 408 {
		t.Errorf("the cursor that nobody moved stands on %s", at)
	}
	r.keys("down", "down", "1") // and one that was moved stays where it is put
	r.send(snapMsg{waiting(9)})
	_ = r.app.frame()
	r.keys("4")
	if at := r.app.Current().Selected().Candidate; at != 406 {
		t.Errorf("the cursor that was put on c406 stands on %s", at)
	}
	if frame := ansi.Strip(r.app.frame()); !strings.Contains(frame, "above") {
		t.Errorf("that better ones stand above the rows is not told:\n%s", frame)
	}
}

func TestTheBestOfEachNicheIsApprovedInOneStep(t *testing.T) {
	s := tuitest.Snapshot(16)
	cells := filled(s)
	a, b := cells[30], cells[20]
	queued(s, waits{401, a.Index, a.Objective + 0.001}, waits{402, a.Index, a.Objective + 0.002}, waits{403, b.Index, b.Objective + 0.001}, waits{404, b.Index, b.Objective - 0.1})
	r := newRig(t, s, 140, 40)
	r.keys("r")
	if bar := r.bar(); !strings.Contains(bar, "A approve best of each niche (2)") {
		t.Errorf("the key does not say on how many it acts: %s", bar)
	}
	r.keys("A")
	ds := r.ctl.Decisions()
	if len(ds) != 2 || ds[0].Candidate != 402 || ds[1].Candidate != 403 {
		t.Fatalf("decided %+v", ds)
	}
	if r.ctl.Steps() != 1 {
		t.Errorf("two approvals of one key are %d steps", r.ctl.Steps())
	}
}

func TestTheQueueIsFiltered(t *testing.T) {
	s := tuitest.Snapshot(16)
	cells := filled(s)
	queued(s, waits{401, cells[30].Index, 2.41}, waits{402, cells[31].Index, 2.40})
	r := newRig(t, s, 140, 40)
	r.keys("r", "/")
	r.typing("c402")
	r.keys("enter")
	if got := r.app.Current().Selected().Candidate; got != 402 || strings.Contains(ansi.Strip(r.app.frame()), "c401") {
		t.Errorf("the filter leaves %s and:\n%s", got, ansi.Strip(r.app.frame()))
	}
}

func TestFrozenBoostedAndWaitingShowTogether(t *testing.T) {
	s := tuitest.Snapshot(8)
	best := s.Best.Cell
	for i := range s.Grid.Cells {
		c := &s.Grid.Cells[i]
		c.Waiting, c.Running, c.Fold, c.Frozen, c.Boost = 1, 0, 0, false, 1
		if c.Index == best {
			c.Frozen, c.Boost = true, 4
		}
	}
	for _, size := range [][2]int{{120, 36}, {200, 60}, {300, 80}} {
		r := newRig(t, s, size[0], size[1])
		frame := ansi.Strip(r.app.frame())
		if !strings.Contains(frame, "#+?") {
			t.Errorf("at %dx%d the niche does not show that it is frozen, boosted and waited for:\n%s", size[0], size[1], frame)
		}
	}
	for _, size := range [][2]int{{60, 16}, {80, 24}, {120, 36}} {
		r := newRig(t, s, size[0], size[1])
		if frame := ansi.Strip(r.app.frame()); !(strings.Contains(frame, "frozen · boost x4") && strings.Contains(frame, "1 waiting")) {
			t.Errorf("at %dx%d the line under the map does not tell it:\n%s", size[0], size[1], frame)
		}
	}
}

func TestLargeNichesShowTheirValues(t *testing.T) {
	s := tuitest.Snapshot(8)
	r := newRig(t, s, 200, 60)
	r.keys("C") // away from the cursor's brackets nothing depends on the palette
	if frame := ansi.Strip(r.app.frame()); !strings.Contains(frame, " 2.2") && !strings.Contains(frame, " 2.3") {
		t.Errorf("no value stands in a niche:\n%s", frame)
	}
}

func TestTakingADecisionBackPutsTheCursorWhereItStood(t *testing.T) {
	s := tuitest.Snapshot(16)
	cells := filled(s)
	var list []waits
	for i := range 5 {
		list = append(list, waits{record.CandidateID(401 + i), cells[10+i].Index, cells[10+i].Objective + 0.01 - 0.001*float64(i)})
	}
	queued(s, list...)
	r := newRig(t, s, 140, 40)
	now := s.Version
	waiting := func(ids ...record.CandidateID) { // what the feed tells next
		next := tuitest.Snapshot(16)
		now++
		next.Version = now
		var still []waits
		for _, w := range list {
			if slices.Contains(ids, w.id) {
				still = append(still, w)
			}
		}
		r.send(snapMsg{queued(next, still...)})
	}
	at := func(want record.CandidateID, when string) {
		t.Helper()
		if got := r.app.Current().Selected().Candidate; got != want {
			t.Errorf("%s the cursor stands on %s, not on %s", when, got, want)
		}
	}
	r.keys("r", "home", "space", "down", "space", "home", "down") // the first and the third are marked
	at(402, "before")
	r.keys("a")
	at(402, "when those beside it are gone")
	waiting(402, 404, 405)
	r.keys("down")
	at(404, "below")
	r.keys("a")
	waiting(402, 405)
	r.keys("u")
	waiting(402, 404, 405)
	at(404, "when the second step was taken back")
	r.keys("u")
	waiting(401, 402, 403, 404, 405)
	at(402, "when the bulk was taken back")
	r.keys("end", "u")
	waiting(401, 402, 403, 404, 405)
	at(405, "when something else was taken back")
}

package fold

import (
	"cmp"

	"atoll/engine/search"
	"atoll/engine/view"
	"atoll/store/record"
)

// decidedEnds are the ends of candidates that people decide about, as readers are
// told of them: a decision that is taken back takes its end out of yields, recent
// jobs and failures, and one that is made again brings it back.
type decidedEnds struct {
	counted   map[record.CandidateID]decidedEnd // told
	withdrawn map[record.CandidateID]decidedEnd // not told: the candidate waits again
	reopened  map[record.CandidateID]bool       // a rejection was taken back, and the store does not hold it yet
	rejected  map[record.Seq]int                // which end a rejection was that was taken back, by the decision that did or is undone
	places    map[record.CandidateID]int        // of rejections that are done again: which end they were
}

// decidedEnd is how one candidate's job ended.
type decidedEnd struct {
	event   search.Event
	failure *failure // nil: it did not fail
	told    *ended   // among the recent jobs when it was withdrawn; nil for none
}

// failure is how a job failed, and the sample of its group before.
type failure struct {
	class  record.Class
	reason string
	before sample
}

// countEnd counts the end of a candidate's job in place of one that was counted
// before.
func (s *State) countEnd(m *Candidate, e decidedEnd) {
	s.withdraw(m)
	s.yields.Add(e.event)
	if e.failure != nil {
		f := *e.failure
		f.before = s.failures.count(m.Job(), f.class, f.reason)
		e.failure = &f
	}
	if !m.waited && !m.Rejected {
		return
	}
	ends := &s.Decided.ends
	if ends.counted == nil {
		ends.counted, ends.withdrawn = map[record.CandidateID]decidedEnd{}, map[record.CandidateID]decidedEnd{}
	}
	e.told = nil
	ends.counted[m.ID()] = e
}

// withdraw takes back what is told of the end of a candidate that waits for a
// person again. An end by rejection is gone with the rejection; any other comes
// back with the approval, for which no job ends again. It returns what the recent jobs
// told of it.
func (s *State) withdraw(m *Candidate) *ended {
	if m == nil {
		return nil
	}
	ends := &s.Decided.ends
	e, ok := ends.counted[m.ID()]
	if !ok {
		return nil
	}
	delete(ends.counted, m.ID())
	s.yields.Forget(e.event)
	if f := e.failure; f != nil {
		s.failures.discount(m.Job(), f.class, f.reason, f.before)
	}
	e.told = s.unpush(m.Job())
	if e.event.State != record.Rejected {
		ends.withdrawn[m.ID()] = e
	}
	return e.told
}

// withdrawRejection takes back what is told of an end by rejection. A candidate
// that was rejected in its niche ended before, and that end stays.
func (s *State) withdrawRejection(d record.Decision) {
	id, ends := d.Candidate, &s.Decided.ends
	if ends.counted[id].event.State != record.Rejected {
		return
	}
	m, at := s.Candidate(id), 0
	if e := s.withdraw(m); e != nil {
		at = e.nth
	}
	if ends.reopened == nil {
		ends.reopened, ends.rejected = map[record.CandidateID]bool{}, map[record.Seq]int{}
	}
	ends.rejected[cmp.Or(d.Undoes, d.Seq)] = at
	if m != nil && m.waited && !m.passed { // else it is queued again
		ends.reopened[id] = true
	}
}

// rejectAgain notes where the end of a rejection belongs that is done again, by undo or
// by redo: both name the decision that was made first.
func (s *State) rejectAgain(d record.Decision) {
	ends := &s.Decided.ends
	delete(ends.places, d.Candidate)
	if at := ends.rejected[d.Undoes]; d.Undoes != 0 && at != 0 {
		if ends.places == nil {
			ends.places = map[record.CandidateID]int{}
		}
		ends.places[d.Candidate] = at
	}
}

// pushRejection tells the end of a rejected candidate: where it was told before when
// the rejection is done again.
func (s *State) pushRejection(m *Candidate, e view.Ended) {
	at := s.Decided.ends.places[m.ID()]
	delete(s.Decided.ends.places, m.ID())
	if at == 0 {
		s.push(e)
	} else {
		s.pushBack(ended{e, at})
	}
}

// pass lets a candidate pass. One whose approval was taken back after its end has
// that end again: as it was where the approval is done again, and where it is a new
// one with the place that it takes now.
func (s *State) pass(d record.Decision) {
	m := s.Candidate(d.Candidate)
	if m == nil {
		return
	}
	e, had := s.Decided.ends.withdrawn[m.ID()]
	if !had || !m.withheld {
		s.approve(d)
		return
	}
	was := s.placeBefore(m)
	s.approve(d)
	delete(s.Decided.ends.withdrawn, m.ID())
	if d.Undoes == 0 {
		s.endAnew(m, &e, was, d.At)
	}
	s.setStatus(m, statusAfter(e.event.State))
	told := e.told
	s.countEnd(m, e)
	if told != nil {
		s.pushBack(*told)
	}
}

// before is who was where when a candidate came back.
type before struct {
	cell         int
	holder, best record.CandidateID
}

func (s *State) placeBefore(m *Candidate) before {
	b := before{-1, record.NoCandidate, s.Best}
	if s.arch == nil {
		return b
	}
	if cell, ok := s.arch.CellOf(m.ID()); ok {
		b.cell = cell
		if h, ok := s.arch.Holder(cell); ok {
			b.holder = h.ID
		}
	}
	return b
}

// endAnew makes the end of a measured candidate one of now.
func (s *State) endAnew(m *Candidate, e *decidedEnd, was before, at record.Millis) {
	if e.event.State != record.Placed && e.event.State != record.Scored || s.arch == nil {
		return
	}
	takes := s.arch.Holds(m.ID())
	e.event.State, e.event.Best = record.Scored, s.Best == m.ID() && was.best != m.ID()
	if takes {
		e.event.State = record.Placed
	}
	if e.told == nil {
		return
	}
	t := &e.told.Ended
	s.ends++
	e.told.nth = s.ends
	t.Job.State, t.Best, t.Cell, t.From = e.event.State, e.event.Best, -1, record.NoCandidate
	if takes {
		t.Cell, t.From = was.cell, was.holder
		d := s.Track(m)
		d.wonAt, d.since = s.Scored, at
		s.Placed = append(s.Placed, m.Job())
		s.tell(s.placedEvent(m, t, at))
	}
}

// statusAfter is the status of a candidate whose job ended so.
func statusAfter(end record.JobState) record.Status {
	switch end {
	case record.Placed, record.Scored:
		return record.StatusScored
	case record.Failed:
		return record.StatusFailed
	case record.Rejected:
		return record.StatusRejected
	case record.Cancelled:
		return record.StatusCancelled
	}
	return record.StatusMade
}

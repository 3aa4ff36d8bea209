package fold

import (
	"fmt"
	"math"
	"slices"

	"atoll/engine/archive"
	"atoll/engine/view"
	"atoll/store/record"
)

// openArchive makes the grid once the root's value fixes the offset of the QD
// score (adjusted root - |root|, unless the configuration names one).
func (s *State) openArchive(m *Candidate) {
	if s.arch != nil {
		return
	}
	s.rootObj = m.Objective
	offset := s.Sign*m.Objective - math.Abs(m.Objective)
	if o := s.Config.Map.Offset; o != nil {
		offset = *o
	}
	s.arch = archive.New(s.shape(), offset)
	s.unpark()
}

// place puts a scored candidate into the archive, unless it must be measured
// again before it may take a niche, and fills in what it took.
func (s *State) place(m *Candidate, point []float64, e *view.Ended, at record.Millis) (improved bool) {
	entry := s.entry(m, point)
	if m.Rejected { // out of the competition, and there when it is restored
		s.arch.Remove(m.ID())
		_, _ = s.arch.Add(entry)
		return false
	}
	if s.mustChallenge(m, entry) {
		s.wait(m.ID(), point)
		return false
	}
	s.unwait(m.ID())
	res, err := s.arch.Add(entry)
	if err != nil {
		s.tell(event{At: at, Level: "error", Job: m.Job(), Text: fmt.Sprintf("%s has no place: %v", m.ID(), err)})
		return false
	}
	if h := s.Candidate(res.After); h != nil && h != m {
		s.checkAgain(h)
	}
	e.Best = s.crown(m)
	if res.Status != archive.NewNiche && res.Status != archive.Improved {
		return false
	}
	d := s.Track(m)
	d.wonAt, d.since = s.Scored, at
	e.Cell, e.From = res.Cell, res.Before
	e.Job.State = record.Placed
	if !s.Quiet {
		s.tell(s.placedEvent(m, e, at))
	}
	return true
}

func (s *State) placedEvent(m *Candidate, e *view.Ended, at record.Millis) event {
	text := fmt.Sprintf("%s takes %s", m.ID(), s.CellName(e.Cell))
	if e.From == record.NoCandidate {
		text = fmt.Sprintf("%s opens %s", m.ID(), s.CellName(e.Cell))
	} else if e.From != m.ID() {
		text += fmt.Sprintf(" from %s", e.From)
	}
	text += fmt.Sprintf(" with %s", view.FormatValue(m.Objective))
	if e.Best {
		text = "new best: " + text
	}
	return event{At: at, Level: "info", Job: m.Job(), Text: text}
}

func (s *State) entry(m *Candidate, point []float64) archive.Entry {
	return archive.Entry{ID: m.ID(), Objective: s.Sign * m.Objective, Samples: int(m.Samples), Point: point}
}

// crown makes m the best if it is. The root is the best until something beats
// it, so the best is never worse than the root.
func (s *State) crown(m *Candidate) bool {
	if s.Best == record.NoCandidate {
		s.lead(m)
		return false
	}
	if m.ID() == s.Best || m.ID() == record.Root || slices.Contains(s.recheck, m.ID()) { // what is known of the gain has changed
		was := s.Best
		s.recrown()
		return s.Best == m.ID() && was != m.ID()
	}
	if !s.better(m, s.Candidate(s.Best)) || s.disproved(m) {
		return false
	}
	if s.unraced(m) {
		s.checkAgain(m)
		return false
	}
	s.lead(m)
	return true
}

// better is the tie rule: higher objective, then more samples, then lower id.
func (s *State) better(a, b *Candidate) bool {
	x, y := s.Sign*a.Objective, s.Sign*b.Objective
	if x != y {
		return x > y
	}
	if a.Samples != b.Samples {
		return a.Samples > b.Samples
	}
	return a.ID() < b.ID()
}

func (s *State) push(e view.Ended) {
	if len(s.recent) >= 2*recentCap {
		s.recent = append(s.recent[:0], s.recent[len(s.recent)-recentCap:]...)
	}
	s.recent = append(s.recent, e)
}

func (s *State) say(row record.FoldRow, level, text string) {
	s.tell(event{At: row.At, Level: level, Job: row.Job, Text: text})
}

// tell notes what happened, unless it is the past, which is no news.
func (s *State) tell(e event) {
	if !s.Quiet {
		s.events = append(s.events, e)
	}
}

// takeEvents returns and forgets what happened since the last call.
func (s *State) TakeEvents() []event {
	ev := s.events
	s.events = nil
	return ev
}

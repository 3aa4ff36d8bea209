package engine

import (
	"fmt"
	"math"

	"atoll/engine/archive"
	"atoll/engine/view"
	"atoll/store"
	"atoll/store/record"
)

// openArchive makes the grid once the root's value fixes the offset of the QD
// score (adjusted root - |root|, unless the configuration names one).
func (s *State) openArchive(m *member) {
	if s.arch != nil {
		return
	}
	s.rootObj = m.obj
	offset := s.sign*m.obj - math.Abs(m.obj)
	if o := s.Config.Map.Offset; o != nil {
		offset = *o
	}
	s.arch = archive.New(s.shape(), offset)
	s.unpark()
}

// place puts a scored candidate into the archive, unless it must be measured
// again before it may take a niche, and fills in what it took.
func (s *State) place(m *member, point []float64, e *view.Ended, at record.Millis) (improved bool) {
	entry := s.entry(m, point)
	if m.rejected { // out of the competition, and there when it is restored
		s.arch.Remove(m.id())
		_, _ = s.arch.Add(entry)
		return false
	}
	if s.mustChallenge(m, entry) {
		s.wait(m.id(), point)
		return false
	}
	s.unwait(m.id())
	res, err := s.arch.Add(entry)
	if err != nil {
		s.tell(event{at: at, level: "error", job: m.job(), text: fmt.Sprintf("%s has no place: %v", m.id(), err)})
		return false
	}
	if h := s.member(res.After); h != nil && h != m {
		s.doubt(h)
	}
	e.Best = s.crown(m)
	if res.Status != archive.NewNiche && res.Status != archive.Improved {
		return false
	}
	d := s.do(m)
	d.wonAt, d.since = s.scored, at
	e.Cell, e.From = res.Cell, res.Before
	e.Job.State = record.Placed
	if !s.quiet {
		s.tell(s.placedEvent(m, e, at))
	}
	return true
}

func (s *State) placedEvent(m *member, e *view.Ended, at record.Millis) event {
	text := fmt.Sprintf("%s takes %s", m.id(), s.CellName(e.Cell))
	if e.From == record.NoCandidate {
		text = fmt.Sprintf("%s opens %s", m.id(), s.CellName(e.Cell))
	} else if e.From != m.id() {
		text += fmt.Sprintf(" from %s", e.From)
	}
	text += fmt.Sprintf(" with %s", view.FormatValue(m.obj))
	if e.Best {
		text = "new best: " + text
	}
	return event{at: at, level: "info", job: m.job(), text: text}
}

func (s *State) entry(m *member, point []float64) archive.Entry {
	return archive.Entry{ID: m.id(), Objective: s.sign * m.obj, Samples: int(m.samples), Point: point}
}

// crown makes m the best if it is. The root is the best until something beats
// it, so the best is never worse than the root.
func (s *State) crown(m *member) bool {
	if s.best == record.NoCandidate {
		s.best = m.id()
		return false
	}
	if m.id() == s.best {
		s.recrown()
		return false
	}
	if !s.better(m, s.member(s.best)) {
		return false
	}
	if s.unproven(m) {
		s.doubt(m)
		return false
	}
	s.best = m.id()
	return true
}

// better is the tie rule: higher objective, then more samples, then lower id.
func (s *State) better(a, b *member) bool {
	x, y := s.sign*a.obj, s.sign*b.obj
	if x != y {
		return x > y
	}
	if a.samples != b.samples {
		return a.samples > b.samples
	}
	return a.id() < b.id()
}

func (s *State) push(e view.Ended) {
	if len(s.recent) >= 2*recentCap {
		s.recent = append(s.recent[:0], s.recent[len(s.recent)-recentCap:]...)
	}
	s.recent = append(s.recent, e)
}

func (s *State) say(row store.FoldRow, level, text string) {
	s.tell(event{at: row.At, level: level, job: row.Job, text: text})
}

// tell notes what happened, unless it is the past, which is no news.
func (s *State) tell(e event) {
	if !s.quiet {
		s.events = append(s.events, e)
	}
}

// takeEvents returns and forgets what happened since the last call.
func (s *State) takeEvents() []event {
	ev := s.events
	s.events = nil
	return ev
}

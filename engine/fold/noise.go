package fold

import (
	"fmt"
	"slices"

	"atoll/engine/archive"
	"atoll/engine/view"
	"atoll/store/record"
)

// What a noisy objective asks of a candidate before it may take a place
// (design rule 8). All of it is part of the fold.

// MaxStrikes is how many evaluate jobs of one candidate may fail in a row
// before it is left as it is: with the samples it has, and without the place it
// was measured for.
const MaxStrikes = 3

// noteMeasured takes the end of an evaluate job of a candidate.
func (s *State) noteMeasured(row record.FoldRow, m *Candidate) {
	d := s.Track(m)
	if d.Measuring == row.Job {
		d.Measuring = 0
	}
	if row.Work.State == record.Done {
		d.Strikes = 0
		switch row.Work.Purpose {
		case record.PurposeLead:
			d.led = true
		case record.PurposeChallenge: // before there were races for the lead, and spreads, this was one
			d.led = d.led || d.mad > 0 && d.dev == 0
		case record.PurposeConfirm:
			s.Proof.rank(m)
		}
		if row.Work.Purpose == record.PurposeVerify {
			s.say(row, "info", fmt.Sprintf("%s measured again: %s from %s", m.ID(), view.FormatValue(m.Objective), view.Plural(int(m.Samples), "sample")))
		}
		return
	}
	d.Strikes++
	if d.Strikes == MaxStrikes && s.isWaiting(m.ID()) {
		s.say(row, "warn", fmt.Sprintf("%s takes no niche: it failed %d times when it was measured again", m.ID(), MaxStrikes))
	}
}

// watchNoise finds out that the objective is noisy: two samples of one tree
// differ. Once true it stays true.
func (s *State) watchNoise(row record.FoldRow, m *Candidate) {
	if d := s.Trials(m); s.Noisy || d.mad == 0 && (d.HeldOut.N == 0 || d.HeldOut.Mean == m.Objective) {
		return
	}
	s.Noisy = true
	if m.ID() == record.Root {
		return
	}
	s.say(row, "info", fmt.Sprintf("the objective is noisy: samples of %s differ", m.ID()))
	if best := s.Candidate(s.Best); best != nil {
		s.checkAgain(best)
	}
}

// provenAt is how many deciding samples a noisy objective asks for.
func (s *State) provenAt() int { return s.Config.Evaluator.Repeats + s.Config.Evaluator.Challenge }

// unproven reports whether a candidate has fewer samples than a noisy objective
// asks of one that takes a place from another.
func (s *State) unproven(m *Candidate) bool {
	return s.Noisy && s.Config.Evaluator.Challenge > 0 && m.ID() != record.Root && int(m.Samples) < s.provenAt()
}

// unraced reports whether a candidate did not win a race for the lead yet.
func (s *State) unraced(m *Candidate) bool {
	return s.Noisy && s.Config.Evaluator.Challenge > 0 && m.ID() != record.Root && !s.Trials(m).led
}

// wantsLead reports whether a candidate looks better than the best and has still
// to show it.
func (s *State) wantsLead(m *Candidate) bool {
	if !s.unraced(m) || s.disproved(m) {
		return false
	}
	best := s.Candidate(s.Best)
	return best == nil || s.Sign*m.Objective > s.Sign*best.Objective
}

// rivalOf is whom a candidate at a point looks better than: the holder of its
// niche, else the best; nil for nobody.
func (s *State) rivalOf(m *Candidate, point []float64) *Candidate {
	if cell, err := s.shape().Cell(point); err == nil {
		if holder, ok := s.arch.Holder(cell); ok && holder.ID != m.ID() && s.Sign*m.Objective > holder.Objective {
			return s.Candidate(holder.ID)
		}
	}
	if best := s.Candidate(s.Best); best != nil && s.Sign*m.Objective > s.Sign*best.Objective {
		return best
	}
	return nil
}

// mustChallenge says whether a candidate that is not in the archive yet looks
// better than the best, or than the holder of its niche, on too few samples.
func (s *State) mustChallenge(m *Candidate, e archive.Entry) bool {
	if _, placed := s.arch.Entry(m.ID()); placed {
		return false
	}
	return s.unproven(m) && s.rivalOf(m, e.Point) != nil
}

// admit gives their places to those that waited and no longer look better than
// who is there.
func (s *State) admit(at record.Millis) {
	for i := 0; i < len(s.waiting); {
		c := s.waiting[i]
		m := s.Candidate(c.id)
		if m.Rejected || s.mustChallenge(m, s.entry(m, c.point)) {
			i++
			continue
		}
		e := view.Ended{Job: record.Job{ID: m.Job()}, Cell: -1, From: record.NoCandidate}
		if s.place(m, c.point, &e, at) {
			s.Placed = append(s.Placed, m.Job())
		}
		i = 0
	}
}

// checkAgain has a candidate measured again that came to a place because another
// lost it, before its samples could be asked for.
func (s *State) checkAgain(m *Candidate) {
	if !s.unproven(m) && !s.wantsLead(m) || m.Rejected {
		return
	}
	for _, id := range s.recheck {
		if id == m.ID() {
			return
		}
	}
	s.recheck = append(s.recheck, m.ID())
}

// clearRecheck forgets those of which nothing is in doubt any more.
func (s *State) clearRecheck() {
	s.recheck = slices.DeleteFunc(s.recheck, func(id record.CandidateID) bool {
		d := s.Candidate(id)
		return !s.unproven(d) && !s.wantsLead(d) || d.Rejected || s.Trials(d).Strikes >= MaxStrikes
	})
}

// ready reports whether a candidate can be measured again now.
func (s *State) ready(m *Candidate) bool {
	d := s.Trials(m)
	return d.Measuring == 0 && d.Strikes < MaxStrikes && !m.Rejected
}

// recrown looks for the best among all that compete, after one of them lost its
// value or its right. One that looks better on too few samples is measured
// again first.
func (s *State) recrown() {
	was := s.Best
	s.Best = record.NoCandidate
	if s.arch == nil {
		return
	}
	best, hope := record.NoCandidate, record.NoCandidate
	s.arch.Ranked(func(h archive.Holder) bool {
		m := s.Candidate(h.ID)
		if s.disproved(m) {
			return true
		}
		if !s.unraced(m) {
			if best == record.NoCandidate || s.better(m, s.Candidate(best)) {
				best = h.ID
			}
			return h.Frozen // one that is not frozen is better than those that follow
		}
		if s.Trials(m).Strikes < MaxStrikes && (hope == record.NoCandidate || s.better(m, s.Candidate(hope))) {
			hope = h.ID
		}
		return true
	})
	if s.Best = best; best != was {
		s.Proof.since = s.folded
	}
	if h := s.Candidate(hope); h != nil && (s.Best == record.NoCandidate || s.better(h, s.Candidate(s.Best))) {
		s.checkAgain(h)
	}
}

// challenger is a candidate that needs more samples before it may compete.
type challenger struct {
	id    record.CandidateID
	point []float64
}

func (s *State) wait(id record.CandidateID, point []float64) {
	if i := s.waitingAt(id); i >= 0 {
		s.waiting[i].point = point
		return
	}
	s.waiting = append(s.waiting, challenger{id, point})
}

func (s *State) unwait(id record.CandidateID) {
	if i := s.waitingAt(id); i >= 0 {
		s.waiting = slices.Delete(s.waiting, i, i+1)
	}
}

func (s *State) isWaiting(id record.CandidateID) bool { return s.waitingAt(id) >= 0 }

func (s *State) waitingAt(id record.CandidateID) int {
	return slices.IndexFunc(s.waiting, func(c challenger) bool { return c.id == id })
}

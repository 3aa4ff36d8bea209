package engine

import (
	"context"
	"fmt"
	"slices"

	"atoll/engine/archive"
	"atoll/engine/view"
	"atoll/store"
	"atoll/store/record"
)

// What a noisy objective asks of a candidate before it may take a place
// (design rule 8). All of it is part of the fold.

// maxStrikes is how many evaluate jobs of one candidate may fail in a row
// before it is left as it is: with the samples it has, and without the place it
// was measured for.
const maxStrikes = 3

// noteMeasured takes the end of an evaluate job of a candidate.
func (s *State) noteMeasured(row store.FoldRow, m *member) {
	d := s.do(m)
	if d.measuring == row.Job {
		d.measuring = 0
	}
	if row.Work.State == record.Done {
		d.strikes = 0
		if row.Work.Purpose == record.PurposeVerify {
			s.say(row, "info", fmt.Sprintf("%s measured again: %s from %s", m.id(), view.FormatValue(m.obj), view.Plural(int(m.samples), "sample")))
		}
		return
	}
	d.strikes++
	if d.strikes == maxStrikes && s.isWaiting(m.id()) {
		s.say(row, "warn", fmt.Sprintf("%s takes no niche: it failed %d times when it was measured again", m.id(), maxStrikes))
	}
}

// watchNoise finds out that the objective is noisy: two samples of one tree
// differ. Once true it stays true.
func (s *State) watchNoise(row store.FoldRow, m *member) {
	if d := s.did(m); s.noisy || d.mad == 0 && (d.claimedN == 0 || d.claimed == m.obj) {
		return
	}
	s.noisy = true
	if m.id() == record.Root {
		return
	}
	s.say(row, "info", fmt.Sprintf("the objective is noisy: samples of %s differ", m.id()))
	if best := s.member(s.best); best != nil {
		s.doubt(best)
	}
}

// provenAt is how many deciding samples a noisy objective asks for.
func (s *State) provenAt() int { return s.Config.Evaluator.Repeats + s.Config.Evaluator.Challenge }

// unproven reports whether a candidate has fewer samples than a noisy objective
// asks of one that takes a place from another.
func (s *State) unproven(m *member) bool {
	return s.noisy && s.Config.Evaluator.Challenge > 0 && m.id() != record.Root && int(m.samples) < s.provenAt()
}

// mustChallenge says whether a candidate that is not in the archive yet looks
// better than the best, or than the holder of its niche, on too few samples.
func (s *State) mustChallenge(m *member, e archive.Entry) bool {
	if !s.unproven(m) {
		return false
	}
	if _, placed := s.arch.Entry(m.id()); placed {
		return false
	}
	if s.best == record.NoCandidate || e.Objective > s.sign*s.member(s.best).obj {
		return true
	}
	cell, err := s.shape().Cell(e.Point)
	if err != nil {
		return false
	}
	holder, ok := s.arch.Holder(cell)
	return ok && holder.Objective < e.Objective
}

// doubt has a candidate measured again that came to a place because another
// lost it, before its samples could be asked for.
func (s *State) doubt(m *member) {
	if !s.unproven(m) || m.rejected {
		return
	}
	for _, id := range s.doubted {
		if id == m.id() {
			return
		}
	}
	s.doubted = append(s.doubted, m.id())
}

// nextChallenge returns a candidate that needs further samples now, and how
// many.
func (s *State) nextChallenge() (m *member, samples int) {
	if root := s.member(record.Root); s.alike.check && s.did(root).measuring == 0 {
		s.alike.check = false
		return root, 1
	}
	kept := s.doubted[:0]
	for _, id := range s.doubted {
		if d := s.member(id); s.unproven(d) && !d.rejected && s.did(d).strikes < maxStrikes {
			kept = append(kept, id)
		}
	}
	s.doubted = kept
	for _, c := range s.waiting {
		if m := s.member(c.id); s.ready(m) {
			return m, max(1, s.provenAt()-int(m.samples))
		}
	}
	for _, id := range s.doubted {
		if m := s.member(id); s.ready(m) {
			return m, max(1, s.provenAt()-int(m.samples))
		}
	}
	return nil, 0
}

// ready reports whether a candidate can be measured again now.
func (s *State) ready(m *member) bool {
	d := s.did(m)
	return d.measuring == 0 && d.strikes < maxStrikes && !m.rejected
}

// recrown looks for the best among all that compete, after one of them lost its
// value or its right. One that looks better on too few samples is measured
// again first.
func (s *State) recrown() {
	s.best = record.NoCandidate
	if s.arch == nil {
		return
	}
	hope := record.NoCandidate
	s.arch.Ranked(func(h archive.Holder) bool {
		m := s.member(h.ID)
		if !s.unproven(m) {
			if s.best == record.NoCandidate || s.better(m, s.member(s.best)) {
				s.best = h.ID
			}
			return h.Frozen // one that is not frozen is better than those that follow
		}
		if s.did(m).strikes < maxStrikes && (hope == record.NoCandidate || s.better(m, s.member(hope))) {
			hope = h.ID
		}
		return true
	})
	if h := s.member(hope); h != nil && (s.best == record.NoCandidate || s.better(h, s.member(s.best))) {
		s.doubt(h)
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

// knowMeasurements brings back what the fold does not keep of evaluate jobs:
// which are open, and how many looked at elites again. It runs once, after the
// log was read for the first time.
func (e *Engine) knowMeasurements(ctx context.Context) error {
	jobs, err := e.db.Jobs(ctx, e.exp, store.JobFilter{Kind: record.Evaluate, Limit: int(e.nextJob) + 1})
	if err != nil {
		return fmt.Errorf("read the evaluate jobs: %w", err)
	}
	e.st.remeasured = 0
	e.st.alike = alike{} // the past does not speak against the evaluator of today
	for _, j := range jobs {
		if j.Purpose == record.PurposeConfirm || j.Purpose == record.PurposeRemeasure {
			e.st.remeasured++
		}
		if m := e.st.member(j.Candidate); m != nil && !j.State.Ended() {
			e.st.do(m).measuring = j.ID
		}
	}
	return nil
}

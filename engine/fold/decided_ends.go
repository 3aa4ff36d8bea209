package fold

import (
	"atoll/engine/search"
	"atoll/store/record"
)

// decidedEnds are the ends of candidates that people decide about, as the yields
// count them: a decision that is taken back takes its end out of the yields, and
// one that is made again brings it back.
type decidedEnds struct {
	counted   map[record.CandidateID]search.Event // in the yields
	withdrawn map[record.CandidateID]search.Event // out of them: the candidate waits again
}

// countEnd counts the end of a candidate's job in the yields, in place of one that
// was counted before.
func (s *State) countEnd(m *Candidate, e search.Event) {
	s.withdraw(m)
	s.yields.Add(e)
	if !m.waited && !m.Rejected {
		return
	}
	ends := &s.Decided.ends
	if ends.counted == nil {
		ends.counted, ends.withdrawn = map[record.CandidateID]search.Event{}, map[record.CandidateID]search.Event{}
	}
	ends.counted[m.ID()] = e
}

// withdraw takes the end of a candidate that waits for a person again out of the
// yields. An end by rejection is gone with the rejection; any other comes back
// with the approval, for which no job ends again.
func (s *State) withdraw(m *Candidate) {
	if m == nil {
		return
	}
	ends := &s.Decided.ends
	e, ok := ends.counted[m.ID()]
	if !ok {
		return
	}
	s.yields.Forget(e)
	delete(ends.counted, m.ID())
	if e.State != record.Rejected {
		ends.withdrawn[m.ID()] = e
	}
}

// withdrawRejection takes an end by rejection out of the yields. A candidate that
// was rejected in its niche ended before, and that end stays.
func (s *State) withdrawRejection(id record.CandidateID) {
	if s.Decided.ends.counted[id].State == record.Rejected {
		s.withdraw(s.Candidate(id))
	}
}

// countAgain counts the end that a candidate had before its approval was taken
// back.
func (s *State) countAgain(id record.CandidateID) {
	m := s.Candidate(id)
	e, ok := s.Decided.ends.withdrawn[id]
	if m == nil || !ok || !m.withheld {
		return
	}
	delete(s.Decided.ends.withdrawn, id)
	s.countEnd(m, e)
}

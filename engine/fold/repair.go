package fold

import (
	"math/rand/v2"
	"slices"

	"atoll/store/record"
)

// placeText says where a candidate lies in the archive, "" where it has no
// place.
func (s *State) PlaceText(id record.CandidateID) string {
	if s.arch == nil {
		return ""
	}
	cell, ok := s.arch.CellOf(id)
	if !ok {
		return ""
	}
	return "niche " + s.CellName(cell)
}

// sameNiche reports whether two candidates lie in one cell.
func (s *State) SameNiche(a, b record.CandidateID) bool {
	if s.arch == nil {
		return false
	}
	x, ok := s.arch.CellOf(a)
	y, ok2 := s.arch.CellOf(b)
	return ok && ok2 && x == y
}

// brokenCap is how many failed candidates wait for a repair, brokenTries how
// often each is tried.
const (
	brokenCap   = 16
	brokenTries = 2
)

// brokenOne is a candidate that failed in a way that an edit could mend.
type brokenOne struct {
	id    record.CandidateID
	tries int // repairs that ended
}

// noteBroken keeps a failed candidate for repair.
func (s *State) noteBroken(id record.CandidateID, class record.Class) {
	switch class {
	case record.ClassBuild, record.ClassTest, record.ClassCrash, record.ClassTimeout, record.ClassMetric, record.ClassMemory, record.ClassOutput:
	default:
		return
	}
	if slices.ContainsFunc(s.broken, func(b brokenOne) bool { return b.id == id }) {
		return
	}
	if s.broken = append(s.broken, brokenOne{id: id}); len(s.broken) > brokenCap {
		s.broken = slices.Delete(s.broken, 0, 1)
	}
}

// noteRepair counts a repair that ended, however it did.
func (s *State) noteRepair(op record.Operator, parent record.CandidateID) {
	if op != record.OpRepair {
		return
	}
	i := slices.IndexFunc(s.broken, func(b brokenOne) bool { return b.id == parent })
	if i < 0 {
		return
	}
	if s.broken[i].tries++; s.broken[i].tries >= brokenTries {
		s.broken = slices.Delete(s.broken, i, i+1)
	}
}

// toRepair draws one of the failed candidates, and returns its parent beside
// it.
func (s *State) ToRepair(rng *rand.Rand) (failed, working record.CandidateID, ok bool) {
	if len(s.broken) == 0 {
		return record.NoCandidate, record.NoCandidate, false
	}
	m := s.Candidate(s.broken[rng.IntN(len(s.broken))].id)
	if m == nil || s.Candidate(m.Parent()) == nil {
		return record.NoCandidate, record.NoCandidate, false
	}
	return m.ID(), m.Parent(), true
}

package fold

import (
	"fmt"

	"atoll/engine/archive"
)

// CheckArchive builds the archive anew from the members of the fold, at the
// coordinates that they have, and compares it with the one that grew row by row
// (design rule 1). It returns the first difference in words.
func (s *State) CheckArchive() error {
	if s.arch == nil {
		return nil
	}
	s.arch.Expire(s.folded)
	fresh := archive.New(s.shape(), s.arch.Offset())
	for id := range s.measured() {
		m := s.Candidate(id)
		if s.isWaiting(id) || !m.Scored {
			continue
		}
		if _, err := fresh.Add(s.entry(m, s.pointOf(id))); err != nil {
			return fmt.Errorf("fold %s: %w", id, err)
		}
		if m.Rejected {
			fresh.Remove(id)
		}
	}
	for _, id := range s.arch.Frozen() {
		fresh.Freeze(id)
	}
	for _, b := range s.arch.Boosts(s.folded) {
		fresh.BoostOn(b.Anchor, b.Factor, b.Until)
	}
	return s.arch.Equal(fresh)
}

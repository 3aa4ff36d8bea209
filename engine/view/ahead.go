package view

import (
	"fmt"

	"atoll/engine/evidence"
	"atoll/store/record"
)

// Rival is who looks better than the best and is not sure to be.
type Rival struct {
	ID        record.CandidateID
	Objective float64 // of the samples that decided
	Samples   int     // that decided
	Plain     bool    // by more than noise explains
	Leads     bool    // the search holds it for the best
}

// Ahead is who looks better than the best: [Snapshot.Hope], and while the root is the best the
// elite that is the furthest ahead of it, unless what was held out speaks against that. It is
// nobody while [Snapshot.Sure] is somebody.
func (s *Snapshot) Ahead() (who Rival, ok bool) {
	if s.Sure != nil {
		return who, false
	}
	h := s.Hope
	switch {
	case h != nil && (h.Plain || h.Leads):
		return *h, true
	case !s.Noisy || s.Best.ID != record.Root:
		return who, false
	}
	sign := 1.0
	if s.Direction == "minimize" {
		sign = -1
	}
	most := 0.0
	if h != nil {
		who, ok, most = *h, true, sign*(h.Objective-s.Root.Objective)
	}
	for i := range s.Grid.Cells {
		c := &s.Grid.Cells[i]
		gain := sign * (c.Objective - s.Root.Objective)
		if c.Elite > record.Root && gain > most && !againstGain(c.Claim) {
			who, ok, most = Rival{ID: c.Elite, Objective: c.Objective, Samples: c.Samples}, true, gain
		}
	}
	return who, ok
}

// againstGain reports whether samples that decided nothing speak against a gain.
func againstGain(c *evidence.Claim) bool {
	return c != nil && c.N > 0 && (c.Word == evidence.WithinNoise || c.Gain <= 0)
}

// Why says why it is not sure that it is better: "too few samples to be sure".
func (r *Rival) Why() string {
	switch {
	case r.Plain:
		return "too few to be sure"
	case r.Leads:
		return "its gain is not confirmed"
	}
	return "it may be noise"
}

// Text is "c10 looks better, 0.86863 by 2 samples: it may be noise".
func (r *Rival) Text() string {
	return fmt.Sprintf("%s looks better, %s by %s: %s", r.ID, FormatValue(r.Objective), Plural(r.Samples, "sample"), r.Why())
}

// NothingBetter says how a search stands whose best is the root.
func (s *Snapshot) NothingBetter() string {
	if text := s.SureText(); text != "" {
		return "the run's own samples are sure of nothing better, but " + text
	}
	if _, ok := s.Ahead(); ok {
		return "nothing is sure to be better yet"
	}
	return "nothing better was found yet"
}

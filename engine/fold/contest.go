package fold

import (
	"fmt"

	"atoll/store/record"
)

// contest is who competes for the places of the arena: it gives them, and keeps
// those that must be measured again first.
type contest struct {
	*arena
	*news
	waiting []challenger         // need more samples, in fold order
	recheck []record.CandidateID // inherited a place on too few samples; measured again at once
	Placed  []record.JobID       // took a niche, and the store does not know
}

// Place returns where a candidate lies now: its niche and its coordinates on
// the axes, nil while it has none.
func (c *contest) Place(id record.CandidateID) (niche []int, point []float64) {
	m := c.Candidate(id)
	if m == nil || c.arch == nil || !m.Scored {
		return nil, nil
	}
	if cell, ok := c.arch.CellOf(id); ok {
		niche = c.Coords(cell)
	}
	return niche, c.pointOf(id)
}

// pointOf returns the coordinates under which a candidate competes or waits for
// that; nil where it does neither.
func (c *contest) pointOf(id record.CandidateID) []float64 {
	if i := c.waitingAt(id); i >= 0 {
		return c.waiting[i].point
	}
	if c.arch == nil {
		return nil
	}
	e, _ := c.arch.Entry(id)
	return e.Point
}

// MayMeasure says why a candidate cannot be measured again, nil where it can.
func (c *contest) MayMeasure(id record.CandidateID) error {
	m := c.Candidate(id)
	switch {
	case m == nil:
		return fmt.Errorf("%w: there is no candidate %s", ErrDecision, id)
	case !m.Scored:
		return fmt.Errorf("%w: %s has no value yet", ErrDecision, id)
	case m.Rejected:
		return fmt.Errorf("%w: %s is rejected", ErrDecision, id)
	case m.withheld:
		return fmt.Errorf("%w: %s waits for review", ErrDecision, id)
	case c.Trials(m).Measuring != 0:
		return fmt.Errorf("%w: %s is being measured again", ErrDecision, id)
	}
	return nil
}

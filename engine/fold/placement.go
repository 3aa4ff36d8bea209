package fold

import (
	"fmt"
	"math"

	"atoll/engine/archive"
	"atoll/engine/view"
	"atoll/store/record"
)

// placement is who competes for places in the archive: it gives them, and keeps
// those that must be measured again first.
type placement struct {
	*standings
	*events
	waiting []challenger         // need more samples, in fold order
	recheck []record.CandidateID // inherited a place on too few samples; measured again at once
	Placed  []record.JobID       // took a niche, and the store does not know
}

// Place returns where a candidate lies now: its niche and its coordinates on
// the axes, nil while it has none.
func (c *placement) Place(id record.CandidateID) (niche []int, point []float64) {
	m := c.Candidate(id)
	if m == nil || c.arch == nil || !m.Told() {
		return nil, nil
	}
	if cell, ok := c.cellOf(id); ok {
		niche = c.Coords(cell)
	}
	return niche, c.pointOf(id)
}

// pointOf returns the coordinates under which a candidate competes or waits for
// that; nil where it does neither.
func (c *placement) pointOf(id record.CandidateID) []float64 {
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
func (c *placement) MayMeasure(id record.CandidateID) error {
	m := c.Candidate(id)
	switch {
	case m == nil:
		return fmt.Errorf("%w: there is no candidate %s", ErrMissing, id)
	case m.withheld || c.Origin(m).Status == record.StatusHeld:
		return fmt.Errorf("%w: %s waits for review", ErrDecision, id)
	case !m.Scored:
		return fmt.Errorf("%w: %s has no value yet", ErrDecision, id)
	case m.Rejected:
		return fmt.Errorf("%w: %s is rejected", ErrDecision, id)
	case c.Trials(m).Measuring != 0:
		return fmt.Errorf("%w: %s is being measured again", ErrDecision, id)
	}
	return nil
}

// openArchive makes the grid once the root's value fixes the offset of the QD
// score (adjusted root - |root|, unless the configuration names one).
func (c *placement) openArchive(m *Candidate) {
	if c.arch != nil {
		return
	}
	c.rootObj = m.Objective
	offset := c.Sign*m.Objective - math.Abs(m.Objective)
	if o := c.Config.Map.Offset; o != nil {
		offset = *o
	}
	c.arch = archive.New(c.shape(), offset)
}

// place puts a scored candidate into the archive, unless it must be measured
// again before it may take a niche, and fills in what it took.
func (c *placement) place(m *Candidate, point []float64, e *view.Ended, at record.Millis) (improved bool) {
	entry := c.entry(m, point)
	if m.Out() { // out of the competition, and there when it is restored
		c.arch.Remove(m.ID())
		_, _ = c.arch.Add(entry)
		return false
	}
	if c.mustChallenge(m, entry) {
		c.wait(m.ID(), point)
		return false
	}
	c.unwait(m.ID())
	res, err := c.arch.Add(entry)
	if err != nil {
		c.tell(event{At: at, Level: "error", Job: m.Job(), Text: fmt.Sprintf("%s has no place: %v", m.ID(), err)})
		return false
	}
	if h := c.Candidate(res.After); h != nil && h != m {
		c.checkAgain(h)
	}
	e.Best = c.crown(m)
	if res.Status != archive.NewNiche && res.Status != archive.Improved {
		if e.Best && !c.silent() && c.arch.IsFrozen(res.After) {
			c.tell(event{At: at, Level: "info", Job: m.Job(), Text: fmt.Sprintf("new best: %s with %s, without a niche: %s is frozen in %s", m.ID(), toldText(c.standings, m), res.After, c.CellName(res.Cell))})
		}
		return false
	}
	d := c.Track(m)
	d.wonAt, d.since = c.Scored, at
	e.Cell, e.From = res.Cell, res.Before
	e.Job.State = record.Placed
	if !c.silent() {
		c.tell(c.placedEvent(m, e, at))
	}
	return true
}

// tookThen tells the end of a job as it was under an earlier map, whose niches have other
// names.
func tookThen(e *view.Ended, took bool) {
	e.Job.State, e.Cell, e.From = record.Scored, -1, record.NoCandidate
	if took {
		e.Job.State = record.Placed
	}
}

func (a *standings) placedEvent(m *Candidate, e *view.Ended, at record.Millis) event {
	text := fmt.Sprintf("%s takes %s", m.ID(), a.CellName(e.Cell))
	if e.From == record.NoCandidate {
		text = fmt.Sprintf("%s opens %s", m.ID(), a.CellName(e.Cell))
	} else if e.From != m.ID() {
		text += fmt.Sprintf(" from %s", e.From)
	}
	text += " with " + toldText(a, m)
	if e.Best {
		text = "new best: " + text
	}
	return event{At: at, Level: "info", Job: m.Job(), Text: text}
}

// crown makes m the best if it is, and where the objective is noisy whoever leads
// now that m is better known.
func (c *placement) crown(m *Candidate) bool {
	was := c.Best
	switch {
	case was == record.NoCandidate:
		c.lead(m)
		return false
	case c.Noisy || m.ID() == was || m.ID() == record.Root:
		c.recrown(m)
	case c.better(m, c.Candidate(was)):
		c.lead(m)
	}
	return c.Best == m.ID() && was != m.ID()
}

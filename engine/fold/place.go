package fold

import (
	"fmt"
	"math"

	"atoll/engine/archive"
	"atoll/engine/view"
	"atoll/store/record"
)

// openArchive makes the grid once the root's value fixes the offset of the QD
// score (adjusted root - |root|, unless the configuration names one).
func (c *contest) openArchive(m *Candidate) {
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
func (c *contest) place(m *Candidate, point []float64, e *view.Ended, at record.Millis) (improved bool) {
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
		return false
	}
	d := c.Track(m)
	d.wonAt, d.since = c.Scored, at
	e.Cell, e.From = res.Cell, res.Before
	e.Job.State = record.Placed
	if !c.Quiet {
		c.tell(c.placedEvent(m, e, at))
	}
	return true
}

func (a *arena) placedEvent(m *Candidate, e *view.Ended, at record.Millis) event {
	text := fmt.Sprintf("%s takes %s", m.ID(), a.CellName(e.Cell))
	if e.From == record.NoCandidate {
		text = fmt.Sprintf("%s opens %s", m.ID(), a.CellName(e.Cell))
	} else if e.From != m.ID() {
		text += fmt.Sprintf(" from %s", e.From)
	}
	text += fmt.Sprintf(" with %s", view.FormatValue(m.Objective))
	if e.Best {
		text = "new best: " + text
	}
	return event{At: at, Level: "info", Job: m.Job(), Text: text}
}

// crown makes m the best if it is, and where the objective is noisy whoever leads
// now that m is better known.
func (c *contest) crown(m *Candidate) bool {
	was := c.Best
	switch {
	case was == record.NoCandidate:
		c.lead(m)
		return false
	case c.Noisy || m.ID() == was || m.ID() == record.Root:
		c.recrown()
	case c.better(m, c.Candidate(was)):
		c.lead(m)
	}
	return c.Best == m.ID() && was != m.ID()
}

package fold

import (
	"fmt"
	"slices"

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
func (c *placement) noteMeasured(row record.FoldRow, m *Candidate) {
	d := c.Track(m)
	if d.Measuring == row.Job {
		d.Measuring = 0
	}
	if row.Work.State == record.Done {
		d.Strikes = 0
		if row.Work.Purpose == record.PurposeConfirm {
			c.Evidence.rank(m)
		}
		if row.Work.Purpose == record.PurposeVerify {
			c.say(row, "info", fmt.Sprintf("%s measured again: %s from %s", m.ID(), toldText(c.standings, m), view.Plural(int(m.Samples), "sample")))
		}
		return
	}
	d.Strikes++
	if d.Strikes == MaxStrikes && c.isWaiting(m.ID()) {
		c.say(row, "warn", fmt.Sprintf("%s takes no niche: it failed %d times when it was measured again", m.ID(), MaxStrikes))
	}
}

// watchNoise finds out that the objective is noisy: two samples of one tree
// differ. Once true it stays true.
func (c *placement) watchNoise(row record.FoldRow, m *Candidate) {
	if d := c.Trials(m); c.Noisy || d.mad == 0 && (d.HeldOut.N == 0 || d.HeldOut.Mean == m.Objective) {
		return
	}
	c.Noisy = true
	if m.ID() == record.Root {
		return
	}
	c.say(row, "info", fmt.Sprintf("the objective is noisy: samples of %s differ", m.ID()))
	if best := c.Candidate(c.Best); best != nil {
		c.checkAgain(best)
	}
}

// admit gives their places to those that waited and no longer look better than
// who is there, and reports whether somebody took a niche.
func (c *placement) admit(at record.Millis) (took bool) {
	for i := 0; i < len(c.waiting); {
		w := c.waiting[i]
		m := c.Candidate(w.id)
		if m.Out() || c.mustChallenge(m, c.entry(m, w.point)) {
			i++
			continue
		}
		e := view.Ended{Job: record.Job{ID: m.Job()}, Cell: -1, From: record.NoCandidate}
		if c.place(m, w.point, &e, at) {
			c.Placed = append(c.Placed, m.Job())
			took = true
		}
		i = 0
	}
	return took
}

// checkAgain has a candidate measured again that came to a place because another
// lost it, before its samples could be asked for.
func (c *placement) checkAgain(m *Candidate) {
	if !c.unproven(m) || m.Out() {
		return
	}
	for _, id := range c.recheck {
		if id == m.ID() {
			return
		}
	}
	c.recheck = append(c.recheck, m.ID())
}

// clearRecheck forgets those of which nothing is in doubt any more.
func (c *placement) clearRecheck() {
	c.recheck = slices.DeleteFunc(c.recheck, func(id record.CandidateID) bool {
		d := c.Candidate(id)
		return !c.unproven(d) || d.Out() || c.Trials(d).Strikes >= MaxStrikes
	})
}

// recrown looks for the best among those that look best: the first by the cautious
// value of those that have enough samples and were not disproved. The root is the
// best until something leads it, so the best is never worse than the root. Those that
// were just measured are looked at wherever they stand: what a candidate's value says
// now must not depend on how many others looked better when it was first seen.
func (c *placement) recrown(measured ...*Candidate) {
	if c.arch == nil {
		c.Best = record.NoCandidate
		return
	}
	best := c.Candidate(record.Root)
	see := func(m *Candidate) {
		if m != nil && m.Scored && !m.Out() && !c.disproved(m) && !c.unproven(m) && c.leads(m, best) {
			best = m
		}
	}
	see(c.Candidate(c.Best))
	for _, m := range measured {
		see(m)
	}
	for _, h := range c.arch.Best(crownable + len(c.Evidence.ranks)) {
		see(c.Candidate(h.ID))
	}
	c.lead(best)
}

// crownable is how many of those that look best may be the best: more than are asked
// for further samples, because many look better on a lucky one that lead nobody.
const crownable = 8 * contenders

// challenger is a candidate that needs more samples before it may compete.
type challenger struct {
	id    record.CandidateID
	point []float64
}

func (c *placement) wait(id record.CandidateID, point []float64) {
	if i := c.waitingAt(id); i >= 0 {
		c.waiting[i].point = point
		return
	}
	c.waiting = append(c.waiting, challenger{id, point})
}

func (c *placement) unwait(id record.CandidateID) {
	if i := c.waitingAt(id); i >= 0 {
		c.waiting = slices.Delete(c.waiting, i, i+1)
	}
}

func (c *placement) isWaiting(id record.CandidateID) bool { return c.waitingAt(id) >= 0 }

func (c *placement) waitingAt(id record.CandidateID) int {
	return slices.IndexFunc(c.waiting, func(w challenger) bool { return w.id == id })
}

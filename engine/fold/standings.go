package fold

import (
	"sort"

	"atoll/engine/evidence"

	"atoll/engine/archive"
	"atoll/engine/memory"
	"atoll/store/record"
)

// standings are who holds which niche and who is the best, and what the rules of a
// noisy objective say of a candidate there. Its methods change no place.
type standings struct {
	*rules
	*position
	*candidates
	*learned
	arch     *archive.Archive // nil before the root was measured
	rootObj  float64
	Noisy    bool // two samples of one tree differed
	Best     record.CandidateID
	Evidence Evidence // what a noisy experiment spent on evidence
}

// Archive gives read access to the grid; nil before the root was measured.
func (a *standings) Archive() *archive.Archive { return a.arch }

// CellName returns the form people see, "(12,5)".
func (a *standings) CellName(cell int) string {
	if a.arch == nil || cell < 0 {
		return "(-)"
	}
	return cellName(a.shape().Coords(cell))
}

func (a *standings) entry(m *Candidate, point []float64) archive.Entry {
	return archive.Entry{ID: m.ID(), Objective: a.Sign * m.Objective, Samples: int(m.Samples), Point: point}
}

// better is the tie rule: higher objective, then more samples, then lower id.
func (a *standings) better(m, other *Candidate) bool {
	x, y := a.Sign*m.Objective, a.Sign*other.Objective
	if x != y {
		return x > y
	}
	if m.Samples != other.Samples {
		return m.Samples > other.Samples
	}
	return m.ID() < other.ID()
}

// cellOf is the niche in which a candidate lies; one whose approval was taken back
// lies in none, as one that was never approved.
func (a *standings) cellOf(id record.CandidateID) (cell int, ok bool) {
	if m := a.Candidate(id); a.arch == nil || m == nil || m.withheld {
		return -1, false
	}
	return a.arch.CellOf(id)
}

// SameNiche reports whether two candidates lie in one cell.
func (a *standings) SameNiche(one, other record.CandidateID) bool {
	x, ok := a.cellOf(one)
	y, ok2 := a.cellOf(other)
	return ok && ok2 && x == y
}

// WouldTake reports whether a measured candidate would take a niche now, and
// whether it would be the best.
func (a *standings) WouldTake(c *record.Candidate, vector []float32) (takes, best bool) {
	if a.arch == nil || c.Objective == nil {
		return false, false
	}
	adjusted := a.Sign * *c.Objective
	sure := adjusted
	if a.Noisy && a.challenge() > 0 {
		sure = evidence.Runner{Value: adjusted, N: int(c.Samples)}.Cautious(a.Evidence.noise.Dev())
	}
	if m := a.Candidate(a.Best); m == nil || sure > a.cautious(m) {
		best = true
	}
	point := c.Measures
	if a.Learned {
		if a.Space == nil {
			return best, best
		}
		point = a.Space.Project(vector)
	}
	cell, err := a.shape().Cell(point)
	if err != nil {
		return best, best
	}
	holder, ok := a.arch.Holder(cell)
	return !ok || adjusted > holder.Objective, best
}

func sortByObjective(elites []archive.Holder) {
	sort.SliceStable(elites, func(i, j int) bool { return elites[i].Objective > elites[j].Objective })
}

func (a *standings) standingNow() memory.Standing {
	out := memory.Standing{BestID: a.Best, Filled: a.arch.Stats().Filled}
	if m := a.Candidate(a.Best); m != nil {
		out.Best = m.Objective
	}
	return out
}

// progress is how the search stands now, for the curves.
func (a *standings) progress() curvePoint {
	p := curvePoint{x: a.Scored, best: a.rootObj}
	if a.arch != nil {
		st := a.arch.Stats()
		p.mean, p.qd, p.coverage = a.Sign*st.Mean, st.QD, st.Coverage
	}
	if m := a.Candidate(a.Best); m != nil {
		p.best = m.Objective
		if n := a.Trials(m).HeldOut.N; n > 0 {
			p.held, p.told = a.Trials(m).HeldOut.Mean, true
		} else if m.ID() == record.Root {
			p.held, p.told = m.Objective, true
		}
	}
	return p
}

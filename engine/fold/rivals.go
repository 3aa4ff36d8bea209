package fold

import (
	"math"

	"atoll/engine/archive"
	"atoll/engine/evidence"
	"atoll/store/record"
)

// unproven reports whether a candidate has fewer samples than a noisy objective
// asks of one that takes a place from another.
func (a *standings) unproven(m *Candidate) bool {
	return a.Noisy && a.challenge() > 0 && m.ID() != record.Root && int(m.Samples) < a.provenAt()
}

// rivalOf is whom a candidate at a point looks better than: the holder of its
// niche, else the best; nil for nobody.
func (a *standings) rivalOf(m *Candidate, point []float64) *Candidate {
	if cell, err := a.shape().Cell(point); err == nil {
		if holder, ok := a.arch.Holder(cell); ok && holder.ID != m.ID() && a.Sign*m.Objective > holder.Objective {
			return a.Candidate(holder.ID)
		}
	}
	if best := a.Candidate(a.Best); best != nil && a.Sign*m.Objective > a.Sign*best.Objective {
		return best
	}
	return nil
}

// mustChallenge says whether a candidate that is not in the archive yet looks
// better than the best, or than the holder of its niche, on too few samples, and
// not plainly so.
func (a *standings) mustChallenge(m *Candidate, e archive.Entry) bool {
	if _, placed := a.arch.Entry(m.ID()); placed {
		return false
	}
	if !a.unproven(m) {
		return false
	}
	rival := a.rivalOf(m, e.Point)
	return rival != nil && !a.runner(m).Plain(a.runner(rival), a.Evidence.noise.Dev())
}

// ready reports whether a candidate can be measured again now.
func (a *standings) ready(m *Candidate) bool {
	d := a.Trials(m)
	return d.Measuring == 0 && d.Strikes < MaxStrikes && !m.Out()
}

// lead makes a candidate the best.
func (a *standings) lead(m *Candidate) {
	if a.Best != m.ID() {
		a.Evidence.since = a.folded
	}
	a.Best = m.ID()
}

// fixed reports whether a value is known without error: measured beside itself,
// the root is 1.
func (a *standings) fixed(m *Candidate) bool {
	return a.Config.Evaluator.Paired && m.ID() == record.Root
}

func (a *standings) runner(m *Candidate) evidence.Runner {
	r := evidence.Runner{Value: a.Sign * m.Objective, N: int(m.Samples)}
	if a.fixed(m) {
		r.N = math.MaxInt32
	}
	return r
}

// cautious is what a candidate leads by: its value, less its error where the
// objective is noisy.
func (a *standings) cautious(m *Candidate) float64 {
	if !a.Noisy || a.challenge() == 0 {
		return a.Sign * m.Objective
	}
	return a.runner(m).Cautious(a.Evidence.noise.Dev())
}

// leads reports whether a candidate leads another: by its cautious value, then by
// the tie rule.
func (a *standings) leads(m, other *Candidate) bool {
	x, y := a.cautious(m), a.cautious(other)
	return x > y || x == y && a.better(m, other)
}

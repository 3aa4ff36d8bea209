package fold

import (
	"math"

	"atoll/engine/archive"
	"atoll/engine/evidence"
	"atoll/store/record"
)

// unproven reports whether a candidate has fewer samples than a noisy objective
// asks of one that takes a place from another.
func (a *arena) unproven(m *Candidate) bool {
	return a.Noisy && a.Config.Evaluator.Challenge > 0 && m.ID() != record.Root && int(m.Samples) < a.provenAt()
}

// rivalOf is whom a candidate at a point looks better than: the holder of its
// niche, else the best; nil for nobody.
func (a *arena) rivalOf(m *Candidate, point []float64) *Candidate {
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
func (a *arena) mustChallenge(m *Candidate, e archive.Entry) bool {
	if _, placed := a.arch.Entry(m.ID()); placed {
		return false
	}
	if !a.unproven(m) {
		return false
	}
	rival := a.rivalOf(m, e.Point)
	return rival != nil && !a.runner(m).Plain(a.runner(rival), a.Proof.noise.Dev())
}

// ready reports whether a candidate can be measured again now.
func (a *arena) ready(m *Candidate) bool {
	d := a.Trials(m)
	return d.Measuring == 0 && d.Strikes < MaxStrikes && !m.Out()
}

// pool gives the noise of the experiment the samples of a candidate.
func (a *arena) pool(m *Candidate) {
	d := a.Trials(m)
	now := [2]evidence.Summary{{N: int(m.Samples), Dev: d.dev}, {N: d.HeldOut.N, Dev: d.HeldOut.Dev}}
	if now == d.pooled || now[0].N < 2 && now[1].N < 2 {
		return
	}
	for i := range now {
		a.Proof.noise.Drop(d.pooled[i])
		a.Proof.noise.Add(now[i])
	}
	a.Track(m).pooled = now
}

// lead makes a candidate the best.
func (a *arena) lead(m *Candidate) {
	if a.Best != m.ID() {
		a.Proof.since = a.folded
	}
	a.Best = m.ID()
}

// stride is the mean step of the best's line, in the direction of the objective: 0
// while the root is the best, negative where a leader turned out to be none.
func (a *arena) stride() float64 {
	best, root := a.Candidate(a.Best), a.Candidate(record.Root)
	if best == nil || root == nil || best == root {
		if len(a.Proof.ranks) > 0 {
			return -1
		}
		return 0
	}
	steps := 0
	for m := best; m != nil && m.ID() != record.Root; m = a.Candidate(m.Parent()) {
		steps++
	}
	return a.Sign * (best.Objective - root.Objective) / float64(max(1, steps))
}

// claimOf says what may be told of a candidate's value beside the root's.
func (a *arena) claimOf(m *Candidate) evidence.Claim {
	minimize := a.Sign < 0
	if !a.Noisy {
		return evidence.Certain(m.Objective, a.rootObj, minimize)
	}
	d, root := a.Trials(m), a.Trials(a.Candidate(record.Root))
	q := evidence.Question{
		Candidate: d.HeldOut, Root: root.HeldOut, Minimize: minimize, Enough: confirmMost,
		Level: evidence.Spend(runError, a.Proof.ranks[m.ID()]), Least: a.Proof.noise.Dev() / 2,
	}
	if a.Config.Evaluator.Paired {
		q.Root, q.Fixed = evidence.Summary{Mean: a.rootObj}, true
	}
	if q.Least == 0 { // written before spreads were kept: nothing can be told
		q.Candidate = evidence.Summary{}
	}
	c := evidence.Judge(q)
	if c.N == 0 {
		c.Value, c.Root = m.Objective, a.rootObj
	}
	return c
}

// ClaimOf says what may be told of a candidate; false where it has no value under
// the present objective.
func (a *arena) ClaimOf(id record.CandidateID) (evidence.Claim, bool) {
	m := a.Candidate(id)
	if m == nil || !m.Scored {
		return evidence.Claim{}, false
	}
	return a.claimOf(m), true
}

// Unconfirmed reports whether the best is another than the root and its gain was
// neither confirmed nor found to be noise.
func (a *arena) Unconfirmed() bool {
	c, ok := a.ClaimOf(a.Best)
	return ok && a.Best != record.Root && c.Word == evidence.Unconfirmed
}

// disproved reports whether a candidate was measured beside the root long enough
// to know that no gain is seen.
func (a *arena) disproved(m *Candidate) bool {
	if !a.Noisy || m.ID() == record.Root || a.Trials(m).HeldOut.N == 0 {
		return false
	}
	c := a.claimOf(m)
	return c.Word == evidence.WithinNoise
}

// affords reports whether samples that were asked for, beyond a grant, leave room
// for more in a share of all.
func (a *arena) affords(asked int, share float64, grant int) bool {
	first := float64(a.Scored * a.Config.Evaluator.Repeats)
	return (1-share)*float64(asked-grant) < share*first
}

// depth is how many deciding samples one that may be the best has at most.
func (a *arena) depth() int { return max(a.Config.Evaluator.Depth, a.provenAt()) }

// fixed reports whether a value is known without error: measured beside itself,
// the root is 1.
func (a *arena) fixed(m *Candidate) bool { return a.Config.Evaluator.Paired && m.ID() == record.Root }

func (a *arena) runner(m *Candidate) evidence.Runner {
	r := evidence.Runner{Value: a.Sign * m.Objective, N: int(m.Samples)}
	if a.fixed(m) {
		r.N = math.MaxInt32
	}
	return r
}

// cautious is what a candidate leads by: its value, less its error where the
// objective is noisy.
func (a *arena) cautious(m *Candidate) float64 {
	if !a.Noisy || a.Config.Evaluator.Challenge == 0 {
		return a.Sign * m.Objective
	}
	return a.runner(m).Cautious(a.Proof.noise.Dev())
}

// leads reports whether a candidate leads another: by its cautious value, then by
// the tie rule.
func (a *arena) leads(m, other *Candidate) bool {
	x, y := a.cautious(m), a.cautious(other)
	return x > y || x == y && a.better(m, other)
}

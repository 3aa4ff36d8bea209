package fold

import (
	"atoll/engine/archive"
	"atoll/engine/evidence"
	"atoll/store/record"
)

// unproven reports whether a candidate has fewer samples than a noisy objective
// asks of one that takes a place from another.
func (a *arena) unproven(m *Candidate) bool {
	return a.Noisy && a.Config.Evaluator.Challenge > 0 && m.ID() != record.Root && int(m.Samples) < a.provenAt()
}

// unraced reports whether a candidate did not win a race for the lead yet.
func (a *arena) unraced(m *Candidate) bool {
	return a.Noisy && a.Config.Evaluator.Challenge > 0 && m.ID() != record.Root && !a.Trials(m).led
}

// wantsLead reports whether a candidate looks better than the best and has still
// to show it.
func (a *arena) wantsLead(m *Candidate) bool {
	if !a.unraced(m) || a.disproved(m) {
		return false
	}
	best := a.Candidate(a.Best)
	return best == nil || a.Sign*m.Objective > a.Sign*best.Objective
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
// better than the best, or than the holder of its niche, on too few samples.
func (a *arena) mustChallenge(m *Candidate, e archive.Entry) bool {
	if _, placed := a.arch.Entry(m.ID()); placed {
		return false
	}
	return a.unproven(m) && a.rivalOf(m, e.Point) != nil
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

// disproved reports whether a candidate was measured beside the root long enough
// to know that no gain is seen.
func (a *arena) disproved(m *Candidate) bool {
	if !a.Noisy || m.ID() == record.Root || a.Trials(m).HeldOut.N == 0 {
		return false
	}
	c := a.claimOf(m)
	return c.Word == evidence.WithinNoise
}

// challengeShare is the part of all samples for challengers of niches: the larger
// the steps forward are beside the noise, the more of those that look better are.
func (a *arena) challengeShare() float64 {
	noise, stride := a.Proof.noise.Dev(), a.stride()
	if noise <= 0 || stride == 0 {
		return 0.2
	}
	return max(0.1, min(0.3, 0.2*stride/noise))
}

// affords reports whether samples that were asked for, beyond a grant, leave room
// for more in a share of all.
func (a *arena) affords(asked int, share float64, grant int) bool {
	first := float64(a.Scored * a.Config.Evaluator.Repeats)
	return (1-share)*float64(asked-grant) < share*first
}

// depth is how many samples a race for the lead ends with.
func (a *arena) depth() int {
	d := evidence.Depth(a.Proof.noise.Dev(), a.stride(), a.Config.Evaluator.Depth)
	return max(d, a.provenAt())
}

func (a *arena) runner(m *Candidate) evidence.Runner {
	return evidence.Runner{Value: a.Sign * m.Objective, N: int(m.Samples)}
}

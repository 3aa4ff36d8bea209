package fold

import (
	"atoll/engine/evidence"
	"atoll/engine/view"
	"atoll/store/record"
)

// claimOf says what may be told of a candidate's value beside the root's.
func (a *standings) claimOf(m *Candidate) evidence.Claim {
	if !a.Noisy {
		return evidence.Certain(m.Objective, a.rootObj, a.Sign < 0)
	}
	return a.claimBeside(m, a.Candidate(record.Root))
}

// claimBeside says what samples that decided nothing tell of a candidate beside another
// one, where values vary.
func (a *standings) claimBeside(m, other *Candidate) evidence.Claim {
	minimize := a.Sign < 0
	d, root := a.Trials(m), a.Trials(other)
	q := evidence.Question{
		Candidate: d.HeldOut, Root: root.HeldOut, Minimize: minimize, Enough: confirmMost,
		Level: evidence.Spend(runError, a.Evidence.ranks[m.ID()]), Least: a.Evidence.noise.Dev() / 2,
	}
	q.Others = a.Evidence.noise
	for _, own := range d.pooled {
		q.Others.Drop(own)
	}
	if a.Config.Evaluator.Paired && other.ID() == record.Root {
		q.Root, q.Fixed = evidence.Summary{Mean: a.rootObj}, true
		q.Positive = m.Objective > 0 // a metric of both signs makes poor ratios
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
func (a *standings) ClaimOf(id record.CandidateID) (evidence.Claim, bool) {
	m := a.Candidate(id)
	if m == nil || !m.Told() {
		return evidence.Claim{}, false
	}
	return a.claimOf(m), true
}

// HeldOut is what samples that decided nothing tell of a candidate; nil where there are
// none, or nothing varies.
func (a *standings) HeldOut(id record.CandidateID) *evidence.Claim {
	m := a.Candidate(id)
	if !a.Noisy || m == nil || !m.Told() || a.Trials(m).HeldOut.N == 0 {
		return nil
	}
	c := a.claimOf(m)
	return &c
}

// toldText writes a candidate's value with its evidence.
func toldText(a *standings, m *Candidate) string {
	return view.Told{ID: m.ID(), Value: &m.Objective, Claim: a.HeldOut(m.ID()), Noisy: a.Noisy}.String()
}

// disproved reports whether a candidate was measured beside the root long enough
// to know that no gain is seen.
func (a *standings) disproved(m *Candidate) bool {
	if !a.Noisy || m.ID() == record.Root || a.Trials(m).HeldOut.N == 0 {
		return false
	}
	c := a.claimOf(m)
	return c.Word == evidence.WithinNoise
}

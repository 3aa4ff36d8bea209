package fold

import (
	"atoll/engine/evidence"
	"atoll/engine/search"
	"atoll/store/record"
)

// The rules of a noisy experiment. A run tells a gain that is none with a chance of
// runError at most, however many leaders it had.
const (
	runError     = 0.05
	confirmMost  = 32   // samples of a leader after which a gain that was not seen is noise
	preciseMost  = 16   // and those beyond which its value is made no more precise
	confirmEach  = 4    // samples of the leader, then of the root: what slows both down is seen by both
	proofGrowth  = 2    // how far the share of the settings grows with the noise
	lastShare    = 0.12 // and at the end of a run, with lastLeast samples at least
	steadyLeader = 32   // jobs that a leader leads before it is confirmed
	shownLeast   = 8    // samples of the last leader that did not decide, whatever was spent
)

// Ask is a wish for further samples of a candidate.
type Ask struct {
	Candidate *Candidate
	Purpose   record.Purpose
	Samples   int
}

// asks are the wishes for further samples, and what failures in a row make of
// the root.
type asks struct {
	*placement
	Streak Streak // failures in a row
}

// NextAsk is what is measured again before another candidate is made.
func (q *asks) NextAsk() (Ask, bool) {
	if root := q.Candidate(record.Root); q.Streak.check && q.Trials(root).Measuring == 0 {
		return Ask{root, record.PurposeChallenge, 1}, true
	}
	if !q.Noisy {
		return Ask{}, false
	}
	lead, niche := evidence.Split(q.Evidence.noise.Dev(), q.stride())
	if q.affords(q.Evidence.challenged, niche, q.provenAt()) {
		if a, ok := q.nextChallenge(); ok {
			return a, true
		}
	}
	if a, ok := q.nextDuel(lead, q.provenAt()); ok {
		return a, true
	}
	least := q.remeasure()
	if least <= 0 || q.Scored < 2 {
		return Ask{}, false
	}
	share := evidence.Share(q.Evidence.noise.Dev(), q.stride(), least, min(0.9, proofGrowth*least))
	if q.folded-q.Evidence.since >= steadyLeader && q.affords(q.Evidence.proved, share, 0) {
		if a, ok := q.nextProof(false); ok {
			return a, true
		}
	}
	if q.affords(q.Evidence.proved, least, 0) {
		return q.nextElite()
	}
	return Ask{}, false
}

// lastLeast is how many samples the end of a run may cost in any case: a short run
// is not made many times as long by its last look.
func (q *asks) lastLeast() int { return min(64, max(16, q.Scored)) }

// LastAsk is what is measured again when no more candidates are made, so that the
// best is confirmed; false when it is, or when that costs too much.
func (q *asks) LastAsk() (Ask, bool) {
	if !q.Noisy {
		return Ask{}, false
	}
	lead, _ := evidence.Split(q.Evidence.noise.Dev(), q.stride())
	// No later job asks whether what looks better than the best is, however few such
	// questions paid while steps were large beside the noise.
	if a, ok := q.nextDuel(max(lead, lastShare), max(q.provenAt(), q.lastLeast()/8)); ok {
		return a, true
	}
	best, root := q.Candidate(q.Best), q.Candidate(record.Root)
	shown := best != nil && q.Trials(best).HeldOut.N >= shownLeast
	if shown && q.Evidence.proved >= q.lastLeast() && !q.runner(best).Plain(q.runner(root), q.Evidence.noise.Dev()) && !q.affords(q.Evidence.proved, lastShare, 0) {
		return Ask{}, false
	}
	return q.nextProof(true)
}

// nextProof asks for held-out samples of the best, or of the root beside it. With
// precise the value of a gain that is confirmed is made precise too.
func (q *asks) nextProof(precise bool) (Ask, bool) {
	best, root := q.Candidate(q.Best), q.Candidate(record.Root)
	if best == nil || best == root || !q.ready(best) || !q.ready(root) {
		return Ask{}, false
	}
	have, beside := q.Trials(best).HeldOut.N, q.Trials(root).HeldOut.N
	c := q.claimOf(best)
	fine := evidence.Fine(q.Evidence.noise.Dev(), c.Gain, preciseMost)
	switch {
	case c.Word == evidence.Confirmed && (!precise || have >= fine):
		return Ask{}, false
	case c.Word == evidence.Confirmed:
		return Ask{best, record.PurposeConfirm, min(2*confirmEach, fine-have)}, true
	case have >= confirmMost:
		return Ask{}, false
	case beside < have && !q.Config.Evaluator.Paired:
		return Ask{root, record.PurposeConfirm, min(confirmEach, have-beside)}, true
	}
	return Ask{best, record.PurposeConfirm, min(confirmEach, confirmMost-have)}, true
}

// nextElite asks for a sample of an elite, best first by a rank that the fold
// position picks.
func (q *asks) nextElite() (Ask, bool) {
	elites := q.arch.Holders()
	if len(elites) == 0 {
		return Ask{}, false
	}
	sortByObjective(elites)
	// A linear bias to the front: the smaller of two positions.
	rng := search.Rand(q.Exp.Seed^remeasureSalt, record.JobID(q.folded))
	i := min(rng.IntN(len(elites)), rng.IntN(len(elites)))
	m := q.Candidate(elites[i].ID)
	if m == nil || !q.ready(m) {
		return Ask{}, false
	}
	return Ask{m, record.PurposeRemeasure, 1}, true
}

// remeasureSalt keeps this draw apart from that of the jobs.
const remeasureSalt = 0x9e3779b97f4a7c15

// nextChallenge asks for the next look of a candidate that looks better than the
// holder of its niche, and for samples of those that inherited one on too few.
func (q *asks) nextChallenge() (Ask, bool) {
	q.clearRecheck()
	var next Ask
	ahead, found := 0.0, false
	for _, c := range q.waiting {
		m := q.Candidate(c.id)
		if !q.ready(m) {
			continue
		}
		rival := q.rivalOf(m, c.point)
		if rival == nil || found && q.Sign*(m.Objective-rival.Objective) <= ahead {
			continue
		}
		if a, ok := q.look(m, rival); ok {
			next, ahead, found = a, q.Sign*(m.Objective-rival.Objective), true
		}
	}
	if found {
		return next, true
	}
	for _, id := range q.recheck {
		if m := q.Candidate(id); q.ready(m) && q.unproven(m) {
			return Ask{m, record.PurposeChallenge, max(1, q.provenAt()-int(m.Samples))}, true
		}
	}
	return Ask{}, false
}

// contenders is how many of those that look best are asked whether they may be
// the best.
const contenders = 32

// nextDuel asks for samples of the best, or of the one that looks best beside it,
// while their share of all samples and a grant last. One that is plainly better is
// asked whatever was spent.
func (q *asks) nextDuel(share float64, grant int) (Ask, bool) {
	best, m := q.Candidate(q.Best), q.rivalOfBest()
	if best == nil || m == nil {
		return Ask{}, false
	}
	noise := q.Evidence.noise.Dev()
	if !q.affords(q.Evidence.raced, share, grant) && !(q.unproven(m) && q.runner(m).Plain(q.runner(best), noise)) {
		return Ask{}, false
	}
	move, n := evidence.Duel(q.runner(best), q.runner(m), noise, q.depth())
	if move == evidence.Holder && (!q.ready(best) || q.fixed(best)) {
		move, n = evidence.Challenger, min(int(m.Samples), q.depth()-int(m.Samples))
	}
	switch move {
	case evidence.Challenger:
		return Ask{m, record.PurposeLead, n}, n > 0
	case evidence.Holder:
		return Ask{best, record.PurposeLead, n}, true
	}
	return Ask{}, false
}

// rivalOfBest is the one that looks best beside the best of those that may be
// measured further; nil for nobody.
func (q *asks) rivalOfBest() *Candidate {
	var top *Candidate
	see := func(id record.CandidateID) {
		m := q.Candidate(id)
		if id != q.Best && q.ready(m) && !q.fixed(m) && int(m.Samples) < q.depth() && (top == nil || q.better(m, top)) && !q.disproved(m) {
			top = m
		}
	}
	for _, w := range q.waiting {
		see(w.id)
	}
	for _, h := range q.arch.Best(contenders + len(q.Evidence.ranks)) {
		see(h.ID)
	}
	return top
}

// look is the next look of a race for a niche.
func (q *asks) look(m, rival *Candidate) (Ask, bool) {
	n, depth := int(m.Samples), q.provenAt()
	move, k := evidence.Step(q.runner(m), q.runner(rival), q.Evidence.noise.Dev(), depth)
	if move == evidence.Holder {
		if q.ready(rival) && !q.fixed(rival) {
			return Ask{rival, record.PurposeRace, k}, true
		}
		move, k = evidence.Challenger, min(max(1, n), depth-n)
	}
	switch {
	case move == evidence.Lost:
		return Ask{}, false
	case move == evidence.Won || k <= 0:
		k = max(1, depth-n)
	}
	p := record.PurposeChallenge
	if n+k < depth {
		p = record.PurposeRace
	}
	return Ask{m, p, k}, true
}

package fold

import (
	"atoll/engine/evidence"
	"atoll/engine/search"
	"atoll/store/record"
)

// What the evidence of a noisy objective costs and what it is worth. All of it is
// part of the fold.

// The rules of a noisy experiment. A run tells a gain that is none with a chance of
// runError at most, however many leaders it had.
const (
	runError     = 0.05
	confirmMost  = 32   // samples of a leader after which a gain that was not seen is noise
	preciseMost  = 64   // and those beyond which its value is made no more precise
	confirmEach  = 4    // samples of the leader, then of the root: what slows both down is seen by both
	raceShare    = 0.06 // of all samples, for races while candidates are made
	proofGrowth  = 2    // how far the share of the settings grows with the noise
	lastShare    = 0.12 // and at the end of a run, with leastLast samples at least
	leastLast    = 64
	steadyLeader = 32 // jobs that a leader leads before it is confirmed
)

// Proof is what an experiment spent on evidence, and what it has.
type Proof struct {
	noise      evidence.Noise
	ranks      map[record.CandidateID]int // of those that were ever confirmed: their place in that order, from 1
	challenged int
	raced      int // samples asked for in races
	proved     int // and of leaders, the root beside them, and elites
	since      int // fold position at which the best became it
}

// Ask is a wish for further samples of a candidate.
type Ask struct {
	Candidate *Candidate
	Purpose   record.Purpose
	Samples   int
}

// Note counts samples that were asked for.
func (t *Proof) Note(p record.Purpose, n int) {
	switch p {
	case record.PurposeChallenge:
		t.challenged += n
	case record.PurposeRace, record.PurposeLead:
		t.raced += n
	case record.PurposeConfirm, record.PurposeRemeasure:
		t.proved += n
	}
}

// Restart forgets what was asked for, before it is counted again.
func (t *Proof) Restart() { t.challenged, t.raced, t.proved = 0, 0, 0 }

// forget drops what an earlier objective version showed.
func (t *Proof) forget() { t.noise, t.ranks = evidence.Noise{}, nil }

// rank numbers the leaders that are confirmed, in the order of the log.
func (t *Proof) rank(m *Candidate) {
	if m.ID() == record.Root || t.ranks[m.ID()] > 0 {
		return
	}
	if t.ranks == nil {
		t.ranks = map[record.CandidateID]int{}
	}
	t.ranks[m.ID()] = len(t.ranks) + 1
}

// pool gives the noise of the experiment the samples of a candidate.
func (s *State) pool(m *Candidate) {
	d := s.Trials(m)
	now := [2]evidence.Summary{{N: int(m.Samples), Dev: d.dev}, {N: d.HeldOut.N, Dev: d.HeldOut.Dev}}
	if now == d.pooled || now[0].N < 2 && now[1].N < 2 {
		return
	}
	for i := range now {
		s.Proof.noise.Drop(d.pooled[i])
		s.Proof.noise.Add(now[i])
	}
	s.Track(m).pooled = now
}

// lead makes a candidate the best.
func (s *State) lead(m *Candidate) {
	if s.Best != m.ID() {
		s.Proof.since = s.folded
	}
	s.Best = m.ID()
}

// stride is the mean step of the best's line, in the direction of the objective: 0
// while the root is the best, negative where a leader turned out to be none.
func (s *State) stride() float64 {
	best, root := s.Candidate(s.Best), s.Candidate(record.Root)
	if best == nil || root == nil || best == root {
		if len(s.Proof.ranks) > 0 {
			return -1
		}
		return 0
	}
	steps := 0
	for m := best; m != nil && m.ID() != record.Root; m = s.Candidate(m.Parent()) {
		steps++
	}
	return s.Sign * (best.Objective - root.Objective) / float64(max(1, steps))
}

// claimOf says what may be told of a candidate's value beside the root's.
func (s *State) claimOf(m *Candidate) evidence.Claim {
	minimize := s.Sign < 0
	if !s.Noisy {
		return evidence.Certain(m.Objective, s.rootObj, minimize)
	}
	d, root := s.Trials(m), s.Trials(s.Candidate(record.Root))
	q := evidence.Question{
		Candidate: d.HeldOut, Root: root.HeldOut, Minimize: minimize, Enough: confirmMost,
		Level: evidence.Spend(runError, s.Proof.ranks[m.ID()]), Least: s.Proof.noise.Dev() / 2,
	}
	if s.Config.Evaluator.Paired {
		q.Root, q.Fixed = evidence.Summary{Mean: s.rootObj}, true
	}
	if q.Least == 0 { // written before spreads were kept: nothing can be told
		q.Candidate = evidence.Summary{}
	}
	c := evidence.Judge(q)
	if c.N == 0 {
		c.Value, c.Root = m.Objective, s.rootObj
	}
	return c
}

// ClaimOf says what may be told of a candidate; false where it has no value under
// the present objective.
func (s *State) ClaimOf(id record.CandidateID) (evidence.Claim, bool) {
	m := s.Candidate(id)
	if m == nil || !m.Scored {
		return evidence.Claim{}, false
	}
	return s.claimOf(m), true
}

// disproved reports whether a candidate was measured beside the root long enough
// to know that no gain is seen.
func (s *State) disproved(m *Candidate) bool {
	if !s.Noisy || m.ID() == record.Root || s.Trials(m).HeldOut.N == 0 {
		return false
	}
	c := s.claimOf(m)
	return c.Word == evidence.WithinNoise
}

// NextAsk is what is measured again before another candidate is made.
func (s *State) NextAsk() (Ask, bool) {
	if root := s.Candidate(record.Root); s.Streak.check && s.Trials(root).Measuring == 0 {
		s.Streak.check = false
		return Ask{root, record.PurposeChallenge, 1}, true
	}
	if !s.Noisy {
		return Ask{}, false
	}
	if s.affords(s.Proof.challenged, s.challengeShare(), 2*s.provenAt()) {
		if a, ok := s.nextChallenge(); ok {
			return a, true
		}
	}
	if s.affords(s.Proof.raced, raceShare, s.provenAt()) {
		if a, ok := s.nextRace(); ok {
			return a, true
		}
	}
	least := s.Config.Evaluator.Remeasure
	if least <= 0 || s.Scored < 2 {
		return Ask{}, false
	}
	share := evidence.Share(s.Proof.noise.Dev(), s.stride(), least, min(0.9, proofGrowth*least))
	if s.folded-s.Proof.since >= steadyLeader && s.affords(s.Proof.proved, share, 0) {
		if a, ok := s.nextProof(false); ok {
			return a, true
		}
	}
	if s.affords(s.Proof.proved, least, 0) {
		return s.nextElite()
	}
	return Ask{}, false
}

// challengeShare is the part of all samples for challengers of niches: the larger
// the steps forward are beside the noise, the more of those that look better are.
func (s *State) challengeShare() float64 {
	noise, stride := s.Proof.noise.Dev(), s.stride()
	if noise <= 0 || stride == 0 {
		return 0.2
	}
	return max(0.1, min(0.3, 0.2*stride/noise))
}

// affords reports whether samples that were asked for, beyond a grant, leave room
// for more in a share of all.
func (s *State) affords(asked int, share float64, grant int) bool {
	first := float64(s.Scored * s.Config.Evaluator.Repeats)
	return (1-share)*float64(asked-grant) < share*first
}

// LastAsk is what is measured again when no more candidates are made, so that the
// best is confirmed; false when it is, or when that costs too much.
func (s *State) LastAsk() (Ask, bool) {
	if !s.Noisy {
		return Ask{}, false
	}
	if s.affords(s.Proof.raced, raceShare, leastLast/4) {
		if a, ok := s.nextRace(); ok {
			return a, true
		}
	}
	if s.Proof.proved >= leastLast && !s.affords(s.Proof.proved, lastShare, 0) {
		return Ask{}, false
	}
	return s.nextProof(true)
}

// nextProof asks for held-out samples of the best, or of the root beside it. With
// precise the value of a gain that is confirmed is made precise too.
func (s *State) nextProof(precise bool) (Ask, bool) {
	best, root := s.Candidate(s.Best), s.Candidate(record.Root)
	if best == nil || best == root || !s.ready(best) || !s.ready(root) {
		return Ask{}, false
	}
	have, beside := s.Trials(best).HeldOut.N, s.Trials(root).HeldOut.N
	c := s.claimOf(best)
	fine := evidence.Fine(s.Proof.noise.Dev(), c.Gain, preciseMost)
	switch {
	case c.Word == evidence.Confirmed && (!precise || have >= fine):
		return Ask{}, false
	case c.Word == evidence.Confirmed:
		return Ask{best, record.PurposeConfirm, min(2*confirmEach, fine-have)}, true
	case have >= confirmMost:
		return Ask{}, false
	case beside < have && !s.Config.Evaluator.Paired:
		return Ask{root, record.PurposeConfirm, min(confirmEach, have-beside)}, true
	}
	return Ask{best, record.PurposeConfirm, min(confirmEach, confirmMost-have)}, true
}

// nextElite asks for a sample of an elite, best first by a rank that the fold
// position picks.
func (s *State) nextElite() (Ask, bool) {
	elites := s.arch.Holders()
	if len(elites) == 0 {
		return Ask{}, false
	}
	sortByObjective(elites)
	// A linear bias to the front: the smaller of two positions.
	rng := search.Rand(s.Exp.Seed^remeasureSalt, record.JobID(s.folded))
	i := min(rng.IntN(len(elites)), rng.IntN(len(elites)))
	m := s.Candidate(elites[i].ID)
	if m == nil || !s.ready(m) {
		return Ask{}, false
	}
	return Ask{m, record.PurposeRemeasure, 1}, true
}

// remeasureSalt keeps this draw apart from that of the jobs.
const remeasureSalt = 0x9e3779b97f4a7c15

// depth is how many samples a race for the lead ends with.
func (s *State) depth() int {
	d := evidence.Depth(s.Proof.noise.Dev(), s.stride(), s.Config.Evaluator.Depth)
	return max(d, s.provenAt())
}

// nextChallenge asks for the next look of a candidate that looks better than the
// holder of its niche, and for samples of those that inherited one on too few.
func (s *State) nextChallenge() (Ask, bool) {
	s.clearRecheck()
	var next Ask
	ahead, found := 0.0, false
	for _, c := range s.waiting {
		m := s.Candidate(c.id)
		if !s.ready(m) {
			continue
		}
		rival := s.rivalOf(m, c.point)
		if rival == nil || found && s.Sign*(m.Objective-rival.Objective) <= ahead {
			continue
		}
		if a, ok := s.look(m, rival, s.provenAt(), record.PurposeChallenge); ok {
			next, ahead, found = a, s.Sign*(m.Objective-rival.Objective), true
		}
	}
	if found {
		return next, true
	}
	for _, id := range s.recheck {
		if m := s.Candidate(id); s.ready(m) && s.unproven(m) {
			return Ask{m, record.PurposeChallenge, max(1, s.provenAt()-int(m.Samples))}, true
		}
	}
	return Ask{}, false
}

// nextRace asks for the next look of the one that looks best of those that look
// better than the best, or for samples of the best to match.
func (s *State) nextRace() (Ask, bool) {
	var m *Candidate
	for _, id := range s.recheck {
		if d := s.Candidate(id); s.wantsLead(d) && s.ready(d) && (m == nil || s.better(d, m)) {
			m = d
		}
	}
	if m == nil {
		return Ask{}, false
	}
	return s.look(m, s.Candidate(s.Best), s.depth(), record.PurposeLead)
}

// look is the next look of a race; last is the purpose of the last one.
func (s *State) look(m, rival *Candidate, depth int, last record.Purpose) (Ask, bool) {
	n := int(m.Samples)
	move, k := evidence.Step(s.runner(m), s.runner(rival), s.Proof.noise.Dev(), depth)
	if move == evidence.Holder {
		if d := s.Trials(rival); d.Measuring != 0 {
			return Ask{}, false
		} else if d.Strikes < MaxStrikes {
			if last == record.PurposeLead || rival.ID() == record.Root {
				last = record.PurposeRace
			}
			return Ask{rival, last, k}, true
		}
		move, k = evidence.Challenger, min(max(1, n), depth-n)
	}
	switch {
	case move == evidence.Lost:
		return Ask{}, false
	case move == evidence.Won || k <= 0:
		return Ask{m, last, max(1, s.provenAt()-n)}, true
	case n+k < depth && last == record.PurposeLead:
		last = record.PurposeRace
	}
	return Ask{m, last, k}, true
}

func (s *State) runner(m *Candidate) evidence.Runner {
	return evidence.Runner{Value: s.Sign * m.Objective, N: int(m.Samples)}
}

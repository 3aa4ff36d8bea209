package fold

import (
	"atoll/engine/evidence"
	"atoll/store/record"
)

// Evidence is what a noisy experiment spent on further samples, and what they
// showed.
type Evidence struct {
	noise      evidence.Noise
	ranks      map[record.CandidateID]int // of those that were ever confirmed: their place in that order, from 1
	challenged int                        // samples asked for of challengers of niches
	raced      int                        // samples asked for of those that may be the best
	proved     int                        // and of leaders, the root beside them, and elites
	since      int                        // fold position at which the best became it
}

// Note counts samples that were asked for.
func (t *Evidence) Note(p record.Purpose, n int) {
	switch p {
	case record.PurposeChallenge, record.PurposeRace:
		t.challenged += n
	case record.PurposeLead:
		t.raced += n
	case record.PurposeConfirm, record.PurposeRemeasure:
		t.proved += n
	}
}

// Restart forgets what was asked for, before it is counted again.
func (t *Evidence) Restart() { t.challenged, t.raced, t.proved = 0, 0, 0 }

// forget drops what an earlier objective version showed.
func (t *Evidence) forget() { t.noise, t.ranks = evidence.Noise{}, nil }

// rank numbers the leaders that are confirmed, in the order of the log.
func (t *Evidence) rank(m *Candidate) {
	if m.ID() == record.Root || t.ranks[m.ID()] > 0 {
		return
	}
	if t.ranks == nil {
		t.ranks = map[record.CandidateID]int{}
	}
	t.ranks[m.ID()] = len(t.ranks) + 1
}

// pool gives the noise of the experiment the samples of a candidate.
func (a *standings) pool(m *Candidate) {
	d := a.Trials(m)
	now := [2]evidence.Summary{{N: int(m.Samples), Dev: d.dev}, {N: d.HeldOut.N, Dev: d.HeldOut.Dev}}
	if now == d.pooled || now[0].N < 2 && now[1].N < 2 {
		return
	}
	for i := range now {
		a.Evidence.noise.Drop(d.pooled[i])
		a.Evidence.noise.Add(now[i])
	}
	a.Track(m).pooled = now
}

// stride is the mean step of the best's line, in the direction of the objective: 0
// while the root is the best, negative where a leader turned out to be none.
func (a *standings) stride() float64 {
	best, root := a.Candidate(a.Best), a.Candidate(record.Root)
	if best == nil || root == nil || best == root {
		if len(a.Evidence.ranks) > 0 {
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

// affords reports whether samples that were asked for, beyond a grant, leave room
// for more in a share of all.
func (a *standings) affords(asked int, share float64, grant int) bool {
	first := float64(a.Scored * a.Config.Evaluator.Repeats)
	return (1-share)*float64(asked-grant) < share*first
}

package fold

import (
	"atoll/engine/search"
	"atoll/store/record"
)

// foldCount is F: in strict order the jobs folded without a gap.
func (s *State) FoldCount() int {
	if s.Exp.Strict {
		return int(s.nextFold)
	}
	return s.folded
}

// remeasureDue says whether an elite should be measured again now: where the
// objective is noisy, a share of the evaluations goes to elites, best first by
// a rank that the fold position picks. Elites without a claimed value get
// held-out samples first.
func (s *State) RemeasureDue() (record.CandidateID, record.Purpose, int, bool) {
	share := s.Config.Evaluator.Remeasure
	if !s.Noisy || share <= 0 || s.Scored < 2 {
		return 0, "", 0, false
	}
	if float64(s.Remeasured+1) > share*float64(s.folded+1) {
		return 0, "", 0, false
	}
	elites := s.arch.Holders()
	if len(elites) == 0 {
		return 0, "", 0, false
	}
	sortByObjective(elites)
	// A linear bias to the front: the smaller of two positions.
	rng := search.Rand(s.Exp.Seed^remeasureSalt, record.JobID(s.folded))
	i := min(rng.IntN(len(elites)), rng.IntN(len(elites)))
	m := s.Candidate(elites[i].ID)
	if m == nil || s.Trials(m).Measuring != 0 || s.Trials(m).Strikes >= MaxStrikes {
		return 0, "", 0, false
	}
	s.Remeasured++
	if s.Trials(m).ClaimedN == 0 {
		return m.ID(), record.PurposeConfirm, max(1, s.Config.Evaluator.Challenge), true
	}
	return m.ID(), record.PurposeRemeasure, 1, true
}

// remeasureSalt keeps this draw apart from that of the jobs.
const remeasureSalt = 0x9e3779b97f4a7c15

// championSamples is how often a champion is measured before it is called the
// best where the objective is noisy.
const ChampionSamples = 5

package fold

import (
	"atoll/engine/memory"
	"atoll/store/record"
)

// epochLog is what the fold keeps of the epoch that is open. Only an engine
// that writes notes turns it on.
type epochLog struct {
	On       bool
	number   int // of the last one that was closed
	outcomes []memory.Outcome
	before   memory.Standing
	began    bool
	ever     []memory.Improvement
	stale    int
}

// noteOutcome takes the end of a make job into the open epoch.
func (s *State) noteOutcome(j record.Job, m *Candidate, state record.JobState) {
	if j.Kind != record.Make {
		return
	}
	by := j.Agent
	if m != nil {
		by = s.Origin(m).agent
	}
	s.noteShadow(by, state, j.Usage.CostUSD)
	if !s.Epoch.On {
		return
	}
	o := memory.Outcome{
		Job: j.ID, Candidate: record.NoCandidate, Parent: j.Parent, Operator: string(j.Operator), Agent: j.Agent, Target: j.Target,
		State: state, Class: j.Class, Reason: j.Reason,
	}
	if m != nil {
		o.Candidate, o.Parent, o.Operator, o.Agent = m.ID(), m.Parent(), string(s.Origin(m).op), s.Origin(m).agent
		if m.Scored {
			value := m.Objective
			o.Objective = &value
		}
	}
	if p := s.Candidate(o.Parent); p != nil && p.Scored {
		base := p.Objective
		o.Base = &base
	}
	s.Epoch.outcomes = append(s.Epoch.outcomes, o)
}

func (s *State) standingNow() memory.Standing {
	out := memory.Standing{BestID: s.Best, Filled: s.arch.Stats().Filled}
	if m := s.Candidate(s.Best); m != nil {
		out.Best = m.Objective
	}
	return out
}

// closeEpoch gathers what the epoch that ends at fold position n showed, and
// opens the next. It is a pure function of the log.
func (s *State) CloseEpoch(n int, metric string) memory.EpochFacts {
	l := &s.Epoch
	now := s.standingNow()
	if !l.began {
		l.before, l.began = memory.Standing{Best: s.rootObj, BestID: record.Root}, true
	}
	l.number++
	noise := 0.0
	if root := s.Candidate(record.Root); root != nil {
		noise = s.Trials(root).mad
	}
	every := s.Config.Search.Epoch
	facts := memory.Gather(memory.Epoch{
		Number: l.number, From: n - every, To: n - 1, Direction: s.Config.Evaluator.Direction, Metric: metric, Root: s.rootObj,
		Before: l.before, After: now, Stale: l.stale, Ever: l.ever, Noise: noise,
	}, l.outcomes)
	l.outcomes, l.before, l.ever, l.stale = nil, now, facts.Ever, facts.Stale
	return facts
}

// pass counts an epoch of an earlier objective version, whose values are gone.
func (l *epochLog) Pass() {
	l.number++
	l.outcomes = nil
}

package fold

import (
	"atoll/engine/agent"
	"atoll/engine/memory"
	"atoll/engine/view"
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
func (o *outcomes) noteOutcome(j record.Job, m *Candidate, state record.JobState) {
	if j.Kind != record.Make {
		return
	}
	by := j.Agent
	if m != nil {
		by = o.Origin(m).agent
	}
	o.noteShadow(by, state, j.Usage.CostUSD)
	if !o.Epoch.On {
		return
	}
	out := memory.Outcome{
		Job: j.ID, Candidate: record.NoCandidate, Parent: j.Parent, Operator: string(j.Operator), Agent: j.Agent, Target: j.Target,
		State: state, Class: j.Class, Reason: j.Reason,
	}
	if m != nil {
		out.Candidate, out.Parent, out.Operator, out.Agent = m.ID(), m.Parent(), string(o.Origin(m).op), o.Origin(m).agent
		if m.Scored {
			value := m.Objective
			out.Objective = &value
		}
	}
	if p := o.Candidate(out.Parent); p != nil && p.Scored {
		base := p.Objective
		out.Base = &base
	}
	o.Epoch.outcomes = append(o.Epoch.outcomes, out)
}

// CloseEpoch gathers what the epoch that ends at fold position n showed, and
// opens the next. It is a pure function of the log.
func (o *outcomes) CloseEpoch(n int, metric string) memory.EpochFacts {
	l := &o.Epoch
	now := o.standingNow()
	if !l.began {
		l.before, l.began = memory.Standing{Best: o.rootObj, BestID: record.Root}, true
	}
	l.number++
	noise := 0.0
	if root := o.Candidate(record.Root); root != nil {
		noise = o.Trials(root).mad
	}
	every := o.Config.Search.Epoch
	var tell func(record.CandidateID) memory.Told
	if o.Noisy {
		tell = o.told
	}
	facts := memory.Gather(memory.Epoch{
		Number: l.number, From: n - every, To: n - 1, Direction: o.Config.Evaluator.Direction, Metric: metric, Root: o.rootObj,
		Before: l.before, After: now, Stale: l.stale, Ever: l.ever, Noise: noise,
		Tell: tell,
	}, l.outcomes)
	l.outcomes, l.before, l.ever, l.stale = nil, now, facts.Pool, facts.Stale
	return facts
}

// told is what notes may say of a candidate.
func (a *standings) told(id record.CandidateID) memory.Told {
	c, ok := a.ClaimOf(id)
	if !ok {
		return memory.Told{}
	}
	return memory.Told{Value: view.ToldValue(id, c), Gain: view.ClaimGain(c), Holds: id != record.Root && c.Holds()}
}

// Pass counts an epoch of an earlier objective version, whose values are gone.
func (l *epochLog) Pass() {
	l.number++
	l.outcomes = nil
}

// outcomes are what the ends of make jobs add up to, for those that learn from
// them.
type outcomes struct {
	*standings
	failures failures
	repairs  repairs
	Lessons  Lessons
	Epoch    epochLog
	shadow   *agent.Shadow // a bandit over the agents; nil while there was no choice
}

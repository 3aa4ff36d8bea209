package fold

import (
	"errors"
	"fmt"
	"math"
	"sort"

	"atoll/engine/agent"
	"atoll/engine/evidence"
	"atoll/engine/search"
	"atoll/engine/view"
	"atoll/store/record"
)

func ObjectiveText(o record.Objective) string {
	return fmt.Sprintf("objective version %d (%s): the root and %s are measured again; what was measured before is history", o.Version, o.Changed, view.Plural(len(o.Elites), "elite"))
}

// ErrSuperseded ends the fold of a state that was opened under an earlier
// objective version: it is to be opened again.
var ErrSuperseded = errors.New("a new objective version began")

// foldObjective takes the beginning of an objective version.
func (s *State) foldObjective(row record.FoldRow) error {
	var o record.Objective
	if err := unmarshal(row, &o); err != nil {
		return err
	}
	if o.Version > s.Exp.Objective {
		return ErrSuperseded
	}
	s.Version = o.Version
	s.past, s.owed = append(s.past, o.Was), o.Elites
	ahead := s.renewal.ahead
	if ahead == nil {
		ahead = map[record.JobID]bool{}
	}
	s.renewal = renewal{next: o.First, end: o.First + record.JobID(len(o.Elites)) + 1, strict: s.Exp.Strict, ahead: ahead}
	s.repairs, s.Streak = nil, Streak{}
	for i := range s.candidates.trials.len() {
		t := s.candidates.trials.at(i)
		t.Strikes, t.pooled = 0, [2]evidence.Summary{}
	}
	s.Evidence.forget()
	s.curves.mark(s.Scored, row.At, "objective %d", o.Version)
	s.say(row, "info", ObjectiveText(o))
	return nil
}

// scorePast takes a candidate whose value is of an earlier version: it counts,
// it has coordinates, and it competes with nobody.
func (s *State) scorePast(row record.FoldRow, m *Candidate) error {
	first := s.count(m)
	if _, err := s.locate(m, row.Cand.Measures); err != nil {
		return err
	}
	if !first || m.ID() == record.Root || row.Work == nil {
		return nil
	}
	e := view.Ended{Job: row.JobBrief(record.EndData{}), Cell: -1, From: record.NoCandidate}
	state := row.Work.State
	s.countEnd(m, decidedEnd{event: search.Event{Operator: s.Origin(m).op, Agent: s.Origin(m).agent, Target: e.Job.Target, Parent: m.Parent(), Way: wayOf(&e.Job), State: state, Usage: e.Job.Usage}})
	s.Lessons.Observe(agent.End{Operator: s.Origin(m).op, Candidate: m.ID(), Parent: m.Parent(), Improved: state == record.Placed, Value: math.Inf(-1), Best: s.Best})
	s.noteOutcome(e.Job, m, state)
	s.repairs.ended(s.Origin(m).op, m.Parent())
	if row.Kind == record.LogEnd {
		s.push(e)
	}
	return nil
}

// scoreUnrooted gives their places to candidates that came in before the root.
func (s *State) scoreUnrooted() error {
	rows := s.unrooted
	s.unrooted = nil
	for _, row := range rows {
		if err := s.score(row, s.Candidate(row.Cand.ID)); err != nil {
			return err
		}
	}
	return nil
}

// ToRenew are the candidates that a new version measures again, best first: who
// holds a niche, the best, and those that the present version has still to
// measure again. While there is no map every candidate waits for its place, and
// all are.
func (s *State) ToRenew() []record.CandidateID {
	take := map[record.CandidateID]bool{}
	if s.arch != nil {
		for _, el := range s.arch.Holders() {
			take[el.ID] = true
		}
		take[s.Best] = true
		for id := range s.measured() {
			m := s.Candidate(id)
			take[id] = take[id] || m.Scored && !m.Out() && s.Learned && s.Space == nil || s.arch.IsFrozen(id)
		}
	}
	var ids []record.CandidateID
	for id := range s.measured() {
		if take[id] && id != record.Root && s.Candidate(id).Scored {
			ids = append(ids, id)
		}
	}
	sort.SliceStable(ids, func(i, j int) bool { return s.better(s.Candidate(ids[i]), s.Candidate(ids[j])) })
	for _, id := range s.owed {
		if m := s.Candidate(id); m != nil && !m.Scored && !m.Out() && s.Trials(m).Strikes == 0 {
			ids = append(ids, id)
		}
	}
	return ids
}

// pastPoints bounds the curve that the row of a change keeps.
const pastPoints = 200

// StandingPast is how the search stands, for the history of a version that
// ends.
func (s *State) StandingPast() record.PastObjective {
	p := record.PastObjective{
		Version: max(1, s.Exp.Objective), Metric: s.Config.Evaluator.Objective, Direction: s.Config.Evaluator.Direction,
		Best: record.NoCandidate, Scored: s.Scored,
	}
	if m := s.Candidate(record.Root); m != nil && m.Scored {
		root := m.Objective
		p.Root = &root
	}
	if m := s.Candidate(s.Best); m != nil {
		best := m.Objective
		p.Best, p.Value = m.ID(), &best
		if claim, ok := s.ClaimOf(m.ID()); ok && m.ID() != record.Root {
			p.Evidence = string(claim.Word)
		}
	}
	if s.arch != nil {
		p.Filled = s.arch.Stats().Filled
	}
	c := s.curves.snapshot()
	step := max(1, (len(c.X)+pastPoints-1)/pastPoints)
	for i := (len(c.X) - 1) % step; i >= 0 && i < len(c.X); i += step {
		p.X, p.Curve = append(p.X, c.X[i]), append(p.Curve, c.Best[i])
	}
	return p
}

package fold

import (
	"encoding/json"
	"fmt"
	"math"

	"atoll/engine/agent"
	"atoll/engine/search"
	"atoll/engine/view"
	"atoll/store/record"
)

// fold takes the next row of the log. Strict order holds rows of jobs back
// until every lower job number was folded; then is called after each job that
// was folded, in fold order.
func (s *State) fold(row record.FoldRow, then func(record.JobID) error) error {
	s.Seq = row.Seq
	switch row.Kind {
	case record.LogEnd, record.LogSample, record.LogHeld:
		return s.foldJob(row, then)
	case record.LogMade:
		s.noteMade(row)
	case record.LogObjective:
		return s.foldObjective(row)
	case record.LogSetting:
		return s.foldSetting(row)
	case record.LogState:
		var d record.StateData
		if err := json.Unmarshal(row.Data, &d); err != nil {
			return err
		}
		s.Run, s.Reason = d.State, d.Reason
	case record.LogNote:
		var n record.Note
		if err := unmarshal(row, &n); err != nil {
			return err
		}
		s.takeNote(n)
	case record.LogDecision:
		var d record.Decision
		if err := json.Unmarshal(row.Data, &d); err != nil {
			return err
		}
		d.Seq, d.At = row.Seq, row.At
		s.decide(d)
	}
	return nil
}

func (s *State) foldJob(row record.FoldRow, then func(record.JobID) error) error {
	if !s.Exp.Strict || row.Job < s.nextFold {
		if err := s.foldResult(row); err != nil {
			return err
		}
		if s.Exp.Strict || s.late[row.Job] {
			return nil
		}
		if row.Kind == record.LogHeld {
			s.late[row.Job] = true
		}
		advance(s, row.At)
		return then(row.Job)
	}
	if row.Kind == record.LogHeld && row.Job != s.turn() && row.Cand != nil {
		tellHeld(s, row, s.Candidate(row.Cand.ID)) // a person can decide now, whoever's turn it is
		s.heldTold[row.Job] = true
	}
	s.Early[row.Job] = append(s.Early[row.Job], row)
	return s.foldEarly(then)
}

// foldEarly folds the rows whose turn has come, in strict order: first the jobs
// that measure again under a new objective version, then by number.
func (s *State) foldEarly(then func(record.JobID) error) error {
	for {
		job := s.turn()
		rows, ok := s.Early[job]
		if !ok {
			return nil
		}
		delete(s.Early, job)
		for _, r := range standing(rows) {
			if err := s.foldResult(r); err != nil {
				return err
			}
		}
		s.passed(job)
		advance(s, rows[len(rows)-1].At)
		if err := then(job); err != nil {
			return err
		}
	}
}

// standing are those of the rows of a job that count when its turn has come: a
// job that was displaced by one of a lower number is a duplicate and nothing
// else, whatever it came to before.
func standing(rows []record.FoldRow) []record.FoldRow {
	last := rows[len(rows)-1:]
	if len(rows) == 1 || last[0].Kind != record.LogEnd {
		return rows
	}
	var end record.EndData
	if json.Unmarshal(last[0].Data, &end) == nil && end.State == record.Duplicate {
		return last
	}
	return rows
}

func (s *State) noteMade(row record.FoldRow) {
	if row.Cand != nil {
		s.candidates.put(row.Cand)
		s.MadeSince++
	}
}

// scoredEnd is what the row of a job that was measured says. The row counts, and not the
// job as it is now: one that was rejected may have gone on since.
const scoredEnd = `{"state":"scored"}`

// foldResult takes the end of a job, or new samples of a candidate.
func (s *State) foldResult(row record.FoldRow) error {
	var end record.EndData
	if row.Kind == record.LogEnd && string(row.Data) == scoredEnd {
		end.State = record.Scored // as most do
	} else if row.Kind == record.LogEnd && len(row.Data) > 0 {
		if err := json.Unmarshal(row.Data, &end); err != nil {
			return err
		}
	}
	if row.Cand == nil {
		s.foldWithout(row, end)
		return nil
	}
	m := s.candidates.put(row.Cand)
	s.undated = s.undated || row.Cand.Objective != nil && !row.Cand.Then
	s.isles.home(m, row.Work)
	if row.Work != nil && row.Work.Kind == record.Evaluate {
		s.noteMeasured(row, m)
	}
	switch {
	case row.Kind == record.LogHeld:
		s.foldHeld(row, m)
	case row.Cand.Objective == nil || end.State == record.Rejected || end.State == record.Cancelled || end.State == record.Failed:
		s.foldFailure(row, end, m)
	default:
		return s.score(row, m)
	}
	return nil
}

// foldHeld takes that a candidate waits for a person.
func (s *State) foldHeld(row record.FoldRow, m *Candidate) {
	if !s.heldTold[row.Job] {
		tellHeld(s, row, m)
	}
	delete(s.heldTold, row.Job)
	again := waitsByDecision(s, m)
	delete(s.Decided.ends.reopened, m.ID())
	m.waited, m.passed = true, m.passed && again // what waits again by a decision may have passed since
	s.withdraw(m)
}

// waitsByDecision reports whether a candidate waits for a person again because a decision
// was taken back.
func waitsByDecision(s *State, m *Candidate) bool {
	return m != nil && (m.withheld || s.Decided.ends.reopened[m.ID()])
}

// tellHeld tells that a candidate waits for a person, and why. Where a decision made it
// wait again, that was told.
func tellHeld(s *State, row record.FoldRow, m *Candidate) {
	if waitsByDecision(s, m) {
		return
	}
	text := row.Cand.ID.String() + " waits for review"
	if why := HeldFor(row); why != "" {
		text += ": " + why
	}
	s.say(row, "info", text)
}

// HeldFor tells why a candidate waits, or waited, since a row of kind held: as the row
// says, and where it is of an earlier version as the candidate says now. "" is unknown.
func HeldFor(row record.FoldRow) string {
	var d record.HeldData
	if len(row.Data) > 0 && json.Unmarshal(row.Data, &d) == nil && d.Reason != "" {
		return d.Reason
	}
	if row.Cand == nil {
		return ""
	}
	return row.Cand.Reason
}

// foldWithout takes the end of a job that made no candidate.
func (s *State) foldWithout(row record.FoldRow, end record.EndData) {
	e := view.Ended{Job: row.JobBrief(end), Cell: -1, From: record.NoCandidate}
	s.push(e)
	if e.Job.Kind == record.Make {
		s.yields.Add(search.Event{Operator: e.Job.Operator, Agent: e.Job.Agent, Target: e.Job.Target, Parent: e.Job.Parent, Way: wayOf(&e.Job), State: end.State, Usage: e.Job.Usage})
		s.Lessons.Observe(agent.End{Operator: e.Job.Operator, Candidate: record.NoCandidate, Parent: e.Job.Parent, Value: math.Inf(-1), Best: s.Best})
		s.noteOutcome(e.Job, nil, end.State)
		s.repairs.ended(e.Job.Operator, e.Job.Parent)
		s.isles.ended(&e.Job, nil, false)
	}
	switch end.State {
	case record.Duplicate:
		s.candidates.drop(record.CandidateID(row.Job))
		s.say(row, "debug", fmt.Sprintf("%s duplicate of %s", row.Job, e.Job.Duplicate))
	case record.Failed:
		s.failures.count(row.Job, end.Class, end.Reason)
		s.say(row, "warn", fmt.Sprintf("%s failed: %s", row.Job, end.Reason))
	}
}

func (s *State) foldFailure(row record.FoldRow, end record.EndData, m *Candidate) {
	e := view.Ended{Job: row.JobBrief(end), Cell: -1, From: record.NoCandidate}
	decided := m.Rejected && end.Class == record.ClassReview
	fails := end.State == record.Failed && !decided || end.State == record.Rejected && end.Class == record.ClassGate
	if row.Kind == record.LogEnd && e.Job.Kind == record.Make {
		ended := decidedEnd{event: search.Event{Operator: s.Origin(m).op, Agent: s.Origin(m).agent, Target: e.Job.Target, Parent: m.Parent(), Way: wayOf(&e.Job), State: end.State, Usage: e.Job.Usage}}
		if fails {
			ended.failure = &failure{class: end.Class, reason: end.Reason}
			s.suspect(row, end.Class, end.Reason)
		}
		s.countEnd(m, ended)
		lesson := agent.End{Operator: s.Origin(m).op, Candidate: m.ID(), Parent: m.Parent(), Value: math.Inf(-1), Best: s.Best}
		if fails {
			lesson.Against = -1
		}
		s.Lessons.Observe(lesson)
		s.noteOutcome(e.Job, m, end.State)
		s.repairs.ended(s.Origin(m).op, m.Parent())
		s.isles.ended(&e.Job, nil, false)
		if end.State == record.Failed {
			s.repairs.failed(m.ID(), end.Class)
		}
	}
	switch {
	case row.Kind != record.LogEnd:
	case m.Rejected && end.State == record.Rejected && e.Job.Kind == record.Make:
		s.pushRejection(m, e)
	default:
		s.push(e)
	}
	if fails && e.Job.Kind != record.Make {
		s.failures.count(row.Job, end.Class, end.Reason)
	}
	if decided && (end.State == record.Rejected || end.State == record.Failed) {
		return // the decision was told; a job that measures further ends by the one of the guard
	}
	level := "warn"
	switch end.State {
	case "": // the root has no value: the experiment ends and says why
		return
	case record.Cancelled:
		level = "info"
	}
	s.say(row, level, fmt.Sprintf("%s %s: %s", m.ID(), end.State, end.Reason))
}

// score gives a measured candidate its place.
func (s *State) score(row record.FoldRow, m *Candidate) error {
	if s.stale(row.Cand.Version) {
		return s.scorePast(row, m)
	}
	if s.arch == nil && m.ID() != record.Root {
		if s.Version == 1 {
			return fmt.Errorf("%s was measured before the root", m.ID())
		}
		s.unrooted = append(s.unrooted, row)
		return nil
	}
	first := s.count(m)
	m.Scored = true
	if m.ID() == record.Root {
		s.openArchive(m)
		s.unpark()
	}
	s.watchNoise(row, m)
	s.pool(m)
	if row.Work != nil && (row.Work.State == record.Done || row.Work.Kind == record.Make) {
		s.trust(row)
	}
	point, err := s.locate(m, row.Cand.Measures)
	if err != nil {
		return err
	}
	if first {
		s.warnMapless(row)
	}
	e := view.Ended{Job: row.JobBrief(record.EndData{State: record.Scored}), Cell: -1, From: record.NoCandidate}
	obj := m.Objective
	e.Objective = &obj
	if p := s.Candidate(m.Parent()); p != nil && p.Scored {
		d := s.Sign * (m.Objective - p.Objective)
		e.Delta = &d
	}
	led := s.Best
	improved := s.place(m, point, &e, row.At)
	if err := s.front.measured(m); err != nil {
		return err
	}
	took := improved
	if s.underLaterMap(row) {
		took = row.Work.State == record.Placed
		tookThen(&e, took)
	} else if improved && m.ID() != record.Root && (row.Work == nil || row.Work.State != record.Placed) {
		s.Placed = append(s.Placed, m.Job())
	}
	later := improved && !first && e.From != m.ID()
	if improved || !first { // else nothing changed that others wait for
		later = s.admit(row.At) || later
	}
	if first && m.ID() != record.Root {
		state := record.Scored
		if took {
			state = record.Placed
		}
		s.countEnd(m, decidedEnd{event: search.Event{Operator: s.Origin(m).op, Agent: s.Origin(m).agent, Target: e.Job.Target, Parent: m.Parent(), Way: wayOf(&e.Job), State: state, Best: e.Best, Usage: e.Job.Usage}})
		s.Lessons.Observe(agent.End{
			Operator: s.Origin(m).op, Candidate: m.ID(), Parent: m.Parent(), Improved: took || e.Delta != nil && *e.Delta > 0,
			Against: s.against(m, e.Delta), Value: s.Sign * m.Objective, Best: s.Best,
		})
		s.noteOutcome(e.Job, m, state)
		s.repairs.ended(s.Origin(m).op, m.Parent())
		s.isles.ended(&e.Job, m, took)
	}
	s.yields.Later(later, s.Best != led && s.Best != record.Root && m.ID() != led) // the fall of a best is no better one
	switch {
	case m.ID() == record.Root:
		s.isles.begin()
	case !first || s.Noisy:
		s.isles.refresh()
	}
	if row.Kind == record.LogEnd && m.ID() != record.Root {
		s.push(e)
	}
	s.curves.add(s.progress(), row.At)
	s.curves.crowned(s.Scored, s.Best, row.At)
	return s.scoreUnrooted()
}

// decide folds one decision: what it does to the archive and to the stacks of
// undo and redo. What a decision sets in motion (new jobs, states) is the
// loop's work.
func (s *State) decide(d record.Decision) {
	text := s.DecisionText(d)
	said := d.Who + ": " + text
	if AwaitsRoot(s, d.Verb) {
		said += ": as soon as the root is measured"
	}
	s.tell(event{At: d.At, Level: "info", Job: record.NoJob, Text: said}) // before what it does
	s.Decided.remember(d)
	switch d.Verb {
	case record.Reject:
		s.rejectAgain(d)
		s.reject(d)
	case record.Restore:
		s.withdrawRejection(d)
		s.restore(d)
	case record.Approve:
		s.pass(d)
	case record.Hold:
		s.withdraw(s.Candidate(d.Candidate))
		s.hold(d)
	case record.Freeze:
		s.freeze(d)
	case record.Release:
		s.release(d)
	case record.Boost:
		s.boost(d)
	case record.Pin, record.Unpin:
		s.Decided.pin(d.Candidate, d.Verb == record.Pin)
	case record.Refit:
		s.Decided.refit = d.Seq
	case record.Set:
		if now, err := MergeSetting(s.Settings, d.Args); err == nil { // else what carries it out says so
			s.Settings = now
		}
	}
	s.isles.refresh()
	s.front.stale = true
	s.curves.mark(s.Scored, d.At, "%s", text)
	s.bend(d)
}

func unmarshal(row record.FoldRow, into any) error {
	if err := json.Unmarshal(row.Data, into); err != nil {
		return fmt.Errorf("read row %d of the log: %w", row.Seq, err)
	}
	return nil
}

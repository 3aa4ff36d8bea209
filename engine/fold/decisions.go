package fold

import (
	"fmt"
	"slices"
	"strconv"

	"atoll/store/record"
)

// decisions is the part of the fold that people wrote: what they did, and what
// can be taken back or done again.
type decisions struct {
	All    []record.Decision // oldest first
	undo   []record.Decision // may be taken back, newest last
	redo   []record.Decision // taken back, newest last
	frozen map[string]bool   // targets
	boosts map[string]float64
	refit  record.Seq // the last request for a new map
}

// decide folds one decision: what it does to the archive and to the stacks of
// undo and redo. What a decision sets in motion (new jobs, states) is the
// loop's work.
func (s *State) decide(d record.Decision) {
	s.remember(d)
	switch d.Verb {
	case record.Reject:
		s.reject(d)
	case record.Restore, record.Approve: // an approval that was taken back and given again
		s.restore(d)
	case record.Freeze:
		s.freeze(d)
	case record.Release:
		s.release(d)
	case record.Boost:
		s.boost(d)
	case record.Pin, record.Unpin:
		// The store keeps the pin with the candidate.
	case record.Refit:
		s.Decided.refit = d.Seq
	}
	text := s.DecisionText(d)
	s.tell(event{At: d.At, Level: "info", Job: record.NoJob, Text: d.Who + ": " + text})
	s.curves.mark(s, d.At, "%s", text)
	s.curves.crowned(s, d.At)
}

// rejection is what the person who rejected a candidate last gave as reason.
func (ds *decisions) rejection(id record.CandidateID) string {
	for _, d := range slices.Backward(ds.All) {
		if d.Verb == record.Reject && d.Candidate == id {
			if d.Text == "" {
				return "rejected by " + d.Who
			}
			return d.Text
		}
	}
	return ""
}

// remember keeps the decision and moves it between the stacks. A decision that
// undoes an undo is a redo.
func (s *State) remember(d record.Decision) {
	ds := &s.Decided
	ds.All = append(ds.All, d)
	if d.Undoes == 0 {
		ds.redo = nil
		if d.Inverse != nil {
			ds.undo = append(ds.undo, d)
		}
		return
	}
	if i := find(ds.undo, d.Undoes); i >= 0 {
		ds.redo = append(ds.redo, ds.undo[i])
		ds.undo = append(ds.undo[:i], ds.undo[i+1:]...)
		return
	}
	if i := find(ds.redo, d.Undoes); i >= 0 {
		again := ds.redo[i]
		again.Seq = d.Seq
		ds.redo = append(ds.redo[:i], ds.redo[i+1:]...)
		ds.undo = append(ds.undo, again)
	}
}

func find(list []record.Decision, seq record.Seq) int {
	for i := len(list) - 1; i >= 0; i-- {
		if list[i].Seq == seq {
			return i
		}
	}
	return -1
}

// NextUndo returns the decision row that takes back the last decision that can
// be taken back.
func (s *State) NextUndo(who string) (record.Decision, error) {
	u := s.Decided.undo
	if len(u) == 0 {
		return record.Decision{}, fmt.Errorf("%w: nothing to undo", ErrDecision)
	}
	last := u[len(u)-1]
	d := *last.Inverse
	d.Who, d.Undoes, d.Inverse = who, last.Seq, nil
	return d, nil
}

// NextRedo returns the decision row that does the last undone decision again.
func (s *State) NextRedo(who string) (record.Decision, error) {
	r := s.Decided.redo
	if len(r) == 0 {
		return record.Decision{}, fmt.Errorf("%w: nothing to redo", ErrDecision)
	}
	d := r[len(r)-1]
	d.Who, d.Undoes = who, d.Seq
	d.Seq, d.At = 0, 0
	return d, nil
}

func (s *State) reject(d record.Decision) {
	m := s.Candidate(d.Candidate)
	if m == nil || m.ID() == record.Root {
		return
	}
	m.Rejected = true
	if s.arch != nil && m.Scored {
		s.arch.Remove(m.ID())
	}
	if s.Best == m.ID() {
		s.recrown()
	}
}

func (s *State) restore(d record.Decision) {
	m := s.Candidate(d.Candidate)
	if m == nil || !m.Rejected {
		return
	}
	m.Rejected = false
	if s.arch != nil && m.Scored {
		s.arch.Restore(m.ID())
	}
	s.recrown()
}

func (s *State) freeze(d record.Decision) {
	if d.Text != "" && d.Candidate == record.NoCandidate {
		if s.Decided.frozen == nil {
			s.Decided.frozen = map[string]bool{}
		}
		s.Decided.frozen[d.Text] = true
		return
	}
	if s.arch == nil {
		s.park(d)
		return
	}
	s.arch.Freeze(d.Candidate)
}

func (s *State) release(d record.Decision) {
	if d.Text != "" && d.Candidate == record.NoCandidate && d.Cell < 0 {
		delete(s.Decided.frozen, d.Text)
		delete(s.Decided.boosts, d.Text)
		return
	}
	if s.arch == nil {
		s.park(d)
		return
	}
	if d.Candidate != record.NoCandidate {
		s.arch.Release(d.Candidate)
	}
	if d.Cell >= 0 {
		s.arch.Boost(d.Cell, 1, 0)
	}
}

func (s *State) boost(d record.Decision) {
	if d.Text != "" && d.Cell < 0 {
		if s.Decided.boosts == nil {
			s.Decided.boosts = map[string]float64{}
		}
		s.Decided.boosts[d.Text] = d.Value
		return
	}
	if d.Cell < 0 {
		return
	}
	if s.arch == nil {
		s.park(d)
		return
	}
	s.arch.Boost(d.Cell, d.Value, s.folded+s.Config.Search.BoostFor)
}

// DecisionText says in a few words what a decision does, with niches named as on
// the map.
func (s *State) DecisionText(d record.Decision) string {
	if s.arch == nil {
		return DecisionText(d)
	}
	return decisionText(d, s.CellName)
}

// DecisionText says in a few words what a decision does. Niches have numbers:
// [State.DecisionText] knows their names.
func DecisionText(d record.Decision) string {
	return decisionText(d, strconv.Itoa)
}

func decisionText(d record.Decision, niche func(cell int) string) string {
	text := string(d.Verb)
	switch {
	case d.Candidate != record.NoCandidate:
		text += " " + d.Candidate.String()
	case d.Job != record.NoJob:
		text += " " + d.Job.String()
	case d.Cell >= 0:
		text += " niche " + niche(d.Cell)
	}
	if d.Verb == record.Boost {
		text += fmt.Sprintf(" x%.3g", d.Value)
	}
	if d.Text != "" {
		text += ": " + d.Text
	}
	if d.Undoes != 0 {
		text += " (taking a decision back)"
	}
	return text
}

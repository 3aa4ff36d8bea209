package fold

import (
	"cmp"
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
func (ds *decisions) remember(d record.Decision) {
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
func (st *steering) NextUndo(who string) (record.Decision, error) {
	u := st.Decided.undo
	if len(u) == 0 {
		return record.Decision{}, fmt.Errorf("%w: nothing to undo", ErrDecision)
	}
	last := u[len(u)-1]
	d := *last.Inverse
	d.Who, d.Undoes, d.Inverse = who, last.Seq, nil
	return d, nil
}

// NextRedo returns the decision row that does the last undone decision again.
func (st *steering) NextRedo(who string) (record.Decision, error) {
	r := st.Decided.redo
	if len(r) == 0 {
		return record.Decision{}, fmt.Errorf("%w: nothing to redo", ErrDecision)
	}
	d := r[len(r)-1]
	d.Who, d.Undoes = who, d.Seq
	d.Seq, d.At = 0, 0
	return d, nil
}

func (st *steering) reject(d record.Decision) {
	m := st.Candidate(d.Candidate)
	if m == nil || m.ID() == record.Root {
		return
	}
	m.Rejected = true
	if st.arch != nil && m.Scored {
		st.arch.Remove(m.ID())
	}
	if st.Best == m.ID() {
		st.recrown()
	}
}

func (st *steering) restore(d record.Decision) {
	m := st.Candidate(d.Candidate)
	if m == nil || !m.Rejected {
		return
	}
	m.Rejected = false
	if st.arch != nil && m.Scored {
		st.arch.Restore(m.ID())
	}
	st.recrown()
}

func (st *steering) freeze(d record.Decision) {
	if d.Text != "" && d.Candidate == record.NoCandidate {
		if st.Decided.frozen == nil {
			st.Decided.frozen = map[string]bool{}
		}
		st.Decided.frozen[d.Text] = true
		return
	}
	if st.arch == nil {
		st.park(d)
		return
	}
	st.arch.Freeze(d.Candidate)
}

func (st *steering) release(d record.Decision) {
	if d.Text != "" && d.Candidate == record.NoCandidate && d.Cell < 0 {
		delete(st.Decided.frozen, d.Text)
		delete(st.Decided.boosts, d.Text)
		return
	}
	if st.arch == nil {
		st.park(d)
		return
	}
	if d.Candidate != record.NoCandidate {
		st.arch.Release(d.Candidate)
	}
	if d.Cell >= 0 {
		st.arch.Boost(d.Cell, 1, 0)
	}
}

func (st *steering) boost(d record.Decision) {
	if d.Text != "" && d.Cell < 0 {
		if st.Decided.boosts == nil {
			st.Decided.boosts = map[string]float64{}
		}
		st.Decided.boosts[d.Text] = d.Value
		return
	}
	if d.Cell < 0 {
		return
	}
	if st.arch == nil {
		st.park(d)
		return
	}
	st.arch.Boost(d.Cell, d.Value, st.folded+st.Config.Search.BoostFor)
}

// DecisionText says in a few words what a decision does, with niches named as on
// the map.
func (a *arena) DecisionText(d record.Decision) string {
	if a.arch == nil {
		return DecisionText(d)
	}
	return decisionText(d, a.CellName)
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

// steering is what people did to the search.
type steering struct {
	*contest
	Decided decisions
	parked  []parked      // decisions on niches while there is no archive
	notes   []record.Note // what later prompts are told, by number
}

// parked is a decision on a niche that came while there was no archive.
type parked struct {
	d      record.Decision
	folded int
}

func (st *steering) park(d record.Decision) { st.parked = append(st.parked, parked{d, st.folded}) }

// unpark carries out what was decided while there was no archive.
func (st *steering) unpark() {
	folded := st.folded
	for _, p := range st.parked {
		st.folded = p.folded // a boost lasts from when it was given
		switch p.d.Verb {
		case record.Freeze:
			st.freeze(p.d)
		case record.Release:
			st.release(p.d)
		case record.Boost:
			st.boost(p.d)
		}
	}
	st.folded, st.parked = folded, nil
}

// takeNote keeps a note as it reads now, or lets go of one that is gone.
func (st *steering) takeNote(n record.Note) {
	i, known := slices.BinarySearchFunc(st.notes, n.ID, func(have record.Note, id int64) int { return cmp.Compare(have.ID, id) })
	switch {
	case known && n.Gone:
		st.notes = slices.Delete(st.notes, i, i+1)
	case known:
		st.notes[i] = n
	case !n.Gone:
		st.notes = slices.Insert(st.notes, i, n)
	}
}

package fold

import (
	"cmp"
	"slices"

	"atoll/store/record"
)

// steering is what people did to the search.
type steering struct {
	*placement
	Decided decisions
	parked  []parked      // decisions on niches while there is no archive
	notes   []record.Note // what later prompts are told, by number
}

func (st *steering) reject(d record.Decision) {
	m := st.Candidate(d.Candidate)
	if m == nil || m.ID() == record.Root {
		return
	}
	m.Rejected = true
	if st.Origin(m).Status == record.StatusHeld {
		st.setStatus(m, record.StatusRejected)
	}
	st.leave(m)
}

func (st *steering) restore(d record.Decision) {
	m := st.Candidate(d.Candidate)
	if m == nil || !m.Rejected {
		return
	}
	m.Rejected = false
	if st.Origin(m).Status == record.StatusRejected {
		now := record.StatusHeld
		if m.passed { // it is queued again
			now = record.StatusMade
		}
		st.setStatus(m, now)
	}
	st.enter(m)
}

// AwaitsRoot reports whether a decision makes a candidate's job, which needs a measured
// root to start from, and there is none.
func AwaitsRoot(s *State, v record.Verb) bool {
	return s.arch == nil && (v == record.StartJob || v == record.Inject)
}

// hold takes an approval back: the candidate waits for a person again, and gives
// up the niche that it took meanwhile.
func (st *steering) hold(d record.Decision) {
	m := st.Candidate(d.Candidate)
	if m == nil || m.ID() == record.Root {
		return
	}
	if m.counted && !m.withheld {
		st.waitsAgain(m)
		st.recount(m, -1)
	}
	m.withheld, m.passed = true, false
	st.setStatus(m, record.StatusHeld)
	st.leave(m)
}

// approve lets a candidate pass. One whose approval was taken back is where it
// was, as far as it had come; in old logs a rejection takes an approval back.
func (st *steering) approve(d record.Decision) {
	m := st.Candidate(d.Candidate)
	if m == nil {
		return
	}
	if st.Origin(m).Status == record.StatusHeld {
		st.setStatus(m, record.StatusMade)
	}
	m.passed = true // also where an old row was read with the status of later
	if m.counted && m.withheld {
		st.passesAgain(m)
		st.recount(m, 1)
	}
	if m.Out() {
		m.withheld, m.Rejected = false, false
		st.enter(m)
	}
}

// leave takes a candidate out of the competition; the next in line takes its
// niche.
func (st *steering) leave(m *Candidate) {
	if st.arch != nil && m.Scored {
		st.arch.Remove(m.ID())
	}
	if st.Best == m.ID() {
		st.recrown()
	}
}

// enter lets a candidate compete again, unless something else keeps it out.
func (st *steering) enter(m *Candidate) {
	if m.Out() {
		return
	}
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
		if d.Value > 0 { // a release taken back that had ended a boost as well
			st.boost(d)
		}
		return
	}
	if st.arch == nil {
		st.park(d)
		return
	}
	st.arch.Freeze(d.Candidate)
	if d.Value > 0 {
		st.boost(d)
	}
}

func (st *steering) release(d record.Decision) {
	if d.Text != "" && d.Candidate == record.NoCandidate && d.Cell < 0 {
		delete(st.Decided.frozen, d.Text)
		delete(st.Decided.boosts, d.Text)
		if d.Value > 0 { // a freeze taken back: the boost of before it lasts
			st.boost(d)
		}
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
		st.boostNiche(d, 1)
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
	st.boostNiche(d, d.Value)
}

// boostNiche boosts the niche in which the decision's candidate lies: the number of a
// cell means another niche on another map. Older rows name no
// candidate; they are about who holds the cell.
func (st *steering) boostNiche(d record.Decision, factor float64) {
	anchor := d.Candidate
	if anchor == record.NoCandidate {
		e, ok := st.arch.Holder(d.Cell)
		if !ok {
			return
		}
		anchor = e.ID
	}
	st.arch.Boost(anchor, factor, st.folded+st.Config.Search.BoostFor)
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

// noteAt is where a note stands, or would stand, among those that are told.
func (st *steering) noteAt(id int64) (i int, known bool) {
	return slices.BinarySearchFunc(st.notes, id, func(have record.Note, id int64) int { return cmp.Compare(have.ID, id) })
}

// takeNote keeps a note as it reads now, or lets go of one that is gone.
func (st *steering) takeNote(n record.Note) {
	i, known := st.noteAt(n.ID)
	switch {
	case known && n.Gone:
		st.notes = slices.Delete(st.notes, i, i+1)
	case known:
		st.notes[i] = n
	case !n.Gone:
		st.notes = slices.Insert(st.notes, i, n)
	}
}

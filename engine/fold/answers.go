package fold

import (
	"cmp"
	"math"
	"slices"

	"atoll/engine/archive"
	"atoll/engine/view"
	"atoll/store/record"
)

// TellStatus gives a candidate of the store the status it has now: elite when it
// holds a niche, rejected when a person rejected it after it was scored.
func (st *steering) TellStatus(c *record.Candidate) {
	m := st.Candidate(c.ID)
	switch {
	case m == nil:
	case m.Rejected:
		c.Status = record.StatusRejected
		if c.Reason == "" {
			c.Reason = st.Decided.rejection(c.ID)
		}
	case m.withheld:
		c.Status = record.StatusHeld
	case c.Status == record.StatusScored && st.arch != nil && st.arch.Holds(c.ID):
		c.Status = record.StatusElite
	}
}

// Ranked lists those who compete, or the elites, in the order of a query.
func (a *standings) Ranked(q view.CandidateQuery, limit int) []record.CandidateID {
	if a.arch == nil {
		return nil
	}
	var list []archive.Holder
	if q.Elites {
		list = a.arch.Holders()
		slices.SortFunc(list, func(x, y archive.Holder) int {
			if q.Best && x.Objective != y.Objective {
				return cmp.Compare(y.Objective, x.Objective)
			}
			return cmp.Compare(y.ID, x.ID)
		})
	} else {
		list = a.arch.Best(limit)
	}
	var out []record.CandidateID
	for _, h := range list[:min(len(list), limit)] {
		out = append(out, h.ID)
	}
	return out
}

func (s *State) FillDetail(d *view.CandidateDetail) {
	for _, x := range s.Decided.All {
		if x.Verb == record.Promote && x.Candidate == d.Candidate.ID {
			d.Branches = append(d.Branches, x.Text)
		}
	}
	m := s.Candidate(d.Candidate.ID)
	if m == nil || s.arch == nil {
		return
	}
	d.Claim, _ = s.ClaimOf(m.ID())
	d.Percent = view.ClaimPercent(d.Claim)
	if cell, ok := s.arch.CellOf(m.ID()); ok {
		d.Cell, d.Boost = cell, s.arch.BoostOf(cell, s.folded)
	}
	d.Frozen = s.arch.IsFrozen(m.ID())
	for p := m; p != nil && p.ID() != record.Root; p = s.Candidate(p.Parent()) {
		d.Depth++
	}
}

const (
	// lineageWords is how many ancestors and descendants are told with their
	// intent and their other parents.
	LineageWords = 100
	// lineageCap bounds the descendants that are listed.
	lineageCap = 500
	// lineageRows is how many candidates are looked through at a time, so that
	// the loop has other things to do in between.
	lineageRows = 20_000
)

func (s *State) FillAncestors(l *view.Lineage) {
	for m := s.Candidate(l.Focus); m != nil; m = s.Candidate(m.Parent()) {
		l.Ancestors = append(l.Ancestors, s.node(m))
		if m.ID() == record.Root {
			break
		}
	}
	slices.Reverse(l.Ancestors)
}

// FillSurvivors adds the lines of descent of all that hold a niche to a lineage
// of the root, parents before their children.
func (s *State) FillSurvivors(l *view.Lineage) {
	if s.arch == nil {
		return
	}
	in := map[record.CandidateID]bool{record.Root: true}
	var ids []record.CandidateID
	for _, h := range s.arch.Holders() {
		for m := s.Candidate(h.ID); m != nil && !in[m.ID()]; m = s.Candidate(m.Parent()) {
			in[m.ID()] = true
			ids = append(ids, m.ID())
		}
	}
	slices.Sort(ids)
	l.More = max(0, len(ids)-survivorsCap)
	for _, id := range ids[:len(ids)-l.More] {
		l.Descendants = append(l.Descendants, s.node(s.Candidate(id)))
	}
	l.Ancestors = append(l.Ancestors, s.node(s.Candidate(record.Root)))
}

// survivorsCap bounds the candidates in the lines of descent of the elites.
const survivorsCap = 2_000

// Family is how far the descendants of one candidate were looked for. A child
// comes after its parent.
type Family struct {
	L   *view.Lineage
	row int    // of the members, the next to be looked at
	in  []bool // by candidate number
}

// FillDescendants looks through some more of the candidates and reports whether
// there are others.
func (s *State) FillDescendants(f *Family) (more bool) {
	f.in = append(f.in, make([]bool, max(0, int(s.candidates.last())+1-len(f.in)))...)
	if f.L.Focus < 0 || int(f.L.Focus) >= len(f.in) {
		return false
	}
	f.in[f.L.Focus] = true
	rows := s.candidates.rows.len()
	for end := min(rows, f.row+lineageRows); f.row < end; f.row++ {
		m := s.candidates.rows.at(f.row)
		if m.ID() == record.Root || m.Parent() < 0 || int(m.Parent()) >= len(f.in) || !f.in[m.Parent()] {
			continue
		}
		f.in[m.num] = true
		if len(f.L.Descendants) < lineageCap {
			f.L.Descendants = append(f.L.Descendants, s.node(m))
		} else {
			f.L.More++
		}
	}
	return f.row < rows
}

func (s *State) node(m *Candidate) view.LineageNode {
	how := s.Origin(m)
	n := view.LineageNode{ID: m.ID(), Operator: how.op, Agent: how.agent, Status: how.Status, Cell: -1, At: m.created}
	if m.Parent() != record.NoCandidate {
		n.Parents = []record.ParentRef{{ID: m.Parent(), Role: record.RoleParent}}
	}
	if m.Scored {
		obj := m.Objective
		n.Objective = &obj
		if p := s.Candidate(m.Parent()); p != nil && p.Scored {
			d := s.Sign * (m.Objective - p.Objective)
			n.Delta = &d
		}
		if cell, ok := s.arch.CellOf(m.ID()); ok {
			n.Cell = cell
		}
		if s.arch.Holds(m.ID()) {
			n.Status = record.StatusElite
		}
	}
	switch {
	case m.Rejected:
		n.Status = record.StatusRejected
	case m.withheld:
		n.Status = record.StatusHeld
	}
	return n
}

func (s *State) FillNiche(d *view.NicheDetail) (holder record.CandidateID, runners []record.CandidateID) {
	holder = record.NoCandidate
	if s.arch == nil || d.Cell < 0 || d.Cell >= s.shape().Cells() {
		return holder, nil
	}
	d.Tries = s.arch.Tries(d.Cell)
	if h, ok := s.arch.Holder(d.Cell); ok {
		holder = h.ID
	}
	for _, r := range s.arch.Runners(d.Cell, 20) {
		runners = append(runners, r.ID)
	}
	d.History = s.takeovers(d.Cell, 100)
	return holder, runners
}

// jobsFromBack is how many candidates are looked through for the jobs of a
// niche, newest first.
const jobsFromBack = 20_000

// JobsFrom lists the newest jobs whose parent lies in a niche.
func (a *standings) JobsFrom(cell, limit int) []record.JobID {
	if a.arch == nil {
		return nil
	}
	var out []record.JobID
	last := a.candidates.last()
	for id := last; id > max(record.Root, last-jobsFromBack) && len(out) < limit; id-- {
		if m := a.Candidate(id); m != nil {
			if at, ok := a.arch.CellOf(m.Parent()); ok && at == cell {
				out = append(out, m.Job())
			}
		}
	}
	return out
}

// takeovers tells who held a niche under the present map, newest first.
func (a *standings) takeovers(cell, limit int) []view.Takeover {
	if a.arch == nil {
		return nil
	}
	var out []view.Takeover
	before := archive.Holder{ID: record.NoCandidate}
	for _, h := range a.arch.Succession(cell) {
		m := a.Candidate(h.ID)
		t := view.Takeover{At: m.created, Candidate: h.ID, From: before.ID, Objective: m.Objective, Delta: math.NaN(), Why: "new niche"}
		if before.ID != record.NoCandidate {
			t.Delta, t.Why = h.Objective-before.Objective, "better"
		}
		out, before = append(out, t), h
	}
	slices.Reverse(out)
	if len(out) > limit {
		out = out[:limit]
	}
	return out
}

package fold

import (
	"slices"

	"atoll/engine/evidence"
	"atoll/engine/view"
	"atoll/store/record"
)

// descent tells which candidates come from which, and how each of them stands.
type descent struct {
	*standings
}

const (
	// LineageWords is how many ancestors and descendants are told with their
	// intent and their other parents.
	LineageWords = 100
	// lineageCap bounds the descendants that are listed.
	lineageCap = 500
	// lineageRows is how many candidates are looked through at a time, so that
	// the loop has other things to do in between.
	lineageRows = 20_000
)

// FillAncestors adds the candidates that the focus comes from to a lineage, the root first, and
// the focus itself.
func (t *descent) FillAncestors(l *view.Lineage) {
	for m := t.Candidate(l.Focus); m != nil; m = t.Candidate(m.Parent()) {
		l.Ancestors = append(l.Ancestors, t.node(m))
		if m.ID() == record.Root {
			break
		}
	}
	slices.Reverse(l.Ancestors)
}

// FillSurvivors adds the lines of descent of all that hold a niche to a lineage
// of the root, parents before their children.
func (t *descent) FillSurvivors(l *view.Lineage) {
	if t.arch == nil {
		return
	}
	in := map[record.CandidateID]bool{record.Root: true}
	var ids []record.CandidateID
	for _, h := range t.arch.Holders() {
		for m := t.Candidate(h.ID); m != nil && !in[m.ID()]; m = t.Candidate(m.Parent()) {
			in[m.ID()] = true
			ids = append(ids, m.ID())
		}
	}
	slices.Sort(ids)
	l.More = max(0, len(ids)-survivorsCap)
	for _, id := range ids[:len(ids)-l.More] {
		l.Descendants = append(l.Descendants, t.node(t.Candidate(id)))
	}
	l.Ancestors = append(l.Ancestors, t.node(t.Candidate(record.Root)))
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
func (t *descent) FillDescendants(f *Family) (more bool) {
	f.in = append(f.in, make([]bool, max(0, int(t.candidates.last())+1-len(f.in)))...)
	if f.L.Focus < 0 || int(f.L.Focus) >= len(f.in) {
		return false
	}
	f.in[f.L.Focus] = true
	rows := t.candidates.rows.len()
	for end := min(rows, f.row+lineageRows); f.row < end; f.row++ {
		m := t.candidates.rows.at(f.row)
		if m.ID() == record.Root || m.Parent() < 0 || int(m.Parent()) >= len(f.in) || !f.in[m.Parent()] {
			continue
		}
		f.in[m.num] = true
		if len(f.L.Descendants) < lineageCap {
			f.L.Descendants = append(f.L.Descendants, t.node(m))
		} else {
			f.L.More++
		}
	}
	return f.row < rows
}

// step is what a candidate gained on its parent, nil where that may not be told.
func (t *descent) step(m *Candidate) *float64 {
	p := t.Candidate(m.Parent())
	if p == nil || !p.Scored {
		return nil
	}
	if !t.Noisy {
		d := t.Sign * (m.Objective - p.Objective)
		return &d
	}
	c := t.claimBeside(m, p)
	if c.GainIn.Low <= 0 && c.GainIn.High >= 0 {
		return nil
	}
	return &c.Gain
}

// TellWaiting gives a candidate that was measured and waits for a person the value that
// it waits with: it is listed with it, though it competes with nobody yet.
func (t *descent) TellWaiting(n *view.LineageNode, c *record.Candidate) {
	if n.Objective != nil || n.Status != record.StatusHeld || c.Objective == nil || t.stale(c.Version) {
		return
	}
	obj := *c.Objective
	n.Objective = &obj
	if t.Noisy { // one that waits has no samples of its own for what may be told
		n.Claim = &evidence.Claim{Value: obj, Root: t.rootObj, Word: evidence.Unconfirmed}
		return
	}
	claim := evidence.Certain(obj, t.rootObj, t.Sign < 0)
	n.Claim = &claim
	if p := t.Candidate(c.Parent()); p != nil && p.Scored {
		d := t.Sign * (obj - p.Objective)
		n.Delta = &d
	}
}

func (t *descent) node(m *Candidate) view.LineageNode {
	how := t.Origin(m)
	n := view.LineageNode{ID: m.ID(), Operator: how.op, Agent: how.agent, Status: how.Status, Cell: -1, At: m.created}
	if m.Parent() != record.NoCandidate {
		n.Parents = []record.ParentRef{{ID: m.Parent(), Role: record.RoleParent}}
	}
	if m.Told() {
		obj := m.Objective
		n.Objective = &obj
		claim := t.claimOf(m)
		n.Claim = &claim
		n.Delta = t.step(m)
		if cell, ok := t.arch.CellOf(m.ID()); ok {
			n.Cell = cell
		}
		if t.arch.Holds(m.ID()) {
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

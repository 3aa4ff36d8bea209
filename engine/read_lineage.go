package engine

import (
	"context"
	"fmt"
	"slices"

	"atoll/engine/view"
	"atoll/store/record"
)

// Lineage returns the family of one candidate.
func (e *Engine) Lineage(ctx context.Context, id record.CandidateID) (view.Lineage, error) {
	l := view.Lineage{Focus: id}
	if err := e.ask(ctx, func(s *State) { s.fillAncestors(&l) }); err != nil {
		return l, err
	}
	look := family{l: &l}
	for more := true; more; {
		if err := e.ask(ctx, func(s *State) { more = s.fillDescendants(&look) }); err != nil {
			return l, err
		}
	}
	for _, nodes := range [][]view.LineageNode{l.Ancestors, l.Descendants} {
		for i := range nodes[:min(len(nodes), lineageWords)] {
			c, err := e.db.Candidate(ctx, e.exp, nodes[i].ID)
			if err != nil {
				return l, fmt.Errorf("read candidate %s: %w", nodes[i].ID, err)
			}
			nodes[i].Parents, nodes[i].Class, nodes[i].Intent = c.Parents, c.Class, c.Intent
		}
	}
	return l, nil
}

const (
	// lineageWords is how many ancestors and descendants are told with their
	// intent and their other parents.
	lineageWords = 100
	// lineageCap bounds the descendants that are listed.
	lineageCap = 500
	// lineageRows is how many candidates are looked through at a time, so that
	// the loop has other things to do in between.
	lineageRows = 20_000
)

func (s *State) fillAncestors(l *view.Lineage) {
	for m := s.member(l.Focus); m != nil; m = s.member(m.parent()) {
		l.Ancestors = append(l.Ancestors, s.node(m))
		if m.id() == record.Root {
			break
		}
	}
	slices.Reverse(l.Ancestors)
}

// family is how far the descendants of one candidate were looked for. A child
// comes after its parent.
type family struct {
	l   *view.Lineage
	row int    // of the members, the next to be looked at
	in  []bool // by candidate number
}

// fillDescendants looks through some more of the candidates and reports whether
// there are others.
func (s *State) fillDescendants(f *family) (more bool) {
	f.in = append(f.in, make([]bool, max(0, int(s.members.last())+1-len(f.in)))...)
	if f.l.Focus < 0 || int(f.l.Focus) >= len(f.in) {
		return false
	}
	f.in[f.l.Focus] = true
	rows := s.members.rows.len()
	for end := min(rows, f.row+lineageRows); f.row < end; f.row++ {
		m := s.members.rows.at(f.row)
		if m.id() == record.Root || m.parent() < 0 || int(m.parent()) >= len(f.in) || !f.in[m.parent()] {
			continue
		}
		f.in[m.num] = true
		if len(f.l.Descendants) < lineageCap {
			f.l.Descendants = append(f.l.Descendants, s.node(m))
		} else {
			f.l.More++
		}
	}
	return f.row < rows
}

func (s *State) node(m *member) view.LineageNode {
	how := s.made(m)
	n := view.LineageNode{ID: m.id(), Operator: how.op, Agent: how.agent, Status: how.status, Cell: -1, At: m.created}
	if m.parent() != record.NoCandidate {
		n.Parents = []record.ParentRef{{ID: m.parent(), Role: record.RoleParent}}
	}
	if m.scored {
		obj := m.obj
		n.Objective = &obj
		if p := s.member(m.parent()); p != nil && p.scored {
			d := s.sign * (m.obj - p.obj)
			n.Delta = &d
		}
		if cell, ok := s.arch.CellOf(m.id()); ok {
			n.Cell = cell
		}
		if s.arch.Holds(m.id()) {
			n.Status = record.StatusElite
		}
	}
	if m.rejected {
		n.Status = record.StatusRejected
	}
	return n
}

package engine

import (
	"context"
	"fmt"
	"slices"

	"atoll/store/record"
)

// Lineage returns the family of one candidate.
func (e *Engine) Lineage(ctx context.Context, id record.CandidateID) (Lineage, error) {
	l := Lineage{Focus: id}
	if err := e.ask(ctx, func(s *State) { s.fillLineage(&l) }); err != nil {
		return l, err
	}
	for _, nodes := range [][]LineageNode{l.Ancestors, l.Descendants} {
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

// lineageWords is how many ancestors and descendants are told with their
// intent and their other parents.
const lineageWords = 100

// lineageCap bounds the descendants that are listed.
const lineageCap = 500

func (s *State) fillLineage(l *Lineage) {
	for m := s.member(l.Focus); m != nil; m = s.member(m.parent()) {
		l.Ancestors = append(l.Ancestors, s.node(m))
		if m.id() == record.Root {
			break
		}
	}
	slices.Reverse(l.Ancestors)
	children := map[record.CandidateID][]record.CandidateID{}
	for _, m := range s.members.rows.All() {
		if m.id() != record.Root {
			children[m.parent()] = append(children[m.parent()], m.id())
		}
	}
	for next := children[l.Focus]; len(next) > 0; next = next[1:] {
		if len(l.Descendants) < lineageCap {
			l.Descendants = append(l.Descendants, s.node(s.member(next[0])))
		} else {
			l.More++
		}
		next = append(next, children[next[0]]...)
	}
}

func (s *State) node(m *member) LineageNode {
	how := s.made(m)
	n := LineageNode{ID: m.id(), Operator: how.op, Agent: how.agent, Status: how.status, Cell: -1, At: m.created}
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

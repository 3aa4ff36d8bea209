package engine

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sort"

	"atoll/store"
	"atoll/store/record"
)

// candidate reads one candidate with its metrics and its status of now.
func (e *Engine) candidate(ctx context.Context, id record.CandidateID) (*record.Candidate, error) {
	c, err := e.db.Candidate(ctx, e.exp, id)
	if err != nil {
		return nil, fmt.Errorf("read candidate %s: %w", id, err)
	}
	err = e.ask(ctx, func(s *State) { s.Dress(&c) })
	return &c, err
}

// Dress gives a candidate of the store the status it has now: elite when it
// holds a niche, rejected when a person rejected it after it was scored.
func (s *State) Dress(c *record.Candidate) {
	m := s.member(c.ID)
	switch {
	case m == nil:
	case m.rejected:
		c.Status = record.StatusRejected
		if c.Reason == "" {
			c.Reason = s.decided.rejection(c.ID)
		}
	case c.Status == record.StatusScored && s.arch != nil && s.arch.Holds(c.ID):
		c.Status = record.StatusElite
	}
}

// Candidates returns a page of candidates.
func (e *Engine) Candidates(ctx context.Context, q CandidateQuery) ([]record.Candidate, error) {
	list, err := e.db.Candidates(ctx, e.exp, store.CandidateFilter{Text: q.Text, Before: q.Before, Limit: orDefault(q.Limit, 200)})
	if err != nil {
		return nil, err
	}
	if err := e.ask(ctx, func(s *State) {
		for i := range list {
			s.Dress(&list[i])
		}
		if q.Best {
			sort.SliceStable(list, func(i, j int) bool { return s.above(&list[i], &list[j]) })
		}
	}); err != nil {
		return nil, err
	}
	if len(q.Status) == 0 {
		return list, nil
	}
	kept := list[:0]
	for _, c := range list {
		for _, st := range q.Status {
			if c.Status == st {
				kept = append(kept, c)
				break
			}
		}
	}
	return kept, nil
}

func (s *State) above(a, b *record.Candidate) bool {
	switch {
	case a.Objective == nil || s.stale(a.Version):
		return false
	case b.Objective == nil || s.stale(b.Version):
		return true
	}
	return s.sign**a.Objective > s.sign**b.Objective
}

// Candidate returns everything known about one candidate.
func (e *Engine) Candidate(ctx context.Context, id record.CandidateID) (CandidateDetail, error) {
	c, err := e.candidate(ctx, id)
	if err != nil {
		return CandidateDetail{}, err
	}
	d := CandidateDetail{Candidate: *c, Cell: -1, Boost: 1, Percent: math.NaN()}
	if d.Job, err = e.db.Job(ctx, e.exp, c.Job); err != nil && !errors.Is(err, store.ErrNotFound) {
		return d, err
	}
	if d.Root, err = e.candidate(ctx, record.Root); err != nil {
		return d, err
	}
	if p := c.Parent(); p != record.NoCandidate {
		if d.Parent, err = e.candidate(ctx, p); err != nil {
			return d, err
		}
	}
	if d.Samples, err = e.db.SamplesOf(ctx, e.exp, id); err != nil {
		return d, err
	}
	children, err := e.db.Children(ctx, e.exp, id)
	if err != nil {
		return d, err
	}
	for _, child := range children {
		d.Children = append(d.Children, child.ID)
	}
	evidence, err := e.db.EvidenceOf(ctx, e.exp, c.Job)
	if err != nil {
		return d, err
	}
	d.Findings = findingsOf(evidence)
	return d, e.ask(ctx, func(s *State) { s.fillDetail(&d) })
}

func (s *State) fillDetail(d *CandidateDetail) {
	for _, x := range s.decided.all {
		if x.Verb == record.Promote && x.Candidate == d.Candidate.ID {
			d.Branches = append(d.Branches, x.Text)
		}
	}
	m := s.member(d.Candidate.ID)
	if m == nil || s.arch == nil {
		return
	}
	if m.scored {
		d.Percent = s.percent(m.obj)
	}
	if cell, ok := s.arch.CellOf(m.id()); ok {
		d.Cell, d.Boost = cell, s.arch.BoostOf(cell, s.folded)
	}
	d.Frozen = s.arch.IsFrozen(m.id())
	for p := m; p != nil && p.id() != record.Root; p = s.member(p.parent()) {
		d.Depth++
	}
}

package query

import (
	"context"
	"errors"
	"fmt"
	"math"

	"atoll/config"
	"atoll/engine/fold"
	"atoll/engine/view"
	"atoll/engine/work"
	"atoll/store"
	"atoll/store/record"
)

// candidate reads one candidate with its metrics and its status of now.
func (r *Reader) candidate(ctx context.Context, id record.CandidateID) (*record.Candidate, error) {
	c, err := r.db.Candidate(ctx, r.exp, id)
	if err != nil {
		return nil, fmt.Errorf("read candidate %s: %w", id, err)
	}
	err = r.asker.Ask(ctx, func(s *fold.State) { s.TellStatus(&c) })
	return &c, err
}

// Candidates returns a page of candidates.
func (r *Reader) Candidates(ctx context.Context, q view.CandidateQuery) ([]record.Candidate, error) {
	list, err := r.listed(ctx, q)
	if err != nil {
		return nil, err
	}
	return list, askEach(ctx, r.asker, len(list), func(s *fold.State, i int) { s.TellStatus(&list[i]) })
}

// listed reads the candidates of a query in its order.
func (r *Reader) listed(ctx context.Context, q view.CandidateQuery) ([]record.Candidate, error) {
	limit := orDefault(q.Limit, 200)
	switch {
	case q.Text != "" && (q.Best || q.Elites):
		return r.rankedThatFit(ctx, q, limit)
	case !q.Best && !q.Elites:
		return r.db.Candidates(ctx, r.exp, store.CandidateFilter{Text: q.Text, Before: q.Before, Limit: limit})
	}
	var ids []record.CandidateID
	if err := r.asker.Ask(ctx, func(s *fold.State) { ids = s.Ranked(q, limit) }); err != nil {
		return nil, err
	}
	list := make([]record.Candidate, 0, len(ids))
	for _, id := range ids {
		c, err := r.db.Candidate(ctx, r.exp, id)
		if err != nil {
			return nil, fmt.Errorf("read candidate %s: %w", id, err)
		}
		list = append(list, c)
	}
	return list, nil
}

// bestOf is among how many that fit a text the best are looked for, newest
// first.
const bestOf = 20_000

// rankedThatFit is a page of those who compete, or of the elites, that fit a text.
func (r *Reader) rankedThatFit(ctx context.Context, q view.CandidateQuery, limit int) ([]record.Candidate, error) {
	list, err := r.db.Candidates(ctx, r.exp, store.CandidateFilter{Text: q.Text, Limit: bestOf})
	if err != nil {
		return nil, err
	}
	byID := make(map[record.CandidateID]record.Candidate, len(list))
	for _, c := range list {
		byID[c.ID] = c
	}
	var ids []record.CandidateID
	if err := r.asker.Ask(ctx, func(s *fold.State) { ids = s.Ranked(q, math.MaxInt) }); err != nil {
		return nil, err
	}
	list = list[:0]
	for _, id := range ids {
		if c, fits := byID[id]; fits && len(list) < limit {
			list = append(list, c)
		}
	}
	return list, nil
}

// Claims tells what samples that decided nothing say of some candidates.
func (r *Reader) Claims(ctx context.Context, ids []record.CandidateID) (view.Claims, error) {
	out := view.Claims{}
	return out, askEach(ctx, r.asker, len(ids), func(s *fold.State, i int) {
		if c := s.HeldOut(ids[i]); c != nil {
			out[ids[i]] = c
		}
	})
}

// Candidate returns everything known about one candidate.
func (r *Reader) Candidate(ctx context.Context, id record.CandidateID) (view.CandidateDetail, error) {
	c, err := r.candidate(ctx, id)
	if err != nil {
		return view.CandidateDetail{}, err
	}
	d := view.CandidateDetail{Candidate: *c, Cell: -1, Boost: 1, Percent: math.NaN()}
	if d.Job, err = r.db.Job(ctx, r.exp, c.Job); err != nil && !errors.Is(err, store.ErrNotFound) {
		return d, err
	}
	if d.Root, err = r.candidate(ctx, record.Root); err != nil {
		return d, err
	}
	if p := c.Parent(); p != record.NoCandidate {
		if d.Parent, err = r.candidate(ctx, p); err != nil {
			return d, err
		}
	}
	if d.Samples, err = r.db.SamplesOf(ctx, r.exp, id); err != nil {
		return d, err
	}
	if d.Children, err = r.db.Children(ctx, r.exp, id); err != nil {
		return d, err
	}
	evidence, err := r.db.EvidenceOf(ctx, r.exp, c.Job)
	if err != nil {
		return d, err
	}
	d.Findings = findingsOf(evidence)
	var cfg config.Config
	version := 0
	if err := r.asker.Ask(ctx, func(s *fold.State) {
		s.FillDetail(&d)
		cfg, version = s.Config, s.Exp.Objective
	}); err != nil {
		return d, err
	}
	objective, err := work.SearchedMetric(ctx, r.db, r.exp, cfg.Evaluator.Objective, version)
	if err != nil {
		return d, err
	}
	d.Behaviour, err = work.BehaviourTold(cfg, objective, &d.Candidate, evidence)
	return d, err
}

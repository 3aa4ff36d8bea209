package engine

import (
	"context"
	"fmt"

	"atoll/engine/fold"
	"atoll/engine/view"
	"atoll/store/record"
)

// Niche returns one niche with its past.
func (e *Engine) Niche(ctx context.Context, cell int) (view.NicheDetail, error) {
	d := view.NicheDetail{Cell: cell}
	var holder record.CandidateID = record.NoCandidate
	var runners []record.CandidateID
	var jobs []record.JobID
	if err := e.ask(ctx, func(s *fold.State) { holder, runners = s.FillNiche(&d); jobs = s.JobsFrom(cell, 20) }); err != nil {
		return d, err
	}
	for _, id := range jobs {
		j, err := e.db.Job(ctx, e.exp, id)
		if err != nil {
			return d, fmt.Errorf("read job %s: %w", id, err)
		}
		d.Jobs = append(d.Jobs, j)
	}
	if holder != record.NoCandidate {
		c, err := e.Candidate(ctx, holder)
		if err != nil {
			return d, err
		}
		d.Elite = &c
	}
	for _, id := range runners {
		c, err := e.candidate(ctx, id)
		if err != nil {
			return d, err
		}
		d.Runners = append(d.Runners, *c)
	}
	return d, nil
}

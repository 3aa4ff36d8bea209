package query

import (
	"context"
	"fmt"

	"atoll/engine/fold"
	"atoll/engine/view"
	"atoll/store/record"
)

// Niche returns one niche with its past.
func (r *Reader) Niche(ctx context.Context, cell int) (view.NicheDetail, error) {
	d := view.NicheDetail{Cell: cell}
	var holder record.CandidateID = record.NoCandidate
	var runners []record.CandidateID
	var jobs []record.JobID
	if err := r.asker.Ask(ctx, func(s *fold.State) { holder, runners = s.FillNiche(&d); jobs = s.JobsFrom(cell, 20) }); err != nil {
		return d, err
	}
	for _, id := range jobs {
		j, err := r.db.Job(ctx, r.exp, id)
		if err != nil {
			return d, fmt.Errorf("read job %s: %w", id, err)
		}
		d.Jobs = append(d.Jobs, j)
	}
	if holder != record.NoCandidate {
		c, err := r.Candidate(ctx, holder)
		if err != nil {
			return d, err
		}
		d.Elite = &c
	}
	for _, id := range runners {
		c, err := r.candidate(ctx, id)
		if err != nil {
			return d, err
		}
		d.Runners = append(d.Runners, *c)
	}
	var err error
	d.Claims, err = r.Claims(ctx, runners)
	return d, err
}

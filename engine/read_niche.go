package engine

import (
	"context"
	"fmt"
	"math"
	"slices"

	"atoll/engine/archive"
	"atoll/engine/view"
	"atoll/store/record"
)

// Niche returns one niche with its past.
func (e *Engine) Niche(ctx context.Context, cell int) (view.NicheDetail, error) {
	d := view.NicheDetail{Cell: cell}
	var holder record.CandidateID = record.NoCandidate
	var runners []record.CandidateID
	var jobs []record.JobID
	if err := e.ask(ctx, func(s *State) { holder, runners = s.fillNiche(&d); jobs = s.jobsFrom(cell, 20) }); err != nil {
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

func (s *State) fillNiche(d *view.NicheDetail) (holder record.CandidateID, runners []record.CandidateID) {
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

// jobsFrom lists the newest jobs whose parent lies in a niche.
func (s *State) jobsFrom(cell, limit int) []record.JobID {
	if s.arch == nil {
		return nil
	}
	var out []record.JobID
	last := s.members.last()
	for id := last; id > max(record.Root, last-jobsFromBack) && len(out) < limit; id-- {
		if m := s.member(id); m != nil {
			if at, ok := s.arch.CellOf(m.parent()); ok && at == cell {
				out = append(out, m.job())
			}
		}
	}
	return out
}

// takeovers tells who held a niche under the present map, newest first.
func (s *State) takeovers(cell, limit int) []view.Takeover {
	if s.arch == nil {
		return nil
	}
	var out []view.Takeover
	before := archive.Holder{ID: record.NoCandidate}
	for _, h := range s.arch.Succession(cell) {
		m := s.member(h.ID)
		t := view.Takeover{At: m.created, Candidate: h.ID, From: before.ID, Objective: m.obj, Delta: math.NaN(), Why: "new niche"}
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

package engine

import (
	"context"

	"atoll/engine/view"
	"atoll/store/record"
)

// reviews remembers what was read of the candidates that wait for a person: a
// snapshot tells them many times a second, and they change only when somebody
// decides or the map is another.
type reviews struct {
	decisions, space int // when they were read
	known            map[record.JobID]waitingRead
}

type waitingRead struct {
	attempt   int
	candidate record.Candidate
	point     []float64 // where it would lie, nil when that is not known yet
}

// fillReview lists the oldest of what waits for a person, and marks the niches
// where it would land.
func (e *Engine) fillReview(ctx context.Context, snap *view.Snapshot) {
	was := e.review
	e.review = reviews{decisions: len(e.st.decided.all), space: e.st.report.Version, known: map[record.JobID]waitingRead{}}
	if snap.Jobs.Held == 0 {
		return
	}
	if was.decisions != e.review.decisions || was.space != e.review.space {
		was.known = nil
	}
	jobs, err := e.db.Held(ctx, e.exp, view.ReviewCap)
	if err != nil {
		e.note("error", record.NoJob, "list what waits for review: "+err.Error())
		return
	}
	for _, j := range jobs {
		r, ok := was.known[j.ID]
		if !ok || r.attempt != j.Attempt {
			if r, err = e.readWaiting(ctx, j); err != nil {
				continue // it was decided this moment
			}
		}
		e.review.known[j.ID] = r
		h := e.st.waitingFor(j, &r)
		if h.Cell >= 0 {
			snap.Grid.Wait(h.Cell)
		}
		snap.Review = append(snap.Review, h)
	}
}

func (e *Engine) readWaiting(ctx context.Context, j record.Job) (waitingRead, error) {
	c, err := e.db.Candidate(ctx, e.exp, j.Candidate)
	if err != nil {
		return waitingRead{}, err
	}
	r := waitingRead{attempt: j.Attempt, candidate: c}
	switch {
	case j.HeldAt != record.Evaluating: // not measured yet
	case !e.st.learned:
		r.point = c.Measures
	case e.st.space != nil:
		v, err := e.db.Vector(ctx, e.exp, c.ID)
		if err != nil {
			return waitingRead{}, err
		}
		r.point = e.st.space.Project(v)
	}
	return r, nil
}

// waitingFor tells a held job, the niche that its candidate would take, and from
// whom.
func (s *State) waitingFor(j record.Job, r *waitingRead) view.Held {
	h := view.Held{Job: j, Candidate: r.candidate, Before: "measuring", Cell: -1, From: record.NoCandidate}
	if j.HeldAt == record.Evaluating {
		h.Before = "its niche"
	}
	if j.Reason != "" {
		h.Findings = []string{j.Reason}
	}
	if p := s.member(r.candidate.Parent()); p != nil && p.scored {
		obj := p.obj
		h.Parent = &obj
	}
	if s.arch == nil || len(r.point) == 0 {
		return h
	}
	cell, err := s.shape().Cell(r.point)
	if err != nil {
		return h
	}
	h.Cell = cell
	if holder, ok := s.arch.Holder(cell); ok {
		h.From = holder.ID
	}
	return h
}

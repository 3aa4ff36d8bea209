package engine

import (
	"context"

	"atoll/engine/fold"
	"atoll/engine/view"
	"atoll/store/record"
)

// reviews remembers what was read of the candidates that wait for a person: a
// snapshot tells them many times a second, and they change only when somebody
// decides or the map is another.
type reviews struct {
	decisions, space int // when they were read
	known            map[record.JobID]fold.WaitingRead
}

// fillReview lists the oldest of what waits for a person, and marks the niches
// where it would land.
func (e *Engine) fillReview(ctx context.Context, snap *view.Snapshot) {
	was := e.review
	e.review = reviews{decisions: len(e.st.Decided.All), space: e.st.Report.Version, known: map[record.JobID]fold.WaitingRead{}}
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
		if !ok || r.Attempt != j.Attempt {
			if r, err = e.readWaiting(ctx, j); err != nil {
				continue // it was decided this moment
			}
		}
		e.review.known[j.ID] = r
		h := e.st.WaitingFor(j, &r)
		if h.Cell >= 0 {
			snap.Grid.Wait(h.Cell)
		}
		snap.Review = append(snap.Review, h)
	}
}

func (e *Engine) readWaiting(ctx context.Context, j record.Job) (fold.WaitingRead, error) {
	c, err := e.db.Candidate(ctx, e.exp, j.Candidate)
	if err != nil {
		return fold.WaitingRead{}, err
	}
	r := fold.WaitingRead{Attempt: j.Attempt, Candidate: c}
	switch {
	case j.HeldAt != record.Evaluating: // not measured yet
	case !e.st.Learned:
		r.Point = c.Measures
	case e.st.Space != nil:
		v, err := e.db.Vector(ctx, e.exp, c.ID)
		if err != nil {
			return fold.WaitingRead{}, err
		}
		r.Point = e.st.Space.Project(v)
	}
	return r, nil
}

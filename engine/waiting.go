package engine

import (
	"context"

	"atoll/engine/fold"
	"atoll/engine/view"
	"atoll/store"
	"atoll/store/record"
)

// waitingList remembers what was read of the candidates that wait for a person: a
// snapshot tells them many times a second, and they change only when somebody
// decides or the map is another.
type waitingList struct {
	decisions, space int // when they were read
	known            map[record.JobID]fold.WaitingRead
}

// fill lists the oldest of what waits for a person, and marks the niches where it
// would land.
func (l *waitingList) fill(ctx context.Context, db *store.DB, st *fold.State, snap *view.Snapshot) error {
	was := *l
	*l = waitingList{decisions: len(st.Decided.All), space: st.Report.Version, known: map[record.JobID]fold.WaitingRead{}}
	if snap.Jobs.Held == 0 {
		return nil
	}
	if was.decisions != l.decisions || was.space != l.space {
		was.known = nil
	}
	jobs, err := db.Held(ctx, st.Exp.ID, view.ReviewCap)
	if err != nil {
		return err
	}
	for _, j := range jobs {
		r, ok := was.known[j.ID]
		if !ok || r.Attempt != j.Attempt {
			if r, err = readWaiting(ctx, db, st, j); err != nil {
				continue // it was decided this moment
			}
		}
		l.known[j.ID] = r
		h := st.WaitingFor(j, &r)
		if h.Cell >= 0 {
			snap.Grid.Wait(h.Cell)
		}
		snap.Review = append(snap.Review, h)
	}
	return nil
}

func readWaiting(ctx context.Context, db *store.DB, st *fold.State, j record.Job) (fold.WaitingRead, error) {
	c, err := db.Candidate(ctx, st.Exp.ID, j.Candidate)
	if err != nil {
		return fold.WaitingRead{}, err
	}
	r := fold.WaitingRead{Attempt: j.Attempt, Candidate: c}
	switch {
	case j.HeldAt != record.Evaluating: // not measured yet
	case !st.Learned:
		r.Point = c.Measures
	case st.Space != nil:
		v, err := db.Vector(ctx, st.Exp.ID, c.ID)
		if err != nil {
			return fold.WaitingRead{}, err
		}
		r.Point = st.Space.Project(v)
	}
	return r, nil
}

package engine

import (
	"context"
	"time"

	"atoll/engine/fold"
	"atoll/engine/view"
	"atoll/store"
	"atoll/store/record"
)

// told is what publishing remembers from one snapshot to the next.
type told struct {
	rate   rateMeter
	best   view.Standing // as it was published last
	review reviews
}

// publish makes a snapshot of the state and gives it to the feed.
func (e *Engine) publish(last bool) {
	if e.st == nil {
		e.feed.Publish(&view.Snapshot{Loading: e.fatal == nil, Fatal: errText(e.fatal), At: e.opt.Now()})
		return
	}
	e.sync()
	e.rate.open()
	snap := e.st.Snapshot()
	snap.Fatal = errText(e.fatal)
	if snap.Best.ID == e.best.ID && snap.Best.ID != record.NoCandidate {
		snap.Best.Commit = e.best.Commit
	}
	if err := tellBest(context.Background(), e.db, e.exp, &snap.Best); err != nil {
		e.note("error", record.NoJob, err.Error())
	}
	e.best = snap.Best
	snap.Owner, snap.OwnerPID = e.owner, e.ses.OwnerPID()
	snap.At = e.opt.Now()
	if e.box != nil {
		snap.Rung = e.box.Rung().String()
	}
	if e.eval != nil {
		snap.Guarantees = e.eval.Guarantees()
	}
	if e.draining() && !last {
		snap.State = record.ExperimentDraining
	}
	snap.Running = e.live.All()
	snap.Log = e.logs.tail()
	snap.PerMinute = e.rate.perMinute(snap.At)
	if err := e.fillCounts(context.Background(), snap); err != nil {
		e.note("error", record.NoJob, "count jobs: "+err.Error())
	}
	e.fillReview(context.Background(), snap)
	for i := range snap.Grid.Cells {
		snap.Grid.Cells[i].Running = runningAt(snap.Running, e.st, snap.Grid.Cells[i].Index)
	}
	e.feed.Publish(snap)
}

func errText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func runningAt(running []view.Running, s *fold.State, cell int) int {
	n := 0
	for _, r := range running {
		if s.Archive() == nil || r.Job.Parent < 0 {
			continue
		}
		if at, ok := s.Archive().CellOf(r.Job.Parent); ok && at == cell {
			n++
		}
	}
	return n
}

func (e *Engine) fillCounts(ctx context.Context, snap *view.Snapshot) error {
	c, err := e.db.Counters(ctx, e.exp)
	if err != nil {
		return err
	}
	FillCounts(snap, c)
	if e.st.Run != record.ExperimentDone {
		snap.WallMS += e.opt.Now().Sub(e.wallFrom).Milliseconds()
	}
	if left := snap.Jobs.Max - snap.Jobs.Ended(); snap.Jobs.Max > 0 && snap.PerMinute > 0 && left > 0 {
		snap.ETA = time.Duration(float64(left) / snap.PerMinute * float64(time.Minute))
	}
	return nil
}

// FillCounts copies the store's totals into a snapshot.
func FillCounts(snap *view.Snapshot, c store.Counters) {
	limit := snap.Settings.MaxJobs
	n := func(states ...record.JobState) int { return c.Jobs(record.Make, states...) }
	snap.Jobs = view.Counts{
		Queued: n(record.Queued), Held: n(record.Held),
		Running: n(record.Editing, record.Committed, record.Gated, record.Evaluating),
		Placed:  n(record.Placed), Scored: n(record.Scored), Rejected: n(record.Rejected),
		Failed: n(record.Failed), Duplicate: n(record.Duplicate), Cancelled: n(record.Cancelled), Max: limit,
	}
	snap.Evals, snap.Usage, snap.WallMS = c.Evals, c.Usage, c.WallMS
	for _, r := range snap.Recent {
		snap.OwnMS += r.Job.OwnMS / float64(len(snap.Recent))
	}
}

package engine

import (
	"context"
	"time"

	"atoll/engine/fold"
	"atoll/engine/view"
	"atoll/store"
	"atoll/store/record"
)

// publisher makes snapshots for the readers of an engine.
type publisher struct {
	*shared
	rate    rateMeter
	best    view.Standing // as it was published last
	waiting waitingList
}

// present is how the loop stands when a snapshot is made.
type present struct {
	st         *fold.State // nil: the run failed before there was one
	owner      bool
	rung       string   // of the sandbox, "" = none is used
	guarantees []string // that are missing
	fatal      error
	wallFrom   time.Time // the wall clock is counted up to here
	last       bool      // of a run
}

// publish gives the feed a snapshot.
func (p *publisher) publish(now present) {
	if now.st == nil {
		p.feed.Publish(&view.Snapshot{Loading: now.fatal == nil, Fatal: errText(now.fatal), At: p.opt.Now()})
		return
	}
	p.rate.open()
	snap := now.st.Snapshot()
	snap.Fatal = errText(now.fatal)
	if snap.Best.ID == p.best.ID && snap.Best.ID != record.NoCandidate {
		snap.Best.Commit = p.best.Commit
	}
	if err := tellBest(context.Background(), p.db, p.exp, &snap.Best); err != nil {
		p.note("error", record.NoJob, err.Error())
	}
	p.best = snap.Best
	snap.Owner, snap.OwnerPID = now.owner, p.ses.OwnerPID()
	snap.At = p.opt.Now()
	if now.rung != "" {
		snap.Rung = now.rung
	}
	snap.Grade = p.opt.Grade
	if now.guarantees != nil {
		snap.Guarantees = now.guarantees
	}
	if p.draining() && !now.last {
		snap.State = record.ExperimentDraining
	}
	snap.Running = p.live.All()
	snap.Log = p.lines.tail()
	snap.PerMinute = p.rate.perMinute(snap.At)
	if err := p.fillCounts(context.Background(), snap, now); err != nil {
		p.note("error", record.NoJob, "count jobs: "+err.Error())
	}
	if err := p.waiting.fill(context.Background(), p.db, now.st, snap); err != nil {
		p.note("error", record.NoJob, "list what waits for review: "+err.Error())
	}
	for i := range snap.Grid.Cells {
		snap.Grid.Cells[i].Running = runningAt(snap.Running, now.st, snap.Grid.Cells[i].Index)
	}
	p.feed.Publish(snap)
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

func (p *publisher) fillCounts(ctx context.Context, snap *view.Snapshot, now present) error {
	c, err := p.db.Counters(ctx, p.exp)
	if err != nil {
		return err
	}
	FillCounts(snap, c)
	if now.st.Run != record.ExperimentDone {
		snap.WallMS += p.opt.Now().Sub(now.wallFrom).Milliseconds()
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

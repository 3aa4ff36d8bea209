package engine

import (
	"context"
	"fmt"
	"slices"
	"time"

	"atoll/engine/fold"
	"atoll/engine/view"
	"atoll/engine/work"
	"atoll/store"
	"atoll/store/record"
)

// publisher makes snapshots for the readers of an engine.
type publisher struct {
	*shared
	rate    rateMeter
	best    view.Standing // as it was published last
	root    view.Standing
	waiting waitingList
}

// present is how the loop stands when a snapshot is made.
type present struct {
	st         *fold.State // nil: the run failed before there was one
	owner      bool
	rung       string   // of the sandbox, "" = none is used
	guarantees []string // that are missing
	fatal      error
	atWork     bool      // what passes is time of the run
	wallFrom   time.Time // which is counted up to here
	until      time.Time // when a run that is bounded in time begins nothing more
	last       bool      // of a run
}

// snapshot is that of the state, with what can be taken back as those find it who decide: an experiment
// that a killed engine left as running has stopped, and still says that it should run.
func (p *publisher) snapshot(now present) *view.Snapshot {
	run := now.st.Run
	if run == record.ExperimentRunning && !now.owner && p.ses.OwnerPID() == 0 {
		now.st.Run = record.ExperimentStopped
		defer func() { now.st.Run = run }()
	}
	snap := now.st.Snapshot()
	snap.State = run
	return snap
}

// publish gives the feed a snapshot.
func (p *publisher) publish(now present) {
	if now.st == nil {
		p.feed.Publish(&view.Snapshot{Loading: now.fatal == nil, Fatal: errText(now.fatal), At: p.opt.Now()})
		return
	}
	snap := p.snapshot(now)
	snap.Fatal = errText(now.fatal)
	if snap.Best.ID == p.best.ID && snap.Best.Claim.N == p.best.Claim.N && snap.Best.Samples == p.best.Samples && snap.Best.ID != record.NoCandidate { // the guard looks before one is measured again
		snap.Best.Commit, snap.Best.Uncompared = p.best.Commit, p.best.Uncompared
	}
	if snap.Root.ID == p.root.ID && snap.Root.Samples == p.root.Samples && snap.Root.Objective == p.root.Objective {
		snap.Root.Own = p.root.Own
	}
	if err := tellRoot(context.Background(), p.db, snap); err != nil {
		p.note("error", record.NoJob, err.Error())
	}
	p.root = snap.Root
	if name, err := work.SearchedMetric(context.Background(), p.db, snap.Experiment.ID, snap.Objective, snap.Experiment.Objective); err != nil {
		p.note("error", record.NoJob, err.Error())
	} else {
		snap.Objective = name // learned from the root, where none is named
	}
	if err := tellBest(context.Background(), p.db, snap); err != nil {
		p.note("error", record.NoJob, err.Error())
	}
	p.best = snap.Best
	snap.Owner, snap.OwnerPID = now.owner, p.ses.OwnerPID()
	if snap.Fleet = p.opt.Fleet != nil; snap.Fleet {
		snap.Slots = p.opt.Fleet.Slots()
	}
	snap.At = p.opt.Now()
	if now.rung != "" {
		snap.Rung = now.rung
	}
	snap.Grade = p.opt.Grade
	if now.guarantees != nil {
		snap.Guarantees = now.guarantees
	}
	if p.draining() && now.owner && !now.last { // who looks on ends nothing
		snap.State = record.ExperimentDraining
	}
	if snap.Rung == "" { // the engine that ran told it
		if err := FillFacts(context.Background(), p.db, snap); err != nil {
			p.note("error", record.NoJob, err.Error())
		}
	}
	if snap.Running = p.live.All(); !now.owner {
		if err := p.tellElsewhere(context.Background(), snap); err != nil {
			p.note("error", record.NoJob, err.Error())
		}
	}
	snap.Log = p.lines.tail()
	if snap.State == record.ExperimentRunning {
		p.rate.begin(snap.At)
		snap.PerMinute = p.rate.perMinute(snap.At)
	} else {
		p.rate.rest()
	}
	if err := p.fillCounts(context.Background(), snap, now); err != nil {
		p.note("error", record.NoJob, "count jobs: "+err.Error())
	}
	if now.fatal != nil && now.owner {
		AtRest(snap, snap.Fatal)
	}
	if err := p.waiting.fill(context.Background(), p.db, now.st, snap); err != nil {
		p.note("error", record.NoJob, "list what waits for review: "+err.Error())
	}
	for i := range snap.Grid.Cells {
		snap.Grid.Cells[i].Running = runningAt(snap.Running, now.st, snap.Grid.Cells[i].Index)
	}
	p.feed.Publish(snap)
}

// mostElsewhere bounds the jobs of another process that a snapshot lists.
const mostElsewhere = 64

// tellElsewhere lists the jobs that another process runs, as far as the store
// knows them.
func (p *publisher) tellElsewhere(ctx context.Context, snap *view.Snapshot) error {
	if snap.OwnerPID == 0 {
		return nil
	}
	jobs, err := p.db.Jobs(ctx, p.exp, store.JobFilter{States: runningStates, Limit: mostElsewhere})
	if err != nil {
		return fmt.Errorf("list what runs: %w", err)
	}
	for _, j := range slices.Backward(jobs) { // oldest first
		since := time.UnixMilli(int64(j.Started))
		snap.Running = append(snap.Running, view.Running{Job: j, Stage: stageOf(j.State), Since: since, Started: since})
	}
	return nil
}

// evaluating is what another process does with a job that it measures or compares.
const evaluating = "evaluating"

// runningStates are those of jobs that a worker holds.
var runningStates = []record.JobState{record.Editing, record.Committed, record.Gated, record.Evaluating}

// stageOf names what a worker does with a job in this state. One that is evaluated is measured, or its behaviour
// compared: which of the two only the process knows that runs it.
func stageOf(s record.JobState) string {
	switch s {
	case record.Committed, record.Gated:
		return "gate"
	case record.Evaluating:
		return evaluating
	}
	return string(s)
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
	if now.atWork {
		snap.WallMS += p.opt.Now().Sub(now.wallFrom).Milliseconds()
	}
	snap.Ends = now.until
	if most := snap.Settings.MaxWallMS; most > 0 && now.atWork {
		if over := p.opt.Now().Add(time.Duration(most-snap.WallMS) * time.Millisecond); snap.Ends.IsZero() || over.Before(snap.Ends) {
			snap.Ends = over
		}
	}
	if left := snap.Jobs.Left(); snap.Jobs.Max > 0 && snap.PerMinute > 0 && left > 0 {
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
	snap.TellRest()
}

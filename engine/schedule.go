package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"atoll/engine/fold"
	"atoll/engine/search"
	"atoll/engine/view"
	"atoll/engine/work"
	"atoll/store"
	"atoll/store/record"
)

// schedule keeps jobs ahead of the fold: with F folded jobs and depth L, jobs
// 0 to F+L-1 exist. In strict order folding job k thus creates exactly job
// k+L; in completion order L follows the number of workers, and with one
// worker both are reproducible. Each job's choice depends on the state at its
// fold position and on hash(seed, number) alone.
func (e *Engine) schedule(ctx context.Context) error {
	if e.st.Archive() == nil || e.finished || e.opt.RootOnly {
		return nil
	}
	if err := e.mapDue(ctx); err != nil {
		return err
	}
	for int(e.nextJob) < e.st.FoldCount()+e.depth() {
		job, ok := e.nextWork()
		if !ok {
			return e.checkFinished(ctx)
		}
		if err := e.add(ctx, job); err != nil {
			return err
		}
	}
	return nil
}

func (e *Engine) depth() int {
	if e.st.Exp.Strict {
		return e.st.Exp.Lookahead
	}
	return 2 * max(1, e.st.Settings.Workers)
}

// nextWork is the next job: a challenger that waits for samples first, then a
// look at an elite when its share is due, else a new candidate.
func (e *Engine) nextWork() (record.Job, bool) {
	s := e.st
	if a, ok := s.NextAsk(); ok {
		return e.remeasure(a), true
	}
	if s.Settings.MaxJobs > 0 && e.made >= s.Settings.MaxJobs {
		return record.Job{}, false
	}
	return e.makeJob(), true
}

// remeasure is the next job as one that takes further samples of a candidate.
func (e *Engine) remeasure(a fold.Ask) record.Job {
	d := e.st.Track(a.Candidate)
	d.Measuring = e.nextJob
	e.st.Proof.Note(a.Purpose, a.Samples)
	return e.evaluateJob(a.Candidate.ID(), a.Purpose, int(a.Candidate.Samples)+d.HeldOut.N, a.Samples)
}

func (e *Engine) evaluateJob(id record.CandidateID, purpose record.Purpose, repeat, samples int) record.Job {
	return record.Job{
		Experiment: e.exp, ID: e.nextJob, Kind: record.Evaluate, State: record.Queued, Purpose: purpose,
		Parent: record.NoCandidate, Candidate: id, Duplicate: record.NoCandidate, Repeat: repeat, Samples: samples,
		Island: "main",
	}
}

func (e *Engine) makeJob() record.Job {
	rng := search.Rand(e.st.Exp.Seed, e.nextJob)
	c := search.Pick(e.st.View(), e.nextJob, rng)
	if failed, working, ok := e.st.ToRepair(rng); ok && c.Operator == record.OpRepair {
		c.Inspirations = slices.DeleteFunc(c.Inspirations, func(id record.CandidateID) bool { return id == working })
		c.Parent, c.Inspirations = failed, append([]record.CandidateID{working}, c.Inspirations...)
	}
	return record.Job{
		Experiment: e.exp, ID: e.nextJob, Kind: record.Make, State: record.Queued, Island: c.Island,
		Parent: c.Parent, Inspirations: c.Inspirations, Operator: c.Operator, Agent: c.Agent, Target: c.Target,
		Candidate: record.NoCandidate, Duplicate: record.NoCandidate,
	}
}

func (e *Engine) add(ctx context.Context, job record.Job) error {
	if err := e.db.AddJobs(ctx, []record.Job{job}); err != nil {
		return fmt.Errorf("queue job %s: %w", job.ID, err)
	}
	if job.Kind == record.Make {
		e.made++
	}
	e.nextJob = job.ID + 1
	e.offer(1)
	return nil
}

// offer tells workers that there are n jobs to lease.
func (e *Engine) offer(n int) {
	for range n {
		select {
		case e.more <- struct{}{}:
		default:
			return
		}
	}
}

// checkFinished ends the experiment when its last job was folded: where the
// objective is noisy the champion is confirmed first.
func (e *Engine) checkFinished(ctx context.Context) error {
	c, err := e.db.Counters(ctx, e.exp)
	if err != nil {
		return err
	}
	if c.Jobs(record.Make, openStates...)+c.Jobs(record.Evaluate, openStates...)+c.Jobs(record.Assist, openStates...) > 0 || len(e.st.Early) > 0 {
		return nil
	}
	last, err := e.db.LastSeq(ctx, e.exp)
	if err != nil {
		return err
	}
	if last > e.st.Seq {
		return nil
	}
	if a, ok := e.st.LastAsk(); ok {
		return e.add(ctx, e.remeasure(a))
	}
	e.finished = true
	e.finishedWhy = view.Plural(e.made, "job") + " done"
	if n := c.Jobs(record.Make, record.Held); n > 0 {
		e.finishedWhy += fmt.Sprintf("; %s waiting for review", view.Plural(n, "candidate"))
	}
	return nil
}

// openStates are those of jobs that will go on by themselves.
var openStates = []record.JobState{record.Queued, record.Editing, record.Committed, record.Gated, record.Evaluating}

// act carries out the decisions that were folded since the last call. What a
// decision starts is idempotent or happens before the marker moves on, so a
// crash repeats at most one of them.
func (e *Engine) act(ctx context.Context) error {
	for i := len(e.st.Decided.All) - 1; i >= 0; i-- {
		if e.st.Decided.All[i].Seq <= e.acted {
			return e.actFrom(ctx, i+1)
		}
	}
	return e.actFrom(ctx, 0)
}

func (e *Engine) actFrom(ctx context.Context, i int) error {
	for ; i < len(e.st.Decided.All); i++ {
		d := e.st.Decided.All[i]
		if err := e.carryOut(ctx, d); err != nil {
			e.note("error", record.NoJob, fmt.Sprintf("%s: %v", fold.DecisionText(d), err))
		}
		e.acted = d.Seq
		if err := e.db.PutMeta(ctx, e.exp, "acted", strconv.FormatInt(int64(d.Seq), 10)); err != nil {
			return err
		}
	}
	return nil
}

func (e *Engine) carryOut(ctx context.Context, d record.Decision) error {
	switch d.Verb {
	case record.Approve:
		err := ignoreLost(e.db.Release(ctx, e.exp, record.JobID(d.Candidate)))
		e.offer(1)
		return err
	case record.Reject:
		return e.rejectOne(ctx, d)
	case record.Restore:
		return ignoreLost(e.db.Reopen(ctx, e.exp, record.JobID(d.Candidate)))
	case record.Cancel:
		return e.cancelJob(ctx, d)
	case record.Retry:
		return e.retryJob(ctx, d)
	case record.Prioritise:
		return e.db.SetPriority(ctx, e.exp, d.Job, int(d.Value))
	case record.Pause:
		return e.setState(ctx, record.ExperimentPaused, "paused by "+d.Who)
	case record.Resume:
		e.finished, e.budget = false, ""
		return e.setState(ctx, record.ExperimentRunning, "")
	case record.Stop:
		e.Drain()
	case record.Pin, record.Unpin:
		return e.db.PutPinned(ctx, e.exp, d.Candidate, d.Verb == record.Pin)
	case record.Measure:
		return e.measureAgain(ctx, d)
	case record.Refit:
		return e.refit(ctx, true)
	case record.Set:
		return e.changeSettings(ctx, d)
	case record.StartJob:
		return e.startJob(ctx, d)
	case record.Inject:
		return e.inject(ctx, d)
	case record.WriteNote:
		var n record.Note
		if err := json.Unmarshal(d.Args, &n); err != nil {
			return err
		}
		return e.writeNote(ctx, n)
	}
	return nil
}

func (e *Engine) rejectOne(ctx context.Context, d record.Decision) error {
	reason := d.Text
	if reason == "" {
		reason = "rejected by " + d.Who
	}
	m := e.st.Candidate(d.Candidate)
	if m != nil && e.st.Origin(m).Status == record.StatusHeld {
		return ignoreLost(e.db.EndHeld(ctx, e.exp, m.Job(), record.Rejected, record.ClassReview, reason))
	}
	return nil // the fold takes it out of the archive
}

// ignoreLost drops the error of a transition that no longer applies.
func ignoreLost(err error) error {
	if errors.Is(err, store.ErrLost) {
		return nil
	}
	return err
}

func (e *Engine) cancelJob(ctx context.Context, d record.Decision) error {
	if e.live.Cancel(d.Job, work.ErrCancelled) {
		return nil
	}
	ok, err := e.db.CancelQueued(ctx, e.exp, d.Job, "cancelled by "+d.Who)
	if err == nil && !ok {
		err = e.db.EndHeld(ctx, e.exp, d.Job, record.Cancelled, record.ClassNone, "cancelled by "+d.Who)
	}
	return err
}

func (e *Engine) retryJob(ctx context.Context, d record.Decision) error {
	old, err := e.db.Job(ctx, e.exp, d.Job)
	if err != nil {
		return err
	}
	job := record.Job{
		Experiment: e.exp, ID: e.nextJob, Kind: old.Kind, State: record.Queued, Purpose: old.Purpose, Island: old.Island,
		Parent: old.Parent, Inspirations: old.Inspirations, Operator: old.Operator, Agent: old.Agent, Target: old.Target, Goal: old.Goal,
		Candidate: record.NoCandidate, Duplicate: record.NoCandidate, RetryOf: old.ID, Priority: old.Priority + 1,
		Repeat: old.Repeat, Samples: old.Samples,
	}
	if old.Kind == record.Evaluate {
		job.Candidate = old.Candidate
	}
	if err := e.goOn(ctx); err != nil {
		return err
	}
	return e.add(ctx, job)
}

// measureAgain takes as many further samples of a candidate as the first time.
func (e *Engine) measureAgain(ctx context.Context, d record.Decision) error {
	if err := e.st.MayMeasure(d.Candidate); err != nil {
		return err
	}
	if err := e.goOn(ctx); err != nil {
		return err
	}
	job := e.remeasure(fold.Ask{Candidate: e.st.Candidate(d.Candidate), Purpose: record.PurposeVerify, Samples: e.cfg.Evaluator.Repeats})
	job.Priority = 1
	return e.add(ctx, job)
}

func (e *Engine) changeSettings(ctx context.Context, d record.Decision) error {
	s, err := fold.MergeSetting(e.st.Settings, d.Args)
	if err != nil {
		return err
	}
	if _, err := e.db.PutSettings(ctx, e.exp, s); err != nil {
		return err
	}
	e.st.Settings = s // the next decision builds on it before the row is folded
	return e.goOn(ctx)
}

// startJob queues a job that a person described: parent, operator, agent, goal.
func (e *Engine) startJob(ctx context.Context, d record.Decision) error {
	var want record.Job
	if err := json.Unmarshal(d.Args, &want); err != nil {
		return err
	}
	if want.Kind == record.Assist && want.Purpose == record.PurposeMap {
		if err := e.goOn(ctx); err != nil || e.cfg.Roles.Mapper == "" {
			return err
		}
		return e.mapNow(ctx, max(e.mapped, 0))
	}
	job := e.makeJob()
	if job.Operator == record.OpRepair && want.Operator != "" && want.Operator != record.OpRepair {
		job.Parent, job.Inspirations = e.st.Best, nil // what is to be repaired is no parent of another edit
	}
	if m := e.st.Candidate(want.Parent); m != nil && m.Scored {
		job.Parent = want.Parent
	}
	if want.Operator != "" {
		job.Operator = want.Operator
	}
	if want.Agent != "" {
		job.Agent = want.Agent
	}
	job.Goal, job.Target, job.Priority = want.Goal, want.Target, 1
	if len(want.Inspirations) > 0 {
		job.Inspirations = want.Inspirations
	}
	if err := e.goOn(ctx); err != nil {
		return err
	}
	return e.add(ctx, job)
}

// inject queues a commit of the user's repository, already fetched, as the
// work of a manual job: from there it goes the way of a recovered commit.
func (e *Engine) inject(ctx context.Context, d record.Decision) error {
	var args struct {
		Commit record.Hash `json:"commit"`
	}
	if err := json.Unmarshal(d.Args, &args); err != nil {
		return err
	}
	job := e.makeJob()
	job.Parent, job.Inspirations, job.Operator, job.Agent, job.Priority = record.Root, nil, record.OpManual, "human", 1
	if err := e.repo.MarkAttempt(ctx, e.exp, job.ID, args.Commit); err != nil {
		return err
	}
	e.work.SetPrepared(job.ID, args.Commit)
	if err := e.goOn(ctx); err != nil {
		return err
	}
	return e.add(ctx, job)
}

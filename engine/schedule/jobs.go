package schedule

import (
	"context"
	"fmt"
	"slices"

	"atoll/engine/fold"
	"atoll/engine/search"
	"atoll/store/record"
)

// Fill keeps jobs ahead of the fold: with F folded jobs and depth L, jobs
// 0 to F+L-1 exist. In strict order folding job k thus creates exactly job
// k+L; in completion order L follows the number of workers, and with one
// worker both are reproducible. Each job's choice depends on the state at its
// fold position and on hash(seed, number) alone.
func (o *Owner) Fill(ctx context.Context) error {
	if o.st.Archive() == nil || o.finished || o.rootOnly {
		return nil
	}
	if err := o.mapDue(ctx); err != nil {
		return err
	}
	for int(o.nextJob) < o.st.FoldCount()+o.depth() {
		if o.st.Lessons.Past { // a kill came between this row and the jobs that belong to it
			if err := o.Learn(ctx); err != nil {
				return err
			}
		}
		job, ok, err := o.nextWork(ctx)
		if err != nil {
			return err
		}
		if !ok {
			return o.checkFinished(ctx)
		}
		if err := o.add(ctx, job); err != nil {
			return err
		}
	}
	return nil
}

func (o *Owner) depth() int {
	if o.st.Exp.Strict {
		return o.st.Exp.Lookahead
	}
	slots := 0
	if o.slots != nil {
		slots = o.slots()
	}
	return 2*max(1, o.st.Settings.Workers, slots) + o.away.beside()
}

// nextWork is the next job: a challenger that waits for samples first, then a
// look at an elite when its share is due, a best whose behaviour nothing compared,
// else a new candidate.
func (o *Owner) nextWork(ctx context.Context) (record.Job, bool, error) {
	s := o.st
	if o.sufficient.reached() {
		return record.Job{}, false, nil
	}
	if a, ok := s.NextAsk(); ok {
		return o.remeasure(a), true, nil
	}
	if o.closing && !s.Exp.Strict {
		if a, ok := s.LastAsk(); ok {
			return o.remeasure(a), true, nil
		}
	}
	if !s.Noisy || o.closing { // where values vary, the one that leads is often another soon
		if job, ok, err := o.comparison(ctx); ok || err != nil {
			return job, ok, err
		}
	}
	if o.cfg.Search.OnlyInjected || s.Settings.MaxJobs > 0 && o.made >= s.Settings.MaxJobs {
		return record.Job{}, false, nil
	}
	return o.makeJob(search.Free()), true, nil
}

// comparison is the next job as one that compares the behaviour of the best with the root's, where that is due: the
// time for it was over in an earlier run, or the best leads because another was rejected.
func (o *Owner) comparison(ctx context.Context) (record.Job, bool, error) {
	best := o.st.Candidate(o.st.Best)
	if best == nil || best.ID() == record.Root || o.st.Exp.Strict || o.st.Trials(best).Measuring > 0 {
		return record.Job{}, false, nil
	}
	due, err := o.work.ComparisonDue(ctx, best.ID())
	if err != nil || !due {
		return record.Job{}, false, err
	}
	return o.remeasure(fold.Ask{Candidate: best, Purpose: record.PurposeConfirm, Samples: 1}), true, nil
}

// remeasure is the next job as one that takes further samples of a candidate.
func (o *Owner) remeasure(a fold.Ask) record.Job {
	taken := int(a.Candidate.Samples) + o.st.Trials(a.Candidate).HeldOut.N
	return evaluateJob(o.exp, o.nextJob, a.Candidate.ID(), a.Purpose, taken, a.Samples)
}

func evaluateJob(exp record.ExperimentID, number record.JobID, id record.CandidateID, purpose record.Purpose, repeat, samples int) record.Job {
	job := record.NewJob(exp, number, record.Evaluate)
	job.Purpose, job.Candidate, job.Repeat, job.Samples = purpose, id, repeat, samples
	return job
}

// assistJob is the next job as one that asks an agent about an epoch.
func (o *Owner) assistJob(purpose record.Purpose, agent string, epoch int) record.Job {
	job := record.NewJob(o.exp, o.nextJob, record.Assist)
	job.Purpose, job.Agent, job.Repeat = purpose, agent, epoch
	return job
}

// makeJob is the next job as one that makes a candidate.
func (o *Owner) makeJob(fixed search.Fixed) record.Job {
	return MakeJob(o.st, o.nextJob, fixed, o.away.full()...)
}

// MakeJob is a job that makes a candidate: what is not fixed is drawn, by the
// state, the seed of its experiment and the number of the job. A repair takes the
// newest failure in the place of the parent drawn. Full are agents that get no more
// jobs now.
func MakeJob(st *fold.State, number record.JobID, fixed search.Fixed, full ...string) record.Job {
	rng := search.Rand(st.Exp.Seed, number)
	v := st.View(number)
	v.Agents = drawable(v.Agents, full)
	c := search.Pick(v, rng, fixed)
	if c.Operator == record.OpRepair && fixed.Parent == record.NoCandidate {
		if failed, working, ok := st.ToRepair(rng); ok {
			beside := slices.DeleteFunc(c.Inspirations, func(id record.CandidateID) bool { return id == working })
			c.Way, c.Parent, c.Inspirations = "", failed, append([]record.CandidateID{working}, beside...)
			c.Why = fmt.Sprintf("%s failed, its parent %s works; %s", failed, working, record.OpRepair)
		}
	}
	job := record.NewJob(st.Exp.ID, number, record.Make)
	job.Island, job.Parent, job.Inspirations, job.Operator, job.Agent, job.Target = c.Island, c.Parent, c.Inspirations, c.Operator, c.Agent, c.Target
	job.Purpose, job.Why = record.Purpose(c.Way), c.Why
	return job
}

func (o *Owner) add(ctx context.Context, job record.Job) error {
	if o.st.Exp.Strict && o.work.Telling(&job) {
		if err := o.work.Look(ctx, &job, o.st); err != nil {
			return fmt.Errorf("note what job %s is told: %w", job.ID, err)
		}
	}
	if err := o.db.AddJobs(ctx, []record.Job{job}); err != nil {
		return fmt.Errorf("queue job %s: %w", job.ID, err)
	}
	switch job.Kind {
	case record.Make:
		o.made++
		if o.away.add(job) && o.st.Lessons.Learns() {
			// In completion order there may be one job more for it at this fold
			// position, which gets its counts, too.
			o.hand(record.JobID(o.st.FoldCount() + o.depth() - 1))
		}
	case record.Evaluate:
		o.st.Asked(job)
	}
	o.nextJob = job.ID + 1
	o.host.Offer(1)
	return nil
}

// checkFinished ends the experiment when its last job was folded: where the
// objective is noisy the champion is confirmed first.
func (o *Owner) checkFinished(ctx context.Context) error {
	if most := o.st.Settings.MaxJobs; o.cfg.Search.OnlyInjected && (most == 0 || o.made < most) {
		return nil // more may be injected
	}
	c, err := o.db.Counters(ctx, o.exp)
	if err != nil {
		return err
	}
	if c.Jobs(record.Make, openStates...)+c.Jobs(record.Evaluate, openStates...)+c.Jobs(record.Assist, openStates...) > 0 || len(o.st.Early) > 0 {
		return nil
	}
	last, err := o.db.LastSeq(ctx, o.exp)
	if err != nil {
		return err
	}
	if last > o.st.Seq {
		return nil
	}
	if a, ok := o.st.LastAsk(); ok {
		return o.add(ctx, o.remeasure(a))
	}
	if job, ok, err := o.comparison(ctx); err != nil {
		return err
	} else if ok {
		return o.add(ctx, job)
	}
	if still, err := o.sufficient.still(ctx, o.st); err != nil {
		return err
	} else if !still {
		return o.Fill(ctx)
	}
	o.finished = true
	o.finishedWhy = o.sufficient.ended(o.made)
	return nil
}

// openStates are those of jobs that will go on by themselves.
var openStates = []record.JobState{record.Queued, record.Editing, record.Committed, record.Gated, record.Evaluating}

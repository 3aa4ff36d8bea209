package schedule

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"atoll/engine/fold"
	"atoll/engine/search"
	"atoll/engine/work"
	"atoll/store"
	"atoll/store/record"
)

// The facts of how far decisions were carried out: the last one, and those
// before it that wait for the root.
const (
	metaActed   = "acted"
	metaWaiting = "decisions-waiting"
)

// Act carries out the decisions that were folded since the last call. What a
// decision starts is idempotent or happens before the marker moves on, so a
// crash repeats at most one of them.
func (o *Owner) Act(ctx context.Context) error {
	if err := o.actOnWaiting(ctx); err != nil {
		return err
	}
	for i := len(o.st.Decided.All) - 1; i >= 0; i-- {
		if o.st.Decided.All[i].Seq <= o.acted {
			return o.actFrom(ctx, i+1)
		}
	}
	return o.actFrom(ctx, 0)
}

func (o *Owner) actFrom(ctx context.Context, i int) error {
	for ; i < len(o.st.Decided.All); i++ {
		d := o.st.Decided.All[i]
		if o.st.Archive() == nil && startsFromElites(d.Verb) {
			if err := o.keepWaiting(ctx, append(o.waiting, d.Seq)); err != nil {
				return err
			}
			o.host.Note("info", record.NoJob, o.st.DecisionText(d)+": as soon as the root is measured")
		} else {
			o.try(ctx, d)
		}
		o.acted = d.Seq
		if err := o.db.PutMeta(ctx, o.exp, metaActed, strconv.FormatInt(int64(d.Seq), 10)); err != nil {
			return err
		}
	}
	return nil
}

// startsFromElites reports whether a decision makes a candidate's job, which needs
// a measured root to start from.
func startsFromElites(v record.Verb) bool { return v == record.StartJob || v == record.Inject }

// actOnWaiting carries out what waited for the root, once it is measured.
func (o *Owner) actOnWaiting(ctx context.Context) error {
	for len(o.waiting) > 0 && o.st.Archive() != nil {
		for _, d := range o.st.Decided.All {
			if d.Seq == o.waiting[0] {
				o.try(ctx, d)
			}
		}
		if err := o.keepWaiting(ctx, o.waiting[1:]); err != nil {
			return err
		}
	}
	return nil
}

func (o *Owner) keepWaiting(ctx context.Context, seqs []record.Seq) error {
	o.waiting = seqs
	text, err := json.Marshal(seqs)
	if err != nil {
		return err
	}
	return o.db.PutMeta(ctx, o.exp, metaWaiting, string(text))
}

// try carries out a decision; one that cannot be is a note.
func (o *Owner) try(ctx context.Context, d record.Decision) {
	if err := o.carryOut(ctx, d); err != nil {
		o.host.Note("error", record.NoJob, fmt.Sprintf("%s: %v", o.st.DecisionText(d), err))
	}
}

func (o *Owner) carryOut(ctx context.Context, d record.Decision) error {
	switch d.Verb {
	case record.Approve:
		err := ignoreLost(o.db.Release(ctx, o.exp, record.JobID(d.Candidate)))
		o.host.Offer(1)
		return err
	case record.Hold:
		return ignoreLost(o.db.Recall(ctx, o.exp, record.JobID(d.Candidate)))
	case record.Reject:
		return o.rejectOne(ctx, d)
	case record.Restore:
		return ignoreLost(o.db.Reopen(ctx, o.exp, record.JobID(d.Candidate)))
	case record.Cancel:
		return o.cancelJob(ctx, d)
	case record.Retry:
		return o.retryJob(ctx, d)
	case record.Prioritise:
		return o.db.SetPriority(ctx, o.exp, d.Job, int(d.Value))
	case record.Pause:
		return o.host.SetState(ctx, record.ExperimentPaused, "paused by "+d.Who)
	case record.Resume:
		o.finished = false
		return o.host.Resume(ctx)
	case record.Stop:
		o.host.Drain()
	case record.Pin, record.Unpin:
		return o.db.PutPinned(ctx, o.exp, d.Candidate, d.Verb == record.Pin)
	case record.Measure:
		return o.measureAgain(ctx, d)
	case record.Refit:
		return o.refit(ctx, true)
	case record.Set:
		return o.changeSettings(ctx, d)
	case record.StartJob:
		return o.startJob(ctx, d)
	case record.Inject:
		return o.inject(ctx, d)
	case record.WriteNote:
		var n record.Note
		if err := json.Unmarshal(d.Args, &n); err != nil {
			return err
		}
		return writeNote(ctx, o.db, o.exp, n)
	}
	return nil
}

func (o *Owner) rejectOne(ctx context.Context, d record.Decision) error {
	reason := d.Text
	if reason == "" {
		reason = "rejected by " + d.Who
	}
	// Of what waits for a person or for a worker nothing runs any more; what was
	// measured the fold takes out of the archive.
	return ignoreLost(o.db.EndHeld(ctx, o.exp, record.JobID(d.Candidate), record.Rejected, record.ClassReview, reason))
}

// ignoreLost drops the error of a transition that no longer applies.
func ignoreLost(err error) error {
	if errors.Is(err, store.ErrLost) {
		return nil
	}
	return err
}

func (o *Owner) cancelJob(ctx context.Context, d record.Decision) error {
	if o.live.Cancel(d.Job, work.ErrCancelled) {
		return nil
	}
	ok, err := o.db.CancelQueued(ctx, o.exp, d.Job, "cancelled by "+d.Who)
	if err == nil && !ok {
		err = o.db.EndHeld(ctx, o.exp, d.Job, record.Cancelled, record.ClassNone, "cancelled by "+d.Who)
	}
	return err
}

func (o *Owner) retryJob(ctx context.Context, d record.Decision) error {
	old, err := o.db.Job(ctx, o.exp, d.Job)
	if err != nil {
		return err
	}
	job := record.NewJob(o.exp, o.nextJob, old.Kind)
	job.Purpose, job.Island, job.Repeat, job.Samples = old.Purpose, old.Island, old.Repeat, old.Samples
	job.Parent, job.Inspirations, job.Operator, job.Agent, job.Target, job.Goal = old.Parent, old.Inspirations, old.Operator, old.Agent, old.Target, old.Goal
	job.RetryOf, job.Priority, job.Why = old.ID, old.Priority+1, "as "+old.ID.String()+", tried again"
	if old.Kind == record.Evaluate {
		job.Candidate = old.Candidate
	}
	if err := o.goOn(ctx); err != nil {
		return err
	}
	return o.add(ctx, job)
}

// measureAgain takes as many further samples of a candidate as the first time.
func (o *Owner) measureAgain(ctx context.Context, d record.Decision) error {
	if err := o.st.MayMeasure(d.Candidate); err != nil {
		return err
	}
	if err := o.goOn(ctx); err != nil {
		return err
	}
	job := o.remeasure(fold.Ask{Candidate: o.st.Candidate(d.Candidate), Purpose: record.PurposeVerify, Samples: o.cfg.Evaluator.Repeats})
	job.Priority = 1
	return o.add(ctx, job)
}

func (o *Owner) changeSettings(ctx context.Context, d record.Decision) error {
	s, err := fold.MergeSetting(o.st.Settings, d.Args)
	if err != nil {
		return err
	}
	if _, err := o.db.PutSettings(ctx, o.exp, s); err != nil {
		return err
	}
	o.st.Settings = s // the next decision builds on it before the row is folded
	return o.goOn(ctx)
}

// startJob queues a job that a person described: parent, operator, agent, goal.
func (o *Owner) startJob(ctx context.Context, d record.Decision) error {
	var want record.Job
	if err := json.Unmarshal(d.Args, &want); err != nil {
		return err
	}
	if want.Kind == record.Assist && want.Purpose == record.PurposeMap {
		if err := o.goOn(ctx); err != nil || o.cfg.Roles.Mapper == "" {
			return err
		}
		return o.mapNow(ctx, max(o.mapped, 0))
	}
	fixed := search.Free()
	if m := o.st.Candidate(want.Parent); m != nil && m.Scored {
		fixed.Parent = want.Parent
	}
	fixed.Operator, fixed.Agent, fixed.Target = want.Operator, want.Agent, want.Target
	if len(want.Inspirations) > 0 {
		fixed.Inspirations = want.Inspirations
	}
	job := o.makeJob(fixed)
	job.Goal, job.Target, job.Priority = want.Goal, want.Target, 1
	if err := o.goOn(ctx); err != nil {
		return err
	}
	return o.add(ctx, job)
}

// inject queues a commit of the user's repository, already fetched, as the
// work of a manual job: from there it goes the way of a recovered commit.
func (o *Owner) inject(ctx context.Context, d record.Decision) error {
	var args struct {
		Commit record.Hash `json:"commit"`
	}
	if err := json.Unmarshal(d.Args, &args); err != nil {
		return err
	}
	job := record.NewJob(o.exp, o.nextJob, record.Make)
	job.Parent, job.Operator, job.Agent, job.Priority = record.Root, record.OpManual, "human", 1
	job.Why = "a commit of the user's repository"
	if err := o.repo.MarkAttempt(ctx, o.exp, job.ID, args.Commit); err != nil {
		return err
	}
	o.work.SetPrepared(job.ID, args.Commit)
	if err := o.goOn(ctx); err != nil {
		return err
	}
	return o.add(ctx, job)
}

// goOn makes an experiment that was done run again.
func (o *Owner) goOn(ctx context.Context) error {
	o.finished = false
	return o.host.GoOn(ctx)
}

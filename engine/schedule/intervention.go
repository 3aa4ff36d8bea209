package schedule

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"atoll/engine/fold"
	"atoll/engine/search"
	"atoll/engine/work"
	"atoll/store"
	"atoll/store/record"
)

// intervention is one decision of a person that is being carried out.
type intervention struct {
	owner    *Owner
	decision record.Decision
}

func (v *intervention) carryOut(ctx context.Context) error {
	switch v.decision.Verb {
	case record.Pause, record.Resume, record.Stop:
		return v.onOff(ctx)
	case record.Approve:
		return v.goOnWith(ctx, v.owner.db.Release(ctx, v.owner.exp, record.JobID(v.decision.Candidate)))
	case record.Hold:
		return ignoreLost(v.owner.db.Recall(ctx, v.owner.exp, record.JobID(v.decision.Candidate)))
	case record.Reject:
		return v.reject(ctx)
	case record.Restore:
		return v.goOnWith(ctx, v.owner.db.Reopen(ctx, v.owner.exp, record.JobID(v.decision.Candidate)))
	case record.Cancel:
		return v.cancel(ctx)
	case record.Retry:
		return v.retry(ctx)
	case record.Prioritise:
		return v.owner.db.SetPriority(ctx, v.owner.exp, v.decision.Job, int(v.decision.Value))
	case record.Pin, record.Unpin:
		return v.owner.db.PutPinned(ctx, v.owner.exp, v.decision.Candidate, v.decision.Verb == record.Pin)
	case record.Measure:
		return v.measure(ctx)
	case record.Refit:
		return v.owner.refit(ctx, true)
	case record.Set:
		return v.set(ctx)
	case record.StartJob:
		return v.start(ctx)
	case record.Inject:
		return v.inject(ctx)
	case record.WriteNote:
		return v.note(ctx)
	}
	return nil
}

// onOff pauses, resumes or ends the run. What was decided before it began is about an earlier one.
func (v *intervention) onOff(ctx context.Context) error {
	if v.owner.host.Behind(v.decision.Seq) {
		return nil
	}
	switch v.decision.Verb {
	case record.Pause:
		return v.owner.host.SetState(ctx, record.ExperimentPaused, fold.PausedBy(v.decision.Who))
	case record.Resume:
		v.owner.finished = false
		return v.owner.host.Resume(ctx)
	default:
		v.owner.host.Drain()
		return nil
	}
}

// note writes, changes or drops a note. A new one has a number only when it is
// written; what takes it back, or writes it again, finds it by the first decision
// about it.
func (v *intervention) note(ctx context.Context) error {
	var n record.Note
	if err := json.Unmarshal(v.decision.Args, &n); err != nil {
		return err
	}
	if n.ID != 0 {
		_, err := writeNote(ctx, v.owner.db, v.owner.exp, n)
		return err
	}
	key := fmt.Sprintf("note of %d", v.first())
	text, known, err := v.owner.db.Meta(ctx, v.owner.exp, key)
	if err == nil && known {
		n.ID, err = strconv.ParseInt(text, 10, 64)
	}
	if err != nil || n.Gone && !known {
		return err
	}
	all, err := v.owner.db.Notes(ctx, v.owner.exp)
	if err != nil {
		return err
	}
	for _, have := range all {
		if have.ID == n.ID {
			n.At = have.At
		}
	}
	if n, err = writeNote(ctx, v.owner.db, v.owner.exp, n); err != nil {
		return err
	}
	return v.owner.db.PutMeta(ctx, v.owner.exp, key, strconv.FormatInt(n.ID, 10))
}

// first is the decision that this one takes back or does again, at the end of
// the chain of those.
func (v *intervention) first() record.Seq {
	seq := v.decision.Seq
	for _, d := range slices.Backward(v.owner.st.Decided.All) {
		if d.Seq == seq && d.Undoes != 0 {
			seq = d.Undoes
		}
	}
	return seq
}

func (v *intervention) reject(ctx context.Context) error {
	reason := v.decision.Text
	if reason == "" {
		reason = "rejected by " + v.decision.Who
	}
	// Of what waits for a person or for a worker nothing runs any more; what was
	// measured the fold takes out of the archive.
	return ignoreLost(v.owner.db.EndHeld(ctx, v.owner.exp, record.JobID(v.decision.Candidate), record.Rejected, record.ClassReview, reason))
}

func (v *intervention) cancel(ctx context.Context) error {
	if v.owner.live.Cancel(v.decision.Job, work.ErrCancelled) {
		return nil
	}
	ok, err := v.owner.db.CancelQueued(ctx, v.owner.exp, v.decision.Job, "cancelled by "+v.decision.Who)
	if err == nil && !ok {
		err = v.owner.db.EndHeld(ctx, v.owner.exp, v.decision.Job, record.Cancelled, record.ClassNone, "cancelled by "+v.decision.Who)
	}
	return err
}

func (v *intervention) retry(ctx context.Context) error {
	old, err := v.owner.db.Job(ctx, v.owner.exp, v.decision.Job)
	if err != nil {
		return err
	}
	job := record.NewJob(v.owner.exp, v.owner.nextJob, old.Kind)
	job.Purpose, job.Island, job.Repeat, job.Samples = old.Purpose, old.Island, old.Repeat, old.Samples
	job.Parent, job.Inspirations, job.Operator, job.Agent, job.Target, job.Goal = old.Parent, old.Inspirations, old.Operator, old.Agent, old.Target, old.Goal
	job.RetryOf, job.Priority, job.Why = old.ID, old.Priority+1, "as "+old.ID.String()+", tried again"
	if old.Kind == record.Evaluate {
		job.Candidate = old.Candidate
	}
	if err := v.goOn(ctx); err != nil {
		return err
	}
	return v.owner.add(ctx, job)
}

// measure takes as many further samples of a candidate as the first time.
func (v *intervention) measure(ctx context.Context) error {
	if err := v.owner.st.MayMeasure(v.decision.Candidate); err != nil {
		return err
	}
	if err := v.goOn(ctx); err != nil {
		return err
	}
	job := v.owner.remeasure(fold.Ask{Candidate: v.owner.st.Candidate(v.decision.Candidate), Purpose: record.PurposeVerify, Samples: v.owner.cfg.Evaluator.Repeats})
	job.Priority = 1
	return v.owner.add(ctx, job)
}

func (v *intervention) set(ctx context.Context) error {
	if v.decision.Seq <= v.owner.settled { // what came behind it counts
		return v.goOn(ctx)
	}
	s, err := fold.MergeSetting(v.owner.st.Settings, v.decision.Args)
	if err != nil {
		return err
	}
	if _, err := v.owner.db.PutSettings(ctx, v.owner.exp, s); err != nil {
		return err
	}
	v.owner.st.Settings = s // the next decision builds on it before the row is folded
	return v.goOn(ctx)
}

// start queues a job that a person described: parent, operator, agent, goal.
func (v *intervention) start(ctx context.Context) error {
	var want record.Job
	if err := json.Unmarshal(v.decision.Args, &want); err != nil {
		return err
	}
	if want.Kind == record.Assist && want.Purpose == record.PurposeMap {
		if err := v.goOn(ctx); err != nil || v.owner.cfg.Roles.Mapper == "" {
			return err
		}
		return v.owner.mapNow(ctx, max(v.owner.mapped, 0))
	}
	fixed := search.Free()
	if m := v.owner.st.Candidate(want.Parent); m != nil && m.Scored {
		fixed.Parent = want.Parent
	}
	fixed.Operator, fixed.Agent, fixed.Target = want.Operator, want.Agent, want.Target
	if len(want.Inspirations) > 0 {
		fixed.Inspirations = want.Inspirations
	}
	job := v.owner.makeJob(fixed)
	job.Goal, job.Target, job.Priority = want.Goal, want.Target, 1
	if err := v.goOn(ctx); err != nil {
		return err
	}
	return v.owner.add(ctx, job)
}

// ignoreLost drops the error of a transition that no longer applies.
func ignoreLost(err error) error {
	if errors.Is(err, store.ErrLost) {
		return nil
	}
	return err
}

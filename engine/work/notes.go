package work

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"atoll/engine/agent"
	"atoll/engine/agent/prompt"
	"atoll/engine/memory"
	"atoll/store/record"
)

// notebook writes the notes of epochs: those that follow from the figures, and
// those of a reflector.
type notebook struct {
	*candidates
	feedback *evaluatorFeedback

	mu     sync.Mutex
	epochs map[int]memory.EpochFacts // of the last epochs, by number
}

// factsKept is how many epochs wait for their reflection at most.
const factsKept = 8

// keepEpoch keeps what an epoch showed for the job that reflects on it.
func (w *notebook) keepEpoch(f memory.EpochFacts) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.epochs == nil {
		w.epochs = map[int]memory.EpochFacts{}
	}
	w.epochs[f.Number] = f
	delete(w.epochs, f.Number-factsKept)
}

// write puts fresh notes beside those that are there; nil stands for
// those that follow from the figures alone.
func (w *notebook) write(ctx context.Context, facts memory.EpochFacts, fresh []record.Note) error {
	if fresh == nil {
		if err := w.tellMore(ctx, &facts); err != nil {
			return err
		}
		fresh = memory.Digest(facts)
	}
	have, err := w.db.Notes(ctx, w.exp())
	if err != nil {
		return err
	}
	for _, n := range have { // the log keeps them
		if memory.Outdated(n) {
			if err := w.db.DropNote(ctx, w.exp(), n.ID); err != nil {
				return fmt.Errorf("drop an outdated note: %w", err)
			}
		}
	}
	for _, n := range memory.Merge(have, fresh, memory.Limits{}) {
		n.Text = agent.Redact(n.Text, w.roster.Secrets...)
		if _, err := w.db.PutNote(ctx, w.exp(), n); err != nil {
			return fmt.Errorf("write a note of epoch %d: %w", facts.Number, err)
		}
	}
	return nil
}

// tellMore adds to the gains of an epoch what they meant and where they edited,
// and to its failures an example, none of which the fold keeps.
func (w *notebook) tellMore(ctx context.Context, f *memory.EpochFacts) error {
	f.Improvements, f.Ever = append([]memory.Improvement(nil), f.Improvements...), append([]memory.Improvement(nil), f.Ever...)
	for _, list := range [][]memory.Improvement{f.Improvements, f.Ever} {
		for i := range list {
			c, err := w.db.Candidate(ctx, w.exp(), list[i].Candidate)
			if err != nil {
				return err
			}
			list[i].Intent, list[i].Files = c.Intent, nil
			diffs, err := w.diffOf(ctx, &c)
			if err != nil { // notes are worth having without
				w.host.Note("warn", record.JobID(c.ID), fmt.Sprintf("the notes of epoch %d go without what %s changed: %v", f.Number, c.ID, err))
				continue
			}
			for _, d := range diffs {
				list[i].Files = append(list[i].Files, d.Path)
			}
		}
	}
	f.Failures = append([]memory.Failure(nil), f.Failures...)
	for i := range f.Failures {
		text, err := w.feedback.failure(ctx, f.Failures[i].Job)
		if err != nil {
			return err
		}
		f.Failures[i].Sample = text
		f.Failures[i].Reason = w.facts.publicText(f.Failures[i].Reason)
	}
	return nil
}

// reflect has the reflector of a job write the notes of an epoch.
func (w *notebook) reflect(ctx context.Context, r *attempt) error {
	job := r.lease.Job
	w.mu.Lock()
	facts, ok := w.epochs[job.Repeat]
	w.mu.Unlock()
	client := w.roster.Clients[job.Agent]
	switch {
	case !ok:
		return r.fail(ctx, record.ClassInternal, fmt.Sprintf("epoch %d is too long ago to reflect on", job.Repeat))
	case client == nil:
		return w.reflected(ctx, r, facts, nil, fmt.Errorf("there is no agent %q any more", job.Agent))
	}
	if err := w.tellMore(ctx, &facts); err != nil {
		return err
	}
	notes, err := w.db.Notes(ctx, w.exp())
	if err != nil {
		return err
	}
	w.live.stage(job.ID, record.Editing, fmt.Sprintf("reflecting on epoch %d", job.Repeat))
	set := w.settings()
	view := prompt.View{Job: job.ID, Goal: set.Goal, Constraints: set.Constraints, Direction: w.facts.Config.Evaluator.Direction, Metric: w.Metric()}
	ask := func(ctx context.Context, p agent.Rendered) (string, record.Usage, error) {
		answer, err := r.consult(ctx, client, job.Agent, agent.RoleReflector, p)
		return answer, record.Usage{}, err // counted by consult
	}
	fresh, _, err := memory.Reflect(ctx, prompt.Reflection{Prompts: w.roster.Prompts, View: view.WithSecrets(w.roster.Secrets...), Ask: ask}, facts, notes)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if errors.Is(err, errPutBack) {
		return err
	}
	return w.reflected(ctx, r, facts, fresh, err)
}

// reflected writes the notes and ends the job; after a failure they are those
// that follow from the figures.
func (w *notebook) reflected(ctx context.Context, r *attempt, facts memory.EpochFacts, fresh []record.Note, failure error) error {
	if failure != nil {
		fresh = nil
	}
	if err := w.write(ctx, facts, fresh); err != nil {
		return err
	}
	return r.assisted(ctx, failure)
}

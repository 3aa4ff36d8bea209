package work

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"atoll/engine/agent"
	"atoll/engine/agent/prompt"
	"atoll/engine/gateway"
	"atoll/engine/memory"
	"atoll/store"
	"atoll/store/record"
)

// WriteNotes lays fresh notes beside those that are there; nil stands for
// those that follow from the figures alone.
func (w *Runner) WriteNotes(ctx context.Context, facts memory.EpochFacts, fresh []record.Note) error {
	if fresh == nil {
		if err := w.tellMore(ctx, &facts); err != nil {
			return err
		}
		fresh = memory.Digest(facts)
	}
	have, err := w.db.Notes(ctx, w.facts.Experiment.ID)
	if err != nil {
		return err
	}
	for _, n := range have { // the log keeps them
		if memory.Outdated(n) {
			if err := w.db.DropNote(ctx, w.facts.Experiment.ID, n.ID); err != nil {
				return fmt.Errorf("drop an outdated note: %w", err)
			}
		}
	}
	for _, n := range memory.Merge(have, fresh, memory.Limits{}) {
		n.Text = agent.Redact(n.Text, w.roster.Secrets...)
		if _, err := w.db.PutNote(ctx, w.facts.Experiment.ID, n); err != nil {
			return fmt.Errorf("write a note of epoch %d: %w", facts.Number, err)
		}
	}
	return nil
}

// tellMore adds to the gains of an epoch what they meant and where they edited,
// and to its failures an example, none of which the fold keeps.
func (w *Runner) tellMore(ctx context.Context, f *memory.EpochFacts) error {
	f.Improvements, f.Ever = append([]memory.Improvement(nil), f.Improvements...), append([]memory.Improvement(nil), f.Ever...)
	for _, list := range [][]memory.Improvement{f.Improvements, f.Ever} {
		for i := range list {
			c, err := w.db.Candidate(ctx, w.facts.Experiment.ID, list[i].Candidate)
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
		text, err := w.failureText(ctx, f.Failures[i].Job)
		if err != nil {
			return err
		}
		f.Failures[i].Sample = text
		f.Failures[i].Reason = w.withoutPrivate(f.Failures[i].Reason)
	}
	return nil
}

// assist carries out a job that asks an agent for something else than a
// candidate: a reflection on an epoch, or proposals of targets.
func (r *jobRun) assist(ctx context.Context) error {
	w, job := r.w, r.lease.Job
	w.mu.Lock()
	facts, ok := w.epochs[job.Repeat]
	w.mu.Unlock()
	voice := w.roster.Clients[job.Agent]
	if job.Purpose == record.PurposeMap {
		return r.mapRepository(ctx, voice)
	}
	switch {
	case job.Purpose != record.PurposeReflect:
		return r.fail(ctx, record.ClassInternal, fmt.Sprintf("this version cannot do %q", job.Purpose))
	case !ok:
		return r.fail(ctx, record.ClassInternal, fmt.Sprintf("epoch %d is too long ago to reflect on", job.Repeat))
	case voice == nil:
		return r.reflected(ctx, facts, nil, fmt.Errorf("there is no agent %q any more", job.Agent))
	}
	if err := w.tellMore(ctx, &facts); err != nil {
		return err
	}
	notes, err := w.db.Notes(ctx, w.facts.Experiment.ID)
	if err != nil {
		return err
	}
	w.live.stage(job.ID, record.Editing, fmt.Sprintf("reflecting on epoch %d", job.Repeat))
	set := w.settings()
	view := prompt.View{Job: job.ID, Goal: set.Goal, Constraints: set.Constraints, Direction: w.facts.Config.Evaluator.Direction, Metric: w.Metric()}
	ask := func(ctx context.Context, p agent.Rendered) (string, record.Usage, error) {
		answer, err := r.consult(ctx, voice, job.Agent, agent.RoleReflector, p)
		return answer, record.Usage{}, err // counted by consult
	}
	fresh, _, err := memory.Reflect(ctx, prompt.Reflection{Prompts: w.roster.Prompts, View: view.WithSecrets(w.roster.Secrets...), Ask: ask}, facts, notes)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return r.reflected(ctx, facts, fresh, err)
}

// reflected writes the notes and ends the job; after a failure they are those
// that follow from the figures.
func (r *jobRun) reflected(ctx context.Context, facts memory.EpochFacts, fresh []record.Note, failure error) error {
	if failure != nil {
		fresh = nil
	}
	if err := r.w.WriteNotes(ctx, facts, fresh); err != nil {
		return err
	}
	switch {
	case failure == nil:
		return r.finish(ctx, store.Outcome{State: record.Done})
	case errors.Is(failure, gateway.ErrBudget):
		return r.fail(ctx, record.ClassBudget, failure.Error())
	}
	return r.fail(ctx, record.ClassAgent, failure.Error())
}

// keep adds evidence without keys.
func (r *jobRun) keep(kind, text string) {
	if strings.TrimSpace(text) == "" {
		return
	}
	text = agent.Redact(text, r.w.roster.Secrets...)
	r.evidence = append(r.evidence, record.Evidence{Kind: kind, Text: []byte(tail(text, diffBytes)), Cut: int64(max(0, len(text)-diffBytes))})
}

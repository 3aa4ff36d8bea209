package engine

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"atoll/engine/agent"
	"atoll/engine/agent/prompt"
	"atoll/engine/gateway"
	"atoll/engine/memory"
	"atoll/store"
	"atoll/store/record"
)

// metaEpoch is the last epoch whose notes were written or given to a job.
const metaEpoch = "epoch"

// factsKept is how many epochs wait for their reflection at most.
const factsKept = 8

// endEpoch runs at each fold position: where an epoch ends, its notes are
// written, or the job that asks the reflector for them is queued. An epoch that
// was done before is only counted.
func (e *Engine) endEpoch(ctx context.Context) error {
	n := e.st.FoldCount()
	if n%e.cfg.Search.Epoch != 0 || !e.st.Epoch.On {
		return nil
	}
	if e.st.Before() {
		e.st.Epoch.Pass()
		return nil
	}
	if e.st.Archive() == nil {
		return nil
	}
	facts := e.st.CloseEpoch(n, e.metric())
	e.shared.mu.Lock()
	if e.shared.facts == nil {
		e.shared.facts = map[int]memory.EpochFacts{}
	}
	e.shared.facts[facts.Number] = facts
	delete(e.shared.facts, facts.Number-factsKept)
	e.shared.mu.Unlock()
	if facts.Number <= e.epochDone || facts.Jobs == 0 {
		return nil
	}
	if c := e.st.ShadowChoice(); c.Compared > 0 {
		e.note("info", record.NoJob, c.Text())
	}
	if name := e.cfg.Roles.Reflector; name != "" && e.crew != nil && e.crew.voices[name] != nil {
		if err := e.add(ctx, record.Job{
			Experiment: e.exp, ID: e.nextJob, Kind: record.Assist, State: record.Queued, Purpose: record.PurposeReflect, Island: "main", Agent: name,
			Parent: record.NoCandidate, Candidate: record.NoCandidate, Duplicate: record.NoCandidate, Repeat: facts.Number,
		}); err != nil {
			return err
		}
	} else if err := e.writeNotes(ctx, facts, nil); err != nil {
		return err
	}
	e.epochDone = facts.Number
	if err := e.db.PutMeta(ctx, e.exp, metaEpoch, strconv.Itoa(facts.Number)); err != nil {
		return err
	}
	if e.cfg.Roles.Mapper != "" && e.crew != nil && facts.Stale > 0 && facts.Stale%mapStale == 0 {
		return e.mapNow(ctx, facts.Number)
	}
	return nil
}

// openEpochs reads how far the notes are. A reflection that was queued counts
// as done, also when the engine died before it said so.
func (e *Engine) openEpochs(ctx context.Context) error {
	e.st.Epoch.On = !e.opt.RootOnly
	e.mapped = neverMapped
	text, ok, err := e.db.Meta(ctx, e.exp, metaMapped)
	if err == nil && ok {
		e.mapped, err = strconv.Atoi(text)
	}
	if err != nil {
		return fmt.Errorf("read when targets were proposed: %w", err)
	}
	text, ok, err = e.db.Meta(ctx, e.exp, metaEpoch)
	if err != nil {
		return err
	}
	if ok {
		if e.epochDone, err = strconv.Atoi(text); err != nil {
			return fmt.Errorf("read the last epoch of %s: %w", e.st.Exp.Name, err)
		}
	}
	jobs, err := e.db.Jobs(ctx, e.exp, store.JobFilter{Kind: record.Assist, Limit: 8})
	if err != nil {
		return err
	}
	for _, j := range jobs {
		if j.Purpose == record.PurposeReflect {
			e.epochDone = max(e.epochDone, j.Repeat)
		}
	}
	return nil
}

// writeNotes lays fresh notes beside those that are there; nil stands for
// those that follow from the figures alone.
func (e *Engine) writeNotes(ctx context.Context, facts memory.EpochFacts, fresh []record.Note) error {
	if fresh == nil {
		if err := e.tellMore(ctx, &facts); err != nil {
			return err
		}
		fresh = memory.Digest(facts)
	}
	have, err := e.db.Notes(ctx, e.exp)
	if err != nil {
		return err
	}
	for _, n := range have { // the log keeps them
		if memory.Outdated(n) {
			if err := e.db.DropNote(ctx, e.exp, n.ID); err != nil {
				return fmt.Errorf("drop an outdated note: %w", err)
			}
		}
	}
	for _, n := range memory.Merge(have, fresh, memory.Limits{}) {
		n.Text = agent.Redact(n.Text, e.crew.secrets...)
		if _, err := e.db.PutNote(ctx, e.exp, n); err != nil {
			return fmt.Errorf("write a note of epoch %d: %w", facts.Number, err)
		}
	}
	return nil
}

// writeNote writes what a person decided of a note. One that an epoch dropped
// meanwhile comes back when it reads otherwise now.
func (e *Engine) writeNote(ctx context.Context, n record.Note) error {
	_, err := e.db.PutNote(ctx, e.exp, n)
	if errors.Is(err, store.ErrNotFound) {
		if n.Gone {
			return nil
		}
		n.ID = 0
		_, err = e.db.PutNote(ctx, e.exp, n)
	}
	return err
}

// tellMore adds to the gains of an epoch what they meant and where they edited,
// and to its failures an example, none of which the fold keeps.
func (e *Engine) tellMore(ctx context.Context, f *memory.EpochFacts) error {
	f.Improvements, f.Ever = append([]memory.Improvement(nil), f.Improvements...), append([]memory.Improvement(nil), f.Ever...)
	for _, list := range [][]memory.Improvement{f.Improvements, f.Ever} {
		for i := range list {
			c, err := e.db.Candidate(ctx, e.exp, list[i].Candidate)
			if err != nil {
				return err
			}
			list[i].Intent, list[i].Files = c.Intent, nil
			diffs, err := e.diffOf(ctx, &c)
			if err != nil { // notes are worth having without
				e.note("warn", record.JobID(c.ID), fmt.Sprintf("the notes of epoch %d go without what %s changed: %v", f.Number, c.ID, err))
				continue
			}
			for _, d := range diffs {
				list[i].Files = append(list[i].Files, d.Path)
			}
		}
	}
	f.Failures = append([]memory.Failure(nil), f.Failures...)
	for i := range f.Failures {
		text, err := e.failureText(ctx, f.Failures[i].Job)
		if err != nil {
			return err
		}
		f.Failures[i].Sample = text
		f.Failures[i].Reason = e.withoutPrivate(f.Failures[i].Reason)
	}
	return nil
}

// assist carries out a job that asks an agent for something else than a
// candidate: a reflection on an epoch, or proposals of targets.
func (r *jobRun) assist(ctx context.Context) error {
	e, job := r.e, r.lease.Job
	e.shared.mu.Lock()
	facts, ok := e.shared.facts[job.Repeat]
	e.shared.mu.Unlock()
	voice := e.crew.voices[job.Agent]
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
	if err := e.tellMore(ctx, &facts); err != nil {
		return err
	}
	notes, err := e.db.Notes(ctx, e.exp)
	if err != nil {
		return err
	}
	e.live.stage(job.ID, record.Editing, fmt.Sprintf("reflecting on epoch %d", job.Repeat))
	set := e.settings()
	view := prompt.View{Job: job.ID, Goal: set.Goal, Constraints: set.Constraints, Direction: e.cfg.Evaluator.Direction, Metric: e.metric()}
	ask := func(ctx context.Context, p agent.Rendered) (string, record.Usage, error) {
		answer, err := r.consult(ctx, voice, job.Agent, agent.RoleReflector, p)
		return answer, record.Usage{}, err // counted by consult
	}
	fresh, _, err := memory.Reflect(ctx, prompt.Reflection{Prompts: e.crew.prompts, View: view.WithSecrets(e.crew.secrets...), Ask: ask}, facts, notes)
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
	if err := r.e.writeNotes(ctx, facts, fresh); err != nil {
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
	text = agent.Redact(text, r.e.crew.secrets...)
	r.evidence = append(r.evidence, record.Evidence{Kind: kind, Text: []byte(tail(text, diffBytes)), Cut: int64(max(0, len(text)-diffBytes))})
}

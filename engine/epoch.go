package engine

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"atoll/store"
	"atoll/store/record"
)

// metaEpoch is the last epoch whose notes were written or given to a job.
const metaEpoch = "epoch"

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
	facts := e.st.CloseEpoch(n, e.work.Metric())
	e.work.KeepEpoch(facts)
	if facts.Number <= e.epochDone || facts.Jobs == 0 {
		return nil
	}
	if c := e.st.ShadowChoice(); c.Compared > 0 {
		e.note("info", record.NoJob, c.Text())
	}
	if name := e.cfg.Roles.Reflector; name != "" && e.roster != nil && e.roster.Clients[name] != nil {
		if err := e.add(ctx, record.Job{
			Experiment: e.exp, ID: e.nextJob, Kind: record.Assist, State: record.Queued, Purpose: record.PurposeReflect, Island: "main", Agent: name,
			Parent: record.NoCandidate, Candidate: record.NoCandidate, Duplicate: record.NoCandidate, Repeat: facts.Number,
		}); err != nil {
			return err
		}
	} else if err := e.work.WriteNotes(ctx, facts, nil); err != nil {
		return err
	}
	e.epochDone = facts.Number
	if err := e.db.PutMeta(ctx, e.exp, metaEpoch, strconv.Itoa(facts.Number)); err != nil {
		return err
	}
	if e.cfg.Roles.Mapper != "" && e.roster != nil && facts.Stale > 0 && facts.Stale%mapStale == 0 {
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

package schedule

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
func (o *Owner) endEpoch(ctx context.Context) error {
	n := o.st.FoldCount()
	if n%o.cfg.Search.Epoch != 0 || !o.st.Epoch.On {
		return nil
	}
	if o.st.Before() {
		o.st.Epoch.Pass()
		return nil
	}
	if o.st.Archive() == nil {
		return nil
	}
	facts := o.st.CloseEpoch(n, o.work.Metric())
	o.work.KeepEpoch(facts)
	if facts.Number <= o.epochDone || facts.Jobs == 0 {
		return nil
	}
	if c := o.st.ShadowChoice(); c.Compared > 0 {
		o.host.Note("info", record.NoJob, c.Text())
	}
	if name := o.cfg.Roles.Reflector; name != "" && o.roster != nil && o.roster.Clients[name] != nil {
		if err := o.add(ctx, o.assistJob(record.PurposeReflect, name, facts.Number)); err != nil {
			return err
		}
	} else if err := o.work.WriteNotes(ctx, facts, nil); err != nil {
		return err
	}
	o.epochDone = facts.Number
	if err := o.db.PutMeta(ctx, o.exp, metaEpoch, strconv.Itoa(facts.Number)); err != nil {
		return err
	}
	if o.cfg.Roles.Mapper != "" && o.roster != nil && facts.Stale > 0 && facts.Stale%mapStale == 0 {
		return o.mapNow(ctx, facts.Number)
	}
	return nil
}

// openEpochs reads how far the notes are. A reflection that was queued counts
// as done, also when the engine died before it said so.
func (o *Owner) openEpochs(ctx context.Context) error {
	o.st.Epoch.On = !o.rootOnly
	o.mapped = neverMapped
	text, ok, err := o.db.Meta(ctx, o.exp, metaMapped)
	if err == nil && ok {
		o.mapped, err = strconv.Atoi(text)
	}
	if err != nil {
		return fmt.Errorf("read when targets were proposed: %w", err)
	}
	text, ok, err = o.db.Meta(ctx, o.exp, metaEpoch)
	if err != nil {
		return err
	}
	if ok {
		if o.epochDone, err = strconv.Atoi(text); err != nil {
			return fmt.Errorf("read the last epoch of %s: %w", o.st.Exp.Name, err)
		}
	}
	jobs, err := o.db.Jobs(ctx, o.exp, store.JobFilter{Kind: record.Assist, Limit: 8})
	if err != nil {
		return err
	}
	for _, j := range jobs {
		if j.Purpose == record.PurposeReflect {
			o.epochDone = max(o.epochDone, j.Repeat)
		}
	}
	return nil
}

// writeNote writes what a person decided of a note. One that an epoch dropped
// meanwhile comes back when it reads otherwise now.
func writeNote(ctx context.Context, db *store.DB, exp record.ExperimentID, n record.Note) (record.Note, error) {
	out, err := db.PutNote(ctx, exp, n)
	if errors.Is(err, store.ErrNotFound) {
		if n.Gone {
			return n, nil
		}
		n.ID = 0
		out, err = db.PutNote(ctx, exp, n)
	}
	return out, err
}

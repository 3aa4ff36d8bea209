package schedule

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"

	"atoll/engine/fold"
	"atoll/store"
	"atoll/store/record"
)

// The facts of how far decisions were carried out: the last one, and those
// before it that wait for the root.
const (
	metaActed   = "acted"
	metaWaiting = "decisions-waiting"
	metaSettled = "settled" // the last setting that [TakeSettings] put in force
)

// TakeSettings puts in force what was set while no engine ran, so that what a new run brings along comes behind it and
// counts. It is called with the lock of the experiment, before the run begins.
func TakeSettings(ctx context.Context, db *store.DB, exp record.ExperimentID) error {
	acted, err := readSeq(ctx, db, exp, metaActed)
	if err != nil {
		return err
	}
	settled, err := readSeq(ctx, db, exp, metaSettled)
	if err != nil {
		return err
	}
	old := max(acted, settled)
	if last, err := db.Decisions(ctx, exp, 1); err != nil || len(last) == 0 || last[0].Seq <= old {
		return err // most runs: the engine carried out all of them
	}
	all, err := db.Decisions(ctx, exp, math.MaxInt32)
	if err != nil {
		return err
	}
	all = slices.DeleteFunc(all, func(d record.Decision) bool { return d.Verb != record.Set || d.Seq <= old })
	if len(all) == 0 {
		return nil
	}
	slices.Reverse(all) // the oldest first
	s, err := db.Settings(ctx, exp)
	for _, d := range all {
		if err == nil {
			s, err = fold.MergeSetting(s, d.Args)
		}
	}
	if err != nil {
		return err
	}
	if _, err := db.PutSettings(ctx, exp, s); err != nil {
		return err
	}
	return db.PutMeta(ctx, exp, metaSettled, strconv.FormatInt(int64(all[len(all)-1].Seq), 10))
}

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
		if fold.AwaitsRoot(o.st, d.Verb) {
			if err := o.keepWaiting(ctx, append(o.waiting, d.Seq)); err != nil {
				return err
			}
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
	v := intervention{owner: o, decision: d}
	if err := v.carryOut(ctx); err != nil {
		o.host.Note("error", record.NoJob, fmt.Sprintf("%s: %v", o.st.DecisionText(d), err))
	}
}

// goOn makes an experiment that was done run again for the decision.
func (v *intervention) goOn(ctx context.Context) error {
	v.owner.finished = false
	return v.owner.host.GoOn(ctx, v.decision.Seq)
}

// goOnWith takes the outcome of a decision about a candidate's job. Where the job
// has work left, an experiment that was done runs again for it.
func (v *intervention) goOnWith(ctx context.Context, err error) error {
	if err != nil {
		return ignoreLost(err)
	}
	c, err := v.owner.db.Counters(ctx, v.owner.exp)
	if err != nil || c.Jobs(record.Make, openStates...) == 0 {
		return err
	}
	if err := v.goOn(ctx); err != nil {
		return err
	}
	v.owner.host.Offer(1)
	return nil
}

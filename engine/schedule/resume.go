package schedule

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	"atoll/config"
	"atoll/engine/agent"
	"atoll/engine/fold"
	"atoll/engine/roster"
	"atoll/engine/work"
	"atoll/store"
	"atoll/store/record"
)

// Begin hands the owner the state of a run, before it was folded, and what
// carries out jobs under it.
func (o *Owner) Begin(st *fold.State, cfg config.Config, w *work.Runner) {
	o.st, o.cfg, o.work, o.away = st, cfg, w, away{st: st, jobs: map[record.JobID]string{}}
}

// SetRoster says who can be asked.
func (o *Owner) SetRoster(r *roster.Roster) { o.roster = r }

// Resume reads how far an earlier run came, before the log is folded.
func (o *Owner) Resume(ctx context.Context) error {
	var err error
	if o.acted, err = readSeq(ctx, o.db, o.exp, metaActed); err != nil {
		return err
	}
	if o.settled, err = readSeq(ctx, o.db, o.exp, metaSettled); err != nil {
		return err
	}
	text, ok, err := o.db.Meta(ctx, o.exp, metaWaiting)
	if err != nil {
		return err
	}
	if o.waiting = nil; ok {
		if err := json.Unmarshal([]byte(text), &o.waiting); err != nil {
			return fmt.Errorf("read which decisions wait for the root: %w", err)
		}
	}
	looked, err := readSeq(ctx, o.db, o.exp, metaLooked)
	if err != nil {
		return err
	}
	o.kept = int(looked)
	o.st.Looked = o.kept
	next, err := o.db.NextJobID(ctx, o.exp)
	if err != nil {
		return err
	}
	o.nextJob = next
	counters, err := o.db.Counters(ctx, o.exp)
	if err != nil {
		return err
	}
	o.made = counters.Jobs(record.Make)
	if err := o.away.resume(ctx, o.db, o.nextJob); err != nil {
		return err
	}
	if err := o.sufficient.resume(ctx); err != nil {
		return err
	}
	if err := o.openEpochs(ctx); err != nil {
		return err
	}
	tag, err := o.tags(ctx)
	if err != nil {
		return err
	}
	o.st.Lessons = fold.Lessons{On: true, Past: true, Now: fold.NewHistory(o.st), At: map[int]*agent.History{}, Tag: tag}
	return nil
}

func readSeq(ctx context.Context, db *store.DB, exp record.ExperimentID, key string) (record.Seq, error) {
	text, ok, err := db.Meta(ctx, exp, key)
	if err != nil || !ok {
		return 0, err
	}
	n, err := strconv.ParseInt(text, 10, 64)
	return record.Seq(n), err
}

// Learn brings back what the fold does not keep. It runs after the log was folded for the
// first time, and before that at the first fold position whose jobs are not there yet: they
// are drawn as if nobody had killed the run.
func (o *Owner) Learn(ctx context.Context) error {
	o.st.Lessons.Arrive(o.give)
	o.st.Lessons.Tag = o.tag(ctx)
	return o.knowMeasurements(ctx)
}

// Unbegun reports whether no job was ever queued: an earlier atoll wrote an experiment and
// the measurement of its root in two steps, and was killed between them.
func (o *Owner) Unbegun() bool { return o.nextJob == 0 }

// RetryRoot measures the root again after it failed in an earlier run, or for the first
// time where that was never queued.
func (o *Owner) RetryRoot(ctx context.Context) error {
	return o.add(ctx, evaluateJob(o.exp, o.nextJob, record.Root, record.PurposeRoot, 0, o.cfg.Evaluator.RootRepeats))
}

// knowMeasurements brings back what the fold does not keep of evaluate jobs:
// which are open at this fold position, and how many looked at elites again.
func (o *Owner) knowMeasurements(ctx context.Context) error {
	o.st.Evidence.Restart()
	o.st.Streak = fold.Streak{} // the past does not speak against the evaluator of today
	for before := o.nextJob; ; {
		jobs, err := o.db.Jobs(ctx, o.exp, store.JobFilter{Kind: record.Evaluate, Before: before, Limit: evaluationsAtOnce})
		if err != nil {
			return fmt.Errorf("read the evaluate jobs: %w", err)
		}
		for _, j := range jobs {
			o.st.Evidence.Note(j.Purpose, j.Samples)
			ahead := o.st.Exp.Strict && int(j.ID) >= o.st.FoldCount() // it may have ended, but not here
			if m := o.st.Candidate(j.Candidate); m != nil && (ahead || !j.State.Ended()) {
				o.st.Track(m).Measuring = j.ID
			}
			before = j.ID
		}
		if len(jobs) < evaluationsAtOnce || before == 0 {
			return nil
		}
	}
}

// evaluationsAtOnce is how many jobs are in memory while all are read.
const evaluationsAtOnce = 2000

package engine

import (
	"context"
	"fmt"

	"atoll/engine/fold"
	"atoll/engine/query"
	"atoll/engine/work"
	"atoll/store/record"
)

// Prompt renders what an agent would be told now for a job that waits, without
// an engine that runs. opt.Live is the configuration as it is now. It fails with
// [work.ErrNoPreview] when the job began already, or when its agent reads no
// prompt.
func Prompt(ctx context.Context, ses *Session, exp record.ExperimentID, opt Options, id record.JobID) (record.Evidence, error) {
	l := New(ses, exp, opt).loop
	st, err := fold.LoadState(ctx, l.db, exp)
	if err != nil {
		return record.Evidence{}, err
	}
	l.open(st)
	if name, err := work.LearnedMetric(ctx, l.db, exp, st.Exp.Objective); err == nil && name != "" {
		l.work.SetMetric(name)
	}
	if err := l.equipment.watch(st.Config); err != nil {
		return record.Evidence{}, err
	}
	l.work.SetRoster(l.equipment.roster)
	job, err := l.db.Job(ctx, exp, id)
	if err != nil {
		return record.Evidence{}, fmt.Errorf("read job %s: %w", id, err)
	}
	return query.Preview(ctx, st, l.questions, l.work, job)
}

package engine

import (
	"context"
	"fmt"

	"atoll/engine/fold"
	"atoll/engine/query"
	"atoll/engine/roster"
	"atoll/engine/work"
	"atoll/store/record"
)

// Prompt renders what an agent would be told now for a job that waits, without
// an engine that runs. opt.Live is the configuration as it is now. It fails with
// [work.ErrNoPreview] when the job began already, or when its agent reads no
// prompt.
func Prompt(ctx context.Context, ses *Session, exp record.ExperimentID, opt Options, id record.JobID) (record.Evidence, error) {
	e := New(ses, exp, opt)
	var err error
	if e.st, err = fold.LoadState(ctx, e.db, exp); err != nil {
		return record.Evidence{}, err
	}
	e.liveConfig()
	e.cfg = e.st.Config
	e.sync()
	e.work = e.newRunner()
	if name, err := work.LearnedMetric(ctx, e.db, exp, e.st.Exp.Objective); err == nil && name != "" {
		e.work.SetMetric(name)
	}
	if e.roster, err = e.watchers(); err != nil {
		return record.Evidence{}, err
	}
	e.work.SetRoster(e.roster)
	job, err := e.db.Job(ctx, exp, id)
	if err != nil {
		return record.Evidence{}, fmt.Errorf("read job %s: %w", id, err)
	}
	return query.Preview(ctx, e.st, e.questions, e.work, job)
}

// watchers are the agents of an engine that only looks on.
func (e *Engine) watchers() (*roster.Roster, error) {
	return (&roster.Builder{Config: e.cfg, Getenv: e.opt.Getenv, Dir: e.ses.Dir}).BuildPreviews()
}

// lookOn lets readers see the prompts of jobs that wait; who asks before sees
// none.
func (e *Engine) lookOn() {
	r, err := e.watchers()
	if err != nil {
		e.note("warn", record.NoJob, fmt.Sprintf("no prompt can be shown: %v", err))
		return
	}
	e.roster = r
	e.work.SetRoster(r)
	e.reader.ShowPrompts(e.work)
}

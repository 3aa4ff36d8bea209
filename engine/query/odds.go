package query

import (
	"context"
	"fmt"

	"atoll/engine/fold"
	"atoll/engine/view"
	"atoll/store"
	"atoll/store/record"
)

// Odds tells the chances of the next draws as they would be under other settings:
// weights of operators and agents.
func (r *Reader) Odds(ctx context.Context, draft record.Settings) (o view.Odds, err error) {
	err = r.asker.Ask(ctx, func(s *fold.State) { o = s.Odds(draft) })
	return o, err
}

// NextPrompt tells what the agent of the next make job that waits would be told if
// the goal were another. Text is empty where that agent reads no prompt; Job is
// [record.NoJob] where none waits.
func (r *Reader) NextPrompt(ctx context.Context, goal string) (view.NextPrompt, error) {
	next := view.NextPrompt{Job: record.NoJob}
	jobs, err := r.db.Jobs(ctx, r.exp, store.JobFilter{States: []record.JobState{record.Queued}, Kind: record.Make, Limit: 100})
	if err != nil || len(jobs) == 0 {
		return next, err
	}
	job := jobs[len(jobs)-1] // newest first
	next.Job, next.Agent = job.ID, job.Agent
	previews := r.previews.Load()
	if previews == nil {
		return next, nil
	}
	job.Goal = goal
	p, err := (*previews).Preview(ctx, job)
	if err != nil {
		next.Why = fmt.Sprint(err)
		return next, ctx.Err()
	}
	next.Text = string(p.Text)
	return next, nil
}

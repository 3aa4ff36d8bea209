package engine

import (
	"context"
	"fmt"

	"atoll/config"
	"atoll/store/record"
)

// Plan is a new experiment before it is written.
type Plan struct {
	Config config.Config
	Root   record.Hash // commit, already in the object store
	Branch string      // what Config.Root was resolved from
}

// Create writes a new experiment with its root candidate and the job that
// measures it. The root's commit must be in the session's object store.
func Create(ctx context.Context, ses *Session, p Plan) (record.Experiment, error) {
	info, err := ses.Repo.Commit(ctx, p.Root)
	if err != nil {
		return record.Experiment{}, fmt.Errorf("read the root commit %s: %w", p.Root.Short(), err)
	}
	e := record.Experiment{
		Name: p.Config.Name, Repository: ses.Target.Path, Branch: p.Branch, RootCommit: p.Root, RootTree: info.Tree,
		RootTime: record.Millis(info.Time.UnixMilli()), Seed: p.Config.Seed, Strict: p.Config.Order == "strict",
		Lookahead: p.Config.Lookahead, Config: config.Encode(p.Config), EvalKey: config.MeasureKey(p.Config), Objective: 1,
		State: record.ExperimentRunning,
	}
	job := record.NewJob(e.ID, 0, record.Evaluate) // in one step: without it a run would wait for ever
	job.Purpose, job.Candidate, job.Samples = record.PurposeRoot, record.Root, p.Config.Evaluator.RootRepeats
	if e, err = ses.DB.CreateExperiment(ctx, e, p.Config.Settings(), job); err != nil {
		return e, fmt.Errorf("write the experiment: %w", err)
	}
	return e, ses.Repo.Anchor(ctx, e.ID, []record.Hash{e.RootCommit})
}

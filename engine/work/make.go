package work

import (
	"context"
	"errors"
	"fmt"

	"atoll/gitops"
	"atoll/store"
	"atoll/store/fault"
	"atoll/store/record"
)

// maker carries out make jobs: it takes a candidate from part to part.
type maker struct {
	*run
	editor    *editor
	committer *committer
	gate      *gatekeeper
	measurer  *measurer
	ender     *ender
}

// make takes a make job from its lease to its end, or to where a person has
// to decide. A job that has a candidate already goes on behind it.
func (w *maker) make(ctx context.Context, r *attempt) error {
	c, err := w.candidate(ctx, r)
	if err != nil || c == nil {
		return err
	}
	parentTree, err := r.parentTree(ctx, c.Parent())
	if err != nil {
		return err
	}
	verdict, err := w.gate.check(ctx, r, c, parentTree)
	if err != nil || verdict == nil {
		return err
	}
	if held, err := w.gate.holdBefore(ctx, r, c, *verdict); held || err != nil {
		return err
	}
	if c.Objective != nil && c.Version == w.facts.Experiment.Objective && r.lease.Job.Approved {
		// Measured before, held before its niche, and approved.
		c.Status = record.StatusScored
		return r.finish(ctx, store.Outcome{State: record.Scored, Candidate: c})
	}
	if near, err := w.measurer.near(ctx, r, c, parentTree); near || err != nil {
		return err
	}
	fault.At(fault.Measure)
	return w.measurer.score(ctx, r, c, parentTree)
}

// candidate returns the candidate of the job: the one that exists, the one of
// a commit that was found without a row, or a new one. nil without an error:
// the job has ended.
func (w *maker) candidate(ctx context.Context, r *attempt) (*record.Candidate, error) {
	job := &r.lease.Job
	if job.Candidate != record.NoCandidate {
		c, err := w.db.Candidate(ctx, w.exp(), job.Candidate)
		return &c, err
	}
	if commit, ok := w.committer.take(job.ID); ok {
		c, err := w.committer.adopt(ctx, r, commit)
		if !errors.Is(err, errAnotherJob) {
			return c, err
		}
	}
	w.live.stage(job.ID, record.Editing, "editing")
	res, parent, err := w.editor.edit(ctx, r)
	if err != nil {
		return nil, w.ender.agentFailed(ctx, r, err)
	}
	r.spend(res.Usage)
	r.evidence = append(r.evidence, res.Evidence...)
	w.live.stage(job.ID, record.Editing, "committing")
	tree, err := w.repo.WriteTree(ctx, parent.Tree, res.Changes)
	if errors.Is(err, gitops.ErrChange) {
		return nil, r.fail(ctx, record.ClassGate, err.Error())
	}
	if err != nil {
		return nil, fmt.Errorf("write the tree of %s: %w", job.ID, err)
	}
	if tree == parent.Tree {
		return nil, r.fail(ctx, record.ClassNoChange, "the agent changed nothing")
	}
	return w.committer.write(ctx, r, parent, tree, res.Intent)
}

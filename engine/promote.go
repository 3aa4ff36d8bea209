package engine

import (
	"context"
	"errors"
	"fmt"

	"atoll/engine/fold"
	"atoll/gitops"
	"atoll/store/fault"
	"atoll/store/record"
)

// Promote adds one branch to the user's repository that points at a candidate,
// and records it. The branch must not exist. It returns the branch's name.
func (e *Engine) Promote(ctx context.Context, id record.CandidateID, branch string) (string, error) {
	if err := e.allowed(record.NewDecision(record.Promote)); err != nil {
		return "", err
	}
	return Promote(ctx, e.ses, e.exp, id, branch, e.who)
}

// Promote is [Engine.Promote] for callers without a running engine.
func Promote(ctx context.Context, ses *Session, exp record.ExperimentID, id record.CandidateID, branch, who string) (string, error) {
	c, err := ses.DB.Candidate(ctx, exp, id)
	if err != nil {
		return "", fmt.Errorf("read candidate %s: %w", id, err)
	}
	if branch == "" {
		x, err := ses.DB.Experiment(ctx, exp)
		if err != nil {
			return "", err
		}
		branch = BranchOf(x, id)
	}
	return branch, PromoteCommit(ctx, ses, exp, id, c.Commit, branch, who)
}

// BranchOf is the name of a candidate's branch where nobody chose another; git
// allows it whatever the experiment is called.
func BranchOf(x record.Experiment, id record.CandidateID) string {
	return "atoll/" + gitops.BranchName(fmt.Sprintf("%s-%s", x.Name, id))
}

// PromoteCommit adds a branch to the user's repository that points at a commit
// which holds a candidate's change, and records it.
func PromoteCommit(ctx context.Context, ses *Session, exp record.ExperimentID, id record.CandidateID, commit record.Hash, branch, who string) error {
	if ses.Target.Path == "" {
		return fmt.Errorf("%w: the user's repository is not known here; run the verb inside it", fold.ErrDecision)
	}
	if err := ses.Repo.Promote(ctx, ses.Target, branch, commit); errors.Is(err, gitops.ErrBranch) {
		return err
	} else if err != nil {
		return LostHistory(ctx, ses, exp, id, err)
	}
	fault.At(fault.Promote)
	d := record.NewDecision(record.Promote)
	d.Who, d.Candidate, d.Text = who, id, branch
	_, err := ses.DB.AppendDecision(ctx, exp, d)
	return err
}

// Patch returns the difference between the root and a candidate in the form
// that `git apply` takes.
func (e *Engine) Patch(ctx context.Context, id record.CandidateID) ([]byte, error) {
	c, err := e.db.Candidate(ctx, e.exp, id)
	if err != nil {
		return nil, fmt.Errorf("read candidate %s: %w", id, err)
	}
	exp, err := e.db.Experiment(ctx, e.exp)
	if err != nil {
		return nil, fmt.Errorf("read the experiment: %w", err)
	}
	return e.repo.ExportPatch(ctx, exp.RootCommit, c.Commit)
}

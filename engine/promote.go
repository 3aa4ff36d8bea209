package engine

import (
	"context"
	"errors"
	"fmt"

	"atoll/config"
	"atoll/engine/fold"
	"atoll/engine/query"
	"atoll/engine/view"
	"atoll/gitops"
	"atoll/store/fault"
	"atoll/store/record"
)

// Promote adds one branch to the user's repository that holds a candidate with the steps
// that led to it, and records it. The last commit is the candidate's own with the
// evidence in its message. The branch must not exist. It returns the branch's name.
func (e *Engine) Promote(ctx context.Context, id record.CandidateID, branch string) (string, error) {
	if err := e.allowed(record.NewDecision(record.Promote)); err != nil {
		return "", err
	}
	note, err := e.evidence(ctx, id)
	if err != nil {
		return "", err
	}
	branch, _, err = Promote(ctx, e.ses, e.exp, id, branch, note, e.who)
	return branch, err
}

// Promote is [Engine.Promote] for callers without a running engine, with the evidence as
// [Evidence] tells it. It returns the branch's name and commit.
func Promote(ctx context.Context, ses *Session, exp record.ExperimentID, id record.CandidateID, branch, note, who string) (string, record.Hash, error) {
	c, err := ses.DB.Candidate(ctx, exp, id)
	if err != nil {
		return "", record.Hash{}, fmt.Errorf("read candidate %s: %w", id, err)
	}
	if branch == "" {
		x, err := ses.DB.Experiment(ctx, exp)
		if err != nil {
			return "", record.Hash{}, err
		}
		branch = BranchOf(x, id)
	}
	commit := c.Commit
	if note != "" {
		if commit, err = ses.Repo.WithNote(ctx, c.Commit, note); err != nil {
			return "", record.Hash{}, LostHistory(ctx, ses, exp, id, err)
		}
	}
	d := record.NewPromotion(id, branch, record.Promotion{})
	d.Who = who
	return branch, commit, PromoteCommit(ctx, ses, exp, commit, d)
}

// Evidence is what is told of a candidate where it leaves unverified. Snap is the state
// that src answers for.
func Evidence(ctx context.Context, src *query.Reader, snap *view.Snapshot, id record.CandidateID) (string, error) {
	d, err := src.Candidate(ctx, id)
	if err != nil {
		return "", err
	}
	cfg, err := config.Decode(snap.Experiment.Config)
	if err != nil {
		return "", fmt.Errorf("read the stored configuration of %s: %w", snap.Experiment.Name, err)
	}
	return view.Evidence(snap, &d, cfg.Evaluator.Line()), nil
}

func (e *Engine) evidence(ctx context.Context, id record.CandidateID) (string, error) {
	snap, err := e.feed.Wait(ctx, 0)
	if err != nil {
		return "", err
	}
	return Evidence(ctx, e.reader, snap, id)
}

// CheckBranch refuses a name that git does not allow or that the user's repository has
// ([gitops.ErrBranch]).
func (e *Engine) CheckBranch(ctx context.Context, branch string) error {
	if e.ses.Target.Path == "" {
		return errNoTarget()
	}
	return e.repo.CheckBranch(ctx, e.ses.Target, branch)
}

// freeNames is how many names are tried for one candidate.
const freeNames = 100

// FreeBranch is [BranchOf] where the user's repository has no such branch, else that
// name with the first number that is free.
func (e *Engine) FreeBranch(ctx context.Context, id record.CandidateID) (string, error) {
	x, err := e.db.Experiment(ctx, e.exp)
	if err != nil {
		return "", fmt.Errorf("read the experiment: %w", err)
	}
	return FreeBranch(ctx, e.ses, x, id)
}

// FreeBranch is [Engine.FreeBranch] for callers without a running engine.
func FreeBranch(ctx context.Context, ses *Session, x record.Experiment, id record.CandidateID) (string, error) {
	if ses.Target.Path == "" {
		return "", errNoTarget()
	}
	name := BranchOf(x, id)
	for n := 2; ; n++ {
		err := ses.Repo.CheckBranch(ctx, ses.Target, name)
		if err == nil || n > freeNames || !errors.Is(err, gitops.ErrBranch) {
			return name, err
		}
		name = fmt.Sprintf("%s-%d", BranchOf(x, id), n)
	}
}

func errNoTarget() error {
	return fmt.Errorf("%w: the user's repository is not known here; run the verb inside it", fold.ErrDecision)
}

// BranchOf is the name of a candidate's branch where nobody chose another; git
// allows it whatever the experiment is called.
func BranchOf(x record.Experiment, id record.CandidateID) string {
	return "atoll/" + gitops.BranchName(fmt.Sprintf("%s-%s", x.Name, id))
}

// PromoteCommit adds the branch of a promotion to the user's repository, at a commit
// which holds the candidate's change, and records it.
func PromoteCommit(ctx context.Context, ses *Session, exp record.ExperimentID, commit record.Hash, d record.Decision) error {
	if ses.Target.Path == "" {
		return errNoTarget()
	}
	if err := ses.Repo.Promote(ctx, ses.Target, d.Text, commit); errors.Is(err, gitops.ErrBranch) {
		return err
	} else if err != nil {
		return LostHistory(ctx, ses, exp, d.Candidate, err)
	}
	fault.At(fault.Promote)
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
	note, err := e.evidence(ctx, id)
	if err != nil {
		return nil, err
	}
	return e.repo.ExportPatch(ctx, exp.RootCommit, c.Commit, note)
}

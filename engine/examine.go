package engine

import (
	"context"
	"errors"
	"fmt"

	"atoll/config"
	"atoll/engine/gate"
	"atoll/engine/schedule"
	"atoll/gitops"
	"atoll/store/record"
)

// Examined is a commit of the user's repository as the gate sees it.
type Examined struct {
	Commit    record.Hash
	Parent    record.CandidateID // the nearest one it descends from
	Files     []string           // that differ from the parent
	Patch     []byte             // in the form that `git apply` takes
	Verdict   gate.Verdict
	Protected []string // globs of what nobody may change
}

// Examine looks at a commit of the user's repository as if it was injected: what it
// changes, and whether the gate lets it pass. scope are globs of what it may change
// beside the experiment's own policy; none: that alone counts.
func (e *Engine) Examine(ctx context.Context, rev string, scope []string) (Examined, error) {
	var x Examined
	var err error
	if x.Commit, err = fetch(ctx, e.ses, rev); err != nil {
		return x, err
	}
	if x.Parent, _, err = schedule.Descent(ctx, e.db, e.repo, e.exp, x.Commit); err != nil {
		return x, err
	}
	info, err := e.repo.Commit(ctx, x.Commit)
	if err != nil {
		return x, fmt.Errorf("read the commit: %w", err)
	}
	parent, err := e.db.Candidate(ctx, e.exp, x.Parent)
	if err != nil {
		return x, fmt.Errorf("read its parent: %w", err)
	}
	diffs, err := e.repo.DiffTrees(ctx, parent.Tree, info.Tree)
	if err != nil {
		return x, err
	}
	if err := e.repo.CountLines(ctx, diffs); err != nil {
		return x, err
	}
	changes, err := e.repo.Changes(ctx, parent.Tree, info.Tree)
	if err != nil {
		return x, err
	}
	for _, d := range diffs {
		x.Files = append(x.Files, d.Path)
	}
	if x.Patch, err = e.repo.PatchText(ctx, parent.Tree, info.Tree); err != nil {
		return x, err
	}
	policy, err := e.policy(ctx)
	if err != nil {
		return x, err
	}
	x.Protected = policy.Protected
	x.Verdict = gate.Check(policy, diffs, changes, record.OpManual)
	if len(scope) > 0 && !x.Verdict.Rejected {
		policy.Scope = scope
		x.Verdict = gate.Check(policy, diffs, changes, record.OpManual)
	}
	return x, nil
}

// policy is what the configuration of the experiment says about changes.
func (e *Engine) policy(ctx context.Context) (gate.Policy, error) {
	exp, err := e.db.Experiment(ctx, e.exp)
	if err != nil {
		return gate.Policy{}, err
	}
	cfg, err := config.Decode(exp.Config)
	if err != nil {
		return gate.Policy{}, err
	}
	g := cfg.Gate
	return gate.Policy{
		Protected: cfg.Evaluator.Protected, Scope: g.Scope, Forbidden: g.Forbidden, MaxFiles: g.MaxFiles, MaxLines: g.MaxLines, MaxFileBytes: g.MaxFileBytes,
	}, nil
}

// RootFile returns the content of a file of the root, and whether it has one.
func (e *Engine) RootFile(ctx context.Context, path string) ([]byte, bool, error) {
	exp, err := e.db.Experiment(ctx, e.exp)
	if err != nil {
		return nil, false, err
	}
	tree, err := e.repo.Tree(ctx, exp.RootTree)
	if err != nil {
		return nil, false, err
	}
	data, err := tree.Read(ctx, path)
	if errors.Is(err, gitops.ErrNotFound) {
		return nil, false, nil
	}
	return data, err == nil, err
}

package gitops

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"atoll/store/record"
)

// SetBranch lets a branch of the store, not of the user's repository, point to a
// commit that the store has, so that it and its ancestors stay reachable and git
// shows them by name. Its file is exchanged as a whole: git would leave a lock behind where it is killed.
func (r *Repo) SetBranch(ctx context.Context, name string, commit record.Hash) error {
	if !r.Has(ctx, commit) {
		return fmt.Errorf("let %s point to %s: %w", name, commit.Short(), ErrNotFound)
	}
	if err := r.writeRef("refs/heads/"+BranchName(name), commit); err != nil {
		return fmt.Errorf("let %s point to %s: %w", name, commit.Short(), err)
	}
	return nil
}

// MoveBranch is SetBranch for a branch that is at a commit; one that is elsewhere, or that
// another process of atoll moves meanwhile, stays.
func (r *Repo) MoveBranch(ctx context.Context, name string, from, to record.Hash) error {
	lock, err := lockFile(ctx, filepath.Join(r.dir, "atoll-branches.lock"), exclusive)
	if err != nil {
		return fmt.Errorf("move %s from %s to %s: %w", name, from.Short(), to.Short(), err)
	}
	defer unlock(lock)
	if at, err := r.StoreBranch(ctx, name); err != nil || at != from {
		return err
	}
	return r.SetBranch(ctx, name, to)
}

// StoreBranch is the commit that a branch of the store points to; the zero hash where there
// is none.
func (r *Repo) StoreBranch(ctx context.Context, name string) (record.Hash, error) {
	out, err := r.store(ctx, "for-each-ref", "--format=%(objectname)", "refs/heads/"+BranchName(name))
	if err != nil {
		return record.Hash{}, fmt.Errorf("read the branch %s of the store: %w", name, err)
	}
	text := strings.TrimSpace(string(out))
	if text == "" {
		return record.Hash{}, nil
	}
	h, err := record.ParseHash(text)
	if err != nil {
		return h, fmt.Errorf("read the branch %s of the store: %w", name, err)
	}
	return h, nil
}

// MergeBase is the best common ancestor of two commits of the store; the zero hash where
// they have none.
func (r *Repo) MergeBase(ctx context.Context, a, b record.Hash) (record.Hash, error) {
	out, err := r.store(ctx, "merge-base", a.String(), b.String())
	if exitCode(err) == 1 {
		return record.Hash{}, nil
	}
	if err != nil {
		return record.Hash{}, fmt.Errorf("find what %s and %s have in common: %w", a.Short(), b.Short(), err)
	}
	h, err := record.ParseHash(strings.TrimSpace(string(out)))
	if err != nil {
		return h, fmt.Errorf("find what %s and %s have in common: %w", a.Short(), b.Short(), err)
	}
	return h, nil
}

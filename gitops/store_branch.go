package gitops

import (
	"context"
	"fmt"

	"atoll/store/record"
)

// SetBranch lets a branch of the store, not of the user's repository, point to a
// commit that the store has, so that it and its ancestors stay reachable and git
// shows them by name.
func (r *Repo) SetBranch(ctx context.Context, name string, commit record.Hash) error {
	if !r.Has(ctx, commit) {
		return fmt.Errorf("let %s point to %s: %w", name, commit.Short(), ErrNotFound)
	}
	if _, err := r.store(ctx, "update-ref", "refs/heads/"+BranchName(name), commit.String()); err != nil {
		return fmt.Errorf("let %s point to %s: %w", name, commit.Short(), err)
	}
	return nil
}

package gitops_test

import (
	"os"
	"path/filepath"
	"testing"
)

func TestABranchOfTheStoreMovesBesideALockThatAKilledGitLeft(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	s, head, tree := imported(t, sample(t))
	next, last := commitTree(t, s, tree, 1, head), commitTree(t, s, tree, 2, head)
	heads := filepath.Join(s.Dir(), "refs", "heads")
	if err := os.MkdirAll(heads, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(heads, "campaign.lock"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := s.SetBranch(ctx, "campaign", head); err != nil {
		t.Fatal(err)
	}
	if err := s.MoveBranch(ctx, "campaign", head, next); err != nil {
		t.Fatal(err)
	}
	if err := s.MoveBranch(ctx, "campaign", head, last); err != nil { // it is elsewhere, and stays
		t.Fatal(err)
	}
	if at, err := s.StoreBranch(ctx, "campaign"); err != nil || at != next {
		t.Errorf("the branch is at %s, want %s; %v", at.Short(), next.Short(), err)
	}
}

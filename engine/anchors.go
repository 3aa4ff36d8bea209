package engine

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"atoll/engine/fold"
	"atoll/engine/view"
	"atoll/gitops"
	"atoll/store/fault"
	"atoll/store/record"
)

// anchors makes candidates reachable in the object store: each has a ref of its
// own until an anchor commit holds it.
type anchors struct {
	*journal
	exp   record.ExperimentID
	repo  *gitops.Repo
	found int // attempt refs that an earlier run left
}

// anchorEvery is how many candidates share one anchor commit, at most.
const anchorEvery = 256

// add anchors the candidates that the fold knows and takes their attempt refs
// away: when there are many, or now.
func (a *anchors) add(ctx context.Context, st *fold.State, now bool) error {
	if !now && st.MadeSince < anchorEvery || st.MadeSince == 0 && a.found == 0 {
		return nil
	}
	attempts, err := a.attempts(ctx)
	if err != nil {
		return err
	}
	var commits []record.Hash
	var done []record.JobID
	for _, job := range slices.Sorted(maps.Keys(attempts)) {
		if st.Candidate(record.CandidateID(job)) != nil {
			commits, done = append(commits, attempts[job]), append(done, job)
		}
	}
	st.MadeSince, a.found = 0, 0
	if len(commits) == 0 {
		return nil
	}
	err = a.repo.Anchor(ctx, a.exp, commits)
	if errors.Is(err, gitops.ErrNotFound) || errors.Is(err, gitops.ErrDamaged) {
		err = a.repo.Anchor(ctx, a.exp, a.present(ctx, commits))
	}
	if err != nil {
		return fmt.Errorf("anchor %d commits: %w", len(commits), err)
	}
	fault.At(fault.Anchored)
	for _, job := range done {
		if err := a.repo.ClearAttempt(ctx, a.exp, job); err != nil {
			return fmt.Errorf("clear the attempt ref of %s: %w", job, err)
		}
	}
	return nil
}

// attempts are the commits that no anchor holds yet, by job.
func (a *anchors) attempts(ctx context.Context) (map[record.JobID]record.Hash, error) {
	found, err := a.repo.Attempts(ctx, a.exp)
	if err != nil {
		return nil, fmt.Errorf("read attempt refs: %w", err)
	}
	return found, nil
}

// present returns those of the commits that are in the store, and tells of the
// others: a job that meets one of them writes it again, or has its candidate rejected.
func (a *anchors) present(ctx context.Context, commits []record.Hash) []record.Hash {
	there := slices.DeleteFunc(slices.Clone(commits), func(c record.Hash) bool {
		_, err := a.repo.Commit(ctx, c)
		return err != nil
	})
	if gone := len(commits) - len(there); gone > 0 {
		a.note("warn", record.NoJob, fmt.Sprintf("%s of the store are missing; `atoll doctor --deep` names them", view.Plural(gone, "commit")))
	}
	return there
}

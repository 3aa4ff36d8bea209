package work

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"atoll/gitops"
	"atoll/store"
	"atoll/store/record"
)

// rescuer mends, or gives up, candidates whose objects are gone from the store.
type rescuer struct {
	*committer

	mu        sync.Mutex
	dismissed map[record.CandidateID]bool // by this engine, for want of their objects
}

// missing reports an error that may mean that an object of the store is gone or
// cannot be read. A path that an agent made up gives the same.
func missing(err error) bool {
	return errors.Is(err, gitops.ErrNotFound) || errors.Is(err, gitops.ErrDamaged)
}

// lost ends a job that met a candidate of which an object is gone. A commit is
// written again from its row, for its name depends on nothing else. A candidate that
// stays without its files is rejected: nobody starts from it any more, its niche goes
// to the runner-up, and the search goes on. It reports that this was the trouble; then
// the job has ended. Without the root there is nothing to go on with.
func (w *rescuer) lost(ctx context.Context, r *attempt, cause error) (bool, error) {
	if !missing(cause) || ctx.Err() != nil {
		return false, nil
	}
	job := r.lease.Job
	about := append([]record.CandidateID{record.Root, job.Parent, job.Candidate}, job.Inspirations...)
	slices.Sort(about)
	hurt := false
	for _, id := range slices.Compact(about) {
		if id == record.NoCandidate {
			continue
		}
		c, err := w.db.Candidate(ctx, w.exp(), id)
		if errors.Is(err, store.ErrNotFound) {
			continue
		}
		if err != nil {
			return false, err
		}
		bad := w.repo.Whole(ctx, c.Commit)
		if bad == nil {
			continue
		}
		hurt = true
		if again, err := w.again(ctx, job.ID, &c); err != nil {
			return false, err
		} else if again {
			continue
		}
		if id == record.Root {
			return false, fmt.Errorf("the root's objects are missing: %w; `atoll repair` brings back what your repository still has; else put the store back from a copy, or start over with `atoll run --new`", bad)
		}
		if err := w.dismiss(ctx, id, bad); err != nil {
			return false, err
		}
	}
	if !hurt {
		return false, nil
	}
	return true, r.fail(ctx, record.ClassInternal, fmt.Sprintf("an object of the store was missing: %v", cause))
}

// again writes the commit of a candidate anew, and reports whether its objects are
// whole with it. job is for whom.
func (w *committer) again(ctx context.Context, job record.JobID, c *record.Candidate) (bool, error) {
	if !Rewrite(ctx, w.db, w.repo, &w.facts.Experiment, c) || w.repo.Whole(ctx, c.Commit) != nil {
		return false, nil
	}
	w.host.Note("warn", job, fmt.Sprintf("the commit of %s was missing and is written again", c.ID))
	return true, w.repo.MarkAttempt(ctx, w.exp(), c.Job, c.Commit) // until it is anchored
}

// standing writes the commits that one of a job would descend from, where they are
// missing, and reports whether one was written: what an agent made is not lost for want
// of them.
func (w *committer) standing(ctx context.Context, job record.Job) (again bool, err error) {
	for _, id := range append([]record.CandidateID{job.Parent}, job.Inspirations...) {
		c, err := w.db.Candidate(ctx, w.exp(), id)
		if err != nil {
			return false, err
		}
		if w.repo.Whole(ctx, c.Commit) == nil {
			continue
		}
		ok, err := w.again(ctx, job.ID, &c)
		if err != nil {
			return false, err
		}
		again = again || ok
	}
	return again, nil
}

// dismiss rejects a candidate whose objects are gone, once.
func (w *rescuer) dismiss(ctx context.Context, id record.CandidateID, bad error) error {
	w.mu.Lock()
	again := w.dismissed[id]
	if w.dismissed == nil {
		w.dismissed = map[record.CandidateID]bool{}
	}
	w.dismissed[id] = true
	w.mu.Unlock()
	if again {
		return nil
	}
	d := record.NewDecision(record.Reject)
	d.Who, d.Candidate, d.Text = "atoll", id, fmt.Sprintf("its objects are missing: %v", bad)
	_, err := w.host.Decide(ctx, d)
	return err
}

package engine

import (
	"atoll/store/record"
	"context"
	"fmt"
	"sort"
)

// sync publishes the settings to the workers.
func (e *Engine) sync() {
	set := e.st.Settings
	e.shared.set.Store(&set)
}

// anchorEvery is how many candidates share one anchor commit, at most.
const anchorEvery = 256

// anchor makes new candidates reachable from the anchor of the experiment and
// takes their attempt refs away. Until then each is held by its own ref.
func (e *Engine) anchor(ctx context.Context, now bool) error {
	if !now && e.st.MadeSince < anchorEvery || e.st.MadeSince == 0 && e.anchored == 0 {
		return nil
	}
	attempts, err := e.repo.Attempts(ctx, e.exp)
	if err != nil {
		return fmt.Errorf("read attempt refs: %w", err)
	}
	var jobs []record.JobID
	for job := range attempts {
		jobs = append(jobs, job)
	}
	sort.Slice(jobs, func(i, j int) bool { return jobs[i] < jobs[j] })
	var commits []record.Hash
	var done []record.JobID
	for _, job := range jobs {
		if e.st.Candidate(record.CandidateID(job)) != nil {
			commits, done = append(commits, attempts[job]), append(done, job)
		}
	}
	e.st.MadeSince, e.anchored = 0, 0
	if len(commits) == 0 {
		return nil
	}
	if err := e.repo.Anchor(ctx, e.exp, commits); err != nil {
		return fmt.Errorf("anchor %d commits: %w", len(commits), err)
	}
	for _, job := range done {
		if err := e.repo.ClearAttempt(ctx, e.exp, job); err != nil {
			return fmt.Errorf("clear the attempt ref of %s: %w", job, err)
		}
	}
	return nil
}

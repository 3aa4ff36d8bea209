package engine

import (
	"context"
	"fmt"
	"sort"

	"atoll/engine/view"
	"atoll/store/record"
)

// sync publishes the settings to the workers.
func (e *Engine) sync() {
	set := e.st.Settings
	e.set.Store(&set)
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

// reanchor has every candidate reachable in the store,
// whatever somebody's git did to its refs since the last run.
func (e *Engine) reanchor(ctx context.Context) error {
	var commits []record.Hash
	err := e.db.EachCandidate(ctx, e.exp, record.NoCandidate, func(c *record.Candidate) error {
		commits = append(commits, c.Commit)
		return nil
	})
	if err != nil {
		return err
	}
	added, lost, err := e.repo.Reanchor(ctx, e.exp, commits)
	if err != nil {
		return fmt.Errorf("anchor what was made: %w", err)
	}
	if added > 0 && added < len(commits) {
		e.note("info", record.NoJob, fmt.Sprintf("%s of the store could have been dropped by git gc, and are held again", view.Plural(added, "candidate")))
	}
	if len(lost) > 0 {
		e.note("warn", record.NoJob, fmt.Sprintf("%s of the store are missing; `atoll doctor --deep` names them", view.Plural(len(lost), "commit")))
	}
	return nil
}

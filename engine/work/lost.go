package work

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"atoll/gitops"
	"atoll/store"
	"atoll/store/record"
)

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
func (r *jobRun) lost(ctx context.Context, cause error) (bool, error) {
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
		c, err := r.w.db.Candidate(ctx, r.w.facts.Experiment.ID, id)
		if errors.Is(err, store.ErrNotFound) {
			continue
		}
		if err != nil {
			return false, err
		}
		bad := r.w.repo.Whole(ctx, c.Commit)
		if bad == nil {
			continue
		}
		hurt = true
		if r.w.rewrite(ctx, &c) && r.w.repo.Whole(ctx, c.Commit) == nil {
			r.w.host.Note("warn", job.ID, fmt.Sprintf("the commit of %s was missing and is written again", id))
			continue
		}
		if id == record.Root {
			return false, fmt.Errorf("the root's objects are missing: %w; put the store back from a copy, or start over with `atoll run --new`", bad)
		}
		if err := r.w.dismiss(ctx, id, bad); err != nil {
			return false, err
		}
	}
	if !hurt {
		return false, nil
	}
	return true, r.fail(ctx, record.ClassInternal, fmt.Sprintf("an object of the store was missing: %v", cause))
}

// rewrite makes the commit of a candidate once more.
func (w *Runner) rewrite(ctx context.Context, c *record.Candidate) bool {
	job, err := w.db.Job(ctx, w.facts.Experiment.ID, c.Job)
	if err != nil || c.ID == record.Root {
		return false
	}
	var parents []record.Hash
	for _, p := range c.Parents {
		if p.Role != record.RoleParent && (p.Role != record.RoleCrossover || job.Operator != record.OpCrossover) {
			continue
		}
		from, err := w.db.Candidate(ctx, w.facts.Experiment.ID, p.ID)
		if err != nil {
			return false
		}
		if !slices.Contains(parents, from.Commit) {
			parents = append(parents, from.Commit)
		}
	}
	commit, err := w.repo.WriteCommit(ctx, w.commitSpec(job, c.Tree, parents, c.Intent))
	return err == nil && commit == c.Commit
}

// commitSpec is all that goes into the commit of a job: its name follows from the row.
func (w *Runner) commitSpec(job record.Job, tree record.Hash, parents []record.Hash, intent string) gitops.CommitSpec {
	return gitops.CommitSpec{
		Tree: tree, Parents: parents, Message: commitMessage(w.facts.Experiment.ID, job, intent), AuthorName: "atoll", AuthorEmail: "atoll@localhost",
		Time: time.UnixMilli(int64(w.facts.Experiment.RootTime)).Add(time.Duration(job.ID) * time.Second),
	}
}

// dismiss rejects a candidate whose objects are gone, once.
func (w *Runner) dismiss(ctx context.Context, id record.CandidateID, bad error) error {
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
	_, err := w.host.Decide(ctx, record.Decision{
		Who: "atoll", Verb: record.Reject, Candidate: id, Job: record.NoJob, Cell: -1, Text: fmt.Sprintf("its objects are missing: %v", bad),
	})
	return err
}

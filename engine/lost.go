package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"atoll/engine/view"
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
		c, err := r.e.db.Candidate(ctx, r.e.exp, id)
		if errors.Is(err, store.ErrNotFound) {
			continue
		}
		if err != nil {
			return false, err
		}
		bad := r.e.repo.Whole(ctx, c.Commit)
		if bad == nil {
			continue
		}
		hurt = true
		if r.e.rewrite(ctx, &c) && r.e.repo.Whole(ctx, c.Commit) == nil {
			r.e.note("warn", job.ID, fmt.Sprintf("the commit of %s was missing and is written again", id))
			continue
		}
		if id == record.Root {
			return false, fmt.Errorf("the root's objects are missing: %w; put the store back from a copy, or start over with `atoll run --new`", bad)
		}
		if err := r.e.dismiss(ctx, id, bad); err != nil {
			return false, err
		}
	}
	if !hurt {
		return false, nil
	}
	return true, r.fail(ctx, record.ClassInternal, fmt.Sprintf("an object of the store was missing: %v", cause))
}

// rewrite makes the commit of a candidate once more.
func (e *Engine) rewrite(ctx context.Context, c *record.Candidate) bool {
	job, err := e.db.Job(ctx, e.exp, c.Job)
	if err != nil || c.ID == record.Root {
		return false
	}
	var parents []record.Hash
	for _, p := range c.Parents {
		if p.Role != record.RoleParent && (p.Role != record.RoleCrossover || job.Operator != record.OpCrossover) {
			continue
		}
		from, err := e.db.Candidate(ctx, e.exp, p.ID)
		if err != nil {
			return false
		}
		if !slices.Contains(parents, from.Commit) {
			parents = append(parents, from.Commit)
		}
	}
	commit, err := e.repo.WriteCommit(ctx, e.commitSpec(job, c.Tree, parents, c.Intent))
	return err == nil && commit == c.Commit
}

// commitSpec is all that goes into the commit of a job: its name follows from the row.
func (e *Engine) commitSpec(job record.Job, tree record.Hash, parents []record.Hash, intent string) gitops.CommitSpec {
	return gitops.CommitSpec{
		Tree: tree, Parents: parents, Message: commitMessage(e.exp, job, intent), AuthorName: "atoll", AuthorEmail: "atoll@localhost",
		Time: time.UnixMilli(int64(e.rootTime())).Add(time.Duration(job.ID) * time.Second),
	}
}

// dismiss rejects a candidate whose objects are gone, once.
func (e *Engine) dismiss(ctx context.Context, id record.CandidateID, bad error) error {
	e.trouble.Lock()
	again := e.trouble.dismissed[id]
	if e.trouble.dismissed == nil {
		e.trouble.dismissed = map[record.CandidateID]bool{}
	}
	e.trouble.dismissed[id] = true
	e.trouble.Unlock()
	if again {
		return nil
	}
	_, err := e.db.AppendDecision(ctx, e.exp, record.Decision{
		Who: "atoll", Verb: record.Reject, Candidate: id, Job: record.NoJob, Cell: -1, Text: fmt.Sprintf("its objects are missing: %v", bad),
	})
	e.poke()
	return err
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

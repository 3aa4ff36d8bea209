package work

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"time"

	"atoll/engine/agent"
	"atoll/engine/view"
	"atoll/gitops"
	"atoll/store"
	"atoll/store/fault"
	"atoll/store/record"
)

// committer writes what agents changed as commits and candidates.
type committer struct {
	*candidates

	mu       sync.Mutex
	prepared map[record.JobID]record.Hash // commits found without a row, or injected
}

// write makes the commit object, marks it so that a crash cannot lose it, and
// writes its row. A tree that is known ends the job as a duplicate.
func (w *committer) write(ctx context.Context, r *attempt, parent agent.Item, tree record.Hash, intent string) (*record.Candidate, error) {
	job := r.lease.Job
	if known, err := r.known(ctx, tree); known || err != nil {
		return nil, err
	}
	intent, err := w.subject(ctx, r, parent, tree, intent)
	if err != nil {
		return nil, err
	}
	c := r.describe(parent, tree, intent)
	spec := commitSpec(&w.facts.Experiment, job, tree, r.gitParents(ctx, parent), commitMessage(w.facts.Experiment.ID, job, intent))
	commit, err := w.repo.WriteCommit(ctx, spec)
	if missing(err) && ctx.Err() == nil {
		if again, merr := w.standing(ctx, job); merr != nil {
			return nil, merr
		} else if again {
			commit, err = w.repo.WriteCommit(ctx, spec)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("write the commit of %s: %w", job.ID, err)
	}
	c.Commit = commit
	fault.At(fault.Commit)
	if err := w.repo.MarkAttempt(ctx, w.exp(), job.ID, commit); err != nil {
		return nil, fmt.Errorf("mark the commit of %s: %w", job.ID, err)
	}
	fault.At(fault.Row)
	return w.made(ctx, r, c, parent.Tree)
}

// errAnotherJob: a commit that was found is of a job of this number that was another
// one, before the store went back to a copy of it.
var errAnotherJob = errors.New("the commit that was found is not of this job")

// adopt goes on from a commit whose row was lost in a crash, or that a
// person injected: it is never made, or paid for, again.
func (w *committer) adopt(ctx context.Context, r *attempt, commit record.Hash) (*record.Candidate, error) {
	info, err := w.repo.Commit(ctx, commit)
	if err != nil {
		return nil, fmt.Errorf("read the commit of %s: %w", r.lease.Job.ID, err)
	}
	parent, err := w.item(ctx, r.lease.Job.Parent)
	if err != nil {
		return nil, err
	}
	if known, err := r.known(ctx, info.Tree); known || err != nil {
		return nil, err
	}
	if r.lease.Job.Operator != record.OpManual && !slices.Contains(info.Parents, parent.Commit) {
		return nil, errAnotherJob
	}
	c := r.describe(parent, info.Tree, intentOf(info.Message))
	c.Commit = commit
	return w.made(ctx, r, c, parent.Tree)
}

// original is the candidate that has a tree already, as a job of this number sees it; NoCandidate
// for none.
func (r *run) original(ctx context.Context, job record.JobID, tree record.Hash) (record.CandidateID, error) {
	of, err := r.db.CandidateByTree(ctx, r.exp(), job, tree)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return record.NoCandidate, nil
	case err != nil:
		return record.NoCandidate, err
	}
	return of.ID, nil
}

// known ends the job as a duplicate where a candidate has its tree already.
func (r *attempt) known(ctx context.Context, tree record.Hash) (bool, error) {
	of, err := r.original(ctx, r.lease.Job.ID, tree)
	if of == record.NoCandidate || err != nil {
		return false, err
	}
	return true, r.finish(ctx, store.Outcome{State: record.Duplicate, Duplicate: of, Reason: store.SameTree(of)})
}

// made writes the row of a commit that exists.
func (w *committer) made(ctx context.Context, r *attempt, c *record.Candidate, parentTree record.Hash) (*record.Candidate, error) {
	r.parent = parentTree
	diffs, err := r.changes(ctx, parentTree, c.Tree)
	if err != nil {
		return nil, err
	}
	for _, d := range diffs {
		c.Added += max(0, d.Added)
		c.Removed += max(0, d.Removed)
	}
	c.Files = len(diffs)
	var spent store.Outcome // of an end that comes here
	r.fill(&spent)
	dup, displaced, err := w.db.Made(ctx, r.lease, *c, spent)
	if err != nil {
		return nil, err
	}
	for _, job := range displaced { // came to this tree first, and come after
		w.live.Cancel(job, errDisplaced)
		if err := w.repo.ClearAttempt(ctx, w.exp(), job); err != nil {
			return nil, err
		}
	}
	if dup != record.NoCandidate {
		return nil, w.repo.ClearAttempt(ctx, w.exp(), r.lease.Job.ID)
	}
	r.lease.Job.State = record.Committed
	return c, nil
}

func (r *attempt) describe(parent agent.Item, tree record.Hash, intent string) *record.Candidate {
	job := r.lease.Job
	c := &record.Candidate{
		Experiment: r.exp(), ID: record.CandidateID(job.ID), Job: job.ID, Tree: tree,
		Parents:  []record.ParentRef{{ID: parent.ID, Role: record.RoleParent}},
		Operator: job.Operator, Agent: job.Agent, Target: job.Target, Intent: view.CleanLine(firstLine(intent)),
		Status: record.StatusMade, Version: r.facts.Experiment.Objective, Created: record.Millis(r.now().UnixMilli()),
	}
	for i, id := range job.Inspirations {
		role := record.RoleInspiration
		if i == 0 && id == job.Mate() {
			role = record.RoleCrossover
		}
		c.Parents = append(c.Parents, record.ParentRef{ID: id, Role: role})
	}
	return c
}

// gitParents are the commits a candidate descends from: the parent, and the
// donor of a crossover.
func (r *attempt) gitParents(ctx context.Context, parent agent.Item) []record.Hash {
	hashes := []record.Hash{parent.Commit}
	job := r.lease.Job
	if job.Operator == record.OpCrossover && len(job.Inspirations) > 0 {
		if donor, err := r.db.Candidate(ctx, r.exp(), job.Inspirations[0]); err == nil && donor.Commit != parent.Commit {
			hashes = append(hashes, donor.Commit)
		}
	}
	return hashes
}

// commitSpec is all that goes into the commit of a job: its name follows from the row.
func commitSpec(exp *record.Experiment, job record.Job, tree record.Hash, parents []record.Hash, message string) gitops.CommitSpec {
	return gitops.CommitSpec{
		Tree: tree, Parents: parents, Message: message, AuthorName: "atoll", AuthorEmail: "atoll@localhost",
		Time: time.UnixMilli(int64(exp.RootTime)).Add(time.Duration(job.ID) * time.Second),
	}
}

// Rewrite makes the commit of a candidate once more, from its row and those it
// descends from, and reports whether that was possible: the root and commits that
// somebody else made are not made here.
func Rewrite(ctx context.Context, db *store.DB, repo *gitops.Repo, exp *record.Experiment, c *record.Candidate) bool {
	job, err := db.Job(ctx, exp.ID, c.Job)
	if err != nil || c.ID == record.Root {
		return false
	}
	var parents []record.Hash
	for _, p := range c.Parents {
		if p.Role != record.RoleParent && (p.Role != record.RoleCrossover || job.Operator != record.OpCrossover) {
			continue
		}
		from, err := db.Candidate(ctx, exp.ID, p.ID)
		if err != nil {
			return false
		}
		if !slices.Contains(parents, from.Commit) {
			parents = append(parents, from.Commit)
		}
	}
	// The commit names the experiment by the number that it had when it was made.
	origin := *exp
	if was, ok, err := db.Meta(ctx, exp.ID, store.MetaOrigin); err == nil && ok {
		if n, err := strconv.ParseInt(was, 10, 64); err == nil {
			origin.ID = record.ExperimentID(n)
		}
	}
	for _, as := range []*record.Experiment{exp, &origin} {
		for _, message := range []string{commitMessage(as.ID, job, c.Intent), briefMessage(as.ID, job, c.Intent)} {
			if commit, err := repo.WriteCommit(ctx, commitSpec(as, job, c.Tree, parents, message)); err == nil && commit == c.Commit {
				return true
			}
		}
	}
	return false
}

// prepare has a job go on from a commit that exists.
func (w *committer) prepare(job record.JobID, commit record.Hash) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.prepared == nil {
		w.prepared = map[record.JobID]record.Hash{}
	}
	w.prepared[job] = commit
}

// take returns the commit that a job goes on from, once.
func (w *committer) take(job record.JobID) (record.Hash, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	commit, ok := w.prepared[job]
	delete(w.prepared, job)
	return commit, ok
}

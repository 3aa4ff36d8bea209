package work

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"atoll/engine/agent"
	"atoll/engine/gate"
	"atoll/engine/search"
	"atoll/engine/view"
	"atoll/gitops"
	"atoll/store"
	"atoll/store/record"
)

// The causes with which a running job is stopped.
var ErrCancelled = errors.New("cancelled")

// jobRun is one attempt of one job. It lives on its worker's goroutine.
type jobRun struct {
	w        *Runner
	lease    record.Lease
	started  time.Time
	edit     time.Duration // of the agent
	eval     time.Duration // of the evaluator
	usage    record.Usage
	evidence []record.Evidence
	parent   record.Hash       // the parent's tree, once it is known
	diffs    []record.FileDiff // to the parent, once they are known
	evals    int
	preview  bool // nothing is asked or spent: the prompt is only looked at
}

// make takes a make job from its lease to its end, or to where a person has
// to decide. A job that has a candidate already goes on behind it.
func (r *jobRun) make(ctx context.Context) error {
	c, err := r.candidate(ctx)
	if err != nil || c == nil {
		return err
	}
	parentTree, err := r.parentTree(ctx, c.Parent())
	if err != nil {
		return err
	}
	verdict, err := r.gate(ctx, c, parentTree)
	if err != nil || verdict == nil {
		return err
	}
	if held, err := r.holdBefore(ctx, c, *verdict); held || err != nil {
		return err
	}
	if c.Objective != nil && c.Version == r.w.facts.Experiment.Objective && r.lease.Job.Approved {
		// Measured before, held before its niche, and approved.
		c.Status = record.StatusScored
		return r.finish(ctx, store.Outcome{State: record.Scored, Candidate: c})
	}
	return r.score(ctx, c, parentTree)
}

// candidate returns the candidate of the job: the one that exists, the one of
// a commit that was found without a row, or a new one. nil without an error:
// the job has ended.
func (r *jobRun) candidate(ctx context.Context) (*record.Candidate, error) {
	job := &r.lease.Job
	if job.Candidate != record.NoCandidate {
		c, err := r.w.db.Candidate(ctx, r.w.facts.Experiment.ID, job.Candidate)
		return &c, err
	}
	if commit, ok := r.w.takePrepared(job.ID); ok {
		return r.adoptCommit(ctx, commit)
	}
	r.w.live.stage(job.ID, record.Editing, "editing")
	res, parent, err := r.callAgent(ctx)
	if err != nil {
		return nil, r.agentFailed(ctx, err)
	}
	r.usage = r.usage.Add(res.Usage)
	r.evidence = append(r.evidence, res.Evidence...)
	r.w.live.stage(job.ID, record.Editing, "committing")
	tree, err := r.w.repo.WriteTree(ctx, parent.Tree, res.Changes)
	if errors.Is(err, gitops.ErrChange) {
		return nil, r.fail(ctx, record.ClassGate, err.Error())
	}
	if err != nil {
		return nil, fmt.Errorf("write the tree of %s: %w", job.ID, err)
	}
	if tree == parent.Tree {
		return nil, r.fail(ctx, record.ClassNoChange, "the agent changed nothing")
	}
	return r.commit(ctx, parent, tree, res.Intent)
}

// callAgent has the job's agent edit the parent's tree.
func (r *jobRun) callAgent(ctx context.Context) (agent.Result, agent.Item, error) {
	job := r.lease.Job
	a, ok := r.w.roster.Agents[job.Agent]
	if !ok {
		return agent.Result{}, agent.Item{}, &agent.Error{Class: record.ClassAgent, Reason: fmt.Sprintf("there is no agent %q any more; give another one weight", job.Agent)}
	}
	if r.w.roster.OwnLogin[job.Agent] && r.w.settings().MaxCostUSD > 0 {
		return agent.Result{}, agent.Item{}, &agent.Error{Class: record.ClassBudget, Reason: fmt.Sprintf("agent %q pays with its own login, which cannot be metered, and money is limited now", job.Agent)}
	}
	aj, err := r.agentJob(ctx)
	if err != nil {
		return agent.Result{}, agent.Item{}, err
	}
	began := r.w.now()
	res, err := a.Edit(ctx, aj, aj.Parent.Files)
	r.edit += r.w.now().Sub(began)
	return res, aj.Parent, err
}

// agentJob is the job as its agent sees it.
func (r *jobRun) agentJob(ctx context.Context) (agent.Job, error) {
	job, w := r.lease.Job, r.w
	parent, err := w.item(ctx, job.Parent)
	if err != nil {
		return agent.Job{}, err
	}
	set := w.settings()
	aj := agent.Job{
		Number: job.ID, Attempt: r.lease.Attempt, Rand: search.Rand(w.facts.Experiment.Seed^editSalt, job.ID), Operator: job.Operator,
		Parent: parent, History: w.history(job.ID), Goal: set.Goal, Constraints: set.Constraints, Acceptance: set.Acceptance,
		Direction: w.facts.Config.Evaluator.Direction, Metric: w.Metric(),
		Live:     func(line string) { w.live.line(job.ID, line) },
		Progress: func(stage string) { w.live.stage(job.ID, record.Editing, stage) },
		Sending:  func(role, text string) { w.live.prompt(job.ID, role, agent.Redact(text, w.roster.Secrets...)) },
	}
	if job.Goal != "" {
		aj.Goal = job.Goal
	}
	for _, id := range job.Inspirations {
		it, err := w.item(ctx, id)
		if err != nil {
			return agent.Job{}, err
		}
		aj.Inspirations = append(aj.Inspirations, it)
	}
	aj.Target, aj.Scope = w.Scope(job.Target)
	mute := w.roster.Mute[job.Agent]
	if !mute || job.Operator == record.OpRepair {
		if aj.Failures, err = w.failures(ctx, &aj); err != nil {
			return agent.Job{}, err
		}
	}
	if mute {
		return aj, nil
	}
	if err := w.context(ctx, &aj); err != nil {
		return agent.Job{}, err
	}
	return aj, r.inform(ctx, &aj)
}

// editSalt keeps the agent's randomness apart from that of the choice.
const editSalt = 0x517cc1b727220a95

// commit makes the commit object, marks it so that a crash cannot lose it, and
// writes its row. A tree that is known ends the job as a duplicate.
func (r *jobRun) commit(ctx context.Context, parent agent.Item, tree record.Hash, intent string) (*record.Candidate, error) {
	w, job := r.w, r.lease.Job
	if known, err := w.db.CandidateByTree(ctx, w.facts.Experiment.ID, tree); err == nil {
		return nil, r.finish(ctx, store.Outcome{State: record.Duplicate, Duplicate: known.ID, Reason: "same tree as " + known.ID.String()})
	} else if !errors.Is(err, store.ErrNotFound) {
		return nil, err
	}
	intent, err := r.subject(ctx, parent, tree, intent)
	if err != nil {
		return nil, err
	}
	c := r.describe(parent, tree, intent)
	commit, err := w.repo.WriteCommit(ctx, w.commitSpec(job, tree, r.gitParents(ctx, parent), intent))
	if err != nil {
		return nil, fmt.Errorf("write the commit of %s: %w", job.ID, err)
	}
	c.Commit = commit
	if err := w.repo.MarkAttempt(ctx, w.facts.Experiment.ID, job.ID, commit); err != nil {
		return nil, fmt.Errorf("mark the commit of %s: %w", job.ID, err)
	}
	return r.made(ctx, c, parent.Tree)
}

// made writes the row of a commit that exists.
func (r *jobRun) made(ctx context.Context, c *record.Candidate, parentTree record.Hash) (*record.Candidate, error) {
	w := r.w
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
	dup, err := w.db.Made(ctx, r.lease, *c)
	if err != nil {
		return nil, err
	}
	if dup != record.NoCandidate {
		return nil, w.repo.ClearAttempt(ctx, w.facts.Experiment.ID, r.lease.Job.ID)
	}
	r.lease.Job.State = record.Committed
	return c, nil
}

// adoptCommit goes on from a commit whose row was lost in a crash, or that a
// person injected: it is never made, or paid for, again.
func (r *jobRun) adoptCommit(ctx context.Context, commit record.Hash) (*record.Candidate, error) {
	w := r.w
	info, err := w.repo.Commit(ctx, commit)
	if err != nil {
		return nil, fmt.Errorf("read the commit of %s: %w", r.lease.Job.ID, err)
	}
	parent, err := w.item(ctx, r.lease.Job.Parent)
	if err != nil {
		return nil, err
	}
	if known, err := w.db.CandidateByTree(ctx, w.facts.Experiment.ID, info.Tree); err == nil {
		return nil, r.finish(ctx, store.Outcome{State: record.Duplicate, Duplicate: known.ID, Reason: "same tree as " + known.ID.String()})
	}
	c := r.describe(parent, info.Tree, firstLine(info.Message))
	c.Commit = commit
	return r.made(ctx, c, parent.Tree)
}

func (r *jobRun) describe(parent agent.Item, tree record.Hash, intent string) *record.Candidate {
	job := r.lease.Job
	c := &record.Candidate{
		Experiment: r.w.facts.Experiment.ID, ID: record.CandidateID(job.ID), Job: job.ID, Tree: tree,
		Parents:  []record.ParentRef{{ID: parent.ID, Role: record.RoleParent}},
		Operator: job.Operator, Agent: job.Agent, Target: job.Target, Intent: view.CleanLine(firstLine(intent)),
		Status: record.StatusMade, Version: r.w.facts.Experiment.Objective, Created: record.Millis(r.w.now().UnixMilli()),
	}
	for i, id := range job.Inspirations {
		role := record.RoleInspiration
		if i == 0 && (job.Operator == record.OpCrossover || job.Operator == record.OpSynergy) {
			role = record.RoleCrossover
		}
		c.Parents = append(c.Parents, record.ParentRef{ID: id, Role: role})
	}
	return c
}

// gitParents are the commits a candidate descends from: the parent, and the
// donor of a crossover.
func (r *jobRun) gitParents(ctx context.Context, parent agent.Item) []record.Hash {
	hashes := []record.Hash{parent.Commit}
	job := r.lease.Job
	if job.Operator == record.OpCrossover && len(job.Inspirations) > 0 {
		if donor, err := r.w.db.Candidate(ctx, r.w.facts.Experiment.ID, job.Inspirations[0]); err == nil && donor.Commit != parent.Commit {
			hashes = append(hashes, donor.Commit)
		}
	}
	return hashes
}

func commitMessage(exp record.ExperimentID, job record.Job, intent string) string {
	subject := view.CleanLine(firstLine(intent))
	if subject == "" {
		subject = string(job.Operator)
	}
	if len(subject) > 72 {
		subject = strings.TrimSpace(strings.ToValidUTF8(subject[:69], "")) + "..."
	}
	return fmt.Sprintf("%s\n\nAtoll-Experiment: %d\nAtoll-Job: %d\nAtoll-Operator: %s\nAtoll-Agent: %s\n", subject, exp, job.ID, job.Operator, job.Agent)
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return line
}

// gate checks the candidate's diff before any of its code runs. nil without an
// error: the job has ended.
func (r *jobRun) gate(ctx context.Context, c *record.Candidate, parentTree record.Hash) (*gate.Verdict, error) {
	w := r.w
	w.live.stage(r.lease.Job.ID, record.Committed, "gate")
	diffs, err := r.changes(ctx, parentTree, c.Tree)
	if err != nil {
		return nil, err
	}
	changes, err := w.repo.Changes(ctx, parentTree, c.Tree)
	if err != nil {
		return nil, err
	}
	v := gate.Check(w.policy, diffs, changes, c.Operator)
	if len(v.Findings) > 0 {
		text, err := json.Marshal(v)
		if err != nil {
			return nil, err
		}
		r.evidence = append(r.evidence, record.Evidence{Kind: "gate", Text: text})
	}
	if v.Rejected {
		c.Status, c.Class, c.Reason = record.StatusRejected, record.ClassGate, v.Reason()
		return nil, r.finish(ctx, store.Outcome{State: record.Rejected, Class: record.ClassGate, Reason: v.Reason(), Candidate: c})
	}
	if r.lease.Job.State == record.Committed {
		why, err := r.review(ctx, c, parentTree, v)
		if err != nil {
			return nil, err
		}
		if why != "" {
			c.Status, c.Class, c.Reason = record.StatusRejected, record.ClassGate, why
			return nil, r.finish(ctx, store.Outcome{State: record.Rejected, Class: record.ClassGate, Reason: why, Candidate: c})
		}
		if r.reviewed() { // which may have cost something: once is enough
			if err := w.db.Stage(ctx, r.lease, record.Committed, record.Gated); err != nil {
				return nil, err
			}
			r.lease.Job.State = record.Gated
		}
	}
	w.live.stage(r.lease.Job.ID, record.Gated, "gate")
	return &v, nil
}

// changes tells what the job's candidate changes in its parent, with counts of
// lines.
func (r *jobRun) changes(ctx context.Context, parentTree, tree record.Hash) ([]record.FileDiff, error) {
	if r.diffs == nil {
		diffs, err := r.w.repo.DiffTrees(ctx, parentTree, tree)
		if err != nil {
			return nil, err
		}
		if err := r.w.repo.CountLines(ctx, diffs); err != nil {
			return nil, err
		}
		r.diffs = diffs
	}
	return r.diffs, nil
}

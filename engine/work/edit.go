package work

import (
	"context"
	"fmt"
	"sync"

	"atoll/engine/agent"
	"atoll/engine/search"
	"atoll/store/record"
)

// editor has agents edit: it tells them what they may know and takes back what
// they changed.
type editor struct {
	*candidates
	scope    *scope
	feedback *evaluatorFeedback
	lineage  *stretches

	mu        sync.Mutex
	histories map[record.JobID]*agent.History
}

// edit has the job's agent edit the parent's tree.
func (w *editor) edit(ctx context.Context, r *attempt) (agent.Result, agent.Item, error) {
	job := r.lease.Job
	a, ok := w.roster.Agents[job.Agent]
	if !ok {
		return agent.Result{}, agent.Item{}, &agent.Error{Class: record.ClassAgent, Reason: fmt.Sprintf("there is no agent %q any more; give another one weight", job.Agent)}
	}
	if w.roster.OwnLogin[job.Agent] && w.settings().MaxCostUSD > 0 {
		return agent.Result{}, agent.Item{}, &agent.Error{Class: record.ClassBudget, Reason: fmt.Sprintf("agent %q pays with its own login, which cannot be metered, and money is limited now", job.Agent)}
	}
	aj, err := w.job(ctx, r)
	if err != nil {
		return agent.Result{}, agent.Item{}, err
	}
	if !w.roster.BuiltIn[job.Agent] { // who ends by itself
		var done func()
		ctx, done = r.whileHeard(ctx, w.roster.Elsewhere[job.Agent])
		defer done()
	}
	back := r.leaves(job)
	defer func() {
		began := w.now()
		back() // there may be no place yet
		r.aside += w.now().Sub(began)
	}()
	began := w.now()
	res, err := a.Edit(ctx, aj, aj.Parent.Files)
	r.edit += w.now().Sub(began)
	return res, aj.Parent, drained(ctx, err)
}

// job is the job as its agent sees it.
func (w *editor) job(ctx context.Context, r *attempt) (agent.Job, error) {
	job := r.lease.Job
	parent, err := w.item(ctx, job.Parent)
	if err != nil {
		return agent.Job{}, err
	}
	set := w.settings()
	aj := agent.Job{
		Number: job.ID, Attempt: r.lease.Attempt, Rand: search.EditRand(w.facts.Experiment.Seed, job.ID), Operator: job.Operator,
		Parent: parent, History: w.history(job.ID), Goal: set.Goal, Constraints: set.Constraints, Acceptance: set.Acceptance,
		Direction: w.facts.Config.Evaluator.Direction, Metric: w.Metric(),
		Live:     func(line string) { w.live.line(job.ID, line) },
		Progress: func(stage string) { w.live.stage(job.ID, record.Editing, stage) },
		Alive:    func() { w.live.alive(job.ID) },
		Sending:  func(role, text string) { w.live.prompt(job.ID, role, agent.Redact(text, w.roster.Secrets...)) },
	}
	aj.Keeps = Guards(w.facts.Config, w.Metric(), parent.Metrics)
	aj.Known = func(changes []record.Change) (bool, error) { return w.knows(ctx, job.ID, parent.Tree, changes) }
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
	aj.Target, aj.Scope = w.scope.of(job.Target)
	_, aj.Everywhere = w.scope.of("")
	if aj.Hot, aj.Frozen, err = w.scope.hot(ctx); err != nil {
		return agent.Job{}, err
	}
	aj.Limits = w.scope.limits()
	mute := w.roster.Mute[job.Agent]
	if mute && job.Operator != record.OpRepair {
		return aj, nil
	}
	seen, err := w.outlook(ctx, job.ID)
	if err != nil {
		return agent.Job{}, err
	}
	if aj.Failures, err = w.feedback.failures(ctx, &aj, seen); err != nil || mute {
		return aj, err
	}
	if err := w.notes(ctx, &aj, seen); err != nil {
		return agent.Job{}, err
	}
	return aj, w.inform(ctx, r, &aj, seen)
}

// knows reports whether a candidate has the tree that changes make of another one. In strict order
// that is one which had ended when the job was created, so that an edit does not depend on
// what ends meanwhile.
func (w *editor) knows(ctx context.Context, job record.JobID, from record.Hash, changes []record.Change) (bool, error) {
	tree, err := w.repo.TreeAfter(ctx, from, changes)
	if err != nil {
		return false, err
	}
	if e := &w.facts.Experiment; e.Strict {
		job = max(1, job-record.JobID(e.Lookahead)+1)
	}
	original, err := w.original(ctx, job, tree)
	return original != record.NoCandidate, err
}

// notes adds the notes that agents may learn from.
func (w *editor) notes(ctx context.Context, j *agent.Job, seen *Outlook) (err error) {
	var notes []record.Note
	if seen != nil {
		notes = seen.Notes
	} else if notes, err = w.db.Notes(ctx, w.exp()); err != nil {
		return err
	}
	for _, n := range notes {
		if !n.Gone && (n.Target == "" || n.Target == j.Target.Name) {
			j.Notes = append(j.Notes, n)
		}
	}
	return nil
}

// setHistory gives a job the counts that its agent may learn from, and forgets
// those of an old one.
func (w *editor) setHistory(job record.JobID, h *agent.History, old record.JobID) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.histories == nil {
		w.histories = map[record.JobID]*agent.History{}
	}
	w.histories[job] = h
	delete(w.histories, old)
}

// history returns the counts that a job may use.
func (w *editor) history(job record.JobID) *agent.History {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.histories[job]
}

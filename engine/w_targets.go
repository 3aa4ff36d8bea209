package engine

import (
	"atoll/engine/agent"
	"atoll/engine/agent/offline"
	"atoll/engine/agent/prompt"
	"atoll/engine/fold"
	"atoll/engine/gateway"
	"atoll/engine/roster"
	"atoll/store"
	"atoll/store/record"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

func targetNames(list []record.Target) string {
	var names []string
	for _, t := range list {
		names = append(names, t.Name)
	}
	if len(names) == 0 {
		return "nothing here can be edited"
	}
	return strings.Join(names, ", ")
}

// survey reads what a mapper may know beside the files of the best candidate.
func (e *Engine) survey(ctx context.Context, p *fold.TargetFacts) (offline.Survey, agent.Tree, error) {
	out := offline.Survey{Gains: map[string]int{}, Tried: p.Tried}
	_, out.Allowed = e.scope("")
	for _, t := range e.cfg.Targets {
		out.Taken = append(out.Taken, t.Name)
	}
	for _, g := range p.Ever {
		changed := e.changedBy(ctx, g.Candidate)
		for _, path := range changed {
			out.Gains[path]++
		}
		p.Told = append(p.Told, fmt.Sprintf("%s changed %s: %+.6g (%s)", g.Candidate, strings.Join(changed, ", "), g.Delta, g.Operator))
	}
	best, err := e.item(ctx, p.Best)
	if err != nil {
		return out, nil, err
	}
	return out, best.Files, nil
}

// changedBy lists the paths that a candidate changed, none where its files
// cannot be read.
func (e *Engine) changedBy(ctx context.Context, id record.CandidateID) []string {
	c, err := e.db.Candidate(ctx, e.exp, id)
	if err != nil {
		return nil
	}
	parent, err := e.db.Candidate(ctx, e.exp, c.Parent())
	if err != nil {
		return nil
	}
	diffs, err := e.repo.DiffTrees(ctx, parent.Tree, c.Tree)
	if err != nil {
		return nil
	}
	var out []string
	for _, d := range diffs {
		out = append(out, d.Path)
	}
	return out
}

// mapRepository is the assist job of a mapper. When the model cannot be asked
// or understood the targets are those of the built-in one.
func (r *jobRun) mapRepository(ctx context.Context, v *roster.RoleClient) error {
	e, job := r.e, r.lease.Job
	e.live.stage(job.ID, record.Editing, "looking for targets")
	var here fold.TargetFacts
	if err := e.ask(ctx, func(s *fold.State) { here = s.TargetFacts() }); err != nil {
		return err
	}
	survey, tree, err := e.survey(ctx, &here)
	if err != nil {
		return r.fail(ctx, record.ClassInternal, err.Error())
	}
	failure := fmt.Errorf("there is no agent %q any more", job.Agent)
	answer := ""
	if v != nil {
		prompt, err := r.mapPrompt(ctx, here, tree)
		if err != nil {
			return err
		}
		answer, failure = r.consult(ctx, v, job.Agent, agent.RoleMapper, prompt)
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	var found []record.Target
	if failure == nil {
		found, failure = survey.ParseTargets(answer, tree, job.Agent)
	}
	if failure != nil {
		if found, err = survey.Targets(ctx, tree, "offline"); err != nil {
			return err
		}
	}
	if err := r.offerTargets(ctx, found); err != nil {
		return err
	}
	switch {
	case failure == nil:
		return r.finish(ctx, store.Outcome{State: record.Done})
	case errors.Is(failure, gateway.ErrBudget):
		return r.fail(ctx, record.ClassBudget, failure.Error())
	}
	return r.fail(ctx, record.ClassAgent, failure.Error())
}

// offerTargets writes the proposals as a decision of the mapper: the loop
// carries it out, as it would a person's.
func (r *jobRun) offerTargets(ctx context.Context, found []record.Target) error {
	e := r.e
	for i := range found { // what a model wrote may hold what it was told
		found[i].Hint = agent.Redact(found[i].Hint, e.roster.Secrets...)
	}
	var kept []record.Target
	if err := e.ask(ctx, func(s *fold.State) { kept = s.WithKept(found) }); err != nil {
		return err
	}
	args, err := json.Marshal(map[string][]record.Target{"targets": kept})
	if err != nil {
		return err
	}
	_, err = e.append(ctx, record.Decision{
		Who: r.lease.Job.Agent, Verb: record.Set, Candidate: record.NoCandidate, Job: record.NoJob, Cell: -1, Args: args,
		Text: "targets = " + targetNames(found),
	})
	return err
}

// mapPrompt shows the best candidate, its files, and how the targets did.
func (r *jobRun) mapPrompt(ctx context.Context, here fold.TargetFacts, tree agent.Tree) (agent.Rendered, error) {
	e := r.e
	item, err := e.item(ctx, here.Best)
	if err != nil {
		return agent.Rendered{}, err
	}
	set := e.settings()
	j := agent.Job{
		Number: r.lease.Job.ID, Attempt: r.lease.Attempt, Parent: item, Goal: set.Goal, Constraints: set.Constraints, Acceptance: set.Acceptance,
		Direction: e.cfg.Evaluator.Direction, Metric: e.metric(),
	}
	_, j.Scope = e.scope("")
	if err := e.context(ctx, &j); err != nil {
		return agent.Rendered{}, err
	}
	if err := r.inform(ctx, &j); err != nil {
		return agent.Rendered{}, err
	}
	files, listing, err := prompt.ReadFiles(ctx, j, tree, prompt.FileLimits{})
	if err != nil {
		return agent.Rendered{}, err
	}
	return e.roster.Prompts.Render(agent.RoleMapper, prompt.ViewOf(j, prompt.ViewOptions{
		Files: files, Listing: listing, Facts: strings.Join(here.Told, "\n"), Answer: offline.TargetsAnswer,
	}))
}

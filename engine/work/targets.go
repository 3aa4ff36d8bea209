package work

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"atoll/engine/agent"
	"atoll/engine/agent/offline"
	"atoll/engine/agent/prompt"
	"atoll/engine/fold"
	"atoll/store/record"
)

func TargetNames(list []record.Target) string {
	var names []string
	for _, t := range list {
		names = append(names, t.Name)
	}
	if len(names) == 0 {
		return "nothing here can be edited"
	}
	return strings.Join(names, ", ")
}

// mapper proposes targets: the parts of the repository that jobs aim at.
type mapper struct{ *editor }

// survey reads what a mapper may know beside the files of the best candidate.
func (w *mapper) survey(ctx context.Context, p *fold.TargetFacts) (offline.Survey, agent.Tree, error) {
	out := offline.Survey{Gains: map[string]int{}, Tried: p.Tried}
	_, out.Allowed = w.scope.of("")
	for _, t := range w.facts.Config.Targets {
		out.Taken = append(out.Taken, t.Name)
	}
	for _, g := range p.Ever {
		changed := w.changedBy(ctx, g.Candidate)
		for _, path := range changed {
			out.Gains[path]++
		}
		p.Told = append(p.Told, fmt.Sprintf("%s changed %s: %+.6g (%s)", g.Candidate, strings.Join(changed, ", "), g.Delta, g.Operator))
	}
	best, err := w.item(ctx, p.Best)
	if err != nil {
		return out, nil, err
	}
	return out, best.Files, nil
}

// propose carries out the assist job of a mapper. When the model cannot be asked
// or understood the targets are those of the built-in one.
func (w *mapper) propose(ctx context.Context, r *attempt) error {
	job := r.lease.Job
	v := w.roster.Clients[job.Agent]
	w.live.stage(job.ID, record.Editing, "looking for targets")
	here, err := w.standing.TargetFacts(ctx)
	if err != nil {
		return err
	}
	survey, tree, err := w.survey(ctx, &here)
	if err != nil {
		return r.fail(ctx, record.ClassInternal, err.Error())
	}
	failure := fmt.Errorf("there is no agent %q any more", job.Agent)
	answer := ""
	if v != nil {
		prompt, err := w.prompt(ctx, r, here, tree)
		if err != nil {
			return err
		}
		answer, failure = r.consult(ctx, v, job.Agent, agent.RoleMapper, prompt)
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if errors.Is(failure, errPutBack) {
		return failure
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
	if err := w.offer(ctx, r, found); err != nil {
		return err
	}
	return r.assisted(ctx, failure)
}

// offer writes the proposals as a decision of the mapper: the loop
// carries it out, as it would a person's.
func (w *mapper) offer(ctx context.Context, r *attempt, found []record.Target) error {
	for i := range found { // what a model wrote may hold what it was told
		found[i].Hint = agent.Redact(found[i].Hint, w.roster.Secrets...)
	}
	kept, err := w.standing.KeepTargets(ctx, found)
	if err != nil {
		return err
	}
	args, err := json.Marshal(map[string][]record.Target{"targets": kept})
	if err != nil {
		return err
	}
	d := record.NewDecision(record.Set)
	d.Who, d.Args, d.Text = r.lease.Job.Agent, args, "targets = "+TargetNames(found)
	_, err = w.host.Decide(ctx, d)
	return err
}

// prompt shows the best candidate, its files, and how the targets did.
func (w *mapper) prompt(ctx context.Context, r *attempt, here fold.TargetFacts, tree agent.Tree) (agent.Rendered, error) {
	item, err := w.item(ctx, here.Best)
	if err != nil {
		return agent.Rendered{}, err
	}
	set := w.settings()
	j := agent.Job{
		Number: r.lease.Job.ID, Attempt: r.lease.Attempt, Parent: item, Goal: set.Goal, Constraints: set.Constraints, Acceptance: set.Acceptance,
		Direction: w.facts.Config.Evaluator.Direction, Metric: w.Metric(),
	}
	_, j.Scope = w.scope.of("")
	if err := w.notes(ctx, &j, nil); err != nil {
		return agent.Rendered{}, err
	}
	if err := w.inform(ctx, r, &j, nil); err != nil {
		return agent.Rendered{}, err
	}
	files, listing, err := prompt.ReadFiles(ctx, j, tree, 0)
	if err != nil {
		return agent.Rendered{}, err
	}
	return w.roster.Prompts.Render(agent.RoleMapper, prompt.ViewOf(j, prompt.ViewOptions{
		Files: files, Listing: listing, Facts: strings.Join(here.Told, "\n"), Answer: offline.TargetsAnswer,
	}))
}

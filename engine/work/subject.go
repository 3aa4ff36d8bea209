package work

import (
	"context"
	"fmt"

	"atoll/engine/agent"
	"atoll/engine/agent/prompt"
	"atoll/engine/view"
	"atoll/store/record"
)

// subject is the line that a commit begins with. Where a summariser serves it
// writes the line from the change; when it cannot be asked, and for the
// built-in agent, whose words follow from its edit, it is the agent's own. No
// failure here costs the job its work.
func (w *committer) subject(ctx context.Context, r *attempt, parent agent.Item, tree record.Hash, intent string) (string, error) {
	plain, err := r.ownWords(ctx, parent, tree, intent)
	if err != nil {
		return "", err
	}
	v := w.roster.Clients[w.facts.Config.Roles.Summariser]
	if v == nil || w.roster.BuiltIn[r.lease.Job.Agent] {
		return plain, nil
	}
	w.live.stage(r.lease.Job.ID, record.Editing, "naming the change")
	diff, err := w.patch(ctx, parent.Tree, tree)
	if err != nil {
		return "", err
	}
	view := prompt.View{Job: r.lease.Job.ID, Goal: w.settings().Goal, Plan: intent, Diff: diff}.WithSecrets(w.roster.Secrets...)
	prompt, err := w.roster.Prompts.Render(agent.RoleSummariser, view)
	if err != nil {
		return "", err
	}
	answer, err := r.consult(ctx, v, w.facts.Config.Roles.Summariser, agent.RoleSummariser, prompt)
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	line := agent.Subject(agent.Redact(answer, w.roster.Secrets...))
	if err == nil && line == "" {
		err = fmt.Errorf("its answer holds no line")
	}
	if err != nil {
		w.host.Note("warn", r.lease.Job.ID, fmt.Sprintf("the summariser gave no subject for %s: %v", r.lease.Job.ID, err))
		return plain, nil
	}
	return line, nil
}

// ownWords is what the agent said of its edit, or what follows from the edit
// where it said nothing.
func (r *attempt) ownWords(ctx context.Context, parent agent.Item, tree record.Hash, intent string) (string, error) {
	intent = agent.Redact(intent, r.roster.Secrets...)
	if line := view.CleanLine(firstLine(intent)); line != "" && line != string(r.lease.Job.Operator) {
		return intent, nil
	}
	diffs, err := r.changes(ctx, parent.Tree, tree)
	if err != nil {
		return "", err
	}
	return agent.PlainSubject(r.lease.Job.Operator, diffs), nil
}

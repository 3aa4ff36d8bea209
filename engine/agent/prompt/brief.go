package prompt

import (
	"context"
	"fmt"

	"atoll/engine/agent"
)

// Brief is a job's view with the files that it shows. It is an [agent.Brief].
type brief struct {
	prompts *Prompts
	view    View
}

// Chat gathers what prompts show of a job to a model without a work tree:
// everything in the view, and the files that matter most within limits.
// tokens is what a prompt may have; 0: the sum of its sections' budgets.
func (p *Prompts) Chat(tokens int) func(context.Context, agent.Job, agent.Tree) (agent.Brief, error) {
	return func(ctx context.Context, j agent.Job, t agent.Tree) (agent.Brief, error) {
		files, listing, err := ReadFiles(ctx, j, t, tokens)
		if err != nil {
			return nil, fmt.Errorf("read files: %w", err)
		}
		against, err := differences(ctx, &j)
		if err != nil {
			return nil, err
		}
		whole, err := programs(ctx, &j, against)
		if err != nil {
			return nil, err
		}
		return &brief{prompts: p, view: ViewOf(j, ViewOptions{Files: files, Listing: listing, Against: against, Programs: whole, Tokens: tokens})}, nil
	}
}

// Files are the paths whose text the view holds.
func (b *brief) Files() []string {
	var out []string
	for _, f := range b.view.Files {
		out = append(out, f.Path)
	}
	return out
}

// Render implements [agent.Brief].
func (b *brief) Render(role string, o agent.Told) (agent.Rendered, error) {
	v := b.view
	v.Answer, v.Plan, v.Retry = o.Answer, o.Plan, o.Retry
	return b.prompts.Render(role, v)
}

// WorkTree writes prompts for clients with a work tree: the coder's prompt
// without the files' text, which the client reads by itself. It says what of
// the tree may be changed.
func (p *Prompts) WorkTree(ctx context.Context, j agent.Job, t agent.Tree) (string, error) {
	against, err := differences(ctx, &j)
	if err != nil {
		return "", err
	}
	open, closed := scopeOf(&j, t)
	out, err := p.Render(agent.RoleCoder, ViewOf(j, ViewOptions{Dir: ".", Scope: open, Closed: closed, Against: against}))
	if err != nil {
		return "", err
	}
	if out.System == "" {
		return out.User, nil
	}
	return out.System + "\n\n" + out.User, nil
}

package roster

import (
	"context"
	"fmt"

	"atoll/config"
	"atoll/engine/agent"
	"atoll/engine/agent/prompt"
	"atoll/engine/gateway"
)

// Previewer returns who writes the prompts of an agent, nil for nobody.
func (c *Roster) Previewer(name string) agent.Previewer {
	if p, ok := c.Agents[name].(agent.Previewer); ok && !c.Mute[name] {
		return p
	}
	return c.previewers[name]
}

// BuildPreviews is a roster that only writes prompts, for who looks on: no sandbox, no
// key and no recording is needed.
func (h *Builder) BuildPreviews() (*Roster, error) {
	c := &Roster{Agents: map[string]agent.Agent{}, Clients: map[string]*RoleClient{}, previewers: map[string]agent.Previewer{}, Mute: map[string]bool{"offline": true}}
	var err error
	if c.Prompts, err = prompt.New(h.Config.Prompts); err != nil {
		return nil, err
	}
	c.Secrets = h.secrets()
	for _, a := range h.Config.Agents {
		switch a.Kind {
		case "chat":
			if c.previewers[a.Name], err = h.chatScribe(c, a); err != nil {
				return nil, fmt.Errorf("agent %q: %w", a.Name, err)
			}
		case "command", "human", "broker":
			c.previewers[a.Name] = renderer{c.Prompts}
		default:
			c.Mute[a.Name] = true
		}
	}
	return c, nil
}

func (h *Builder) chatScribe(c *Roster, a config.Agent) (agent.Previewer, error) {
	g, err := gateway.New(gateway.Options{Getenv: h.Getenv, Providers: []gateway.Provider{{Name: a.Name, API: protocolOf(a), BaseURL: a.BaseURL, KeyEnv: a.KeyEnv}}})
	if err != nil {
		return nil, err
	}
	return agent.NewChat(h.chatOptions(c, a, g.Client()))
}

// renderer writes the prompt of an agent with a work tree.
type renderer struct{ prompts *prompt.Prompts }

// Preview implements [agent.Previewer].
func (r renderer) Preview(ctx context.Context, j agent.Job, t agent.Tree) (agent.Rendered, error) {
	text, err := r.prompts.WorkTree(ctx, j, t)
	return agent.Rendered{User: text}, err
}

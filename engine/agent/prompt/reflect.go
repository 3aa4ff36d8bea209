package prompt

import (
	"context"

	"atoll/engine/agent"
	"atoll/store/record"
)

// Reflection asks a backend for the lessons of an epoch with the reflector's
// prompt. It has the method that package memory asks for. View holds what the
// prompt needs besides: goal, constraints, direction and metric.
type Reflection struct {
	Prompts *Prompts
	View    View
	Ask     func(ctx context.Context, r agent.Rendered) (answer string, usage record.Usage, err error)
}

// Complete renders the prompt with facts and notes and returns the answer. The
// usage counts also where there is an error.
func (r Reflection) Complete(ctx context.Context, facts string, notes []record.Note) (string, record.Usage, error) {
	v := r.View
	v.Facts = facts
	v.Lessons, v.Failed, v.Directions, v.Told = nil, nil, nil, nil
	v.sortNotes(notes)
	p, err := r.Prompts.Render(agent.RoleReflector, v)
	if err != nil {
		return "", record.Usage{}, err
	}
	return r.Ask(ctx, p)
}

// ChunkView is the view for a written summary of a chunk; the answer is kept
// under (Start, End, 8) and found again through [Summaries].
func ChunkView(j agent.Job, c Chunk) View {
	v := View{Goal: j.Goal, Direction: j.Direction, Metric: j.Metric}
	if j.Background != nil {
		v.secrets = j.Background.Secrets
	}
	for _, s := range c.Steps {
		v.Steps = append(v.Steps, stepLine(s))
	}
	return v
}

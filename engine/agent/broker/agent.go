package broker

import (
	"context"
	"errors"

	"atoll/engine/agent"
	"atoll/store/record"
)

// Render writes the task of a job in words.
type Render func(ctx context.Context, j agent.Job, t agent.Tree) (string, error)

// Agent gives its jobs to the workers that come to a broker. It is safe for
// concurrent use.
type Agent struct {
	broker *Broker
	name   string
	render Render
}

// NewAgent returns the agent of that name.
func NewAgent(b *Broker, name string, render Render) *Agent { return &Agent{b, name, render} }

// Preview implements [agent.Previewer].
func (a *Agent) Preview(ctx context.Context, j agent.Job, t agent.Tree) (agent.Rendered, error) {
	text, err := a.render(ctx, j, t)
	return agent.Rendered{User: text}, err
}

// Edit implements [agent.Agent]: it waits until a worker finished the job.
func (a *Agent) Edit(ctx context.Context, j agent.Job, t agent.Tree) (agent.Result, error) {
	text, err := a.render(ctx, j, t)
	if err != nil {
		return agent.Result{}, err
	}
	j.Tell("worker", text)
	if j.Progress != nil {
		j.Progress(waiting)
	}
	res, err := a.broker.ask(ctx, Task{Job: j.Number, Attempt: j.Attempt, Agent: a.name, About: j, Prompt: text, Files: t})
	asked := record.Evidence{Job: j.Number, Attempt: j.Attempt, Kind: "prompt", Text: []byte(text)}
	if failure := (*agent.Error)(nil); errors.As(err, &failure) {
		failure.Evidence = append([]record.Evidence{asked}, failure.Evidence...)
		return res, err
	}
	if err == nil {
		res.Evidence = append([]record.Evidence{asked}, res.Evidence...)
	}
	return res, err
}

package engine

import (
	"context"
	"errors"
	"fmt"

	"atoll/config"
	"atoll/engine/agent"
	"atoll/engine/agent/prompt"
	"atoll/engine/fold"
	"atoll/engine/gateway"
	"atoll/store/record"
)

// ErrNoPreview reports a job for which no prompt can be shown before it is
// sent. Test with errors.Is.
var ErrNoPreview = errors.New("there is no prompt to show")

// previewKind is how the prompt of a job that waits is called among its
// evidence.
const previewKind = "prompt, not sent yet"

// preview renders the prompt of a make job that no agent was asked about yet,
// as it would be sent now: what others do until then still counts. Nothing is
// sent, and nothing is paid for. The error is [ErrNoPreview] where an agent reads
// no prompt.
func (e *Engine) preview(ctx context.Context, job record.Job) (record.Evidence, error) {
	if job.Kind != record.Make || job.Candidate != record.NoCandidate || job.State != record.Queued {
		return record.Evidence{}, fmt.Errorf("%w: %s is %s", ErrNoPreview, job.ID, job.State)
	}
	p := e.scribe(job.Agent)
	if p == nil {
		return record.Evidence{}, fmt.Errorf("%w: agent %q reads none", ErrNoPreview, job.Agent)
	}
	r := &jobRun{e: e, lease: record.Lease{Job: job, Attempt: job.Attempt + 1}, preview: true}
	aj, err := r.agentJob(ctx)
	if err != nil {
		return record.Evidence{}, err
	}
	aj.Live, aj.Progress, aj.Sending = nil, nil, nil
	text, err := p.Preview(ctx, aj, aj.Parent.Files)
	if err != nil {
		return record.Evidence{}, err
	}
	whole := text.User
	if text.System != "" {
		whole = text.System + "\n\n" + text.User
	}
	return record.Evidence{Job: job.ID, Attempt: job.Attempt + 1, Kind: previewKind, Text: []byte(agent.Redact(whole, e.crew.secrets...))}, nil
}

// scribe returns who writes the prompts of an agent, nil for nobody.
func (e *Engine) scribe(name string) agent.Previewer {
	if e.crew == nil {
		return nil
	}
	if p, ok := e.crew.agents[name].(agent.Previewer); ok && !e.crew.mute[name] {
		return p
	}
	return e.crew.scribes[name]
}

// scribes is a crew that only writes prompts, for who looks on: no sandbox, no
// key and no recording is needed.
func (h *hiring) scribes() (*crew, error) {
	c := &crew{agents: map[string]agent.Agent{}, voices: map[string]*voice{}, scribes: map[string]agent.Previewer{}, mute: map[string]bool{"offline": true}}
	var err error
	if c.prompts, err = prompt.New(h.cfg.Prompts); err != nil {
		return nil, err
	}
	c.secrets = h.secrets()
	for _, a := range h.cfg.Agents {
		switch a.Kind {
		case "chat":
			if c.scribes[a.Name], err = h.chatScribe(c, a); err != nil {
				return nil, fmt.Errorf("agent %q: %w", a.Name, err)
			}
		case "command", "human":
			c.scribes[a.Name] = renderer{c.prompts}
		default:
			c.mute[a.Name] = true
		}
	}
	return c, nil
}

func (h *hiring) chatScribe(c *crew, a config.Agent) (agent.Previewer, error) {
	g, err := gateway.New(gateway.Options{Getenv: h.opt.Getenv, Providers: []gateway.Provider{{Name: a.Name, API: protocolOf(a), BaseURL: a.BaseURL, KeyEnv: a.KeyEnv}}})
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

// Prompt renders what an agent would be told now for a job that waits, without
// an engine that runs. opt.Live is the configuration as it is now. It fails with
// [ErrNoPreview] when the job began already, or when its agent reads no prompt.
func Prompt(ctx context.Context, ses *Session, exp record.ExperimentID, opt Options, id record.JobID) (record.Evidence, error) {
	e := New(ses, exp, opt)
	var err error
	if e.st, err = fold.LoadState(ctx, e.db, exp); err != nil {
		return record.Evidence{}, err
	}
	e.liveConfig()
	e.cfg = e.st.Config
	e.policySet()
	e.sync()
	if name, err := learnedMetric(ctx, e.db, exp, e.objectiveVersion()); err == nil && name != "" {
		e.shared.objName.Store(&name)
	}
	if e.crew, err = e.watchers(); err != nil {
		return record.Evidence{}, err
	}
	job, err := e.db.Job(ctx, exp, id)
	if err != nil {
		return record.Evidence{}, fmt.Errorf("read job %s: %w", id, err)
	}
	answered, stop := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() { // stands in for the loop, which owns the state
		defer close(done)
		for {
			select {
			case fn := <-e.calls:
				e.answer(fn)
			case <-answered.Done():
				return
			}
		}
	}()
	defer func() { stop(); <-done }()
	return e.preview(ctx, job)
}

// watchers is the crew of an engine that only looks on.
func (e *Engine) watchers() (*crew, error) {
	return (&hiring{cfg: e.cfg, opt: &e.opt, dir: e.ses.Dir}).scribes()
}

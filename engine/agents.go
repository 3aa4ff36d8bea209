package engine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"atoll/config"
	"atoll/engine/agent"
	"atoll/engine/agent/client"
	"atoll/engine/agent/edit"
	"atoll/engine/agent/offline"
	"atoll/engine/agent/prompt"
	"atoll/engine/gateway"
	"atoll/engine/sandbox"
	"atoll/gitops"
	"atoll/store/record"
)

// crew is who can be asked in one run: the agents that edit, the models behind
// the roles, and what they share. It does not change once built.
type crew struct {
	agents  map[string]agent.Agent
	scribes map[string]agent.Previewer // who writes the prompts of agents that are not there themselves
	voices  map[string]*voice          // who can serve a role, by agent
	gateway *gateway.Gateway           // nil: no agent needs one
	prompts *prompt.Prompts
	secrets []string        // keys, never to be written anywhere
	mute    map[string]bool // agents that read no prompt
	builtin map[string]bool // offline agents
	own     map[string]bool // agents with their own credentials: nobody can meter them
}

// hiring is what agents are built from.
type hiring struct {
	cfg     config.Config // weights and money as they are now
	opt     *Options
	box     *sandbox.Box
	repo    *gitops.Repo
	dir     string // the state directory
	account func(name string, limit float64) func(agent.Job) *gateway.Account
	note    func(text string) // of an agent that is left out
}

// hire builds the agents of the experiment.
func (e *Engine) hire() (*crew, error) {
	cfg := e.cfg
	cfg.Agents = slices.Clone(cfg.Agents)
	for i := range cfg.Agents { // weights are settings
		cfg.Agents[i].Weight = e.st.Settings.Agents[cfg.Agents[i].Name]
	}
	cfg.Budget.CostUSD = e.st.Settings.MaxCostUSD
	h := &hiring{
		cfg: cfg, opt: &e.opt, box: e.box, repo: e.repo, dir: e.ses.Dir, account: e.purse.account,
		note: func(text string) { e.note("warn", record.NoJob, text) },
	}
	return h.crew()
}

// crew builds all agents. One that is not used and cannot be built is left out
// with a note. Errors: [config.Problems], and what an agent says of its
// options.
func (h *hiring) crew() (*crew, error) {
	cfg := h.cfg
	if err := CheckAgents(cfg, h.opt.Getenv); err != nil {
		return nil, err
	}
	c := &crew{agents: map[string]agent.Agent{}, voices: map[string]*voice{}, mute: map[string]bool{"offline": true}, builtin: map[string]bool{"offline": true}, own: map[string]bool{}}
	var err error
	if c.prompts, err = prompt.New(cfg.Prompts); err != nil {
		return nil, err
	}
	var providers []gateway.Provider
	c.secrets = h.secrets()
	for _, a := range cfg.Agents {
		if (a.Kind == "chat" || a.Kind == "command") && a.BaseURL != "" {
			providers = append(providers, gateway.Provider{
				Name: a.Name, API: protocolOf(a), BaseURL: a.BaseURL, KeyEnv: a.KeyEnv, RPM: a.RPM, TPM: a.TPM, Parallel: a.Parallel, MaxTokens: a.MaxTokens,
			})
		}
	}
	if len(providers) > 0 {
		o := h.opt.Gateway
		o.Providers, o.Prices, o.Getenv, o.Now = providers, pricesOf(cfg), h.opt.Getenv, h.opt.Now
		if c.gateway, err = gateway.New(o); err != nil {
			return nil, err
		}
	}
	for _, a := range cfg.Agents {
		built, err := h.build(c, a)
		if err != nil && used(cfg, a) {
			return nil, fmt.Errorf("agent %q: %w", a.Name, err)
		}
		if err != nil {
			h.note(fmt.Sprintf("agent %q is left out: %v", a.Name, err))
			continue
		}
		c.agents[a.Name] = built
	}
	if c.agents["offline"] == nil {
		c.agents["offline"] = offline.New(offline.Options{})
	}
	return c, h.recording(c)
}

// secrets are the keys that the configuration names.
func (h *hiring) secrets() []string {
	var out []string
	for _, a := range h.cfg.Agents {
		if a.KeyEnv == "" {
			continue
		}
		if key := strings.TrimSpace(h.opt.Getenv(a.KeyEnv)); len(key) >= 4 {
			out = append(out, key)
		}
	}
	return out
}

// recording wraps the agents where the run is recorded.
func (h *hiring) recording(c *crew) error {
	if h.opt.Record == "" {
		return nil
	}
	limits := map[string]float64{}
	for _, a := range h.cfg.Agents {
		limits[a.Name] = a.JobUSD
	}
	for name, a := range c.agents {
		if _, replayed := a.(*agent.Replay); replayed {
			continue
		}
		account := h.account(name, limits[name])
		r, err := agent.NewRecorder(a, agent.RecorderOptions{
			Dir: h.opt.Record, Redact: func(s string) string { return agent.Redact(s, c.secrets...) },
			Settled: func(j agent.Job) record.Usage { return account(j).Totals().Usage },
		})
		if err != nil {
			return err
		}
		c.agents[name] = r
		if v := c.voices[name]; v != nil {
			v.record = h.opt.Record
		}
	}
	return nil
}

// build makes one agent.
func (h *hiring) build(c *crew, a config.Agent) (agent.Agent, error) {
	switch a.Kind {
	case "offline":
		c.mute[a.Name], c.builtin[a.Name] = true, true
		return offline.New(offline.Options{}), nil
	case "chat":
		return h.chat(c, a)
	case "command":
		return h.command(c, a)
	case "human":
		return agent.NewHuman(agent.HumanOptions{Name: a.Name, Dir: filepath.Join(h.dir, "work"), Render: c.prompts.WorkTree})
	case "replay":
		c.mute[a.Name] = true
		c.voices[a.Name] = &voice{replay: a.Recording}
		return agent.NewReplay(a.Recording)
	}
	return nil, fmt.Errorf("there is no kind %q", a.Kind)
}

func (h *hiring) chat(c *crew, a config.Agent) (agent.Agent, error) {
	if a.BaseURL == "" {
		return nil, fmt.Errorf("it has no provider: set base_url")
	}
	c.voices[a.Name] = &voice{provider: a.Name, model: a.Model, maxTokens: a.MaxTokens, limit: a.JobUSD, client: c.gateway.Client()}
	o := h.chatOptions(c, a, c.gateway.Client())
	o.Account = h.account(a.Name, a.JobUSD)
	ch, err := agent.NewChat(o)
	if err != nil {
		return nil, err
	}
	return timed{ch, a.Timeout}, nil
}

// chatOptions are those of a chat agent but for who pays.
func (h *hiring) chatOptions(c *crew, a config.Agent, client agent.Completer) agent.ChatOptions {
	o := agent.ChatOptions{
		Client: client, Provider: a.Name, Model: a.Model, Edit: edit.Format(a.Edit), Attempts: a.Attempts, MaxTokens: a.MaxTokens,
		Brief: c.prompts.Chat(prompt.BriefOptions{}),
	}
	for _, p := range h.cfg.Agents {
		if p.Name == h.cfg.Roles.Planner && p.Kind == "chat" {
			o.Planner = &agent.ChatPlanner{Provider: p.Name, Model: p.Model}
		}
	}
	return o
}

func (h *hiring) command(c *crew, a config.Agent) (agent.Agent, error) {
	o := client.Options{
		Name: a.Name, Preset: a.Preset, Command: a.Command, PromptBy: client.PromptBy(a.Prompt), Model: a.Model, Env: a.Env, Getenv: h.opt.Getenv,
		Tools: h.tools(), Timeout: a.Timeout, Attempts: a.Attempts, MaxTokens: a.MaxTokens, JobUSD: a.JobUSD,
		Limits: sandbox.Limits{Memory: h.cfg.Limits.Memory, Procs: h.cfg.Limits.Procs, Output: h.cfg.Limits.Output, Disk: h.cfg.Limits.Disk},
		Box:    h.box, Checkout: h.repo.Checkout, OwnCredentials: a.OwnCredentials, Home: h.opt.Getenv("HOME"),
		Render: c.prompts.WorkTree, Secrets: c.secrets,
	}
	if a.BaseURL != "" && !a.OwnCredentials {
		dir, err := h.socketDir()
		if err != nil {
			return nil, err
		}
		var models []string
		if a.Model != "" {
			models = []string{a.Model}
		}
		o.Gateway = client.GatewayFor(c.gateway, []string{a.Name}, models, dir, h.account(a.Name, a.JobUSD))
	}
	c.own[a.Name] = a.OwnCredentials
	return client.New(o)
}

// tools are the programs that coding clients may use in the sandbox: that of
// the evaluator and the common ones.
func (h *hiring) tools() []string {
	out := []string{"go", "python3", "node"}
	if c := h.cfg.Evaluator.Command; len(c) > 0 && !strings.ContainsAny(c[0], "/{") && !slices.Contains(out, c[0]) {
		out = append(out, c[0])
	}
	return out
}

// socketPath bounds the folder of the gateway's sockets: the path of a unix
// socket has room for 107 bytes.
const socketPath = 60

// socketDir is where the sockets of jobs are made. What a dead engine left
// there is removed.
func (h *hiring) socketDir() (string, error) {
	dir := filepath.Join(h.dir, "gw")
	if len(dir) > socketPath {
		return "", nil // the system's temporary folder
	}
	if err := os.RemoveAll(dir); err != nil { // no job runs yet
		return "", fmt.Errorf("clear the folder of the gateway's sockets: %w", err)
	}
	return dir, os.MkdirAll(dir, 0o700)
}

// timed ends an agent's work after a time.
type timed struct {
	*agent.Chat
	after time.Duration
}

// Edit implements [agent.Agent]. The end of the time is a failure of the class
// timeout; that of ctx stays as it is.
func (t timed) Edit(ctx context.Context, j agent.Job, tree agent.Tree) (agent.Result, error) {
	if t.after <= 0 {
		return t.Chat.Edit(ctx, j, tree)
	}
	own, cancel := context.WithTimeoutCause(ctx, t.after, errAgentTime)
	defer cancel()
	res, err := t.Chat.Edit(own, j, tree)
	var failure *agent.Error
	if err != nil && ctx.Err() == nil && own.Err() != nil && errors.As(err, &failure) {
		failure.Class, failure.Reason = record.ClassTimeout, fmt.Sprintf("the agent took longer than %s", t.after)
	}
	return res, err
}

var errAgentTime = errors.New("the agent's time is up")

// retire lets go of what equip made ready for this run.
func (e *Engine) retire() {
	if e.crew != nil && e.crew.gateway != nil {
		e.crew.gateway.Close()
	}
	if e.box != nil {
		if err := e.box.Close(); err != nil {
			e.note("warn", record.NoJob, fmt.Sprintf("end what runs in the sandbox: %v", err))
		}
	}
}

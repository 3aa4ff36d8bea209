package roster

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"atoll/config"
	"atoll/engine/agent"
	"atoll/engine/agent/broker"
	"atoll/engine/agent/client"
	"atoll/engine/agent/edit"
	"atoll/engine/agent/offline"
	"atoll/engine/agent/prompt"
	"atoll/engine/eval"
	"atoll/engine/gateway"
	"atoll/engine/sandbox"
	"atoll/gitops"
	"atoll/store/record"
)

// Roster is who can be asked in one run: the agents that edit, the models behind
// the roles, and what they share. It does not change once built.
type Roster struct {
	Agents     map[string]agent.Agent
	previewers map[string]agent.Previewer // who writes the prompts of agents that are not there themselves
	Clients    map[string]*RoleClient     // who can serve a role, by agent
	gateway    *gateway.Gateway           // nil: no agent needs one
	Prompts    *prompt.Prompts
	Secrets    []string        // keys, never to be written anywhere
	Mute       map[string]bool // agents that read no prompt
	BuiltIn    map[string]bool // offline agents
	Elsewhere  map[string]bool // agents that take their time: persons, and workers that come for tasks
	Waits      map[string]bool // of these, those whose jobs wait without a worker
	OwnLogin   map[string]bool // agents with their own credentials: nobody can meter them
}

// Builder is what agents are built from.
type Builder struct {
	Config  config.Config // weights and money as they are now
	Box     *sandbox.Box
	Repo    *gitops.Repo
	Dir     string // the state directory
	Account func(name string, limit float64) func(agent.Job) *gateway.Account
	Note    func(text string) // of an agent that is left out
	Now     func() time.Time
	Getenv  func(string) string // reads the keys of providers
	Gateway gateway.Options     // but for providers, prices, keys and clock
	Record  string              // folder in which what agents do is written; "" = nowhere
	Tasks   *broker.Broker      // where agents of the kind broker put their jobs
	// Elsewhere runs the programs of agents that have on_workers; nil: they run here.
	Elsewhere client.Elsewhere
}

// Close ends what the roster holds open; nothing is asked after it.
func (c *Roster) Close() {
	if c != nil && c.gateway != nil {
		c.gateway.Close()
	}
}

// Client returns who serves a role under the name of an agent, nil for nobody.
func (c *Roster) Client(name string) *RoleClient {
	if c == nil {
		return nil
	}
	return c.Clients[name]
}

// Redact takes the keys out of a text.
func (c *Roster) Redact(text string) string { return agent.Redact(text, c.Secrets...) }

// Build builds all agents. One that is not used and cannot be built is left out
// with a note. Errors: [config.Problems], and what an agent says of its
// options.
func (h *Builder) Build() (*Roster, error) {
	cfg := h.Config
	if err := CheckAgents(cfg, h.Getenv); err != nil {
		return nil, err
	}
	c := &Roster{Agents: map[string]agent.Agent{}, Clients: map[string]*RoleClient{}, Mute: map[string]bool{"offline": true}, BuiltIn: map[string]bool{"offline": true}, OwnLogin: map[string]bool{}, Elsewhere: map[string]bool{}, Waits: map[string]bool{}}
	var err error
	if c.Prompts, err = prompt.New(cfg.Prompts); err != nil {
		return nil, err
	}
	var providers []gateway.Provider
	c.Secrets = h.secrets()
	for _, a := range cfg.Agents {
		if (a.Kind == "chat" || a.Kind == "command") && a.BaseURL != "" {
			providers = append(providers, gateway.Provider{
				Name: a.Name, API: protocolOf(a), BaseURL: a.BaseURL, KeyEnv: a.KeyEnv, RPM: a.RPM, TPM: a.TPM, Parallel: a.Parallel, MaxTokens: a.MaxTokens,
			})
		}
	}
	if len(providers) > 0 {
		o := h.Gateway
		o.Providers, o.Prices, o.Getenv, o.Now = providers, PricesOf(cfg), h.Getenv, h.Now
		if c.gateway, err = gateway.New(o); err != nil {
			return nil, err
		}
	}
	for _, a := range cfg.Agents {
		built, err := h.build(c, a)
		if err != nil && Used(cfg, a) {
			return nil, fmt.Errorf("agent %q: %w", a.Name, err)
		}
		if err != nil {
			h.Note(fmt.Sprintf("agent %q is left out: %v", a.Name, err))
			continue
		}
		c.Agents[a.Name] = built
	}
	if c.Agents["offline"] == nil {
		c.Agents["offline"] = offline.New(offline.Options{})
	}
	return c, h.recording(c)
}

// secrets are the keys that the configuration names.
func (h *Builder) secrets() []string {
	var out []string
	for _, a := range h.Config.Agents {
		if a.KeyEnv == "" {
			continue
		}
		if key := strings.TrimSpace(h.Getenv(a.KeyEnv)); len(key) >= 4 {
			out = append(out, key)
		}
	}
	return out
}

// recording wraps the agents where the run is recorded.
func (h *Builder) recording(c *Roster) error {
	if h.Record == "" {
		return nil
	}
	if err := agent.WriteRecordedRun(h.Record, h.Config.Carried()); err != nil {
		return err
	}
	limits := map[string]float64{}
	for _, a := range h.Config.Agents {
		limits[a.Name] = a.JobUSD
	}
	for name, a := range c.Agents {
		if _, replayed := a.(*agent.Replay); replayed {
			continue
		}
		account := h.Account(name, limits[name])
		r, err := agent.NewRecorder(a, agent.RecorderOptions{
			Dir: h.Record, Config: config.FileName, Redact: func(s string) string { return agent.Redact(s, c.Secrets...) },
			Settled: func(j agent.Job) record.Usage { return account(j).Totals().Usage },
		})
		if err != nil {
			return err
		}
		c.Agents[name] = r
		if v := c.Clients[name]; v != nil {
			v.record = h.Record
		}
	}
	return nil
}

// build makes one agent.
func (h *Builder) build(c *Roster, a config.Agent) (agent.Agent, error) {
	switch a.Kind {
	case "offline":
		c.Mute[a.Name], c.BuiltIn[a.Name] = true, true
		return offline.New(offline.Options{}), nil
	case "chat":
		return h.chat(c, a)
	case "command":
		return h.command(c, a)
	case "human":
		c.Elsewhere[a.Name], c.Waits[a.Name] = true, true
		return agent.NewHuman(agent.HumanOptions{Name: a.Name, Dir: agent.HumanDir(h.Dir), Render: c.Prompts.WorkTree})
	case "broker":
		c.Elsewhere[a.Name], c.Waits[a.Name] = true, a.Waiting() > 0
		return broker.NewAgent(h.Tasks, a.Name, c.Prompts.WorkTree), nil
	case "replay":
		c.Mute[a.Name] = true
		c.Clients[a.Name] = &RoleClient{replay: a.Recording}
		return agent.NewReplay(a.Recording, config.FileName)
	case "plugin":
		return h.plugin(c, a)
	}
	return nil, fmt.Errorf("there is no kind %q", a.Kind)
}

func (h *Builder) chat(c *Roster, a config.Agent) (agent.Agent, error) {
	if a.BaseURL == "" {
		return nil, fmt.Errorf("it has no provider: set base_url")
	}
	c.Clients[a.Name] = &RoleClient{ask: requestOf(a), client: c.gateway.Client(), account: h.Account(a.Name, a.JobUSD)}
	o := h.chatOptions(c, a, c.gateway.Client())
	o.Account = h.Account(a.Name, a.JobUSD)
	ch, err := agent.NewChat(o)
	if err != nil {
		return nil, err
	}
	return timed{ch, a.Timeout}, nil
}

// chatOptions are those of a chat agent but for who pays.
func (h *Builder) chatOptions(c *Roster, a config.Agent, client agent.Completer) agent.ChatOptions {
	o := agent.ChatOptions{
		Client: client, Coder: requestOf(a), Edit: edit.Format(a.Edit), Attempts: a.Attempts, Brief: c.Prompts.Chat(a.Context),
	}
	for _, p := range h.Config.Agents {
		if p.Name == h.Config.Roles.Planner && p.Kind == "chat" {
			ask := requestOf(p)
			o.Planner = &ask
		}
	}
	return o
}

// requestOf is how the model of an agent is asked.
func requestOf(a config.Agent) gateway.Request {
	return gateway.Request{
		Provider: a.Name, Model: a.Model, MaxTokens: a.MaxTokens, Temperature: a.Temperature, Effort: a.Effort, Extra: extraOf(a), Cache: a.Cache,
	}
}

// extraOf are the further fields of an agent's requests. What is no JSON is a
// text.
func extraOf(a config.Agent) map[string]json.RawMessage {
	out := map[string]json.RawMessage{}
	for name, value := range a.ExtraBody {
		raw := json.RawMessage(value)
		if !json.Valid(raw) {
			raw, _ = json.Marshal(value) // a text always encodes
		}
		out[name] = raw
	}
	return out
}

func (h *Builder) command(c *Roster, a config.Agent) (agent.Agent, error) {
	caches, env, err := eval.Caches(h.Config.Evaluator.Caches, func(name string) (string, bool) { v := h.Getenv(name); return v, v != "" })
	if err != nil {
		return nil, err
	}
	o := client.Options{
		Name: a.Name, Preset: a.Preset, Command: a.Command, PromptBy: client.PromptBy(a.Prompt), Model: a.Model, Env: slices.Concat(env, a.Env), Getenv: h.Getenv,
		Tools: h.tools(), Caches: caches, Timeout: a.Timeout, Attempts: a.Attempts, Requests: a.Requests, MaxTokens: a.MaxTokens, JobUSD: a.JobUSD,
		Limits: sandbox.Limits{Memory: h.Config.Limits.Memory, Procs: h.Config.Limits.Procs, Output: h.Config.Limits.Output, Disk: h.Config.Limits.Disk},
		Box:    h.Box, Checkout: h.Repo.Checkout, OwnCredentials: a.OwnCredentials, Home: h.Getenv("HOME"),
		Render: c.Prompts.WorkTree, Secrets: c.Secrets, Wait: h.Gateway.Sleep,
	}
	if a.OnWorkers && h.Elsewhere != nil { // caches are those of the machine
		o.Elsewhere, o.Lays, o.Caches, o.Env = h.Elsewhere, h.Config.Evaluator.Caches, nil, a.Env
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
		o.Gateway = h.told(a.Name, client.GatewayFor(c.gateway, []string{a.Name}, models, cmp.Or(a.Requests, client.DefaultRequests), dir, h.Account(a.Name, a.JobUSD)))
	}
	c.OwnLogin[a.Name] = a.OwnCredentials
	return client.New(o)
}

// told has the log say, once for each agent, what the gateway changed in a client's
// requests or passed on without a bound; the evidence of each job has all of it.
func (h *Builder) told(name string, open func(context.Context, agent.Job) (client.Endpoint, func() client.Metered, error)) func(context.Context, agent.Job) (client.Endpoint, func() client.Metered, error) {
	var said sync.Map
	return func(ctx context.Context, j agent.Job) (client.Endpoint, func() client.Metered, error) {
		ep, end, err := open(ctx, j)
		if err != nil {
			return ep, end, err
		}
		return ep, sync.OnceValue(func() client.Metered {
			m := end()
			fresh := slices.DeleteFunc(slices.Clone(m.Notes), func(note string) bool {
				_, old := said.LoadOrStore(note, true)
				return old
			})
			if len(fresh) > 0 {
				h.Note(fmt.Sprintf("%s: of what %s asked its model for: %s", j.Number, name, strings.Join(fresh, "; ")))
			}
			return m
		}), nil
	}
}

// tools are the programs that coding clients may use in the sandbox: that of
// the evaluator and the common ones.
func (h *Builder) tools() []string {
	out := []string{"go", "python3", "node"}
	if c := h.Config.Evaluator.Command; len(c) > 0 && !strings.ContainsAny(c[0], "/{") && !slices.Contains(out, c[0]) {
		out = append(out, c[0])
	}
	return out
}

// socketPath bounds the folder of the gateway's sockets: the path of a unix
// socket has room for 107 bytes.
const socketPath = 60

// socketDir is where the sockets of jobs are made. What a dead engine left
// there is removed.
func (h *Builder) socketDir() (string, error) {
	dir := filepath.Join(h.Dir, "gw")
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
		failure.Class, failure.Reason, failure.Err = record.ClassTimeout, fmt.Sprintf("the agent took longer than %s", t.after), nil
	}
	return res, err
}

var errAgentTime = errors.New("the agent's time is up")

package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"atoll/config"
	"atoll/engine/agent"
	"atoll/engine/gateway"
	"atoll/engine/sandbox"
	"atoll/gitops"
	"atoll/store/record"
)

// crew is who can be asked in one run: the agents that edit, the models behind
// the roles, and what they share. It does not change once built.
type crew struct {
	agents  map[string]agent.Agent
	voices  map[string]*voice // who can serve a role, by agent
	gateway *gateway.Gateway  // nil: no agent needs one
	prompts *agent.Prompts
	secrets []string        // keys, never to be written anywhere
	mute    map[string]bool // agents that read no prompt
	own     map[string]bool // agents with their own credentials: nobody can meter them
}

// voice answers prompts of the roles beside the coder's.
type voice struct {
	provider, model string
	maxTokens       int64
	limit           float64 // US dollars of one job
	client          agent.Completer
	record          string // folder in which answers are kept; "" = none
	replay          string // folder from which answers are taken; "" = the model is asked
}

// money reports whether asking an agent may cost something: a provider or an
// own login is behind it and its price is not known to be nothing.
func money(a config.Agent, prices gateway.Prices) bool {
	switch {
	case a.Kind == "command" && a.OwnCredentials:
		return true
	case a.Kind != "chat" && (a.Kind != "command" || a.BaseURL == ""):
		return false
	}
	p, known := prices.Of(a.Model)
	return !known || p.Input > 0 || p.Cached > 0 || p.Output > 0
}

// PaidAgents names the agents of a configuration that edit or serve a role and
// may cost money.
func PaidAgents(cfg config.Config) []string {
	var out []string
	for _, a := range cfg.Agents {
		if used(cfg, a) && money(a, pricesOf(cfg)) {
			out = append(out, a.Name)
		}
	}
	return out
}

// used reports whether an agent edits by itself or serves a role.
func used(cfg config.Config, a config.Agent) bool {
	r := cfg.Roles
	return a.Weight > 0 || slices.Contains([]string{r.Planner, r.Reviewer, r.Reflector}, a.Name)
}

func pricesOf(cfg config.Config) gateway.Prices {
	var out gateway.Prices
	for _, p := range cfg.Prices {
		out = append(out, gateway.Price{Model: p.Model, Input: p.Input, Cached: p.Cached, Output: p.Output})
	}
	return out
}

// protocolOf is how a provider of an agent is spoken to.
func protocolOf(a config.Agent) gateway.API {
	if a.API != "" {
		return gateway.API(a.API)
	}
	if a.Kind == "command" {
		if p, err := agent.FindPreset(a.Preset); err == nil && p.API != "" {
			return p.API
		}
	}
	return gateway.Chat
}

// CheckAgents says what would keep the agents of a configuration from working:
// keys that are missing or would reach a sandbox, models without a price and
// agents that nobody can meter under a budget of money, roles that an agent
// cannot serve. It asks nobody and spends nothing. The error is
// [config.Problems].
func CheckAgents(cfg config.Config, getenv func(string) string) error {
	var out config.Problems
	bad := func(key, format string, args ...any) {
		out = append(out, config.Problem{Key: key, Text: fmt.Sprintf(format, args...)})
	}
	keys := map[string]bool{}
	for i, a := range cfg.Agents {
		if !used(cfg, a) {
			continue
		}
		at := fmt.Sprintf("agents[%d]", i)
		if a.KeyEnv != "" {
			keys[a.KeyEnv] = true
			if strings.TrimSpace(getenv(a.KeyEnv)) == "" {
				bad(at+".key_env", "agent %q takes its key from %s, which is empty; set it, or give the agent the weight 0", a.Name, a.KeyEnv)
			}
		}
		if a.Kind == "chat" {
			switch {
			case a.BaseURL == "":
				bad(at+".base_url", "agent %q has no provider: write its address, such as https://host/v1", a.Name)
			case protocolOf(a) == gateway.Gemini:
				bad(at+".api", "chat agents do not speak gemini: use the provider's OpenAI-compatible address with api: chat")
			}
		}
		if cfg.Budget.CostUSD > 0 {
			checkMoney(cfg, a, at, bad)
		}
	}
	for name := range keys {
		if i := slices.IndexFunc(cfg.Evaluator.Env, func(v string) bool { return v == name || strings.HasPrefix(v, name+"=") }); i >= 0 {
			bad("evaluator.env", "%s holds a provider's key; candidate code could read it there: take it out", name)
		}
	}
	for i, a := range cfg.Agents {
		for _, v := range a.Env {
			if name, _, _ := strings.Cut(v, "="); keys[name] {
				bad(fmt.Sprintf("agents[%d].env", i), "%s holds a provider's key, which never enters a sandbox; the agent reaches its model through base_url and key_env", name)
			}
		}
	}
	checkRoles(cfg, bad)
	if len(out) == 0 {
		return nil
	}
	return out
}

func checkMoney(cfg config.Config, a config.Agent, at string, bad func(string, string, ...any)) {
	prices := pricesOf(cfg)
	_, known := prices.Of(a.Model)
	switch {
	case a.Kind == "command" && a.OwnCredentials:
		bad(at+".own_credentials", "agent %q pays with its own login, which nobody here can meter; take budget.cost_usd out, or set own_credentials to false", a.Name)
	case a.Kind != "chat" && (a.Kind != "command" || a.BaseURL == ""):
	case a.Model == "" && len(prices) == 0, a.Model != "" && !known:
		bad("prices", "the price of %q (agent %q) is not known, so budget.cost_usd could not be kept; add it to prices, in dollars per million tokens", a.Model, a.Name)
	}
}

func checkRoles(cfg config.Config, bad func(string, string, ...any)) {
	for _, r := range []struct{ role, name string }{
		{"planner", cfg.Roles.Planner}, {"reviewer", cfg.Roles.Reviewer}, {"reflector", cfg.Roles.Reflector},
	} {
		for _, a := range cfg.Agents {
			if a.Name == r.name && r.name != "" && a.Kind != "chat" && a.Kind != "replay" {
				bad("roles."+r.role, "agent %q is of kind %s; this role needs a chat agent", a.Name, a.Kind)
			}
		}
	}
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
	for i := range cfg.Agents { // weights are settings
		cfg.Agents = slices.Clone(cfg.Agents)
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
	c := &crew{agents: map[string]agent.Agent{}, voices: map[string]*voice{}, mute: map[string]bool{"offline": true}, own: map[string]bool{}}
	var err error
	if c.prompts, err = agent.NewPrompts(cfg.Prompts); err != nil {
		return nil, err
	}
	var providers []gateway.Provider
	for _, a := range cfg.Agents {
		if a.KeyEnv != "" {
			if key := strings.TrimSpace(h.opt.Getenv(a.KeyEnv)); len(key) >= 4 {
				c.secrets = append(c.secrets, key)
			}
		}
		if (a.Kind == "chat" || a.Kind == "command") && a.BaseURL != "" {
			providers = append(providers, gateway.Provider{
				Name: a.Name, API: protocolOf(a), BaseURL: a.BaseURL, KeyEnv: a.KeyEnv, RPM: a.RPM, Parallel: a.Parallel, MaxTokens: a.MaxTokens,
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
		c.agents["offline"] = agent.NewOffline(agent.OfflineOptions{})
	}
	return c, h.recording(c)
}

// recording wraps the agents where the run is recorded.
func (h *hiring) recording(c *crew) error {
	if h.opt.Record == "" {
		return nil
	}
	for name, a := range c.agents {
		if _, replayed := a.(*agent.Replay); replayed {
			continue
		}
		r, err := agent.NewRecorder(a, h.opt.Record, func(s string) string { return agent.Redact(s, c.secrets...) })
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
		c.mute[a.Name] = true
		return agent.NewOffline(agent.OfflineOptions{}), nil
	case "chat":
		return h.chat(c, a)
	case "command":
		return h.command(c, a)
	case "human":
		return agent.NewHuman(agent.HumanOptions{Name: a.Name, Dir: filepath.Join(h.dir, "work"), Render: agent.RenderWith(c.prompts)})
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
	o := agent.ChatOptions{
		Client: c.gateway.Client(), Provider: a.Name, Model: a.Model, Edit: agent.EditFormat(a.Edit), Attempts: a.Attempts, MaxTokens: a.MaxTokens,
		Renderer: c.prompts, Account: h.account(a.Name, a.JobUSD),
	}
	for _, p := range h.cfg.Agents {
		if p.Name == h.cfg.Roles.Planner && p.Kind == "chat" {
			o.Planner = &agent.ChatPlanner{Provider: p.Name, Model: p.Model}
		}
	}
	ch, err := agent.NewChat(o)
	if err != nil {
		return nil, err
	}
	return timed{ch, a.Timeout}, nil
}

func (h *hiring) command(c *crew, a config.Agent) (agent.Agent, error) {
	o := agent.CommandOptions{
		Name: a.Name, Preset: a.Preset, Command: a.Command, PromptBy: agent.PromptBy(a.Prompt), Model: a.Model, Env: a.Env, Getenv: h.opt.Getenv,
		Tools: h.tools(), Timeout: a.Timeout, Attempts: a.Attempts, MaxTokens: a.MaxTokens, JobUSD: a.JobUSD,
		Limits: sandbox.Limits{Memory: h.cfg.Limits.Memory, Procs: h.cfg.Limits.Procs, Output: h.cfg.Limits.Output, Disk: h.cfg.Limits.Disk},
		Box:    h.box, Checkout: h.repo.Checkout, OwnCredentials: a.OwnCredentials, Home: h.opt.Getenv("HOME"),
		Render: agent.RenderWith(c.prompts), Secrets: c.secrets,
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
		o.Gateway = agent.GatewayFor(c.gateway, []string{a.Name}, models, dir, h.account(a.Name, a.JobUSD))
	}
	c.own[a.Name] = a.OwnCredentials
	return agent.NewCommand(o)
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

// answer asks the voice of a role within a job. What a ledger settles is not in
// the usage.
func (v *voice) answer(ctx context.Context, e *Engine, name, role string, lease record.Lease, p agent.Rendered) (string, record.Usage, error) {
	if v.replay != "" {
		text, err := readAnswer(v.replay, role, lease.Job.ID)
		return text, record.Usage{}, err
	}
	acc := e.purse.account(name, v.limit)(agent.Job{Number: lease.Job.ID, Attempt: lease.Attempt})
	res, err := v.client.Complete(ctx, gateway.Request{
		Provider: v.provider, Model: v.model, System: v.client.Redact(p.System), MaxTokens: v.maxTokens, Account: acc,
		Messages: []gateway.Message{{Role: "user", Content: v.client.Redact(p.User)}},
	})
	usage := res.Usage
	if acc.Settles() {
		usage = record.Usage{}
	}
	if err == nil && v.record != "" {
		err = writeAnswer(v.record, role, lease.Job.ID, v.client.Redact(res.Text))
	}
	return res.Text, usage, err
}

// spoken is a recorded answer of a role.
type spoken struct {
	Role   string `json:"role"`
	Answer string `json:"answer"`
}

func spokenPath(dir, role string, job record.JobID) string {
	return filepath.Join(dir, fmt.Sprintf("%s-%06d.json", role, job))
}

func writeAnswer(dir, role string, job record.JobID, text string) error {
	data, err := json.Marshal(spoken{role, text})
	if err == nil {
		err = os.WriteFile(spokenPath(dir, role, job), append(data, '\n'), 0o600)
	}
	if err != nil {
		return fmt.Errorf("record the answer of the %s in %s: %w", role, job, err)
	}
	return nil
}

func readAnswer(dir, role string, job record.JobID) (string, error) {
	data, err := os.ReadFile(spokenPath(dir, role, job))
	var s spoken
	if err == nil {
		err = json.Unmarshal(data, &s)
	}
	if err != nil {
		return "", fmt.Errorf("replay the answer of the %s in %s: %w", role, job, err)
	}
	return s.Answer, nil
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

package client

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"

	"atoll/engine/agent"
	"atoll/engine/gateway"
	"atoll/engine/sandbox"
	"atoll/store/record"
)

// Box runs foreign programs and finds what they are made of;
// *sandbox.Box is one.
type Box interface {
	Run(ctx context.Context, s sandbox.Spec) (sandbox.Result, error)
	Interpreters(ctx context.Context, names ...string) ([]sandbox.Mount, []string)
}

// Endpoint is where one job's requests to a model go. The base URLs are as the
// client sees them, at sandbox.GatewayAddr; "" = not served.
type Endpoint struct {
	Socket    string // unix socket on the host
	Token     string // of this job: the key that the client believes in
	OpenAI    string // with /v1: Responses and Chat Completions
	Anthropic string // without a version
	Gemini    string // without a version
	// Refused returns how many requests a budget has refused so far; nil: nobody
	// knows. A client that does not end by itself then is ended.
	Refused func() int
	// Denied reports whether a provider refused its key, or the account behind it,
	// for good; nil: nobody knows. A client that does not end by itself then is
	// ended.
	Denied func() bool
	// Excess reports whether the job wanted to make more requests than it may; nil:
	// nobody knows. A client that does not end by itself then is ended.
	Excess func() bool
}

// Base returns the base URL for a protocol; "" stands for any.
func (e Endpoint) Base(api gateway.API) string {
	switch api {
	case gateway.Anthropic:
		return e.Anthropic
	case gateway.Gemini:
		return e.Gemini
	case gateway.Chat, gateway.Responses:
		return e.OpenAI
	}
	return cmp.Or(e.OpenAI, e.Anthropic, e.Gemini)
}

// Metered is what went through a job's gateway.
type Metered struct {
	Usage   record.Usage
	Refused int      // requests that a budget refused
	Excess  int      // requests above the number that a job may make, all attempts together
	Denied  error    // a provider's refusal that lasts, a gateway.ErrAccess; nil = none
	Notes   []string // what was changed in requests, or odd, that no earlier attempt had
}

// Options describe a command agent.
type Options struct {
	Name   string
	Preset string // "" = generic
	// Command is the whole command line of a generic agent, in which {prompt},
	// {prompt_file}, {dir}, {model}, {base_url} and {token} are filled in. With a
	// preset it is the program, when that is not on PATH under its own name, and
	// further arguments.
	Command  []string
	PromptBy PromptBy // generic only; "" = stdin
	Model    string
	// Env is passed into the sandbox, as NAME=value, or NAME to take the value
	// from Getenv. Nothing else of the host's environment is.
	Env    []string
	Getenv func(string) string
	// Tools are programs beside the client's own that the agent may use inside
	// (go, python, node); Caches are laid under the sandbox for them.
	Tools  []string
	Caches []sandbox.Mount

	Timeout   time.Duration // wall time of one attempt; 0 = 20 minutes
	Idle      time.Duration // silence that ends an attempt; 0 = 10 minutes
	Attempts  int           // tries within one job, each in a fresh tree; 0 = 1
	Requests  int           // to a model in one job, all attempts together; 0 = 200
	MaxTurns  int           // 0 = the client's own; claude and gemini know it
	MaxTokens int64         // of one answer; 0 = the client's own
	JobUSD    float64       // with own credentials: what claude may spend; else the gateway holds the limit
	Limits    sandbox.Limits
	NoGit     bool // no throw-away repository in the tree

	Box Box
	// Elsewhere runs the client on another machine instead of Box; nil: here. Lays are
	// the names of caches that such a machine lays under the sandbox, of its own.
	Elsewhere Elsewhere
	Lays      []string
	// Checkout returns a read-only folder that holds a tree. nil: the files are
	// laid one by one.
	Checkout func(ctx context.Context, tree record.Hash) (dir string, release func(), err error)
	// Gateway opens the job's way to a model. close is called once, when the
	// client and all its descendants are gone, and returns what was metered. nil:
	// none. [GatewayFor] makes one.
	Gateway func(ctx context.Context, j agent.Job) (ep Endpoint, close func() Metered, err error)
	// OwnCredentials lets the client use its own login (copied from Home) and the
	// host's network. What it uses then is not metered.
	OwnCredentials bool
	Home           string // the user's home, for logins; "" = none
	// Render writes the prompt ([RenderWith]); nil writes a plain one.
	Render func(ctx context.Context, j agent.Job, t agent.Tree) (string, error)
	// Secrets are replaced wherever they turn up in evidence.
	Secrets []string
	// Wait waits before another attempt; nil waits on the wall clock.
	Wait func(ctx context.Context, d time.Duration) error
	// Look finds a program; nil is exec.LookPath.
	Look func(name string) (string, error)
}

// Command runs a coding client in a sandbox over the parent's tree and takes
// back what it changed there. It is safe for concurrent use.
type Command struct {
	o      Options
	preset preset

	mu    sync.Mutex
	found *Located
}

// ErrOptions reports options that no run could succeed with. Test with
// errors.Is.
var ErrOptions = errors.New("command agent")

// Defaults of Options.
const (
	defaultCommandTimeout = 20 * time.Minute
	defaultCommandIdle    = 10 * time.Minute
	refusedGrace          = 3 * time.Second // for a client to end by itself
)

// DefaultRequests is how many requests to a model a job may make where nothing is said.
const DefaultRequests = 200

// New checks the options, without running anything.
func New(o Options) (*Command, error) {
	p, err := findPreset(o.Preset)
	if err != nil {
		return nil, fmt.Errorf("%w %q: %v", ErrOptions, o.Name, err)
	}
	if o.Name == "" {
		o.Name = p.Name
	}
	if o.Timeout <= 0 {
		o.Timeout = defaultCommandTimeout
	}
	if o.Idle <= 0 {
		o.Idle = min(defaultCommandIdle, o.Timeout)
	}
	o.Attempts = max(o.Attempts, 1)
	if o.Requests <= 0 {
		o.Requests = DefaultRequests
	}
	if o.Wait == nil {
		o.Wait = gateway.Sleep
	}
	if o.Look == nil {
		o.Look = exec.LookPath
	}
	if o.Render == nil {
		o.Render = agent.PlainPrompt
	}
	c := &Command{o: o, preset: p}
	if c.preset.Name == "generic" && o.PromptBy != "" {
		c.preset.Prompt = o.PromptBy
	}
	if why := c.wrong(); why != "" {
		return nil, fmt.Errorf("%w %q: %s", ErrOptions, o.Name, why)
	}
	return c, nil
}

// wrong says what is wrong with the options, or "".
func (c *Command) wrong() string {
	o, p := &c.o, &c.preset
	switch {
	case o.Box == nil:
		return "it has no sandbox to run in"
	case p.Name == "generic" && len(o.Command) == 0:
		return "a generic agent needs command: program and arguments"
	case len(o.Command) > 0 && o.Command[0] == "":
		return "command names no program"
	case p.Name != "generic" && o.PromptBy != "" && o.PromptBy != p.Prompt:
		return fmt.Sprintf("preset %s takes its prompt by %s", p.Name, p.Prompt)
	case p.Prompt != promptStdin && p.Prompt != promptArg && p.Prompt != promptFile:
		return fmt.Sprintf("prompt %q: use stdin, arg or file", p.Prompt)
	case !p.Gateway && !o.OwnCredentials:
		return fmt.Sprintf("%s cannot be pointed at the gateway; allow its own login with own_credentials: true", p.Name)
	case o.Elsewhere != nil && o.OwnCredentials:
		return "its own login does not travel to other machines"
	case p.Name != "generic" && o.Gateway == nil && !o.OwnCredentials:
		return "it has no model: name base_url, key_env and model, or allow its own login with own_credentials: true"
	case p.Model && o.Model == "" && !o.OwnCredentials:
		return fmt.Sprintf("preset %s needs model", p.Name)
	case strings.ContainsAny(o.Model, "\"\\\n\x00"):
		return fmt.Sprintf("model %q has characters that no model's name has", o.Model)
	}
	for _, e := range o.Env {
		if !strings.Contains(e, "=") && o.Getenv == nil {
			return fmt.Sprintf("env %q has no value", e)
		}
	}
	return ""
}

// Name returns the agent's name.
func (c *Command) Name() string { return c.o.Name }

// Metered reports whether somebody counts what the agent uses: the gateway
// does, and a program without any network has nothing to count.
func (c *Command) Metered() bool { return !c.o.OwnCredentials }

// Edit runs the client until it has changed something, or its attempts are used
// up. Faults that pass (a busy service, a broken stream) and a tree without
// changes are tried again in a fresh tree; all others end at once. The usage of
// all attempts is counted.
func (c *Command) Edit(ctx context.Context, j agent.Job, t agent.Tree) (agent.Result, error) {
	prompt, err := c.o.Render(ctx, j, t)
	if err != nil {
		return agent.Result{}, &agent.Error{Class: record.ClassInternal, Reason: "write the prompt of " + c.o.Name, Err: err}
	}
	j.Tell(agent.RoleCoder, agent.Redact(prompt, c.o.Secrets...))
	var usage record.Usage
	for attempt := 1; ; attempt++ {
		res, err := c.attempt(ctx, j, t, prompt)
		if err == nil {
			res.Usage = usage.Add(res.Usage)
			return res, nil
		}
		var failure *agent.Error
		if !errors.As(err, &failure) {
			return agent.Result{}, err
		}
		usage = usage.Add(failure.Usage)
		failure.Usage = usage
		if ctx.Err() != nil || attempt >= c.o.Attempts || !again(failure) {
			return agent.Result{}, failure
		}
		if j.Live != nil {
			j.Live(fmt.Sprintf("attempt %d of %d: %s", attempt+1, c.o.Attempts, failure.Reason))
		}
		if failure.Class == record.ClassNoChange {
			prompt += "\n\nYour last attempt ended without changing any file. Edit the files of this folder directly; an answer in words counts as nothing.\n"
			continue
		}
		if err := c.o.Wait(ctx, backoff(j, attempt)); err != nil {
			failure.Err = errors.Join(failure.Err, err) // why there is no other attempt
			return agent.Result{}, failure
		}
	}
}

// Preview implements [Previewer].
func (c *Command) Preview(ctx context.Context, j agent.Job, t agent.Tree) (agent.Rendered, error) {
	text, err := c.o.Render(ctx, j, t)
	return agent.Rendered{User: agent.Redact(text, c.o.Secrets...)}, err
}

// again reports whether another attempt may help.
func again(e *agent.Error) bool {
	var client *Error
	return e.Class == record.ClassNoChange || errors.As(e.Err, &client) && client.Fault.Passing()
}

// backoff is 2, 4, 8... seconds up to a minute, of which a random half is left
// out.
func backoff(j agent.Job, attempt int) time.Duration {
	d := min(time.Minute, time.Second<<min(attempt, 6))
	if j.Rand != nil {
		d = d/2 + time.Duration(j.Rand.Int64N(int64(d/2)))
	}
	return d
}

// scopeFiles lists the files of the tree that may be changed, when they are few.
func scopeFiles(j *agent.Job, t agent.Tree, most int) []string {
	var list []string
	for _, f := range t.Files() {
		if f.Mode != record.Symlink && f.Mode != record.Submodule && j.Allowed(f.Path) {
			if list = append(list, f.Path); len(list) > most {
				return nil
			}
		}
	}
	return slices.Clip(list)
}

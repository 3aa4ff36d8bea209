package client

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"atoll/engine/agent"
	"atoll/engine/sandbox"
	"atoll/store/record"
)

// Names in the control folder.
const (
	startName  = "start.sh"
	promptName = "prompt.txt"
	homeName   = "home-" // and a number
)

// maxArgument is a little less than what the kernel takes as one argument.
const maxArgument = 127 << 10

// trial is one attempt: one run of the client in a fresh tree.
type trial struct {
	c      *Command
	j      *agent.Job
	t      agent.Tree
	in     presetInput
	prog   *Located // nil: another machine finds it
	spec   sandbox.Spec
	secret []string
	watch  *clientWatch
}

// attempt runs the client once.
func (c *Command) attempt(ctx context.Context, j agent.Job, t agent.Tree, prompt string) (done agent.Result, err error) {
	x := &trial{c: c, j: &j, t: t, secret: slices.Clone(c.o.Secrets)}
	x.stage("starting")
	if c.o.Elsewhere == nil {
		if x.prog, err = c.find(ctx); err != nil {
			return agent.Result{}, x.notStarted(err)
		}
	}
	metered, err := x.openGateway(ctx)
	if err != nil {
		if ctx.Err() != nil {
			return agent.Result{}, context.Cause(ctx)
		}
		return agent.Result{}, x.notStarted(err)
	}
	release, err := x.prepare(ctx, prompt)
	if err != nil {
		_ = metered()
		if ctx.Err() != nil {
			return agent.Result{}, context.Cause(ctx)
		}
		return agent.Result{}, x.notStarted(err)
	}
	defer release()
	runCtx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	x.watch = newClientWatch(c.preset.Format, c.o.Idle, cancel, &j, x.redact)
	x.spec.OnLine = x.watch.line
	watched := x.watchGateway(runCtx, cancel)
	res, runErr := x.start(runCtx)
	cancel(nil)
	watched.Wait()
	x.watch.stop()
	return x.judge(ctx, res, runErr, metered(), prompt)
}

// start runs the client, here or elsewhere, until it ended.
func (x *trial) start(ctx context.Context) (sandbox.Result, error) {
	if x.c.o.Elsewhere != nil {
		return x.elsewhere(ctx)
	}
	return x.c.o.Box.Run(ctx, x.spec)
}

// stage reports progress.
func (x *trial) stage(name string) {
	if x.j.Progress != nil {
		x.j.Progress(name)
	}
}

// notStarted is a failure before the client ran.
func (x *trial) notStarted(err error) error {
	var own *agent.Error
	if errors.As(err, &own) {
		return own
	}
	if ce := (*Error)(nil); errors.As(err, &ce) {
		return &agent.Error{Class: ce.Fault.Class(), Reason: "start " + x.c.o.Name, Err: ce}
	}
	return &agent.Error{
		Class: record.ClassAgent, Reason: "start " + x.c.o.Name,
		Err: &Error{Client: x.c.preset.Name, Fault: FaultStart, Message: err.Error(), Err: err},
	}
}

// openGateway opens the job's way to a model. The function that it returns
// closes it, once, and returns what was metered.
func (x *trial) openGateway(ctx context.Context) (func() Metered, error) {
	o := &x.c.o
	x.in = presetInput{
		model: o.Model, own: o.OwnCredentials, turns: o.MaxTurns, usd: o.JobUSD, output: o.MaxTokens,
		prompt: sandbox.ControlDir + "/" + promptName,
	}
	if o.OwnCredentials {
		x.spec.Net = sandbox.NetHost
		return func() Metered { return Metered{Usage: record.Usage{Unmetered: true}} }, nil
	}
	if o.Gateway == nil {
		x.spec.Net = sandbox.NetNone
		return func() Metered { return Metered{} }, nil
	}
	ep, closeIt, err := o.Gateway(ctx, *x.j)
	if err != nil {
		return nil, fmt.Errorf("open the gateway for job %s: %w", x.j.Number, err)
	}
	x.spec.Net, x.spec.Gateway = sandbox.NetGateway, ep.Socket
	x.in.base, x.in.token, x.in.ep = strings.TrimSuffix(ep.Base(x.c.preset.API), "/"), ep.Token, ep
	x.secret = append(x.secret, ep.Token)
	if x.in.base == "" {
		_ = closeIt()
		return nil, fmt.Errorf("%s speaks the protocol %q, which no provider of this agent serves; set api and base_url", x.c.preset.Name, x.c.preset.API)
	}
	return sync.OnceValue(closeIt), nil
}

// prepare fills the rest of the Spec. release gives the checkout back.
func (x *trial) prepare(ctx context.Context, prompt string) (release func(), err error) {
	c, o := x.c, &x.c.o
	if c.preset.Prompt == promptArg && len(prompt) > maxArgument {
		return nil, fmt.Errorf("the prompt of %d bytes is longer than one argument can be; use prompt: stdin or file", len(prompt))
	}
	x.in.scope = scopeFiles(x.j, x.t, 20)
	files := map[string][]byte{promptName: []byte(prompt)}
	homes := x.homeFiles()
	for i, f := range homes {
		files[homeName+strconv.Itoa(i)] = f.data
	}
	files[startName] = startScript(homes, c.preset.drop, !o.NoGit)
	x.spec.Files = files
	x.spec.Args = append([]string{"/bin/sh", sandbox.ControlDir + "/" + startName, programHere}, x.arguments(prompt)...)
	if c.preset.Prompt == promptStdin {
		x.spec.Stdin = []byte(prompt)
	}
	x.environment()
	x.spec.Limits = o.Limits
	x.spec.Limits.Wall = o.Timeout
	x.spec.Harvest, x.spec.HarvestSkip = true, x.skips()
	if o.Elsewhere != nil {
		return func() {}, nil
	}
	complete(&x.spec, x.prog)
	x.spec.Caches = o.Caches
	return x.lay(ctx)
}

// arguments returns the client's own arguments.
func (x *trial) arguments(prompt string) []string {
	c := x.c
	extra := []string(nil)
	if len(c.o.Command) > 0 {
		extra = c.o.Command[1:]
	}
	if c.preset.Name != "generic" {
		return c.preset.commandLine(x.in, extra, prompt)
	}
	r := strings.NewReplacer("{prompt}", prompt, "{prompt_file}", x.in.prompt, "{dir}", sandbox.TreeDir,
		"{model}", x.in.model, "{base_url}", x.in.base, "{token}", x.in.token)
	var args []string
	named := false
	for _, a := range extra {
		named = named || strings.Contains(a, "{prompt}")
		args = append(args, r.Replace(a))
	}
	if c.preset.Prompt == promptArg && !named {
		args = append(args, prompt)
	}
	return args
}

// environment is all that the client sees of it but the folders of its program.
func (x *trial) environment() {
	o := &x.c.o
	env := []string{"LANG=C.UTF-8", "TERM=dumb", "NO_COLOR=1", "CI=1", "GIT_TERMINAL_PROMPT=0", "GIT_CONFIG_NOSYSTEM=1"}
	if x.c.preset.env != nil {
		env = append(env, x.c.preset.env(x.in)...)
	}
	for _, e := range o.Env {
		name, value, ok := strings.Cut(e, "=")
		if !ok {
			if value = o.Getenv(name); value == "" {
				continue
			}
			if len(value) >= 8 {
				x.secret = append(x.secret, value)
			}
		}
		env = slices.DeleteFunc(env, func(s string) bool { return strings.HasPrefix(s, name+"=") })
		env = append(env, name+"="+value)
	}
	x.spec.Env = env
}

// homeFiles are the preset's files and, with own credentials, the logins.
func (x *trial) homeFiles() []homeFile {
	var list []homeFile
	if x.c.preset.files != nil {
		list = x.c.preset.files(x.in)
	}
	if !x.in.own || x.c.o.Home == "" {
		return list
	}
	for _, path := range x.c.preset.Logins {
		if data, err := os.ReadFile(filepath.Join(x.c.o.Home, path)); err == nil && len(data) <= 1<<20 {
			list = append(list, homeFile{path: path, data: data})
		}
	}
	return list
}

// droppings are names that tools leave behind; they are no part of a change
// unless the tree has them already.
var droppings = []string{
	".git", "__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache", "node_modules", ".venv",
	".DS_Store", ".codex", ".agents", ".aider.tags.cache.v4", ".opencode", ".claude", ".gemini",
}

// skips are the droppings that the tree does not have.
func (x *trial) skips() []string {
	have := map[string]bool{}
	for _, f := range x.t.Files() {
		for part := range strings.SplitSeq(f.Path, "/") {
			have[part] = true
		}
	}
	var list []string
	for _, name := range droppings {
		if !have[name] {
			list = append(list, name)
		}
	}
	return list
}

// startScript is the first program of a run: it lays the client's files into
// the private home, makes the throw-away repository, and becomes the client.
func startScript(homes []homeFile, drop string, git bool) []byte {
	var b strings.Builder
	b.WriteString("umask 022\n")
	for i, f := range homes {
		to := quoteShell(sandbox.HomeDir + "/" + f.path)
		fmt.Fprintf(&b, "(umask 077 && mkdir -p \"$(dirname %s)\" && cat %s/%s%d > %s) || exit 125\n", to, sandbox.ControlDir, homeName, i, to)
	}
	if git {
		b.WriteString(`if [ ! -e .git ] && command -v git; then
	git init -q . && git config user.name atoll && git config user.email atoll@localhost && git config gc.auto 0 &&
	git add -A && git commit -q --no-verify -m base
fi </dev/null >/dev/null 2>&1
`)
	}
	if drop == "" {
		b.WriteString("exec \"$@\"\n")
	} else {
		fmt.Fprintf(&b, "\"$@\" | grep -v -F %s\n", quoteShell(drop))
	}
	return []byte(b.String())
}

func quoteShell(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// Why a run was stopped from here.
var (
	errClientIdle = errors.New("the client was silent for too long")
	errClientLoop = errors.New("the client goes round in a circle")
	errClientPaid = errors.New("the budget refuses the client's requests")
	errClientKey  = errors.New("the provider refuses the client's requests")
	errClientBusy = errors.New("the client makes too many requests")
)

// watchGateway ends a client that goes on asking after the gateway has said no for
// good, for the job, the budget or the provider: some retry for minutes without a
// word.
// Its goroutine ends with ctx.
func (x *trial) watchGateway(ctx context.Context, cancel context.CancelCauseFunc) *sync.WaitGroup {
	var wait sync.WaitGroup
	if ep := &x.in.ep; ep.Refused == nil && ep.Denied == nil && ep.Excess == nil {
		return &wait
	}
	wait.Go(func() {
		tick := time.NewTicker(250 * time.Millisecond)
		defer tick.Stop()
		var since time.Time
		for {
			select {
			case <-ctx.Done():
				return
			case now := <-tick.C:
				switch why := x.refusal(); {
				case why == nil:
				case since.IsZero():
					since = now
				case now.Sub(since) > refusedGrace:
					cancel(why)
					return
				}
			}
		}
	})
	return &wait
}

// refusal says who refuses the client's requests for good, nil for nobody.
func (x *trial) refusal() error {
	switch ep := &x.in.ep; {
	case ep.Denied != nil && ep.Denied():
		return errClientKey
	case ep.Refused != nil && ep.Refused() > 0:
		return errClientPaid
	case ep.Excess != nil && ep.Excess():
		return errClientBusy
	}
	return nil
}

// clientWatch reads the output of a run while it happens. Its methods are safe
// for concurrent use.
type clientWatch struct {
	mu     sync.Mutex
	format Format
	stream *stream
	idle   *time.Timer
	limit  time.Duration
	cancel context.CancelCauseFunc
	live   func(string)
	alive  func()
	stage  func(string)
	at     string
	redact func(string) string
	ended  bool
	lines  int
}

func newClientWatch(f Format, idle time.Duration, cancel context.CancelCauseFunc, j *agent.Job, redact func(string) string) *clientWatch {
	w := &clientWatch{format: f, stream: newStream(f), limit: idle, cancel: cancel, live: j.Live, alive: j.Alive, stage: j.Progress, redact: redact}
	w.idle = time.AfterFunc(idle, func() { cancel(errClientIdle) })
	return w
}

// line takes one line of output (stream 1) or of complaints (2).
func (w *clientWatch) line(stream int, line string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.ended {
		return
	}
	w.lines++
	w.idle.Reset(w.limit)
	if w.alive != nil {
		w.alive()
	}
	show := ""
	if stream == 1 {
		show = w.stream.Line([]byte(line))
	}
	if show != "" && w.live != nil {
		w.live(w.redact(show))
	}
	if s := w.stream.Stage(); s != "" && s != w.at && w.stage != nil {
		w.at = s
		w.stage(s)
	}
	if w.stream.rep.Fault == FaultLoop {
		w.cancel(errClientLoop)
	}
}

// rest stops the clock of silence.
func (w *clientWatch) rest() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.idle.Stop()
}

// again forgets what was heard: the run begins anew.
func (w *clientWatch) again() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stream, w.lines, w.at = newStream(w.format), 0, ""
	if !w.ended {
		w.idle.Reset(w.limit)
	}
}

// stop ends the watch.
func (w *clientWatch) stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ended = true
	w.idle.Stop()
}

// seen returns what was understood and how many lines there were.
func (w *clientWatch) seen() (Report, int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.stream.Report(), w.lines
}

package plugin

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"atoll/engine/agent/clean"
	"atoll/engine/sandbox"
	"atoll/store/record"
)

// Box runs a program in the sandbox, and finds what it is made of; *sandbox.Box is
// one.
type Box interface {
	Run(ctx context.Context, s sandbox.Spec) (sandbox.Result, error)
	Interpreters(ctx context.Context, names ...string) ([]sandbox.Mount, []string)
}

// Host runs plug-ins. It is safe for concurrent use.
type Host struct {
	Box    Box
	Getenv func(string) string // the variables that manifests ask for
	Most   sandbox.Limits      // no call may take more; 0 = what the manifest says
}

// Call is one call of a plug-in.
type Call struct {
	Params  any
	Base    string          // checkout that is its working directory, "" = an empty folder
	Delta   []record.Change // on top of it
	Harvest bool            // bring back what it changed there; else it cannot
	Live    func(line string)
}

// Reply is what came of a call.
type Reply struct {
	Result  json.RawMessage
	Changes []record.Change // with Harvest
	Stderr  string          // its tail
}

// Call has a plug-in carry out the method of its kind. Errors are those of the
// package, of the sandbox, or the context's.
func (h *Host) Call(ctx context.Context, p *Plugin, c Call) (Reply, error) {
	return h.converse(ctx, p, p.NewTalk(), c)
}

func (h *Host) converse(ctx context.Context, p *Plugin, t *Talk, c Call) (Reply, error) {
	in, err := t.Input(c.Params)
	if err != nil {
		return Reply{}, err
	}
	res, err := h.run(ctx, p, in, c)
	reply := Reply{Changes: res.Changes, Stderr: tail(res.Stderr)}
	if err != nil {
		return reply, err
	}
	if err := Ended(&res); err != nil {
		return reply, fmt.Errorf("plug-in %s: %w", p.Name, err)
	}
	if reply.Result, err = t.Answer(res.Stdout); err != nil {
		return reply, fmt.Errorf("plug-in %s: %w", p.Name, err)
	}
	return reply, nil
}

// run starts the plug-in with a text on its stdin.
func (h *Host) run(ctx context.Context, p *Plugin, in []byte, c Call) (sandbox.Result, error) {
	mounts, path := h.Box.Interpreters(ctx, p.programs()...)
	s := sandbox.Spec{
		Args: p.Args(sandbox.PluginDir), Env: append(p.Env(h.Getenv), "PATH="+strings.Join(path, ":")), Base: c.Base, Delta: c.Delta,
		Mounts: append(append(mounts, sandbox.Mount{Host: p.Dir, At: sandbox.PluginDir}), p.Mounts()...),
		Limits: p.Limits.Of(h.Most), Net: sandbox.NetNone, Stdin: in, Harvest: c.Harvest, HarvestSkip: []string{"__pycache__"}, TreeReadOnly: !c.Harvest,
		RunHelper: p.Kind == Evaluator,
	}
	if p.Permissions.Net {
		s.Net = sandbox.NetHost
	}
	if c.Live != nil {
		s.OnLine = func(stream int, line string) {
			if stream == 2 {
				c.Live(clean.Line(line))
			}
		}
	}
	return h.Box.Run(ctx, s)
}

// programs are those that a plug-in may need from outside of the system folders.
func (p *Plugin) programs() []string {
	if strings.Contains(p.Command[0], "/") {
		return nil
	}
	return []string{p.Command[0]}
}

// Args are the command line of a plug-in whose folder lies at a path.
func (p *Plugin) Args(at string) []string {
	args := slices.Clone(p.Command)
	for i := range args {
		args[i] = strings.ReplaceAll(args[i], "{dir}", at)
	}
	return args
}

// Env are the variables of a plug-in, NAME=value: what its manifest asks for and
// getenv has, and nothing else of this process.
func (p *Plugin) Env(getenv func(string) string) []string {
	env := []string{"LC_ALL=C.UTF-8", "TZ=UTC", "PYTHONDONTWRITEBYTECODE=1", "PYTHONHASHSEED=0", "PYTHONUNBUFFERED=1"}
	for _, name := range p.Permissions.Env {
		if v := getenv(name); v != "" {
			env = append(env, name+"="+v)
		}
	}
	return env
}

// Mounts are the folders outside that its manifest asks for; code of a candidate
// does not see them.
func (p *Plugin) Mounts() []sandbox.Mount {
	var out []sandbox.Mount
	for _, f := range p.Permissions.Paths {
		out = append(out, sandbox.Mount{Host: f.Path, At: f.Path, Write: f.Write, Private: true, Optional: true})
	}
	return out
}

// Ended says how a process ended that did not end well, as an ErrLimit; nil for
// one that did.
func Ended(r *sandbox.Result) error {
	said := ""
	if text := tail(r.Stderr); text != "" {
		said = "; it said: " + clean.Short(lastLine(text), 200)
	}
	switch {
	case r.TimedOut || slices.Contains(r.Limits, "wall"):
		return fmt.Errorf("%w: it took longer than its time%s", ErrLimit, said)
	case len(r.Limits) > 0:
		return fmt.Errorf("%w: it went over its limit of %s%s", ErrLimit, strings.Join(r.Limits, " and "), said)
	case r.StdoutCut > 0:
		return fmt.Errorf("%w: it wrote more than its limit of output%s", ErrLimit, said)
	case r.Signal != "":
		return fmt.Errorf("%w: it was ended by a signal: %s%s", ErrLimit, r.Signal, said)
	case r.Exit == 127:
		return fmt.Errorf("%w: its program was not found in the sandbox%s", ErrLimit, said)
	case r.Exit != 0:
		return fmt.Errorf("%w: exit code %d%s", ErrLimit, r.Exit, said)
	}
	return nil
}

// tail is the end of a text, cleaned.
func tail(b []byte) string {
	const most = 4 << 10
	if len(b) > most {
		b = b[len(b)-most:]
	}
	return strings.TrimSpace(string(clean.Text(b)))
}

func lastLine(s string) string { return s[strings.LastIndexByte(s, '\n')+1:] }

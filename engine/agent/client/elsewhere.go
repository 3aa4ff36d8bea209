package client

import (
	"context"
	"errors"
	"slices"
	"strings"

	"atoll/engine/sandbox"
	"atoll/store/record"
)

// Elsewhere runs a client on another machine. Errors are those of a sandbox: of the
// machine, not of the client.
type Elsewhere interface {
	Edit(ctx context.Context, e Errand) (sandbox.Result, error)
}

// Errand is one run of a client for another machine, which finds the program, lays the
// parent's tree and leads requests to the model's gateway back here.
type Errand struct {
	Job     record.JobID
	Attempt int
	Agent   string
	Tree    record.Hash // that is edited
	// Spec is the run without what only the machine knows: base, mounts, caches, the
	// gateway's socket there, and the place of the program (see [Errand.Start]).
	Spec    sandbox.Spec
	Program string   // name or path
	Tools   []string // that it may use
	Lays    []string // names of caches
	Gateway string   // unix socket here; "" = no way to a model
	Stage   func(string)
	// Waits is called while no machine has the run, Begins whenever one has begun it: what
	// was heard of it before counts no more.
	Waits, Begins func()
}

// The place of the program among the words of a run, and what stands there before it was
// found.
const (
	programAt   = 2
	programHere = "program"
)

// ErrErrand reports a run that no coding client is.
var ErrErrand = errors.New("no run of a client")

// Start completes the run with a program of the machine that it is on.
func (e *Errand) Start(p *Located) error {
	if len(e.Spec.Args) <= programAt || e.Spec.Args[programAt] != programHere {
		return ErrErrand
	}
	complete(&e.Spec, p)
	return nil
}

// complete puts the program into a run.
func complete(spec *sandbox.Spec, p *Located) {
	spec.Args = slices.Clone(spec.Args)
	spec.Args[programAt] = p.Path
	spec.Mounts = p.Mounts
	named := slices.ContainsFunc(spec.Env, func(e string) bool { return strings.HasPrefix(e, "PATH=") })
	if len(p.Dirs) > 0 && !named {
		spec.Env = append(slices.Clone(spec.Env), "PATH="+strings.Join(p.Dirs, ":"))
	}
}

// elsewhere has another machine run the client.
func (x *trial) elsewhere(ctx context.Context) (sandbox.Result, error) {
	o := &x.c.o
	e := Errand{
		Job: x.j.Number, Attempt: x.j.Attempt, Agent: o.Name, Tree: x.j.Parent.Tree, Spec: x.spec, Program: x.c.program(), Tools: o.Tools, Lays: o.Lays,
		Gateway: x.spec.Gateway, Stage: x.stage, Waits: x.watch.rest, Begins: x.watch.again,
	}
	e.Spec.Gateway = ""
	return o.Elsewhere.Edit(ctx, e)
}

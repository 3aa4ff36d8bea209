package offline

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"atoll/engine/agent"
	"atoll/engine/agent/clean"
	"atoll/store/record"
)

// Options sets the bounds of the offline agent. The zero value is what
// most repositories want.
type Options struct {
	MaxFileBytes int64 // larger files are never edited; 0 = 256 KiB
	Tries        int   // edits tried until one is valid; 0 = 24
}

// Agent is the built-in agent. It is stateless and safe for concurrent use;
// the same job, tree and random source give the same bytes.
type Agent struct{ bounds }

var _ agent.Agent = (*Agent)(nil)

// New returns the offline agent.
func New(o Options) *Agent {
	a := &Agent{bounds{maxBytes: o.MaxFileBytes, tries: o.Tries}}
	if a.maxBytes <= 0 {
		a.maxBytes = 256 << 10
	}
	if a.tries <= 0 {
		a.tries = 24
	}
	return a
}

// Operators returns the operators the offline agent carries out.
func (a *Agent) Operators() []record.Operator {
	return []record.Operator{record.OpSeed, record.OpTune, record.OpMutate, record.OpCrossover, record.OpRepair}
}

// Edit makes one edit. An operator that finds nothing to do falls back to a
// simpler one (crossover without a donor that differs mutates; tune without
// numbers mutates; mutate without statements tunes), and the intent says what
// was really done. It returns ErrNoChange when nothing may or can be edited,
// and an *Error for an operator that needs another agent.
func (a *Agent) Edit(ctx context.Context, j agent.Job, t agent.Tree) (agent.Result, error) {
	if !slices.Contains(a.Operators(), j.Operator) {
		return agent.Result{}, &agent.Error{
			Class: record.ClassAgent, Usage: agent.FreeOfCharge(),
			Reason: fmt.Sprintf("edit %s: the offline agent has no operator %q; give it another agent or take its weight away", j.Number, j.Operator),
		}
	}
	if j.Rand == nil {
		return agent.Result{}, &agent.Error{
			Class: record.ClassInternal, Usage: agent.FreeOfCharge(),
			Reason: fmt.Sprintf("edit %s: the job has no random source", j.Number),
		}
	}
	e := &editing{ctx: ctx, job: &j, rng: j.Rand, base: t, limits: a.bounds, made: made{changed: map[string][]byte{}, modes: map[string]record.Mode{}}}
	if e.run(); len(e.changes()) == 0 && !e.stop() { // all that may change may be packed
		e.packed = true
		e.run()
	}
	if err := ctx.Err(); err != nil {
		return agent.Result{}, err
	}
	if e.err != nil {
		return agent.Result{}, &agent.Error{
			Class: record.ClassInternal, Usage: agent.FreeOfCharge(),
			Reason: fmt.Sprintf("edit %s: read the tree", j.Number), Err: e.err,
		}
	}
	changes := e.changes()
	if len(changes) == 0 {
		return agent.Result{}, &agent.Error{
			Class: record.ClassNoChange, Usage: agent.FreeOfCharge(), Err: agent.ErrNoChange,
			Reason: nothing(j.Target),
		}
	}
	return agent.Result{Changes: changes, Usage: agent.FreeOfCharge(), Intent: clean.Short(strings.Join(e.intents, "; "), maxIntent)}, nil
}

// nothing says where nothing was found.
func nothing(t agent.Target) string {
	if t.Name != "" {
		return fmt.Sprintf("the offline agent found nothing that it can edit in the target %s", t.Name)
	}
	return "the offline agent found nothing that it can edit in the files that may change (gate.scope, evaluator.protected)"
}

const maxIntent = 240

// run carries out the operator of the job and, when it finds nothing, the
// ones it falls back to.
func (e *editing) run() {
	order := map[record.Operator][]func() bool{
		record.OpTune:      {e.evolve, e.tune, e.mutate},
		record.OpMutate:    {e.mutate, e.tune},
		record.OpCrossover: {e.crossover, e.tune, e.mutate},
		record.OpRepair:    {e.repair, e.mutate, e.tune},
		record.OpSeed:      {e.seed, e.tune, e.mutate},
	}[e.job.Operator]
	if e.job.Operator != record.OpCrossover && e.job.Operator != record.OpRepair && timed(e.job) {
		order = append([]func() bool{e.idiom}, order...)
	}
	for _, op := range order {
		if op() && len(e.changes()) > 0 || e.stop() {
			return
		}
	}
}

// seed takes several strong steps at once, so that the first candidates are
// unlike each other.
func (e *editing) seed() bool {
	e.strong = true
	steps, done := 1+e.rng.IntN(3), 0
	for range steps {
		op := e.tune
		if e.rng.Float64() < 0.4 {
			op = e.mutate
		}
		if op() {
			done++
		}
	}
	return done > 0
}

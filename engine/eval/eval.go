package eval

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"atoll/engine/eval/output"
	"atoll/engine/sandbox"
	"atoll/store/record"
)

// Runner runs one process in a sandbox; *sandbox.Box is one.
type Runner interface {
	Run(ctx context.Context, s sandbox.Spec) (sandbox.Result, error)
	Rung() sandbox.Rung
}

// Finder finds programs outside the system folders, with what must be mounted
// for them and the folders of PATH; *sandbox.Box is one. A Runner that is none
// runs what the system folders hold.
type Finder interface {
	Interpreters(ctx context.Context, names ...string) ([]sandbox.Mount, []string)
}

// Evaluator is one evaluator with its settings and a seal on its files. It is
// safe for concurrent use.
type Evaluator struct {
	box    Runner
	o      Options
	stages []*stage
	guard  *guard
	caches []cache
	found  programs
	tell   *output.Telling
	keyed  string

	mu        sync.Mutex
	seal      seal
	objective string
	rootFault string
}

// New checks the options, reads and seals the evaluator directory, and finds the
// programs that evaluators are written in; it measures nothing. Errors about settings wrap [ErrOptions].
func New(ctx context.Context, box Runner, o Options) (*Evaluator, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	o, stages, err := o.prepare()
	if err != nil {
		return nil, err
	}
	e := &Evaluator{box: box, o: o, stages: stages, tell: output.NewTelling(), objective: o.Objective}
	protected := slices.Clone(o.Protected)
	for _, st := range stages {
		if st.adapter != nil {
			protected = append(protected, st.adapter.needs...)
			e.o.Caches = union(e.o.Caches, st.adapter.caches)
		}
	}
	e.o.Protected = protected
	// What candidate code may not read, a candidate may not change either.
	e.guard = newGuard(slices.Concat(protected, o.Hidden), len(o.Hidden) > 0)
	if e.caches, err = cachesOf(&e.o); err != nil {
		return nil, err
	}
	if f, ok := box.(Finder); ok {
		e.found = e.find(ctx, f)
		if err := ctx.Err(); err != nil { // what was not found may be there
			return nil, err
		}
	}
	if o.Dir != "" {
		if e.seal, err = sealDir(o.Dir); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrOptions, err)
		}
	}
	e.keyed, err = e.key()
	return e, err
}

// Key is a hash, in hexadecimal, of everything that affects a measurement: the
// settings and the content of the evaluator directory. Samples of different
// keys must not be compared. Files of the tree that belong to the evaluator are
// fixed by the root commit and no part of it.
func (e *Evaluator) Key() string { return e.keyed }

// Protected returns the globs of files that are taken from the root, the hidden
// ones and those that an adapter added included. The gate should refuse changes to them.
func (e *Evaluator) Protected() []string { return slices.Clone(e.guard.globs) }

// Stages returns the names of the stages in order. One sample costs at most as
// many evaluations, with Paired one more.
func (e *Evaluator) Stages() []string {
	names := make([]string, len(e.stages))
	for i, s := range e.stages {
		names[i] = s.Name
	}
	return names
}

// MaxRuns is the largest number of stage runs that one Run may take.
func (e *Evaluator) MaxRuns() int {
	if e.o.Paired {
		return len(e.stages) + 1
	}
	return len(e.stages)
}

// Objective is the metric searched on, or nothing while it is not known: without
// a setting it is the first metric of the root's result.
func (e *Evaluator) Objective() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.objective
}

// SetObjective names the metric searched on, as it was found on the root by an
// earlier process. A name from the settings wins.
func (e *Evaluator) SetObjective(name string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.o.Objective == "" {
		e.objective = name
	}
}

// SetRootFailure remembers the signature (Outcome.Signature) of a failure of
// the root: from then on a candidate that fails alike is classed evaluator, for
// its own change is not to blame. Run does this itself for requests of the root;
// call it after a restart. An empty signature forgets.
func (e *Evaluator) SetRootFailure(signature string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.rootFault = signature
}

// Request is one candidate to measure once.
type Request struct {
	Base       string          // checkout of the root's tree, or of the nearest one
	Delta      []record.Change // from Base to the candidate
	Experiment string
	Job        record.JobID
	Candidate  record.CandidateID
	BaseCommit record.Hash // the parent
	Commit     record.Hash // the candidate
	Goal       string
	Repeat     int // index of this sample
	Seed       uint64
	Root       bool // the candidate is the root
	// Trusted is the checkout of the root: protected files come from here.
	Trusted string
	// SameProduct says which other candidate has a build product of this hash
	// (Options.Artifact); it may be nil.
	SameProduct func(hash string) (record.CandidateID, bool)
	// Live gets each line of output as it comes, control sequences removed; it
	// may be nil. It is called from other goroutines, one call at a time per
	// stage, and must not block.
	Live func(stage, line string)
}

// Outcome is what one sample gave: metrics, or a failure (Class not empty).
type Outcome struct {
	Objective     float64         // in the evaluator's own direction; 0 in a failure
	ObjectiveName string          // metric the value is of
	Of, Beside    float64         // with Paired: the two values whose ratio Objective is, of the candidate and of the root beside it
	BesideMetrics []record.Metric // with Paired: what the root beside it reported
	Metrics       []record.Metric // later stages win; in a failure those of the stages that ran
	Summary       string
	Tests         []string
	Class         record.Class
	Reason        string            // one plain line
	Signature     string            // of a failure, for SetRootFailure
	Evidence      []record.Evidence // Job is set, Attempt is the caller's
	Runs          int               // stages run, the unit of the budget
	Wall          time.Duration
	Stage         string // the last one that ran
	Artifacts     map[string]string
	// Product is the hash of the build product, "" without one. Twin is set when
	// another candidate has the same: then nothing more was measured.
	Product  string
	Twin     *record.CandidateID
	Warnings []string // worth a line in the log; no failure
}

// Failed reports whether the candidate could not be measured.
func (o *Outcome) Failed() bool { return o.Class != record.ClassNone }

// Run takes one sample: it runs the stages in order, each from a fresh copy of
// the tree, until one fails or all are done. The error is a failure of the
// sandbox, of this machine or of the evaluator directory ([ErrChanged]), or the
// context's; a failure of the candidate is an Outcome. Cancelling the context
// ends the processes.
func (e *Evaluator) Run(ctx context.Context, q Request) (Outcome, error) {
	if err := e.Verify(); err != nil {
		return Outcome{}, err
	}
	r := run{e: e, q: q}
	if err := r.lay(); err != nil {
		return Outcome{}, err
	}
	for _, st := range e.stages {
		if q.Repeat > 0 && st.Output == output.OutputNone && e.o.Artifact == "" {
			continue // it passed with the first sample, and says no more
		}
		v, err := r.stage(ctx, st)
		if err != nil {
			return r.out, fmt.Errorf("measure %s in stage %s: %w", q.Candidate, st.Name, err)
		}
		if v.class != record.ClassNone {
			e.fail(&r.out, q, st, v)
			return r.out, e.Verify()
		}
		if r.out.Twin != nil {
			return r.out, e.Verify()
		}
	}
	if v := r.conclude(); v.class != record.ClassNone {
		e.fail(&r.out, q, e.stages[len(e.stages)-1], v)
	} else if q.Root {
		e.SetRootFailure("")
	}
	return r.out, e.Verify()
}

// fail writes a verdict into an outcome and decides whether the evaluator
// itself is to blame.
func (e *Evaluator) fail(out *Outcome, q Request, st *stage, v verdict) {
	out.Class, out.Reason = v.class, output.OneLine(v.reason, output.MaxReason)
	out.Objective = 0
	out.Signature = e.tell.Signature(string(v.class), st.Name, out.Reason)
	e.mu.Lock()
	defer e.mu.Unlock()
	switch {
	case q.Root:
		e.rootFault = out.Signature
	case e.rootFault == out.Signature:
		out.Class = record.ClassEvaluator
		out.Reason = output.OneLine("as on the root: "+out.Reason, output.MaxReason)
	}
}

// strip returns the folders whose names fall away in reasons, so that the same
// fault reads the same in every run.
func (e *Evaluator) strip() []string {
	in := e.places()
	return []string{in.tree, in.dir, in.control, in.scratch, path.Dir(in.tree)}
}

// neutral puts the names inside a sandbox for the real ones that programs see
// where nothing can be mounted: texts travel, paths of this machine do not.
func (e *Evaluator) neutral(text string) string {
	if e.box.Rung() == sandbox.Namespaces {
		return text
	}
	text = e.tell.Private.ReplaceAllString(text, path.Dir(sandbox.TreeDir)+"/$1")
	if e.o.Dir != "" {
		text = strings.ReplaceAll(text, e.o.Dir, sandbox.EvaluatorDir)
	}
	return text
}

// Learned is what requests of the root taught this evaluator: the metric searched
// on and the signature of its failure, "" for none.
func (e *Evaluator) Learned() (objective, rootFault string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.objective, e.rootFault
}

// Learn takes over what another evaluator of the same key measured of the root.
func (e *Evaluator) Learn(root *Outcome) {
	e.SetRootFailure(root.Signature)
	name := root.ObjectiveName
	if e.o.Paired {
		name = strings.TrimSuffix(name, ratioSuffix)
	}
	if !root.Failed() {
		e.SetObjective(name)
	}
}

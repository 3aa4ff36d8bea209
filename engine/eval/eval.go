package eval

import (
	"context"
	"fmt"
	"path"
	"slices"
	"sync"
	"time"

	"atoll/engine/sandbox"
	"atoll/store/record"
)

// Runner runs one process in a sandbox; *sandbox.Box is one.
type Runner interface {
	Run(ctx context.Context, s sandbox.Spec) (sandbox.Result, error)
	Rung() sandbox.Rung
}

// Evaluator is one evaluator with its settings and a seal on its files. It is
// safe for concurrent use.
type Evaluator struct {
	box    Runner
	o      Options
	stages []*stage
	guard  *guard
	caches []cache
	tell   *telling
	keyed  string

	mu        sync.Mutex
	seal      seal
	objective string
	rootFault string
}

// New checks the options, reads and seals the evaluator directory, and runs
// nothing. Errors about settings wrap [ErrOptions].
func New(ctx context.Context, box Runner, o Options) (*Evaluator, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	o, stages, err := o.prepare()
	if err != nil {
		return nil, err
	}
	e := &Evaluator{box: box, o: o, stages: stages, tell: newTelling(), objective: o.Objective}
	protected := slices.Clone(o.Protected)
	for _, st := range stages {
		if st.adapter != nil {
			protected = append(protected, st.adapter.needs...)
			e.o.Caches = union(e.o.Caches, st.adapter.caches)
		}
	}
	e.o.Protected = protected
	e.guard = newGuard(protected, len(o.Hidden) > 0)
	if e.caches, err = cachesOf(&e.o); err != nil {
		return nil, err
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

// Protected returns the globs of files that are taken from the root, those that
// an adapter added included. The gate should refuse changes to them.
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
	// Live gets each line of output as it comes, control sequences removed; it
	// may be nil. It is called from other goroutines, one call at a time per
	// stage, and must not block.
	Live func(stage, line string)
}

// Outcome is what one sample gave: metrics, or a failure (Class not empty).
type Outcome struct {
	Objective     float64         // in the evaluator's own direction; 0 in a failure
	ObjectiveName string          // metric the value is of
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
	Warnings      []string // worth a line in the log; no failure
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
		v, err := r.stage(ctx, st)
		if err != nil {
			return r.out, fmt.Errorf("measure %s in stage %s: %w", q.Candidate, st.Name, err)
		}
		if v.class != record.ClassNone {
			e.fail(&r.out, q, st, v)
			return r.out, e.Verify()
		}
	}
	if v := r.conclude(); v.class != record.ClassNone {
		e.fail(&r.out, q, e.stages[len(e.stages)-1], v)
	}
	return r.out, e.Verify()
}

// fail writes a verdict into an outcome and decides whether the evaluator
// itself is to blame.
func (e *Evaluator) fail(out *Outcome, q Request, st *stage, v verdict) {
	out.Class, out.Reason = v.class, oneLine(v.reason, maxReason)
	out.Objective = 0
	out.Signature = e.tell.signature(string(v.class), st.Name, out.Reason)
	e.mu.Lock()
	defer e.mu.Unlock()
	switch {
	case q.Root:
		e.rootFault = out.Signature
	case e.rootFault == out.Signature:
		out.Class = record.ClassEvaluator
		out.Reason = oneLine("as on the root: "+out.Reason, maxReason)
	}
}

// run is one sample in the making.
type run struct {
	e       *Evaluator
	q       Request
	guarded *guarded
	delta   []record.Change // without protected paths
	seals   []sandbox.Seal
	hidden  []string
	out     Outcome
	root    *float64 // objective of the root beside it, when paired
}

// lay prepares what all stages share.
func (r *run) lay() error {
	trusted := r.q.Trusted
	if trusted == "" {
		trusted = r.q.Base
	}
	var err error
	if r.guarded, err = r.e.guard.of(trusted); err != nil {
		return err
	}
	var dropped []string
	r.delta, dropped = r.e.guard.filter(r.guarded, r.q.Delta)
	for _, p := range dropped {
		r.out.Warnings = append(r.out.Warnings, "the change of "+oneLine(p, 120)+" was left out: the path is protected")
	}
	r.seals = r.e.guard.seals(r.guarded, trusted)
	r.hidden = hidden(r.e.o.Hidden, r.guarded.all, r.delta)
	return nil
}

// stage runs one stage of the candidate, and with Paired the root beside the
// last one: before it and after it in turn, so that a drift of the machine does
// not favour either.
func (r *run) stage(ctx context.Context, st *stage) (verdict, error) {
	paired := r.e.o.Paired && st.last
	rootFirst := r.q.Repeat%2 == 0
	if paired && rootFirst {
		if v, err := r.beside(ctx, st); err != nil || v.class != record.ClassNone {
			return v, err
		}
	}
	res, limits, err := r.execute(ctx, st, r.q.Base, r.delta, "candidate")
	if err != nil {
		return verdict{}, err
	}
	report, v := r.e.read(st, &res, limits)
	r.take(st, &res, report, v)
	if v.class != record.ClassNone {
		return v, nil
	}
	if v := r.threshold(st); v.class != record.ClassNone {
		return v, nil
	}
	if paired && !rootFirst {
		return r.beside(ctx, st)
	}
	return verdict{}, nil
}

// beside measures the root in the same conditions.
func (r *run) beside(ctx context.Context, st *stage) (verdict, error) {
	trusted := r.q.Trusted
	if trusted == "" {
		return verdict{record.ClassEvaluator, "paired measurement needs the checkout of the root"}, nil
	}
	res, limits, err := r.execute(ctx, st, trusted, nil, "root")
	if err != nil {
		return verdict{}, err
	}
	report, v := r.e.read(st, &res, limits)
	if v.class != record.ClassNone {
		r.evidence("root", &res, st)
		return verdict{record.ClassEvaluator, "the root failed beside it: " + v.reason}, nil
	}
	name := r.e.Objective()
	if name == "" && len(report.Metrics) > 0 {
		name = report.Metrics[0].Name
	}
	value, ok := find(report.Metrics, name)
	if !ok {
		return verdict{record.ClassEvaluator, fmt.Sprintf("the root beside it reported no metric %q", name)}, nil
	}
	if value <= 0 {
		return verdict{record.ClassEvaluator, fmt.Sprintf("the root beside it measured %s = %g: a ratio needs a value above 0", name, value)}, nil
	}
	r.root = &value
	return verdict{}, nil
}

// execute runs one process. who is "candidate" or "root", for the context file.
func (r *run) execute(ctx context.Context, st *stage, base string, delta []record.Change, who string) (sandbox.Result, sandbox.Limits, error) {
	spec, err := r.spec(st, base, delta, who)
	if err != nil {
		return sandbox.Result{}, spec.Limits, err
	}
	res, err := r.e.box.Run(ctx, spec)
	if err != nil {
		return res, spec.Limits, err
	}
	if err := ctx.Err(); err != nil {
		return res, spec.Limits, err
	}
	r.out.Runs++
	r.out.Wall += res.Wall
	r.out.Stage = st.Name
	return res, spec.Limits, nil
}

// take adds what a stage reported to the outcome.
func (r *run) take(st *stage, res *sandbox.Result, report Report, v verdict) {
	for _, m := range report.Metrics {
		if i := slices.IndexFunc(r.out.Metrics, func(o record.Metric) bool { return o.Name == m.Name }); i >= 0 {
			r.out.Metrics[i] = m
		} else {
			r.out.Metrics = append(r.out.Metrics, m)
		}
	}
	if report.Summary != "" {
		r.out.Summary = report.Summary
	}
	r.out.Tests = append(r.out.Tests, report.Tests...)
	for _, name := range sortedKeys(report.Artifacts) {
		if r.out.Artifacts == nil {
			r.out.Artifacts = map[string]string{}
		}
		r.out.Artifacts[name] = report.Artifacts[name]
	}
	if v.class == record.ClassNone && len(res.Violations) > 0 {
		r.out.Warnings = append(r.out.Warnings, "tried what the sandbox forbids: "+oneLine(res.Violations[0], 200))
	}
	r.report(st, res, report, v)
}

// threshold compares the stage's metric with what is needed to go on.
func (r *run) threshold(st *stage) verdict {
	if st.Metric == "" {
		return verdict{}
	}
	value, ok := find(r.out.Metrics, st.Metric)
	if !ok {
		return verdict{record.ClassMetric, fmt.Sprintf("stage %s reported no metric %q for its threshold", st.Name, st.Metric)}
	}
	if Better(*st.Threshold, value, r.e.o.Direction) {
		word := "below"
		if r.e.o.Direction == Minimize {
			word = "above"
		}
		return verdict{record.ClassTest, fmt.Sprintf("stage %s: %s = %g is %s the threshold %g", st.Name, st.Metric, value, word, *st.Threshold)}
	}
	return verdict{}
}

// conclude finds the objective among the metrics.
func (r *run) conclude() verdict {
	e := r.e
	name := e.Objective()
	if name == "" {
		name = r.out.Metrics[0].Name
		if r.q.Root {
			e.SetObjective(name)
		}
	}
	r.out.ObjectiveName = name
	i := slices.IndexFunc(r.out.Metrics, func(m record.Metric) bool { return m.Name == name })
	if i < 0 {
		return verdict{record.ClassMetric, fmt.Sprintf("the evaluator reported no metric %q; it reported %s", name, names(r.out.Metrics))}
	}
	m := r.out.Metrics[i]
	r.out.Objective = m.Value
	if m.Higher != nil && *m.Higher == (e.o.Direction == Minimize) {
		r.out.Warnings = append(r.out.Warnings, fmt.Sprintf("the evaluator says higher_is_better = %v for %s, evaluator.direction says %s: direction is used", *m.Higher, name, e.o.Direction))
	}
	if r.root == nil {
		return verdict{}
	}
	ratio := m.Value / *r.root
	if ratio-ratio != 0 {
		return verdict{record.ClassMetric, fmt.Sprintf("%s = %g against %g of the root gives no finite ratio", name, m.Value, *r.root)}
	}
	r.out.Objective, r.out.ObjectiveName = ratio, name+RatioSuffix
	r.out.Metrics = append(r.out.Metrics,
		record.Metric{Name: name + RatioSuffix, Value: ratio, Higher: m.Higher},
		record.Metric{Name: name + RootSuffix, Value: *r.root, Unit: m.Unit, Higher: m.Higher})
	return verdict{}
}

// The suffixes of the two metrics that Paired adds: candidate divided by root,
// and the value of the root beside the candidate.
const (
	RatioSuffix = ".ratio"
	RootSuffix  = ".root"
)

func find(list []record.Metric, name string) (float64, bool) {
	for _, m := range list {
		if m.Name == name {
			return m.Value, true
		}
	}
	return 0, false
}

func names(list []record.Metric) string {
	text := ""
	for i, m := range list {
		if i == 8 {
			return text + fmt.Sprintf(" and %d more", len(list)-i)
		}
		if i > 0 {
			text += ", "
		}
		text += m.Name
	}
	return orElse(text, "none")
}

func union(list, more []string) []string {
	list = slices.Clone(list)
	for _, m := range more {
		if !slices.Contains(list, m) {
			list = append(list, m)
		}
	}
	return list
}

// strip returns the folders whose names fall away in reasons, so that the same
// fault reads the same in every run.
func (e *Evaluator) strip(*sandbox.Result) []string {
	in := e.places()
	return cleanFolders(in.tree, in.dir, in.control, in.scratch, path.Dir(in.tree))
}

package eval

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"atoll/config"
	"atoll/engine/eval/output"
	"atoll/engine/sandbox"
	"atoll/store/record"
)

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
	rootOut []byte   // its stdout
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
		r.out.Warnings = append(r.out.Warnings, "the change of "+output.OneLine(p, 120)+" was left out: the path is protected")
	}
	r.seals = r.e.guard.seals(r.guarded, trusted)
	r.hidden = hidden(r.e.o.Hidden, r.guarded.all, r.delta)
	return nil
}

// stage runs one stage of the candidate, and with Paired the root beside the
// last one: before it and after it in turn, so that a drift of the machine does
// not favour either.
func (r *run) stage(ctx context.Context, st *stage) (verdict, error) {
	turns := st.adapter != nil && st.adapter.turns != nil
	if turns && r.q.Trusted == "" {
		return verdict{record.ClassEvaluator, noRoot}, nil
	}
	paired := r.e.o.Paired && st.last && !turns
	rootFirst := r.q.Repeat%2 == 0
	if paired && rootFirst {
		if v, err := r.beside(ctx, st); err != nil || v.class != record.ClassNone {
			return v, err
		}
	}
	res, limits, err := r.execute(ctx, st, r.q.Base, r.delta, candidate)
	if errors.Is(err, sandbox.ErrEnded) { // no reason to end a search of days
		r.out.Runs++
		r.out.Stage = st.Name
		r.evidence(candidate, &res, st)
		return verdict{record.ClassCrash, output.OneLine(err.Error(), 300)}, nil
	}
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
	if turns && r.q.Repeat > 0 {
		report.Identity = "" // of another layout: the first sample named the program
	}
	r.product(&res, report.Identity)
	if paired && !rootFirst {
		if v, err := r.beside(ctx, st); err != nil || v.class != record.ClassNone {
			return v, err
		}
	}
	switch {
	case turns:
		return r.inTurns(st, &res), nil
	case paired:
		r.compare(st, res.Stdout)
	}
	return verdict{}, nil
}

// inTurns takes the root's part of what a command printed that measured both.
func (r *run) inTurns(st *stage, res *sandbox.Result) verdict {
	root, candidate := st.adapter.turns(res.Stdout)
	if isSame(res.Stdout) {
		of := record.Root
		r.out.Twin = &of
		return verdict{}
	}
	report, err := output.ParseGoBenchLow(root)
	if err != nil {
		return verdict{record.ClassEvaluator, "the root in turns with it: " + err.Error()}
	}
	if v := r.rootValue(report); v.class != record.ClassNone {
		return v
	}
	r.rootOut = root
	r.compare(st, candidate)
	return verdict{}
}

// beside measures the root in the same conditions.
func (r *run) beside(ctx context.Context, st *stage) (verdict, error) {
	trusted := r.q.Trusted
	if trusted == "" {
		return verdict{record.ClassEvaluator, noRoot}, nil
	}
	res, limits, err := r.execute(ctx, st, trusted, nil, "root")
	if err != nil {
		return verdict{}, err
	}
	report, v := r.e.read(st, &res, limits)
	if v.class != record.ClassNone {
		r.evidence("root", &res, st)
		text := "the root failed beside it: "
		if r.q.Candidate == record.Root {
			text = "the root failed beside itself: "
		}
		return verdict{record.ClassEvaluator, text + v.reason}, nil
	}
	r.rootOut = res.Stdout
	return r.rootValue(report), nil
}

const noRoot = "paired measurement needs the checkout of the root"

// rootValue takes the root's value of the objective.
func (r *run) rootValue(report output.Report) verdict {
	name := r.e.Objective()
	if name == "" && len(report.Metrics) > 0 {
		name = report.Metrics[0].Name
	}
	value, ok := find(report.Metrics, name)
	if !ok {
		return verdict{record.ClassEvaluator, fmt.Sprintf("the root beside it reported no metric %q", name)}
	}
	if value <= 0 {
		return verdict{record.ClassEvaluator, fmt.Sprintf("the root beside it measured %s = %g: a ratio needs a value above 0", name, value)}
	}
	r.root, r.out.BesideMetrics = &value, report.Metrics
	return verdict{}
}

// compare keeps how the candidate stands against the root beside it, where the
// adapter has more to say than the ratio.
func (r *run) compare(st *stage, stdout []byte) {
	if st.adapter == nil || st.adapter.compare == nil {
		return
	}
	if text := output.Clean(st.adapter.compare(r.rootOut, stdout)); text != "" {
		if r.out.Artifacts == nil {
			r.out.Artifacts = map[string]string{}
		}
		r.out.Artifacts["comparison"] = text
		r.keep("artifact comparison", []byte(text), 0)
	}
}

// candidate is who is measured, where it is not the root beside it.
const candidate = "candidate"

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
func (r *run) take(st *stage, res *sandbox.Result, report output.Report, v verdict) {
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
	for _, name := range output.SortedKeys(report.Artifacts) {
		if r.out.Artifacts == nil {
			r.out.Artifacts = map[string]string{}
		}
		r.out.Artifacts[name] = report.Artifacts[name]
	}
	if v.class == record.ClassNone && len(res.Violations) > 0 {
		r.out.Warnings = append(r.out.Warnings, "tried what the sandbox forbids: "+output.OneLine(res.Violations[0], 200))
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
	if better(*st.Threshold, value, r.e.o.Direction) {
		word := "below"
		if r.e.o.Direction == Minimize {
			word = "above"
		}
		return verdict{record.ClassTest, fmt.Sprintf("stage %s: %s = %g is %s the threshold %g", st.Name, st.Metric, value, word, *st.Threshold)}
	}
	return verdict{}
}

// unitSays warns of a direction that the objective as it is reported speaks against: by its
// unit, or by its name where the settings do not name it, which alone are known before a run.
func (e *Evaluator) unitSays(m record.Metric) string {
	if m.Higher != nil || e.o.Objective != "" && config.AgainstName(e.o.Direction, m.Name, "") != "" {
		return ""
	}
	if text := config.AgainstName(e.o.Direction, m.Name, m.Unit); text != "" {
		return "evaluator.direction: " + text
	}
	return ""
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
		r.out.Warnings = append(r.out.Warnings, fmt.Sprintf("the evaluator says higher_is_better = %v for %s, evaluator.direction says %s, and that is what counts: change one of the two", *m.Higher, name, e.o.Direction))
	}
	if text := e.unitSays(m); text != "" {
		r.out.Warnings = append(r.out.Warnings, text)
	}
	if r.root == nil {
		return verdict{}
	}
	ratio := m.Value / *r.root
	if ratio-ratio != 0 {
		return verdict{record.ClassMetric, fmt.Sprintf("%s = %g against %g of the root gives no finite ratio", name, m.Value, *r.root)}
	}
	r.out.Of, r.out.Beside = m.Value, *r.root
	r.out.Objective, r.out.ObjectiveName = ratio, name+ratioSuffix
	r.out.Metrics = append(r.out.Metrics,
		record.Metric{Name: name + ratioSuffix, Value: ratio, Higher: m.Higher},
		record.Metric{Name: name + rootSuffix, Value: *r.root, Unit: m.Unit, Higher: m.Higher})
	return verdict{}
}

// The suffixes of the two metrics that Paired adds: candidate divided by root,
// and the value of the root beside the candidate.
const (
	ratioSuffix = ".ratio"
	rootSuffix  = ".root"
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
	return output.OrElse(text, "none")
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

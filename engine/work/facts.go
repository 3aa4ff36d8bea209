package work

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"atoll/config"
	"atoll/engine/health"
	"atoll/store"
	"atoll/store/record"
)

// Facts are fixed for a run.
type Facts struct {
	Experiment record.Experiment
	Config     config.Config
	Learned    bool // the map has learned axes
}

// What the evaluator learned from the root, as facts of the experiment: the
// metric searched on, and the signature with which the root fails.
const (
	MetaObjective = "objective"
	MetaRootFails = "root-failure"
)

// LearnedMetric is the metric searched on that an engine learned from the root
// under an objective version; "" while none did.
func LearnedMetric(ctx context.Context, db *store.DB, exp record.ExperimentID, version int) (string, error) {
	name, _, err := db.Meta(ctx, exp, Versioned(MetaObjective, version))
	return name, err
}

// SearchedMetric is the metric that an experiment searches on: the one that is named, or else what was learned.
func SearchedMetric(ctx context.Context, db *store.DB, exp record.ExperimentID, named string, version int) (string, error) {
	if named != "" {
		return named, nil
	}
	return LearnedMetric(ctx, db, exp, version)
}

// Versioned is the name of a fact that belongs to an objective version.
func Versioned(key string, version int) string {
	if version <= 1 {
		return key
	}
	return key + " " + strconv.Itoa(version)
}

// comparable takes the values from a candidate that are of another objective
// version than the present one: agents must not compare them.
func (f *Facts) comparable(c *record.Candidate) {
	if c.Version != f.Experiment.Objective {
		c.Objective, c.Claimed, c.Metrics, c.Measures = nil, nil, nil, nil
	}
}

// public leaves out the metrics that must never reach a prompt.
func (f *Facts) public(metrics []record.Metric) []record.Metric {
	out := make([]record.Metric, 0, len(metrics))
	for _, m := range metrics {
		if !slices.Contains(f.Config.Evaluator.Private, m.Name) {
			out = append(out, m)
		}
	}
	return out
}

// publicText takes out the lines that name a private metric.
func (f *Facts) publicText(text string) string {
	private := f.Config.Evaluator.Private
	if len(private) == 0 {
		return text
	}
	lines := strings.SplitAfter(text, "\n")
	return strings.Join(slices.DeleteFunc(lines, func(l string) bool {
		return slices.ContainsFunc(private, func(name string) bool { return name != "" && strings.Contains(l, name) })
	}), "")
}

// conditions say, in words for agents, how a candidate is measured.
func (f *Facts) conditions() []string {
	e, l := &f.Config.Evaluator, &f.Config.Limits
	var out []string
	if f.Config.Sandbox.Mode != "unsafe" {
		out = append(out, "The program runs in a sandbox without network; files that it writes are thrown away.")
	}
	if len(e.Stages) == 0 && len(e.Command) > 0 {
		out = append(out, fmt.Sprintf("Command: %s", strings.Join(e.Command, " ")))
	}
	for i, s := range e.Stages {
		command := s.Command
		if len(command) == 0 {
			command = e.Command
		}
		out = append(out, fmt.Sprintf("Stage %d of %d: %s", i+1, len(e.Stages), strings.Join(command, " ")))
	}
	if e.Timeout > 0 {
		out = append(out, fmt.Sprintf("Time limit of one run: %s", e.Timeout))
	}
	if l.CPU > 0 {
		out = append(out, fmt.Sprintf("Processor time of one run: %s", l.CPU))
	}
	if l.Memory > 0 {
		out = append(out, fmt.Sprintf("Memory of one run: %d MiB", l.Memory>>20))
	}
	for _, n := range f.noWorse() {
		text := health.Words(n.Figure) + " of the source may not be worse than at the start"
		if n.Slack > 0 {
			text = fmt.Sprintf("%s of the source may be at most %g %% worse than at the start", health.Words(n.Figure), 100*n.Slack)
		}
		out = append(out, "Before anything is run: "+text+".")
	}
	if text := f.beside(); text != "" {
		out = append(out, text)
	}
	if e.Repeats > 1 {
		out = append(out, fmt.Sprintf("Every candidate is measured %d times; the median counts.", e.Repeats))
	}
	return out
}

// noWorse are the bounds of health.no_worse, which were checked when the configuration was
// read.
func (f *Facts) noWorse() []config.NoWorse {
	var out []config.NoWorse
	for _, text := range f.Config.Health.NoWorse {
		if n, err := config.ParseNoWorse(text); err == nil {
			out = append(out, n)
		}
	}
	return out
}

// beside tells what counts beside the objective, "" for nothing that may be told.
func (f *Facts) beside() string {
	var names []string
	for _, o := range f.Config.Front.Objectives {
		if slices.Contains(f.Config.Evaluator.Private, o.Metric) {
			continue
		}
		way := "more is better"
		if o.Direction == "minimize" {
			way = "less is better"
		}
		names = append(names, fmt.Sprintf("%s (%s)", o.Metric, way))
	}
	if len(names) == 0 {
		return ""
	}
	return fmt.Sprintf("Beside the objective counts %s: what no other is at least as good as in all of them is kept as well.", strings.Join(names, ", "))
}

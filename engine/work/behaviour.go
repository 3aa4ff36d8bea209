package work

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strings"

	"atoll/config"
	"atoll/engine/guard"
	"atoll/engine/view"
	"atoll/store/record"
)

// EvidenceGuard is the kind of the evidence that holds a guard.Report, as JSON.
const EvidenceGuard = "guard"

// Before a candidate may lead, the guard compares its behaviour with the root's.
// One that behaves in another way waits for a person, with the difference as the
// reason: approved, it takes its place.

// behaviour says in what a candidate that would lead differs from the root, or
// nothing. What the guard cannot do is a note and no reason.
func (w *measurer) behaviour(ctx context.Context, r *attempt, c *record.Candidate, vector []float32) (string, error) {
	if r.lease.Job.Approved || !Guards(w.facts.Config, w.eval.Objective(), c.Metrics) {
		return "", nil
	}
	leads, err := w.leads(ctx, c, vector)
	if err != nil || !leads {
		return "", err
	}
	base, release, err := w.checkout(ctx)
	if err != nil {
		return "", err
	}
	defer release()
	delta, err := w.repo.Changes(ctx, w.facts.Experiment.RootTree, c.Tree)
	if err != nil {
		return "", err
	}
	changed := make([]string, len(delta))
	for i, d := range delta {
		changed[i] = d.Path
	}
	g, err := guard.New(w.box, GuardOptions(w.facts.Config))
	if err != nil {
		return "", err
	}
	w.live.stage(r.lease.Job.ID, record.Evaluating, "comparing behaviour")
	report, err := g.Check(ctx, guard.Tree{Base: base}, guard.Tree{Base: base, Delta: delta}, changed)
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	if err != nil {
		w.host.Note("warn", r.lease.Job.ID, "behaviour was not compared: "+err.Error())
		return "", nil
	}
	text, err := json.MarshalIndent(report, "", "  ")
	if err != nil {
		return "", fmt.Errorf("keep what the guard found: %w", err)
	}
	r.evidence = append(r.evidence, record.Evidence{Kind: EvidenceGuard, Text: text})
	if report.Same() {
		return "", nil
	}
	return view.CleanLine(report.Summary()), nil
}

// leads reports whether a candidate would lead. In strict order, where nothing
// may depend on who is first, it is one that is better than the root.
func (w *measurer) leads(ctx context.Context, c *record.Candidate, vector []float32) (bool, error) {
	if !w.facts.Experiment.Strict {
		_, best, err := w.standing.WouldTake(ctx, c, vector)
		return best, err
	}
	root, err := w.db.Candidate(ctx, w.exp(), record.Root)
	if err != nil || root.Objective == nil || c.Objective == nil {
		return false, err
	}
	if w.facts.Config.Evaluator.Direction == "minimize" {
		return *c.Objective < *root.Objective, nil
	}
	return *c.Objective > *root.Objective, nil
}

// GuardOptions are those of the guard of an experiment.
func GuardOptions(cfg config.Config) guard.Options {
	o := guard.Options{Seed: cfg.Seed, Memory: cfg.Limits.Memory, LookupEnv: os.LookupEnv, Accept: cfg.GuardAccept}
	for _, c := range cfg.GuardCommands {
		args := c.Command
		if len(args) == 1 && strings.ContainsAny(args[0], " \t|<>") {
			args = []string{"sh", "-c", args[0]}
		}
		o.Commands = append(o.Commands, guard.Invocation{Args: args, Stdin: c.Stdin})
	}
	return o
}

// spacious are words of metrics that say how much room a program takes.
var spacious = regexp.MustCompile(`(?i)(^|[^a-z])(allocs?|allocations|bytes|b|[kmg]i?b|memory|mem|rss)([^a-z]|$)`)

// Guards reports whether the guard is on. By itself it is where the objective is
// what the program takes: where it is a score of what the program answers, other
// answers are what is looked for.
func Guards(cfg config.Config, objective string, metrics []record.Metric) bool {
	switch cfg.Guard {
	case "off":
		return false
	case "on":
		return true
	}
	if cfg.Evaluator.Adapter == "gobench" || cfg.Evaluator.Adapter == "hyperfine" {
		return true
	}
	unit := ""
	for _, m := range metrics {
		if m.Name == objective {
			unit = m.Unit
		}
	}
	return config.TimeLike(objective, unit) || spacious.MatchString(strings.ReplaceAll(objective, "_", " ")+" "+unit)
}

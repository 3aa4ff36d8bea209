package cli

import (
	"context"
	"fmt"
	"path"
	"slices"
	"time"

	"atoll/config"
	"atoll/engine"
	"atoll/engine/agent/clean"
	"atoll/engine/campaign"
	"atoll/engine/campaign/audit"
	"atoll/engine/eval"
	"atoll/engine/sandbox"
	"atoll/engine/view"
	"atoll/store/record"
)

// coverageProfile is the file of the tree that a test tool writes what it ran to.
const coverageProfile = "atoll-coverage-profile"

// coverageTime bounds a run of the tests for their coverage.
const coverageTime = 10 * time.Minute

// coverageCommand is the line that runs the tests of a tree and writes their profile, by
// the tool that its files tell; "" where none of those is known. Tests that fail leave a
// profile of what ran.
func coverageCommand(files []record.File) string {
	has := func(ok func(string) bool) bool {
		return slices.ContainsFunc(files, func(f record.File) bool { return ok(f.Path) })
	}
	switch {
	case has(func(p string) bool { return p == "go.mod" }):
		return "go test -vet=off -coverprofile=" + coverageProfile + " ./... >&2"
	case has(func(p string) bool { return path.Ext(p) == ".py" }):
		return "export COVERAGE_FILE=\"$TMPDIR/coverage\"\n" +
			"if python3 -c 'import pytest' 2>/dev/null; then python3 -m coverage run --source=. -m pytest -q; else python3 -m coverage run --source=. -m unittest discover; fi >&2\n" +
			"python3 -m coverage lcov -o " + coverageProfile + " >&2"
	}
	return ""
}

// profiled is a sandbox that brings the profile of the tests back, and what was said.
type profiled struct {
	*sandbox.Box
	last sandbox.Result
}

// Run implements [eval.Runner].
func (p *profiled) Run(ctx context.Context, spec sandbox.Spec) (sandbox.Result, error) {
	spec.Product = coverageProfile
	res, err := p.Box.Run(ctx, spec)
	p.last = res
	return res, err
}

// collectCoverage runs the tests of a tree in the sandbox, with the limits of the
// evaluator, for what they cover. Where that cannot be known, why says so.
func collectCoverage(ctx context.Context, box *sandbox.Box, ses *engine.Session, cfg config.Config, tree record.Hash) (c audit.Coverage, why string, err error) {
	t, err := ses.Repo.Tree(ctx, tree)
	if err != nil {
		return nil, "", err
	}
	line := coverageCommand(t.Files())
	if line == "" {
		return nil, "the tests are run for their coverage in Go modules and in Python", nil
	}
	o := eval.OptionsOf(cfg)
	o.Command, o.Adapter, o.AdapterOptions, o.Output = []string{line + "\necho 1"}, "", nil, "last-number"
	o.Stages, o.Objective, o.Direction, o.Paired, o.Artifact, o.Dir, o.Protected, o.Hidden = nil, "", "", false, "", "", nil, nil
	o.Caches, o.Timeout = union(o.Caches, "go", "pip"), max(o.Timeout, coverageTime)
	p := &profiled{Box: box}
	ev, err := eval.New(ctx, p, o)
	if err != nil {
		return nil, "", err
	}
	dir, release, err := ses.Repo.Checkout(ctx, tree)
	if err != nil {
		return nil, "", err
	}
	defer release()
	if _, err := ev.Run(ctx, eval.Request{Base: dir, Trusted: dir, Experiment: "coverage", Goal: "coverage"}); err != nil {
		return nil, "", err
	}
	if !p.last.HasProduct || len(p.last.Product) == 0 {
		return nil, "the tests gave no profile: " + view.CleanLine(clean.LastLine(p.last.Stderr)), nil
	}
	if c, err = audit.ReadCoverage(p.last.Product); err != nil {
		return nil, fmt.Sprintf("the profile of the tests cannot be read: %v", err), nil
	}
	return c, "", nil
}

// cover writes into a report what the tests of its tree cover, where that can be known.
func (r *taskRunner) cover(ctx context.Context, tree record.Hash, report *audit.Report) error {
	box, err := r.sandbox(ctx)
	if err != nil {
		return err
	}
	c, why, err := collectCoverage(ctx, box, r.ses, r.loaded.Config, tree)
	if why != "" {
		r.tell(campaign.Event{Text: "the coverage is not known: " + why, Bad: true})
	}
	if c != nil {
		report.Cover(c)
	}
	return err
}

package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"atoll/config"
	"atoll/engine/eval"
	"atoll/engine/gate"
	"atoll/engine/guard"
	"atoll/engine/sandbox"
	"atoll/engine/trial"
	"atoll/gitops"
	"atoll/store/record"
)

// bench is the root with an evaluator, ready to measure.
type bench struct {
	repo    *gitops.Repo
	root    record.Hash
	tree    record.Hash
	base    string // checkout
	cfg     config.Config
	ev      *eval.Evaluator
	release func()
}

// openBench imports the root into a store in tmp. Close it.
func openBench(ctx context.Context, box *sandbox.Box, tmp string, o Options) (*bench, error) {
	b := &bench{cfg: o.Config.Config, release: func() {}}
	var err error
	if b.repo, err = gitops.Open(ctx, gitops.Options{Dir: filepath.Join(tmp, "store.git"), Cache: filepath.Join(tmp, "checkouts")}); err != nil {
		return nil, err
	}
	if err := b.fill(ctx, box, o); err != nil {
		return nil, errors.Join(err, b.close())
	}
	return b, nil
}

func (b *bench) fill(ctx context.Context, box *sandbox.Box, o Options) error {
	var err error
	if b.root, err = b.repo.Import(ctx, o.Target, o.Config.Root); err != nil {
		return err
	}
	info, err := b.repo.Commit(ctx, b.root)
	if err != nil {
		return err
	}
	b.tree = info.Tree
	if b.base, b.release, err = b.repo.Checkout(ctx, info.Tree); err != nil {
		b.release = func() {}
		return err
	}
	if dir := b.cfg.Evaluator.Dir; dir != "" && !filepath.IsAbs(dir) {
		b.cfg.Evaluator.Dir = filepath.Join(o.Config.Dir, dir)
	}
	b.ev, err = eval.New(ctx, box, eval.OptionsOf(b.cfg))
	return err
}

// most says how long one measurement may take, and of which stages it is.
func (b *bench) most() string {
	e := b.cfg.Evaluator
	if len(e.Stages) == 0 {
		return fmt.Sprintf("for up to %s", e.Timeout)
	}
	var parts []string
	for _, s := range e.Stages {
		parts = append(parts, fmt.Sprintf("%s up to %s", s.Name, cmp.Or(s.Timeout, e.Timeout)))
	}
	return strings.Join(parts, ", ")
}

func (b *bench) close() error {
	b.release()
	return b.repo.Close()
}

// Mutants puts the evaluator on trial: n programs that were broken on purpose,
// and the root against itself. tell is told of each program; it may be nil. It
// writes nothing but caches.
func Mutants(ctx context.Context, o Options, n int, tell func(string)) (report trial.Report, err error) {
	if o.ConfigErr != nil {
		return report, o.ConfigErr
	}
	if problems := o.Config.Complete(); len(problems) > 0 {
		return report, problems
	}
	o.doing("preparing the root and its evaluator")
	box, err := sandbox.New(ctx, sandbox.Options{Mode: sandbox.Mode(o.Config.Sandbox.Mode), Scratch: o.Config.Sandbox.Scratch})
	if err != nil {
		return report, err
	}
	defer func() { err = errors.Join(err, box.Close()) }()
	tmp, err := os.MkdirTemp("", "atoll-doctor-")
	if err != nil {
		return report, fmt.Errorf("make a scratch folder: %w", err)
	}
	defer os.RemoveAll(tmp)
	b, err := openBench(ctx, box, tmp, o)
	if err != nil {
		return report, err
	}
	defer func() { err = errors.Join(err, b.close()) }()
	tree, err := b.repo.Tree(ctx, b.tree)
	if err != nil {
		return report, err
	}
	protected, scope := b.ev.Protected(), b.cfg.Gate.Scope
	mutants, err := trial.Draw(ctx, tree, func(path string) bool {
		return !gate.MatchExact(protected, path) && (len(scope) == 0 || gate.MatchExact(scope, path))
	}, n, b.cfg.Seed)
	if err != nil {
		return report, err
	}
	if len(mutants) == 0 {
		return report, fmt.Errorf("there is nothing to break: no source file is in the scope that candidates may change (gate.scope)")
	}
	g, err := guard.New(box, guard.Options{Seed: b.cfg.Seed, Memory: b.cfg.Limits.Memory, Scratch: tmp, NoTests: true})
	if err != nil {
		return report, err
	}
	o.doing("putting the evaluator on trial with %d broken programs; one measurement: %s", len(mutants), b.most())
	report, err = trial.Run(ctx, b.ev, g, trial.Options{
		Base: b.base, Root: b.root, Goal: b.cfg.Goal, Minimize: b.cfg.Evaluator.Direction == "minimize",
		Mutants: mutants, Workers: b.cfg.Workers, Tell: tell, Doing: o.Doing,
	})
	report.Tree = b.tree
	return report, err
}

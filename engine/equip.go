package engine

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"atoll/config"
	"atoll/engine/eval"
	"atoll/engine/fold"
	"atoll/engine/roster"
	"atoll/engine/sandbox"
	"atoll/engine/view"
	"atoll/engine/work"
	"atoll/store/record"
)

// equipment is what the owner makes ready for a run and lets go of after it.
type equipment struct {
	*shared
	box    *sandbox.Box    // nil: nothing is run here
	eval   *eval.Evaluator // nil: nothing is measured here
	roster *roster.Roster  // of one that looks on as well
}

// prepare makes ready what measures: sandbox and evaluator. It refuses an
// evaluator that is not the one the values are of.
func (q *equipment) prepare(ctx context.Context, st *fold.State) error {
	cfg := st.Config
	if n, err := sandbox.ReapStrays(cfg.Sandbox.Scratch); err != nil {
		q.note("warn", record.NoJob, fmt.Sprintf("look for processes of a dead engine: %v", err))
	} else if n > 0 {
		q.note("info", record.NoJob, "ended "+view.Plural(n, "process")+" of a dead engine")
	}
	opt := q.opt.Sandbox
	opt.Mode, opt.Scratch = sandbox.Mode(cfg.Sandbox.Mode), cfg.Sandbox.Scratch
	box, err := sandbox.New(ctx, opt)
	if err != nil {
		return err
	}
	q.box = box
	if q.eval, err = eval.New(ctx, box, eval.OptionsOf(q.located(cfg))); err != nil {
		return err
	}
	if err := q.checkSeal(ctx, st.Exp); err != nil {
		return err
	}
	q.tellRung()
	q.tellWarmth(ctx, cfg.Evaluator.Warm == eval.Warm)
	return q.tellEvaluator(ctx, st.Exp.Objective)
}

// tellRung says why commands run on a lower rung of the sandbox than the first that was tried.
func (q *equipment) tellRung() {
	for _, f := range q.box.Findings() {
		if rung, is := strings.CutPrefix(f.Name, "rung "); is && !f.OK && rung != q.box.Rung().String() {
			q.note("warn", record.NoJob, fmt.Sprintf("the sandbox is on rung %s: rung %s does not work: %s", q.box.Rung(), rung, f.Detail))
		}
	}
}

// tellWarmth says of an evaluator that is to be warm whether it is; it is worth a warning
// where a person asked for it.
func (q *equipment) tellWarmth(ctx context.Context, asked bool) {
	level := map[bool]string{true: "warn", false: "info"}[asked]
	stages, why := q.eval.Prepare(ctx)
	for i, stage := range stages {
		if why[i] == "" {
			q.note("info", record.NoJob, "evaluations are warm: runs of stage "+stage+" are copies of a prepared interpreter")
		} else {
			q.note(level, record.NoJob, "evaluations are not warm, runs of stage "+stage+" are started: "+why[i])
		}
	}
}

// tellEvaluator keeps what this run can guarantee, and gives the evaluator back
// what an earlier one learned from the root.
func (q *equipment) tellEvaluator(ctx context.Context, version int) error {
	for key, value := range map[string]string{metaRung: q.box.Rung().String(), metaMissing: strings.Join(q.eval.Guarantees(), "\n")} {
		if err := q.db.PutMeta(ctx, q.exp, key, value); err != nil {
			return err
		}
	}
	name, err := work.LearnedMetric(ctx, q.db, q.exp, version)
	if err != nil {
		return err
	}
	if name != "" {
		q.eval.SetObjective(name)
	}
	signature, ok, err := q.db.Meta(ctx, q.exp, work.Versioned(work.MetaRootFails, version))
	if err == nil && ok {
		q.eval.SetRootFailure(signature)
	}
	return err
}

// checkSeal compares the evaluator with that of the present objective version:
// values of different evaluators never meet.
func (q *equipment) checkSeal(ctx context.Context, exp record.Experiment) error {
	key, now := work.Versioned(metaSeal, exp.Objective), q.eval.Key()
	was, ok, err := q.db.Meta(ctx, q.exp, key)
	if err != nil {
		return err
	}
	if !ok {
		return q.db.PutMeta(ctx, q.exp, key, now)
	}
	if was != now {
		return fmt.Errorf("%w: the evaluator of %s is not the one its values are of; put it back, measure again with `atoll run --remeasure`, or start over with `atoll run --new`", ErrFrozen, exp.Name)
	}
	return nil
}

// located is a configuration whose evaluator directory and plug-ins are absolute: the
// sealed copies that were made when the experiment started.
func (q *equipment) located(cfg config.Config) config.Config {
	at := func(dir string) string {
		if dir != "" && !filepath.IsAbs(dir) {
			return filepath.Join(q.ses.Dir, dir)
		}
		return dir
	}
	cfg.Evaluator.Dir, cfg.Plugins.Embedder = at(cfg.Evaluator.Dir), at(cfg.Plugins.Embedder)
	cfg.Plugins.Descriptors = slices.Clone(cfg.Plugins.Descriptors)
	for i, dir := range cfg.Plugins.Descriptors {
		cfg.Plugins.Descriptors[i] = at(dir)
	}
	return cfg
}

// enlist has the fleet take the samples, where there is one.
func (q *equipment) enlist(ctx context.Context, st *fold.State, w *work.Runner) error {
	if q.opt.Fleet == nil {
		return nil
	}
	root, err := q.db.SamplesOf(ctx, q.exp, record.Root)
	if err != nil {
		return err
	}
	station := work.Station{Bench: w.Bench(), Config: q.located(st.Config), Rung: q.box.Rung(), Host: q.alarms}
	for _, s := range root {
		if s.Version == st.Version && !s.HeldOut {
			station.RootValues = append(station.RootValues, s.Objective)
		}
	}
	meter, err := q.opt.Fleet.Open(ctx, station)
	if err != nil {
		return err
	}
	w.SetMeter(meter)
	return nil
}

// hire builds the agents of the experiment.
func (q *equipment) hire(st *fold.State) error {
	cfg := st.Config
	cfg.Agents = slices.Clone(cfg.Agents)
	for i := range cfg.Agents { // weights are settings
		cfg.Agents[i].Weight = st.Settings.Agents[cfg.Agents[i].Name]
	}
	cfg.Budget.CostUSD, cfg.Search.Operators = st.Settings.MaxCostUSD, st.Settings.Operators
	asking := q.opt.Gateway
	if asking.Sleep == nil {
		asking.Sleep = q.patience
	}
	h := &roster.Builder{
		Config: cfg, Box: q.box, Repo: q.repo, Dir: q.ses.Dir, Account: q.money.Account,
		Now: q.opt.Now, Getenv: q.opt.Getenv, Gateway: asking, Record: q.opt.Record, Tasks: q.tasks,
		Note: func(text string) { q.note("warn", record.NoJob, text) },
	}
	if q.opt.Fleet != nil {
		h.Elsewhere = q.opt.Fleet
	}
	var err error
	q.roster, err = h.Build()
	return err
}

// watch builds the agents of one that only looks on: they write prompts, and
// cannot be asked.
func (q *equipment) watch(cfg config.Config) (err error) {
	q.roster, err = (&roster.Builder{Config: cfg, Getenv: q.opt.Getenv, Dir: q.ses.Dir}).BuildPreviews()
	return err
}

// release lets go of what was made ready.
func (q *equipment) release() {
	q.roster.Close()
	if q.box != nil {
		if err := q.box.Close(); err != nil {
			q.note("warn", record.NoJob, fmt.Sprintf("end what runs in the sandbox: %v", err))
		}
	}
}

// rung and guarantees are what snapshots tell of the sandbox.
func (q *equipment) rung() string {
	if q.box == nil {
		return ""
	}
	return q.box.Rung().String()
}

func (q *equipment) guarantees() []string {
	if q.eval == nil {
		return nil
	}
	return q.eval.Guarantees()
}

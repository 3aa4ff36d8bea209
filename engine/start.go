package engine

import (
	"context"
	"errors"
	"fmt"
	"os"
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
	"atoll/store"
	"atoll/store/record"
)

// Plan is a new experiment before it is written.
type Plan struct {
	Config config.Config
	Root   record.Hash // commit, already in the object store
	Branch string      // what Config.Root was resolved from
}

// Create writes a new experiment with its root candidate and the job that
// measures it. The root's commit must be in the session's object store.
func Create(ctx context.Context, ses *Session, p Plan) (record.Experiment, error) {
	info, err := ses.Repo.Commit(ctx, p.Root)
	if err != nil {
		return record.Experiment{}, fmt.Errorf("read the root commit %s: %w", p.Root.Short(), err)
	}
	e := record.Experiment{
		Name: p.Config.Name, Repository: ses.Target.Path, Branch: p.Branch, RootCommit: p.Root, RootTree: info.Tree,
		RootTime: record.Millis(info.Time.UnixMilli()), Seed: p.Config.Seed, Strict: p.Config.Order == "strict",
		Lookahead: p.Config.Lookahead, Config: config.Encode(p.Config), EvalKey: config.MeasureKey(p.Config), Objective: 1,
		State: record.ExperimentRunning,
	}
	if e, err = ses.DB.CreateExperiment(ctx, e, p.Config.Settings()); err != nil {
		return e, fmt.Errorf("write the experiment: %w", err)
	}
	job := record.Job{
		Experiment: e.ID, ID: 0, Kind: record.Evaluate, State: record.Queued, Purpose: record.PurposeRoot, Island: "main",
		Parent: record.NoCandidate, Candidate: record.Root, Duplicate: record.NoCandidate, Samples: p.Config.Evaluator.RootRepeats,
	}
	if err := ses.DB.AddJobs(ctx, []record.Job{job}); err != nil {
		return e, fmt.Errorf("queue the measurement of the root: %w", err)
	}
	return e, ses.Repo.Anchor(ctx, e.ID, []record.Hash{e.RootCommit})
}

// start brings the engine to the point where its loop can run: the fold is
// complete and, for the owner of the lock, everything that runs jobs is ready.
func (e *Engine) start(ctx context.Context) error {
	err := ErrLocked
	if !e.opt.Look {
		err = e.ses.Lock()
	}
	switch {
	case err == nil:
		e.owner = true
	case !errors.Is(err, ErrLocked):
		return err
	}
	if err := e.changeObjective(ctx); err != nil {
		return err
	}
	if e.st, err = fold.OpenState(ctx, e.db, e.exp); err != nil {
		return err
	}
	e.liveConfig()
	e.cfg = e.st.Config
	e.sync()
	e.work = e.newRunner()
	e.plan.Begin(e.st, e.cfg, e.work)
	if e.owner {
		if err := e.equip(ctx); err != nil {
			return err
		}
		if err := e.recover(ctx); err != nil {
			return err
		}
		if err := e.plan.Resume(ctx); err != nil {
			return err
		}
	}
	e.sync()
	e.st.Quiet = true
	tell := e.progress(ctx)
	if err := e.st.CatchUp(ctx, e.db, func(record.JobID) error { tell(); return e.folded(ctx) }); err != nil {
		return err
	}
	e.st.Quiet = false
	e.wallFrom = e.opt.Now()
	for _, line := range e.opt.Say {
		e.note("info", record.NoJob, line)
	}
	e.publish(true) // what is there can be seen while the rest is made ready
	if !e.owner {
		e.lookOn()
		return nil
	}
	if err := e.plan.Learn(ctx); err != nil {
		return err
	}
	switch {
	case !e.opt.KeepState:
		err = e.setState(ctx, record.ExperimentRunning, "")
	case e.st.Run == record.ExperimentRunning: // nobody runs it, or this would not be the owner
		err = e.setState(ctx, record.ExperimentStopped, "its engine ended without a word; `atoll run` goes on")
	case e.st.Run == record.ExperimentBroken: // a person is here to mend it
		err = e.setState(ctx, record.ExperimentPaused, e.st.Reason)
	}
	if err != nil {
		return err
	}
	if e.st.Run != record.ExperimentRunning {
		e.publish(true)
		return nil
	}
	if m := e.st.Candidate(record.Root); m != nil && e.st.Origin(m).Status == record.StatusFailed && e.st.Trials(m).Measuring == 0 {
		return e.plan.RetryRoot(ctx)
	}
	e.publish(true)
	return nil
}

// progress returns a function, called for each job that is folded at the start,
// that tells readers now and then how much of the log was read.
func (e *Engine) progress(ctx context.Context) func() {
	rows, err := e.db.LastSeq(ctx, e.exp)
	if err != nil {
		return func() {}
	}
	calls, last := 0, e.opt.Now()
	return func() {
		if calls++; calls%256 > 0 || e.opt.Now().Sub(last) < publishEvery {
			return
		}
		last = e.opt.Now()
		if s := *e.feed.Latest(); s.Loading {
			s.Read, s.Rows = int(e.st.Seq), int(rows)
			e.feed.Publish(&s)
		}
	}
}

// liveConfig takes over what may change between runs beside the settings: who
// the agents are, what they cost and what they are told.
func (e *Engine) liveConfig() {
	if e.opt.Live != nil {
		e.st.Config = WithLive(e.st.Config, *e.opt.Live)
	}
}

// WithLive is the configuration that an experiment started with, with what may
// change between its runs as it is now. What is among its settings is not
// touched: a change of those is a row of the log.
func WithLive(was, now config.Config) config.Config {
	was.Agents, was.Roles, was.Prices, was.Prompts, was.Console = now.Agents, now.Roles, now.Prices, now.Prompts, now.Console
	was.Evaluator.Private, was.Evaluator.Caches, was.Sandbox.Scratch = now.Evaluator.Private, now.Evaluator.Caches, now.Sandbox.Scratch
	was.Targets = slices.Clone(was.Targets)
	for i := range was.Targets {
		for _, t := range now.Targets {
			if t.Name == was.Targets[i].Name {
				was.Targets[i].Weight = t.Weight
			}
		}
	}
	return was
}

// equip makes ready what only the owner needs: sandbox, evaluator, agents.
func (e *Engine) equip(ctx context.Context) error {
	if n, err := sandbox.ReapStrays(e.cfg.Sandbox.Scratch); err != nil {
		e.note("warn", record.NoJob, fmt.Sprintf("look for processes of a dead engine: %v", err))
	} else if n > 0 {
		e.note("info", record.NoJob, "ended "+view.Plural(n, "process")+" of a dead engine")
	}
	opt := e.opt.Sandbox
	opt.Mode = sandbox.Mode(e.cfg.Sandbox.Mode)
	opt.Scratch = e.cfg.Sandbox.Scratch
	box, err := sandbox.New(ctx, opt)
	if err != nil {
		return err
	}
	e.box = box
	ev, err := eval.New(ctx, box, e.evalOptions())
	if err != nil {
		return err
	}
	e.eval = ev
	if err := e.checkSeal(ctx); err != nil {
		return err
	}
	e.work.Equip(box, ev)
	if err := e.tell(ctx); err != nil {
		return err
	}
	if e.opt.RootOnly {
		return nil
	}
	if e.roster, err = e.hire(); err != nil {
		return err
	}
	e.work.SetRoster(e.roster)
	e.plan.SetRoster(e.roster)
	e.reader.ShowPrompts(e.work)
	// Where agents cost money a power cut must not lose what was paid for.
	return e.db.SetSync(len(roster.PaidAgents(e.cfg)) > 0)
}

// FillFacts gives the snapshot of a folded log what an engine told about the
// experiment: the rung, what it cannot guarantee, the metric searched on where
// that was learned from the root, and the commit of the best.
func FillFacts(ctx context.Context, db *store.DB, snap *view.Snapshot) error {
	exp := snap.Experiment
	for key, put := range map[string]func(string){
		metaRung:    func(v string) { snap.Rung = v },
		metaMissing: func(v string) { snap.Guarantees = strings.FieldsFunc(v, func(r rune) bool { return r == '\n' }) },
	} {
		value, ok, err := db.Meta(ctx, exp.ID, key)
		if err != nil {
			return err
		}
		if ok {
			put(value)
		}
	}
	if snap.Objective == "" {
		name, err := work.LearnedMetric(ctx, db, exp.ID, exp.Objective)
		if err != nil {
			return err
		}
		snap.Objective = name
	}
	return tellBest(ctx, db, exp.ID, &snap.Best)
}

// tellBest fills in the commit of the best, which the fold does not keep.
func tellBest(ctx context.Context, db *store.DB, exp record.ExperimentID, best *view.Standing) error {
	if best.ID == record.NoCandidate || !best.Commit.IsZero() {
		return nil
	}
	c, err := db.Candidate(ctx, exp, best.ID)
	if err != nil {
		return fmt.Errorf("read the best candidate: %w", err)
	}
	best.Commit = c.Commit
	return nil
}

// tell keeps what this run can guarantee, and gives the evaluator back what it
// learned from the root in an earlier one.
func (e *Engine) tell(ctx context.Context) error {
	for key, value := range map[string]string{metaRung: e.box.Rung().String(), metaMissing: strings.Join(e.eval.Guarantees(), "\n")} {
		if err := e.db.PutMeta(ctx, e.exp, key, value); err != nil {
			return err
		}
	}
	name, err := work.LearnedMetric(ctx, e.db, e.exp, e.st.Exp.Objective)
	if err != nil {
		return err
	}
	if name != "" {
		e.eval.SetObjective(name)
		e.work.SetMetric(name)
	}
	signature, ok, err := e.db.Meta(ctx, e.exp, work.Versioned(work.MetaRootFails, e.st.Exp.Objective))
	if err == nil && ok {
		e.eval.SetRootFailure(signature)
	}
	return err
}

// checkSeal compares the evaluator with that of the present objective version:
// values of different evaluators never meet.
func (e *Engine) checkSeal(ctx context.Context) error {
	key, now := work.Versioned(metaSeal, e.st.Exp.Objective), e.eval.Key()
	was, ok, err := e.db.Meta(ctx, e.exp, key)
	if err != nil {
		return err
	}
	if !ok {
		return e.db.PutMeta(ctx, e.exp, key, now)
	}
	if was != now {
		return fmt.Errorf("%w: the evaluator of %s is not the one its values are of; put it back, measure again with `atoll run --remeasure`, or start over with `atoll run --new`", ErrFrozen, e.st.Exp.Name)
	}
	return nil
}

// evalOptions are the options of this experiment's evaluator. The
// evaluator directory is the sealed copy that was made when the experiment
// started.
func (e *Engine) evalOptions() eval.Options {
	return e.evalOptionsOf(e.cfg)
}

func (e *Engine) evalOptionsOf(cfg config.Config) eval.Options {
	if cfg.Evaluator.Dir != "" && !filepath.IsAbs(cfg.Evaluator.Dir) {
		cfg.Evaluator.Dir = filepath.Join(e.ses.Dir, cfg.Evaluator.Dir)
	}
	return eval.OptionsOf(cfg)
}

// SealEvaluator copies an evaluator directory into the state directory, so
// that what measures cannot change under a running experiment, and returns the
// copy's path. An empty dir stays empty.
func SealEvaluator(stateDir, dir string) (string, error) {
	if dir == "" {
		return "", nil
	}
	sum, err := hashDir(dir)
	if err != nil {
		return "", fmt.Errorf("read the evaluator directory %s: %w", dir, err)
	}
	to := filepath.Join(stateDir, "evaluators", sum[:16])
	if _, err := os.Stat(to); err == nil {
		return to, nil
	}
	part := to + ".part"
	if err := os.RemoveAll(part); err != nil {
		return "", err
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return "", err
	}
	if err := os.CopyFS(part, os.DirFS(dir)); err != nil {
		return "", fmt.Errorf("copy the evaluator directory %s: %w", dir, err)
	}
	return to, os.Rename(part, to)
}

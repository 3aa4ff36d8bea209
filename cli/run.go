package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"atoll/config"
	"atoll/engine"
	"atoll/gitops"
	"atoll/store/record"
)

// runFlags are those of run and demo.
type runFlags struct {
	headless bool
	fresh    bool
	once     bool
	again    bool           // what measures may have changed: measure again
	measure  *config.Config // with again: what measures now
	yes      bool
	readonly bool
	look     bool // the bare command: open what is there as it is
	maxJobs  int
	workers  int
	seed     string
	forTime  time.Duration
	order    string
	record   string         // folder for what agents do
	live     *config.Config // what the configuration file says now; nil: there is none
	said     []string       // what changed in it since the last run
}

func (f *runFlags) add(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.BoolVar(&f.headless, "headless", false, "no console: one line per event (the default when stdout is no terminal)")
	fl.BoolVar(&f.fresh, "new", false, "start a new experiment instead of going on with the latest")
	fl.BoolVar(&f.again, "remeasure", false, "where the evaluator changed, begin a new objective version: root and elites are measured again first")
	fl.BoolVar(&f.readonly, "read-only", false, "a console that cannot decide anything")
	fl.BoolVar(&f.once, "once", false, "dispatch one job per worker, wait for them, and exit")
	fl.BoolVar(&f.yes, "yes", false, "do not ask before the first paid job")
	fl.IntVar(&f.maxJobs, "max-jobs", 0, "make jobs of the whole experiment, those of earlier runs included")
	fl.IntVar(&f.workers, "workers", 0, "jobs at the same time")
	fl.StringVar(&f.seed, "seed", "", "number that fixes every random choice (new experiments)")
	fl.DurationVar(&f.forTime, "for", 0, "stop after this time, e.g. 10m")
	fl.StringVar(&f.record, "record", "", "write what every agent does into this folder, for a replay agent")
	fl.StringVar(&f.order, "order", "", "completion or strict (new experiments)")
}

// values turns the flags that were given into configuration values.
func (f *runFlags) values(cmd *cobra.Command) ([]config.Flag, error) {
	var out []config.Flag
	if f.fresh && f.again {
		return nil, usage("--new and --remeasure: a new experiment has nothing to measure again; give one of them")
	}
	if cmd.Flags().Changed("max-jobs") {
		if f.maxJobs < 1 {
			return nil, usage("--max-jobs %d: at least 1", f.maxJobs)
		}
		out = append(out, config.Flag{Key: "budget.jobs", Value: strconv.Itoa(f.maxJobs), Name: "--max-jobs"})
	}
	if cmd.Flags().Changed("workers") {
		out = append(out, config.Flag{Key: "workers", Value: strconv.Itoa(f.workers), Name: "--workers"})
	}
	if f.seed != "" {
		out = append(out, config.Flag{Key: "seed", Value: f.seed, Name: "--seed"})
	}
	if f.order != "" {
		out = append(out, config.Flag{Key: "order", Value: f.order, Name: "--order"})
	}
	return out, nil
}

func (a *App) runCmd() *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use: "run", Short: "Run the latest experiment here, or start one from atoll.yaml",
		Example: "  atoll run --max-jobs 200 --workers 2\n  atoll run --headless --for 10m",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			flags, err := f.values(cmd)
			if err != nil {
				return err
			}
			return withChoice(a.run(cmd.Context(), f, flags))
		},
	}
	f.add(cmd)
	return cmd
}

func (a *App) run(ctx context.Context, f runFlags, flags []config.Flag) error {
	p, err := a.place(ctx)
	if err != nil {
		return err
	}
	loaded, loadErr := a.load(ctx, p, flags)
	rooted(&loaded)
	if loadErr == nil && loaded.File != "" {
		f.live = &loaded.Config
	}
	ses, err := a.session(ctx, p, true)
	if err != nil {
		return err
	}
	defer ses.Close()
	exp, err := ses.Find(ctx, a.flags.experiment)
	switch {
	case errors.Is(err, engine.ErrNoExperiment) && a.flags.experiment == "" || err == nil && f.fresh:
		if loadErr != nil {
			return loadErr
		}
		if p.target.Head == (record.Hash{}) { // located only
			if p, err = a.placeBy(ctx, gitops.Inspect); err != nil {
				return err
			}
		}
		if exp, err = a.begin(ctx, ses, p, loaded); err != nil {
			return err
		}
	case err != nil:
		return err
	default:
		if f.again && loadErr == nil {
			if exp.Config, f.measure, err = a.remeasured(ctx, ses, exp, loaded); err != nil {
				return err
			}
		}
		if loadErr != nil {
			return loadErr
		}
		if f.said, err = a.resume(ctx, ses, exp, loaded); err != nil {
			return err
		}
	}
	return a.drive(ctx, ses, exp, f)
}

// begin writes a new experiment: everything that can be wrong is found before
// anything is spent.
func (a *App) begin(ctx context.Context, ses *engine.Session, p place, l config.Loaded) (record.Experiment, error) {
	if problems := l.Complete(); len(problems) > 0 {
		return record.Experiment{}, problems
	}
	if err := engine.CheckAgents(l.Config, a.getenv); err != nil {
		return record.Experiment{}, err
	}
	if p.target.Path == "" {
		return record.Experiment{}, usage("a new experiment needs its repository: run this inside it, or name it with --repo")
	}
	if p.target.Dirty {
		fmt.Fprintln(a.Err, "atoll: the work tree has changes that are not committed; the experiment starts from the commit", l.Root)
	}
	root, err := ses.Repo.Import(ctx, p.target, l.Root)
	if err != nil {
		return record.Experiment{}, err
	}
	cfg, err := sealedFor(ctx, ses, p, root, l)
	if err != nil {
		return record.Experiment{}, err
	}
	branch := cfg.Root
	if branch == "HEAD" && p.target.HeadRef != "" {
		branch = strings.TrimPrefix(p.target.HeadRef, "refs/heads/")
	}
	exp, err := engine.Create(ctx, ses, engine.Plan{Config: cfg, Root: root, Branch: branch})
	if err != nil {
		return exp, err
	}
	return exp, ses.DB.PutMeta(ctx, exp.ID, metaGiven, strings.Join(given(l), "\n"))
}

// metaGiven lists the keys that flags and the environment gave when an
// experiment started: there its file does not speak for it later on.
const metaGiven = "given"

func given(l config.Loaded) []string {
	var keys []string
	for key, o := range l.Origins {
		if o.Kind != config.FromFile && o.Kind != config.FromDefault {
			keys = append(keys, key)
		}
	}
	sort.Strings(keys)
	return keys
}

// keepGiven returns cfg with the values that were given by flag or environment
// when the experiment started, unless they are given again now.
func (a *App) keepGiven(ctx context.Context, ses *engine.Session, exp record.Experiment, old, cfg config.Config, l config.Loaded) (config.Config, error) {
	text, ok, err := ses.DB.Meta(ctx, exp.ID, metaGiven)
	if err != nil || !ok || text == "" {
		return cfg, err
	}
	now := map[string]bool{}
	for _, key := range given(l) {
		now[key] = true
	}
	keep := config.Loaded{Origins: map[string]config.Origin{}}
	for _, key := range strings.Split(text, "\n") {
		if !now[key] {
			keep.Origins[key] = config.Origin{}
		}
	}
	return overlay(cfg, old, keep), nil
}

// sealedFor is sealed where there may be no work tree: of a bare repository the
// evaluator directory is that of the root commit.
func sealedFor(ctx context.Context, ses *engine.Session, p place, root record.Hash, l config.Loaded) (config.Config, error) {
	if !p.target.Bare || l.Evaluator.Dir == "" || filepath.IsAbs(l.Evaluator.Dir) {
		return sealed(ses.Dir, l)
	}
	info, err := ses.Repo.Commit(ctx, root)
	if err != nil {
		return l.Config, err
	}
	dir, release, err := ses.Repo.Checkout(ctx, info.Tree)
	if err != nil {
		return l.Config, err
	}
	defer release()
	l.Dir = dir
	return sealed(ses.Dir, l)
}

// sealed copies the evaluator directory into the state directory and returns
// the configuration that names the copy.
func sealed(state string, l config.Loaded) (config.Config, error) {
	cfg := l.Config
	if cfg.Evaluator.Dir == "" {
		return cfg, nil
	}
	dir := cfg.Evaluator.Dir
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(l.Dir, dir)
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return cfg, config.Problems{{Key: "evaluator.dir", Text: fmt.Sprintf("there is no folder %s; name the folder of your evaluator, relative to %s", cfg.Evaluator.Dir, config.FileName)}}
	}
	copied, err := engine.SealEvaluator(state, dir)
	if err != nil {
		return cfg, err
	}
	cfg.Evaluator.Dir, err = filepath.Rel(state, copied)
	return cfg, err
}

// resume goes on with an experiment: live settings that changed become a row,
// frozen ones are refused. It returns what changed, in words.
func (a *App) resume(ctx context.Context, ses *engine.Session, exp record.Experiment, l config.Loaded) ([]string, error) {
	if l.File == "" && len(l.Origins) == 0 {
		return nil, nil
	}
	old, err := config.Decode(exp.Config)
	if err != nil {
		return nil, err
	}
	cfg, err := sealedFor(ctx, ses, place{target: ses.Target}, exp.RootCommit, l)
	if err != nil {
		return nil, err
	}
	if l.File == "" { // only flags and environment speak
		cfg = overlay(old, cfg, l)
	}
	if cfg, err = a.keepGiven(ctx, ses, exp, old, cfg, l); err != nil {
		return nil, err
	}
	if keys := frozenKeys(old, cfg, l); keys != "" {
		return nil, fmt.Errorf("%w: %s; take it back, or start over with `atoll run --new`", engine.ErrFrozen, keys)
	}
	return a.takeOver(ctx, ses, exp, cfg, l)
}

// drive runs the engine under the console or the headless printer.
func (a *App) drive(ctx context.Context, ses *engine.Session, exp record.Experiment, f runFlags) error {
	may, why, err := a.agree(ctx, ses, exp, f)
	if err != nil || may == refused {
		return err
	}
	if why != "" {
		f.said = append(f.said, why)
	}
	opt := a.engineOptions(f)
	logger, closeLog, err := openLog(ses.Dir)
	if err != nil {
		return err
	}
	defer closeLog()
	opt.Logger = logger
	headless := f.headless || f.once || !a.IsTTY(a.Out)
	if headless && may == lookOnly {
		return usage("%s", why)
	}
	opt.Unattended, opt.KeepPaused, opt.Look = headless, f.look, may == lookOnly
	eng := engine.New(ses, exp.ID, opt)
	if !headless {
		return a.watch(ctx, eng, ses, exp, f)
	}
	if err := ses.Lock(); err != nil {
		return err
	}
	return a.headless(ctx, eng, ses, exp)
}

func (a *App) engineOptions(f runFlags) engine.Options {
	opt := engine.Options{Who: a.who(), Now: a.Now, Once: f.once, For: f.forTime, Live: f.live, Say: f.said, Getenv: a.getenv}
	if f.record != "" {
		opt.Record = a.abs(f.record)
	}
	opt.Remeasure = f.measure
	return opt
}

// headless runs the engine and prints a line for each event, and a summary at
// the end.
func (a *App) headless(ctx context.Context, eng *engine.Engine, ses *engine.Session, exp record.Experiment) error {
	ctx, abort := context.WithCancelCause(ctx)
	defer abort(nil)
	stop := a.onSignals(eng, func() { abort(errInterrupted) })
	defer stop()
	if !a.flags.json {
		fmt.Fprintf(a.Out, "experiment %s: seed %d, root %s (%s), state %s\n", exp.Name, exp.Seed, exp.RootCommit.Short(), exp.Branch, ses.Dir)
	}
	printed := make(chan struct{})
	readCtx, stopReading := context.WithCancel(context.WithoutCancel(ctx))
	go func() {
		defer close(printed)
		a.printEvents(readCtx, eng.Feed())
	}()
	err := eng.Run(ctx)
	stopReading()
	<-printed
	if sumErr := a.summary(eng.Feed().Latest()); err == nil {
		err = sumErr
	}
	if stop() {
		return errors.Join(errInterrupted, ignoreCancel(err))
	}
	return err
}

func ignoreCancel(err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, errInterrupted) {
		return nil
	}
	return err
}

// onSignals drains at the first signal and calls abort at the second. The
// returned function stops listening and reports whether a signal came; it may
// be called more than once.
func (a *App) onSignals(eng *engine.Engine, abort func()) func() bool {
	quit, done := make(chan struct{}), make(chan struct{})
	came := false
	go func() {
		defer close(done)
		for {
			select {
			case <-quit:
				return
			case <-a.Signals:
			}
			if came {
				abort()
				continue
			}
			came = true
			fmt.Fprintln(a.Err, "atoll: finishing what runs; once more stops at once")
			eng.Drain()
		}
	}()
	stopped := false
	return func() bool {
		if !stopped {
			stopped = true
			close(quit)
			<-done
		}
		return came
	}
}

// printEvents prints the log lines of snapshots until ctx ends, the last
// snapshot included.
func (a *App) printEvents(ctx context.Context, feed *engine.Feed) {
	var version, line uint64
	for {
		snap, err := feed.Wait(ctx, version)
		version = snap.Version
		for _, l := range snap.Log {
			if l.N > line {
				line = l.N
				a.printLine(l)
			}
		}
		if err != nil {
			return
		}
	}
}

func (a *App) printLine(l engine.LogLine) {
	if l.Level == "debug" {
		return
	}
	if a.flags.json {
		writeJSONLine(a.Out, map[string]any{"at": l.At.UTC().Format(time.RFC3339Nano), "level": l.Level, "job": l.Job, "text": l.Text})
		return
	}
	mark := ""
	if l.Level != "info" {
		mark = l.Level + ": "
	}
	fmt.Fprintf(a.Out, "%s %s%s\n", l.At.Format("15:04:05"), mark, l.Text)
}

// summary says how a run ended and what to do next.
func (a *App) summary(s *engine.Snapshot) error {
	if a.flags.json || s.Loading {
		return nil
	}
	w := a.Out
	fmt.Fprintf(w, "\n%s: %s", s.Experiment.Name, s.State)
	if s.Reason != "" {
		fmt.Fprintf(w, " (%s)", s.Reason)
	}
	fmt.Fprintln(w)
	if s.Best.ID != record.NoCandidate {
		fmt.Fprintf(w, "best  %s %s  %s %s  %s on root %s\n", s.Best.ID, s.Best.Commit.Short(), objectiveName(s), engine.FormatValue(s.Best.Objective), signedPercent(s.Best.Percent), engine.FormatValue(s.Root.Objective))
		fmt.Fprintf(w, "map   %d of %d niches filled, QD score %s\n", s.Grid.Filled, s.Grid.Total, engine.FormatValue(s.Grid.QD))
	}
	fmt.Fprintf(w, "jobs  %s\n", countsText(s.Jobs))
	if s.Rung != "" {
		fmt.Fprintf(w, "trust sandbox rung %s\n", s.Rung)
	}
	for _, g := range s.Guarantees {
		fmt.Fprintf(w, "      missing: %s\n", g)
	}
	if s.Best.ID > record.Root {
		fmt.Fprintf(w, "next  atoll show best   atoll diff best   atoll promote best\n")
	}
	return nil
}

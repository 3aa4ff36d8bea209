package cli

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"atoll/config"
	"atoll/engine"
	"atoll/engine/doctor"
	"atoll/engine/view"
	"atoll/gitops"
	"atoll/store/record"
)

// runFlags are those of run and demo.
type runFlags struct {
	headless  bool
	fresh     bool
	once      bool
	again     bool           // what measures may have changed: measure again
	measure   *config.Config // with again: what measures now
	yes       bool
	readonly  bool
	look      bool // the bare command: open what is there as it is
	maxJobs   int
	workers   int
	seed      string
	forTime   time.Duration
	failUnder *float64 // gain in percent below which the run fails; nil: never
	order     string
	record    string // folder for what agents do
	fleet     fleetFlags
	live      *config.Config // what the configuration file says now; nil: there is none
	said      []string       // what changed in it since the last run
	doors     doorFlags
	replay    time.Duration // plays the log in so long; 0: shows the present
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
	fl.DurationVar(&f.forTime, "for", 0, "begin nothing after this time, e.g. 10m, and break off what is not done a quarter of it later")
	fl.StringVar(&f.record, "record", "", "write what every agent does into this folder, for a replay agent")
	fl.Func("fail-under", "with --headless: exit 1 when the best gains less than so many percent on the root, or that is not confirmed", func(text string) error {
		v, err := strconv.ParseFloat(strings.TrimSuffix(strings.TrimSpace(text), "%"), 64)
		if err != nil || v-v != 0 {
			return errors.New("write a number of percent, such as 5")
		}
		f.failUnder = &v
		return nil
	})
	fl.StringVar(&f.order, "order", "", "completion or strict (new experiments)")
	f.fleet.add(cmd)
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
	if cmd.Flags().Changed("for") && f.forTime <= 0 {
		return nil, usage("--for %s: a time above 0, such as 10m", f.forTime)
	}
	if f.seed != "" {
		out = append(out, config.Flag{Key: "seed", Value: f.seed, Name: "--seed"})
	}
	if f.order != "" {
		out = append(out, config.Flag{Key: "order", Value: f.order, Name: "--order"})
	}
	return out, nil
}

// looksOnly refuses, of a console that cannot decide anything, flags that would change the experiment or begin one.
func (a *App) looksOnly(cmd *cobra.Command, f *runFlags) error {
	if !f.readonly {
		return nil
	}
	for _, name := range []string{"max-jobs", "workers", "seed", "order", "new", "remeasure"} {
		if cmd.Flags().Changed(name) {
			return usage("--read-only opens a console that changes nothing: leave out --%s, or --read-only", name)
		}
	}
	for _, value := range a.flags.set {
		if key, _, _ := strings.Cut(value, "="); !strings.HasPrefix(key, "console.") { // how the console looks is its own
			return usage("--read-only opens a console that changes nothing: leave out --set %s, or --read-only", key)
		}
	}
	return nil
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
			if err := a.looksOnly(cmd, &f); err != nil {
				return err
			}
			return withChoice(a.run(cmd.Context(), f, flags))
		},
	}
	f.add(cmd)
	f.doors.add(cmd)
	return cmd
}

func (a *App) run(ctx context.Context, f runFlags, flags []config.Flag) error {
	p, err := a.place(ctx)
	if err != nil {
		return err
	}
	loaded, loadErr := a.load(ctx, p, flags)
	if loadErr == nil && loaded.File != "" {
		f.live = &loaded.Config
	}
	if p, err = a.ready(ctx, p, f, loaded, loadErr); err != nil {
		return err
	}
	ses, err := a.session(ctx, p, !f.readonly)
	if err != nil {
		return err
	}
	defer ses.Close()
	exp, err := ses.Find(ctx, a.flags.experiment)
	if err == nil && (f.readonly || ses.ReadOnly()) { // nothing is taken over from flags and the file
		return a.drive(ctx, ses, exp, f)
	}
	known := err == nil || a.flags.experiment == ""           // else there is none of that name
	if known && (f.fresh || a.isHeadless(f) && !f.readonly) { // before anything is written: another process may run here
		if locked := ses.Lock(); locked != nil {
			return taken(ctx, locked, ses, exp.ID)
		}
	}
	switch {
	case f.readonly:
		return err
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
		f.said = append(f.said, a.moved(ctx, ses, p, exp, loaded)...)
	}
	return a.drive(ctx, ses, exp, f)
}

// ready refuses what cannot be run before anything is made in the state directory. Where
// a database was lost only a new experiment is begun, and what is left of the old ones is
// put aside.
func (a *App) ready(ctx context.Context, p place, f runFlags, loaded config.Loaded, loadErr error) (place, error) {
	lost := engine.Bereft(ctx, p.state)
	if lost != nil && (!f.fresh || f.readonly || a.flags.experiment != "") {
		return p, lost
	}
	if lost != nil {
		var err error
		if p, err = a.placeBy(ctx, gitops.Inspect); err != nil {
			return p, err
		}
	}
	if (lost != nil || !engine.HasExperiments(p.state)) && !f.readonly && a.flags.experiment == "" { // what is refused leaves nothing behind
		if loadErr != nil {
			return p, loadErr
		}
		if _, err := a.startable(ctx, p, loaded); err != nil {
			return p, err
		}
	}
	if lost == nil {
		return p, nil
	}
	aside, err := engine.SetAside(p.state, a.now())
	if err != nil {
		return p, err
	}
	fmt.Fprintf(a.Err, "atoll: %v: what is left is in %s\n", doctor.ErrBereft, aside)
	return p, nil
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
	if text := a.awaited(ses, exp, f); text != "" {
		f.said = append(f.said, text)
	}
	opt := a.engineOptions(f)
	if grade, known := a.gradeOf(ses.Dir, exp); known {
		opt.Grade = grade
	}
	logger, closeLog, err := openLogOf(ses)
	if err != nil {
		return err
	}
	defer closeLog()
	opt.Logger = logger
	headless := a.isHeadless(f)
	if f.failUnder != nil && !headless {
		return usage("--fail-under is for --headless runs")
	}
	if f.readonly {
		if headless {
			return usage("--read-only opens a console that runs nothing: it needs a terminal, and neither --headless nor --once; `atoll status` looks without one")
		}
		may = lookOnly
	}
	if may == lookOnly {
		if headless {
			return usage("%s", why)
		}
		if err := ses.Unlock(); err != nil {
			return err
		}
	}
	opt.Unattended, opt.KeepState, opt.Look = headless, f.look, may == lookOnly
	if f.fleet.address != "" && may != lookOnly {
		c, err := a.lead(ctx, ses, f.fleet)
		if err != nil {
			return err
		}
		defer c.Close()
		opt.Fleet = c
	}
	eng := engine.New(ses, exp.ID, opt)
	closeDoors, err := a.beside(ctx, looker{eng, ses, exp, logger}, f.doors)
	if err != nil {
		return err
	}
	defer closeDoors()
	if !headless {
		return a.watch(ctx, eng, ses, exp, f)
	}
	return a.headless(ctx, eng, ses, exp, f)
}

// isHeadless reports a run that prints what it does instead of showing it.
func (a *App) isHeadless(f runFlags) bool { return f.headless || f.once || !a.IsTTY(a.Out) }

// taken explains why the lock of the engine is not to be had: another process runs the
// experiment, or has it open at rest, ready to.
func taken(ctx context.Context, err error, ses *engine.Session, id record.ExperimentID) error {
	exp, why := ses.DB.Experiment(ctx, id)
	if !errors.Is(err, engine.ErrLocked) || why != nil || exp.State == record.ExperimentRunning {
		return err
	}
	return fmt.Errorf("a console that is open here (process %d) would run this experiment, which is %s: `atoll resume` has it go on there, as P does; close that console to run it here", ses.OwnerPID(), view.StateText(exp.State, ""))
}

// awaited says what a run will wait for that nobody would guess: commits to measure,
// or workers for whom no door is open.
func (a *App) awaited(ses *engine.Session, exp record.Experiment, f runFlags) string {
	cfg, err := a.present(exp, f)
	switch {
	case err != nil: // opening the experiment says it
		return ""
	case cfg.Search.OnlyInjected:
		return "no candidates are made here (search.only_injected): commits that `atoll inject REV` brings are measured"
	case f.doors.http != "":
		return ""
	}
	for _, ag := range cfg.Agents {
		if ag.Kind != "broker" || ag.Weight <= 0 {
			continue
		}
		switch pid := ses.OwnerPID(); {
		case pid != 0 && !ses.Locked():
			for _, line := range ses.Announced() {
				if at, ok := strings.CutPrefix(line, pageAt); ok {
					return fmt.Sprintf("jobs of %s wait for workers, who come to process %d at %s", ag.Name, pid, view.CleanLine(at))
				}
			}
			return fmt.Sprintf("jobs of %s wait for workers, and process %d, which runs them, has no door for them: stop it and run it with `--http 127.0.0.1:8080 --tokens FILE`", ag.Name, pid)
		default:
			return fmt.Sprintf("jobs of %s wait for workers, and no door is open for them: `atoll run --http 127.0.0.1:8080 --tokens FILE` opens one", ag.Name)
		}
	}
	return ""
}

func (a *App) engineOptions(f runFlags) engine.Options {
	opt := engine.Options{Who: a.who(), Now: a.Now, Once: f.once, For: f.forTime, Live: f.live, Say: f.said, Getenv: a.getenv}
	if f.record != "" {
		opt.Record = a.abs(f.record)
	}
	opt.Remeasure = f.measure
	return opt
}

package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"atoll/config"
	"atoll/engine"
	"atoll/engine/view"
	"atoll/gitops"
	"atoll/store/record"
	"atoll/tui"
)

// consoleFlags are those of the bare command.
type consoleFlags struct{ readonly bool }

// console opens the console on the experiment here: running it when nobody
// else does, looking on otherwise. Without an experiment it says what to do, and
// without a terminal how the experiment stands.
func (a *App) console(ctx context.Context, f consoleFlags) error {
	p, err := a.place(ctx)
	if err != nil {
		var refusal *gitops.Refusal
		if errors.As(err, &refusal) && errors.Is(err, gitops.ErrNotRepository) {
			return a.welcome("")
		}
		return err
	}
	ses, err := a.session(ctx, p, false)
	if errors.Is(err, engine.ErrNoExperiment) {
		return a.welcome(p.target.Path)
	}
	if err != nil {
		return err
	}
	defer ses.Close()
	exp, err := ses.Find(ctx, a.flags.experiment)
	if errors.Is(err, engine.ErrNoExperiment) && a.flags.experiment == "" {
		return a.welcome(p.target.Path)
	}
	if err != nil {
		return err
	}
	run := runFlags{look: true, readonly: f.readonly || ses.ReadOnly()}
	if ses.ReadOnly() && !f.readonly {
		run.said = append(run.said, fmt.Sprintf("looking on only, the state cannot be written: nothing runs, nothing can be decided in %s", ses.Dir))
	}
	if err := a.refresh(ctx, ses, p, exp, &run); err != nil {
		return err
	}
	if !f.readonly && !a.IsTTY(a.Out) { // nobody could press a key: tell how it stands
		for _, line := range run.said {
			a.warn(line)
		}
		return a.status(ctx)
	}
	return a.drive(ctx, ses, exp, run)
}

// welcome says what a newcomer can do here.
func (a *App) welcome(repo string) error {
	here := "You are in no git repository."
	verbs := [][2]string{{"demo", "watch an example evolve (needs python3)"}, {"demo bin-packing", "the same, with Go alone"}}
	if repo != "" {
		here = "No experiment in " + repo + " yet."
		verbs = append(verbs, [2]string{"init", "measure this repository once and write its atoll.yaml"}, [2]string{"run", "evolve it"})
	}
	fmt.Fprintf(a.Out, "atoll evolves git repositories by quality-diversity search.\n%s\n\n", here)
	tw := table(a.Out)
	for _, v := range append(verbs, [2]string{"help", "every verb"}) {
		fmt.Fprintf(tw, "  %s\t%s\n", a.says(v[0]), v[1])
	}
	return tw.Flush()
}

// firstFrame is how long the engine waits for the first frame of the console.
const firstFrame = 200 * time.Millisecond

// watch runs the engine under the console. The first frame does not wait for
// the engine: it shows what is there as it comes.
func (a *App) watch(ctx context.Context, eng *engine.Engine, ses *engine.Session, exp record.Experiment, f runFlags) error {
	engCtx, abort := context.WithCancelCause(context.WithoutCancel(ctx))
	defer abort(nil)
	cfg, err := config.Decode(exp.Config)
	if err != nil {
		return err
	}
	look, err := a.looks(ctx, ses, cfg)
	if err != nil {
		return err
	}
	told, err := a.tellPlugins(exp, f, eng.Feed())
	if err != nil {
		return err
	}
	defer told()
	tuiCtx, closeScreen := context.WithCancel(ctx)
	defer closeScreen()
	eng.Feed().Publish(beforeFold(exp, cfg, a.Now()))
	var engErr error
	var wg sync.WaitGroup
	idleCtx, leave := context.WithCancel(engCtx)
	defer leave()
	shown := make(chan struct{})
	wg.Go(func() {
		select { // reading the log must not take the processor from the first frame; a terminal that is stuck is not waited for
		case <-shown:
		case <-engCtx.Done():
		case <-time.After(firstFrame):
		}
		engErr = eng.Run(engCtx)
		for eng.Idle(idleCtx) && (engErr == nil || errors.Is(engErr, engine.ErrBroken)) { // the screen stays, and more work may come, or what broke is mended
			engErr = eng.Run(engCtx)
		}
	})
	deaf := a.endOnSignals(eng, closeScreen)
	screen := a.screen(eng, ses, exp, cfg, look, f)
	screen.Shown = func() { close(shown) }
	screen.Quit = tui.Quit{Drain: eng.Drain, Abort: func() { abort(errInterrupted) }}
	uiErr := tui.Run(tuiCtx, screen)
	if errors.Is(uiErr, tui.ErrAborted) {
		abort(errInterrupted)
	}
	eng.Drain()
	leave()
	if !eng.Feed().Latest().Owner {
		abort(nil) // a console that only looked on just leaves, and one that was still reading as well
	}
	if n := len(eng.Feed().Latest().Running); n > 0 && engCtx.Err() == nil {
		fmt.Fprintf(a.Err, "atoll: finishing %d running jobs; ctrl+c stops them at once\n", n)
	}
	stop := a.onSignals(eng, func() { abort(errInterrupted) })
	deaf()
	wg.Wait()
	stop()
	sumErr := a.summary(eng.Feed().Latest(), "")
	if errors.Is(uiErr, tui.ErrAborted) || errors.Is(engErr, errInterrupted) {
		return errInterrupted
	}
	return errors.Join(uiErr, ignoreCancel(engErr), sumErr)
}

// endOnSignals drains the engine and ends the screen when the terminal is closed or
// a signal comes, until done is called.
func (a *App) endOnSignals(eng *engine.Engine, closeScreen func()) (done func()) {
	signals, release := a.interrupts.listen()
	quit, gone := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(gone)
		for {
			select {
			case <-quit:
				return
			case <-signals:
				eng.Drain()
				closeScreen()
			}
		}
	}()
	return func() {
		release()
		close(quit)
		<-gone
	}
}

// screen is what the console needs to know of an experiment and of this machine.
func (a *App) screen(eng *engine.Engine, ses *engine.Session, exp record.Experiment, cfg config.Config, look config.Console, f runFlags) tui.Options {
	return tui.Options{
		Feed: eng.Feed(), Controller: eng, Reader: eng.Reader(), Machines: stewards{a, ses.Dir}, ReadOnly: f.readonly, Color: a.flags.color, Now: a.Now, Env: a.Env,
		Input: a.In, Output: a.Out,
		Console: tui.Console{
			Palette: look.Palette, Theme: look.Theme, Mouse: look.Mouse, ASCII: look.ASCII, FPS: look.FPS, Keys: look.Keys, Hints: look.Hints, Colours: look.Colours,
		},
		StateFile: a.layoutFile(), CrashDir: filepath.Join(ses.Dir, "logs"), Redact: a.redactor(cfg, f.live), Version: a.Build.Version, Who: a.who(),
		Notices:  tui.Notices{By: look.Notify, On: look.News, Run: a.announcer(look.Program)},
		Difftool: a.difftool(ses), Meter: (&meter{dir: ses.Dir, now: a.Now}).read, Dir: a.Dir, Verb: a.verbs(exp.ID), Typed: a.spell,
		Replay:  f.replay,
		Suspend: tui.Suspend{Before: func() { eng.Hibernate(true) }, After: func() { eng.Hibernate(false) }},
	}
}

// looks is how the console looks: as the experiment was started with, but for
// what the file, the environment and --set say now. A file that cannot be read
// now is for other verbs to refuse.
func (a *App) looks(ctx context.Context, ses *engine.Session, cfg config.Config) (config.Console, error) {
	l, err := a.load(ctx, place{target: ses.Target, state: ses.Dir}, nil)
	if err != nil {
		return cfg.Console, nil
	}
	dir := ses.Target.Path
	if l.File != "" {
		dir = filepath.Dir(a.abs(l.File))
	}
	return themed(overlay(cfg, l.Config, l).Console, dir)
}

// beforeFold is what can be told of an experiment before its log is read.
func beforeFold(exp record.Experiment, cfg config.Config, now time.Time) *view.Snapshot {
	nobody := view.Standing{ID: record.NoCandidate, Cell: -1}
	return &view.Snapshot{Loading: true, Experiment: exp, Settings: cfg.Settings(), State: exp.State, Root: nobody, Best: nobody, At: now}
}

// announcer starts the person's own program with a line of news, nil without one.
func (a *App) announcer(program []string) func(text string) error {
	if len(program) == 0 {
		return nil
	}
	return func(text string) error {
		ctx, cancel := context.WithTimeout(context.Background(), announceTime)
		defer cancel()
		cmd := exec.CommandContext(ctx, program[0], append(slices.Clone(program[1:]), text)...)
		cmd.Env, cmd.Dir = a.Env, a.Dir
		return cmd.Run()
	}
}

// announceTime is how long a program that tells news may take.
const announceTime = 10 * time.Second

// difftool shows two commits in the program that git is set to, nil without
// git.
func (a *App) difftool(ses *engine.Session) func(from, to record.Hash) []string {
	if !a.has("git") {
		return nil
	}
	return func(from, to record.Hash) []string {
		return []string{"git", "--git-dir", filepath.Join(ses.Dir, "store.git"), "difftool", "--no-prompt", from.String(), to.String()}
	}
}

// verbs returns how this program is called with a verb on an experiment here;
// nil where it cannot be found.
func (a *App) verbs(exp record.ExperimentID) func(args ...string) []string {
	exe, err := os.Executable()
	if err != nil {
		return nil
	}
	call := []string{exe}
	if a.flags.repo != "" {
		call = append(call, "-C", a.flags.repo)
	}
	if a.flags.state != "" {
		call = append(call, "--state", a.flags.state)
	}
	call = append(call, "--experiment", fmt.Sprint(int64(exp)))
	return func(args ...string) []string { return append(slices.Clone(call), args...) }
}

// layoutFile remembers the console's layout for this user.
func (a *App) layoutFile() string {
	dir := a.getenv("XDG_STATE_HOME")
	if dir == "" {
		home := a.getenv("HOME")
		if home == "" {
			return ""
		}
		dir = filepath.Join(home, ".local", "state")
	}
	return filepath.Join(dir, "atoll", "console.json")
}

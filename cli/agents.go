package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"atoll/config"
	"atoll/engine"
	"atoll/store/record"
)

// metaAgreed names the paid agents that a person agreed to for an experiment.
const metaAgreed = "agreed"

// rooted makes the folders that agents and prompts name absolute: relative ones
// count from the folder of the configuration.
func rooted(l *config.Loaded) {
	abs := func(path string) string {
		if path == "" || filepath.IsAbs(path) || l.Dir == "" {
			return path
		}
		return filepath.Join(l.Dir, path)
	}
	l.Config.Prompts = abs(l.Config.Prompts)
	l.Config.Agents = slices.Clone(l.Config.Agents)
	for i := range l.Config.Agents {
		l.Config.Agents[i].Recording = abs(l.Config.Agents[i].Recording)
	}
}

// agree makes sure that a person agreed before an agent that costs money is
// asked for the first time in an experiment. It measures the root when that was
// not done, says what would be done, and asks. go on: false when the answer was
// no. Without a terminal and without --yes it is an error of usage. Nothing is
// paid for here.
func (a *App) agree(ctx context.Context, ses *engine.Session, exp record.Experiment, f runFlags) (goOn bool, err error) {
	cfg, err := a.present(exp, f)
	if err != nil {
		return false, err
	}
	if err := engine.CheckAgents(cfg, a.getenv); err != nil {
		return false, err
	}
	paid := strings.Join(engine.PaidAgents(cfg), "\n")
	was, _, err := ses.DB.Meta(ctx, exp.ID, metaAgreed)
	if err != nil || paid == "" || covers(was, paid) {
		return err == nil, err
	}
	if f.readonly {
		return true, nil
	}
	if err := ses.Lock(); errors.Is(err, engine.ErrLocked) {
		return true, nil // another process runs it, and asked
	} else if err != nil {
		return false, err
	}
	if !f.yes {
		if err := a.measureRoot(ctx, ses, exp, f); err != nil {
			return false, err
		}
		if ok, err := a.ask(ctx, ses, exp, cfg); !ok || err != nil {
			return false, err
		}
	}
	return true, ses.DB.PutMeta(ctx, exp.ID, metaAgreed, paid)
}

// covers reports whether every line of names is among those agreed to.
func covers(agreed, names string) bool {
	had := strings.Split(agreed, "\n")
	return !slices.ContainsFunc(strings.Split(names, "\n"), func(n string) bool { return !slices.Contains(had, n) })
}

// present is the configuration of an experiment with what the file says now
// where that may change.
func (a *App) present(exp record.Experiment, f runFlags) (config.Config, error) {
	cfg, err := config.Decode(exp.Config)
	if err != nil {
		return cfg, err
	}
	if f.live != nil {
		cfg.Agents, cfg.Roles, cfg.Prices, cfg.Prompts = f.live.Agents, f.live.Roles, f.live.Prices, f.live.Prompts
		cfg.Budget = f.live.Budget
	}
	return cfg, nil
}

// measureRoot measures the root and nothing else, when that was not done.
func (a *App) measureRoot(ctx context.Context, ses *engine.Session, exp record.Experiment, f runFlags) error {
	st, err := engine.LoadState(ctx, ses.DB, exp.ID)
	if err != nil || st.Snapshot().Root.ID == record.Root {
		return err
	}
	fmt.Fprintln(a.Err, "atoll: measuring the root first; nothing is paid for")
	opt := a.engineOptions(f)
	opt.RootOnly, opt.Unattended = true, true
	eng := engine.New(ses, exp.ID, opt)
	ctx, abort := context.WithCancelCause(ctx)
	defer abort(nil)
	stop := a.onSignals(eng, func() { abort(errInterrupted) })
	err = eng.Run(ctx)
	if stop() {
		return errors.Join(errInterrupted, ignoreCancel(err))
	}
	if err == nil && exp.State == record.ExperimentPaused {
		_, err = ses.DB.PutState(ctx, exp.ID, exp.State, exp.Reason)
	}
	return err
}

// ask prints what would be done and reads the answer.
func (a *App) ask(ctx context.Context, ses *engine.Session, exp record.Experiment, cfg config.Config) (bool, error) {
	p, err := engine.Propose(ctx, ses, exp, cfg)
	if err != nil {
		return false, err
	}
	fmt.Fprintln(a.Err, strings.Join(p.Lines(), "\n"))
	in, ok := a.In.(io.Writer)
	if !ok || !a.IsTTY(in) {
		return false, usage("nobody is here to agree to paid jobs: say --yes, or run this in a terminal; nothing was paid for")
	}
	fmt.Fprint(a.Err, "Go on? [y/N] ")
	answer, err := bufio.NewReader(a.In).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return false, fmt.Errorf("read the answer: %w", err)
	}
	switch strings.ToLower(strings.TrimSpace(answer)) {
	case "y", "yes":
		return true, nil
	}
	fmt.Fprintln(a.Err, "atoll: no model was asked and nothing was paid for; `atoll run` asks again")
	return false, nil
}

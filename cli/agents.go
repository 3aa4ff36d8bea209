package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"atoll/config"
	"atoll/engine"
	"atoll/engine/agent"
	"atoll/engine/fold"
	"atoll/engine/roster"
	"atoll/store/record"
)

// metaAgreed names the paid agents that a person agreed to for an experiment.
const metaAgreed = "agreed"

// rooted makes the folders that agents, prompts and live plug-ins name absolute, and the
// programs that agents name by a path: relative ones count from the folder of the
// configuration.
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
		l.Config.Agents[i].Plugin = abs(l.Config.Agents[i].Plugin)
		if words := l.Config.Agents[i].Command; len(words) > 0 && strings.Contains(words[0], "/") && !strings.Contains(words[0], "{") {
			l.Config.Agents[i].Command = append([]string{abs(words[0])}, words[1:]...)
		}
	}
	if _, given := l.Origins["search.operators"]; !given {
		drawnAsRecorded(&l.Config)
	}
	for _, list := range []*[]string{&l.Config.Plugins.Auditors, &l.Config.Plugins.Notifiers} {
		*list = slices.Clone(*list)
		for i := range *list {
			(*list)[i] = abs((*list)[i])
		}
	}
}

// drawnAsRecorded gives a configuration whose agents only replay the weights of operators
// that the recorded run drew by, for the default follows from who edits. A recording that
// says nothing of it changes nothing: what else is wrong with it is told where it is used.
func drawnAsRecorded(c *config.Config) {
	edit := slices.DeleteFunc(slices.Clone(c.Agents), func(ag config.Agent) bool { return ag.Weight <= 0 })
	if len(edit) == 0 || slices.ContainsFunc(edit, func(ag config.Agent) bool { return ag.Kind != "replay" }) {
		return
	}
	if run, err := agent.ReadRecordedRun(edit[0].Recording); err == nil && len(run.Operators) > 0 {
		c.Search.Operators = run.Operators
	}
}

// consent is what a run may do.
type consent int

const (
	refused  consent = iota // a person said no
	agreed                  // everything
	lookOnly                // show what is there, and run nothing
)

// agree makes sure that a person agreed before an agent that costs money is
// asked for the first time in an experiment. It measures the root when that was
// not done, says what would be done, and asks. Without a terminal and without
// --yes it is an error of usage. A console that can decide nothing, and the bare
// one when its agents cannot work, only look on; why says so. Nothing is paid
// for here.
func (a *App) agree(ctx context.Context, ses *engine.Session, exp record.Experiment, f runFlags) (c consent, why string, err error) {
	cfg, err := a.present(exp, f)
	if err != nil {
		return refused, "", err
	}
	if err := roster.CheckAgents(cfg, a.getenv); err != nil {
		if f.look || f.readonly {
			return lookOnly, fmt.Sprintf("looking on only, because the agents cannot work: %v", err), nil
		}
		return refused, "", err
	}
	paid := strings.Join(roster.PaidAgents(cfg), "\n")
	was, _, err := ses.DB.Meta(ctx, exp.ID, metaAgreed)
	if err != nil || paid == "" || covers(was, paid) {
		return agreed, "", err
	}
	if f.readonly {
		return lookOnly, "looking on only, because nobody agreed to paid jobs yet: `atoll run` asks", nil
	}
	if err := ses.Lock(); errors.Is(err, engine.ErrLocked) {
		return agreed, "", nil // another process runs it, and asked
	} else if err != nil {
		return refused, "", err
	}
	if !f.yes {
		if err := a.measureRoot(ctx, ses, exp, f); err != nil {
			return refused, "", err
		}
		if ok, err := a.ask(ctx, ses, exp, cfg); !ok || err != nil {
			return refused, "", err
		}
	}
	return agreed, "", ses.DB.PutMeta(ctx, exp.ID, metaAgreed, paid)
}

// redactor takes the keys out of a text that configurations name.
func (a *App) redactor(stored config.Config, live *config.Config) func(string) string {
	agents := stored.Agents
	if live != nil {
		agents = slices.Concat(agents, live.Agents)
	}
	var keys []string
	for _, ag := range agents {
		if key := strings.TrimSpace(a.getenv(ag.KeyEnv)); ag.KeyEnv != "" && len(key) >= 4 {
			keys = append(keys, key)
		}
	}
	return func(text string) string { return agent.Redact(text, keys...) }
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
		cfg = engine.WithLive(cfg, *f.live)
		cfg.Budget = f.live.Budget
	}
	return cfg, nil
}

// showPrompt prints the prompts of a job: those that were sent, or the one that
// would be sent now while the job waits.
func (a *App) showPrompt(ctx context.Context, what string) error {
	o, err := a.open(ctx)
	if err != nil {
		return err
	}
	defer o.Close()
	id, err := record.ParseCandidateID(what)
	if err != nil {
		return usage("%q is no job or candidate: write '#350' or c350", what)
	}
	job, err := o.DB.Job(ctx, o.exp.ID, record.JobID(id))
	if err != nil {
		return fmt.Errorf("there is no job %s: %w", record.JobID(id), err)
	}
	list, err := o.DB.EvidenceOf(ctx, o.exp.ID, job.ID)
	if err != nil {
		return err
	}
	list = slices.DeleteFunc(list, func(ev record.Evidence) bool { return !strings.HasSuffix(ev.Kind, "prompt") })
	if task, err := agent.HumanTask(o.Dir, job.ID); err == nil && len(list) == 0 {
		list = append(list, record.Evidence{Job: job.ID, Attempt: job.Attempt, Kind: "prompt of a person", Text: task})
	}
	if len(list) == 0 {
		ev, err := engine.Prompt(ctx, o.Session, o.exp.ID, engine.Options{Now: a.Now, Getenv: a.getenv, Live: a.fileNow(ctx)}, job.ID)
		if err != nil {
			return err
		}
		list = append(list, ev)
	}
	if a.flags.json {
		for _, ev := range list {
			writeJSONLine(a.Out, promptLine{Job: job.ID, Attempt: ev.Attempt, Kind: ev.Kind, Text: string(ev.Text)})
		}
		return nil
	}
	a.printTexts(list)
	return nil
}

// fileNow is what the configuration file says now, nil where there is none or
// it cannot be read.
func (a *App) fileNow(ctx context.Context) *config.Config {
	p, err := a.place(ctx)
	if err != nil {
		return nil
	}
	loaded, err := a.load(ctx, p, nil)
	if err != nil || loaded.File == "" {
		return nil
	}
	return &loaded.Config
}

// measureRoot measures the root and nothing else, when that was not done.
func (a *App) measureRoot(ctx context.Context, ses *engine.Session, exp record.Experiment, f runFlags) error {
	st, err := fold.LoadState(ctx, ses.DB, exp.ID)
	if err != nil || st.Snapshot().Root.ID == record.Root {
		return err
	}
	fmt.Fprintln(a.Err, "atoll: measuring the root first; nothing is paid for")
	opt := a.engineOptions(f)
	opt.RootOnly, opt.Unattended, opt.Say = true, true, nil
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
	agreed, err := a.confirm(ctx, "Go on?", "nobody is here to agree to paid jobs: say --yes, or run this in a terminal; nothing was paid for")
	if err != nil || agreed {
		return agreed, err
	}
	a.warn(a.spell("no model was asked and nothing was paid for; `atoll run` asks again"))
	return false, nil
}

// promptLine is one text of `show --prompt --json`.
type promptLine struct {
	Job     record.JobID `json:"job"`
	Attempt int          `json:"attempt"`
	Kind    string       `json:"kind"`
	Text    string       `json:"text"`
}

package cli

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"atoll/config"
	"atoll/engine"
	"atoll/engine/roster"
	"atoll/engine/view"
	"atoll/store/record"
)

// metaSeen is the configuration as the last run found it in file and
// environment; before the first one it is that of the experiment.
const metaSeen = "seen"

// seen returns the configuration of the last run.
func seen(ctx context.Context, ses *engine.Session, exp record.Experiment) (config.Config, error) {
	data := exp.Config
	text, ok, err := ses.DB.Meta(ctx, exp.ID, metaSeen)
	if err != nil {
		return config.Config{}, err
	}
	if ok {
		data = []byte(text)
	}
	return config.Decode(data)
}

// takeOver makes a row of the settings that differ from those that the last run
// found, and says what differs. What a person changed since, while the experiment ran or not,
// stays as long as the file says nothing new about it. Flags hold for this run
// alone: the next one does not take their absence for a change.
func (a *App) takeOver(ctx context.Context, ses *engine.Session, exp record.Experiment, cfg config.Config, l config.Loaded) ([]string, error) {
	before, err := seen(ctx, ses, exp)
	if err != nil {
		return nil, err
	}
	if err := engine.TakeSettings(ctx, ses, exp.ID); err != nil {
		return nil, err
	}
	force, err := ses.DB.Settings(ctx, exp.ID)
	if err != nil {
		return nil, err
	}
	if now := cfg.Settings(); !sameSettings(before.Settings(), now) {
		if _, err := ses.DB.PutSettings(ctx, exp.ID, mergeSettings(force, before.Settings(), now)); err != nil {
			return nil, err
		}
	}
	_, news := config.Diff(before, cfg)
	_, changes := config.Diff(before.With(force), cfg)
	var said []string
	for _, d := range changes { // what a person set while it ran is what it was
		if !slices.ContainsFunc(news, func(n config.Difference) bool { return n.Key == d.Key }) {
			continue
		}
		said = append(said, fmt.Sprintf("%s: %s is %s now, it was %s", l.Origin(d.Key), d.Key, view.CleanLine(d.New), view.CleanLine(d.Old)))
	}
	flags := config.Loaded{Origins: maps.Clone(l.Origins)}
	maps.DeleteFunc(flags.Origins, func(_ string, o config.Origin) bool { return o.Kind == config.FromFile || o.Kind == config.FromDefault })
	return said, ses.DB.PutMeta(ctx, exp.ID, metaSeen, string(config.Encode(overlay(cfg, before, flags))))
}

// frozenKeys names the differences that a running experiment does not take.
func frozenKeys(old, cfg config.Config, l config.Loaded) string {
	frozen, _ := config.Diff(old, cfg)
	var keys []string
	for _, d := range frozen {
		keys = append(keys, fmt.Sprintf("%s (%s, now %s from %s)", d.Key, d.Old, d.New, l.Origin(d.Key)))
	}
	return strings.Join(keys, ", ")
}

// refresh has the bare console run by the configuration file of now, as `run`
// does. Where the file cannot be read, or wants what a running experiment cannot
// take, that is said and the rest of what the experiment has goes on: looking is
// never refused.
func (a *App) refresh(ctx context.Context, ses *engine.Session, p place, exp record.Experiment, f *runFlags) error {
	if f.readonly {
		return nil
	}
	if err := ses.Lock(); errors.Is(err, engine.ErrLocked) {
		return nil // who runs it has read the file
	} else if err != nil {
		return err
	}
	l, err := a.load(ctx, p, nil)
	if err != nil {
		f.said = append(f.said, fmt.Sprintf("the configuration file counts as it was, because it cannot be read now: %v", err))
		return nil
	}
	if l.File == "" {
		return nil
	}
	old, err := config.Decode(exp.Config)
	if err != nil {
		return err
	}
	cfg := l.Config
	cfg.Evaluator.Dir = old.Evaluator.Dir // the sealed copy; the engine holds it against its seal
	cfg.Plugins.Embedder, cfg.Plugins.Descriptors = old.Plugins.Embedder, old.Plugins.Descriptors
	if cfg, err = a.keepGiven(ctx, ses, exp, old, cfg, l); err != nil {
		return err
	}
	if keys := frozenKeys(old, cfg, l); keys != "" {
		f.said = append(f.said, "not taken over, because it is fixed when an experiment starts (`atoll run --new` starts another): "+keys)
	}
	if err := roster.CheckAgents(cfg, a.getenv); err != nil {
		f.said = append(f.said, fmt.Sprintf("the agents are those of the last run, because the new ones cannot work: %v", err))
		was, err := seen(ctx, ses, exp)
		if err != nil {
			return err
		}
		cfg.Agents, cfg.Roles, cfg.Prices, cfg.Budget.CostUSD = was.Agents, was.Roles, was.Prices, was.Budget.CostUSD
	}
	said, err := a.takeOver(ctx, ses, exp, cfg, l)
	said = append(said, a.moved(ctx, ses, p, exp, l)...)
	f.live, f.said = &cfg, slices.Concat(said, f.said)
	return err
}

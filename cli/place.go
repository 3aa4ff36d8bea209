package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"atoll/config"
	"atoll/engine"
	"atoll/engine/fold"
	"atoll/engine/kept"
	"atoll/engine/view"
	"atoll/gitops"
	"atoll/store"
	"atoll/store/record"
)

// place is where a verb works: the user's repository and the state directory.
type place struct {
	target gitops.Target
	state  string
}

// abs resolves a path against the app's working directory.
func (a *App) abs(path string) string {
	if path == "" {
		return a.Dir
	}
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(a.Dir, path)
}

// place finds the repository and the state directory. Where experiments are
// already, the repository is located and no more: it may be large, and the
// console does not wait for it. Elsewhere it is inspected.
func (a *App) place(ctx context.Context) (place, error) {
	p, err := a.placeBy(ctx, gitops.Locate)
	if err != nil || engine.HasExperiments(p.state) {
		return p, err
	}
	return a.placeBy(ctx, gitops.Inspect)
}

// placeBy is place by one way to look at the repository. With --state a missing
// repository is no error: the verbs that need one say so.
func (a *App) placeBy(ctx context.Context, look func(context.Context, string) (gitops.Target, error)) (place, error) {
	target, err := look(ctx, a.abs(a.flags.repo))
	if a.flags.state != "" {
		if err != nil {
			target = gitops.Target{}
		}
		return place{target: target, state: a.abs(a.flags.state)}, nil
	}
	if err != nil {
		return place{}, err
	}
	return place{target: target, state: filepath.Join(target.CommonDir, "atoll")}, nil
}

// session opens the state directory of a place for a verb.
func (a *App) session(ctx context.Context, p place, create bool) (*engine.Session, error) {
	ses, err := engine.OpenSession(ctx, engine.SessionOptions{Dir: p.state, Target: p.target, Create: create, Now: a.Now})
	full := errors.Is(err, store.ErrFull)
	if err != nil && !create && (errors.Is(err, os.ErrPermission) || errors.Is(err, store.ErrReadOnly) || full) {
		if full {
			fmt.Fprintf(a.Err, "atoll: the disk of %s is full: nothing can be decided there until there is room\n", p.state)
		}
		return engine.OpenSession(ctx, engine.SessionOptions{Dir: p.state, Target: p.target, ReadOnly: true, Now: a.Now})
	}
	return ses, err
}

// opened is an experiment with its folded state, for verbs that look or decide.
type opened struct {
	*engine.Session
	exp   record.Experiment
	state *fold.State // nil where it was opened unfolded
}

// open opens the experiment that the flags name and folds its log.
func (a *App) open(ctx context.Context) (*opened, error) {
	o, err := a.openUnfolded(ctx)
	if err != nil {
		return nil, err
	}
	if o.state, err = kept.Load(ctx, o.Dir, o.DB, o.exp.ID); err != nil {
		return nil, errors.Join(err, o.Close())
	}
	return o, nil
}

// openUnfolded opens the experiment that the flags name for verbs that read rows alone:
// a log of a million takes seconds to fold. There is no state.
func (a *App) openUnfolded(ctx context.Context) (*opened, error) {
	p, err := a.place(ctx)
	if err != nil {
		return nil, err
	}
	ses, err := a.session(ctx, p, false)
	if err != nil {
		return nil, err
	}
	exp, err := ses.Find(ctx, a.flags.experiment)
	if err != nil {
		return nil, errors.Join(err, ses.Close())
	}
	return &opened{Session: ses, exp: exp}, nil
}

// configured finds the repository without asking whether it is clean, and reads its
// configuration.
func (a *App) configured(ctx context.Context) (place, config.Loaded, error) {
	p, err := a.placeBy(ctx, gitops.Inspect)
	if err != nil {
		return p, config.Loaded{}, err
	}
	l, err := a.load(ctx, p, nil)
	return p, l, err
}

// load reads the configuration for a place, to be used: the folders of agents, prompts
// and plug-ins are absolute in it.
func (a *App) load(ctx context.Context, p place, flags []config.Flag) (config.Loaded, error) {
	l, err := a.loadAsWritten(ctx, p, flags)
	rooted(&l)
	return l, err
}

// set are the values that --set gives.
func (a *App) set() ([]config.Flag, error) {
	var out []config.Flag
	for _, s := range a.flags.set {
		key, value, ok := strings.Cut(s, "=")
		if !ok {
			return nil, usage("--set %s: write key=value", s)
		}
		out = append(out, config.Flag{Key: key, Value: value, Name: "--set"})
	}
	return out, nil
}

// loadAsWritten reads the configuration for a place, to be shown: atoll.yaml of the work
// tree, or of the root commit where there is no work tree.
func (a *App) loadAsWritten(ctx context.Context, p place, flags []config.Flag) (config.Loaded, error) {
	dir := p.target.Path
	if dir == "" {
		dir = a.Dir
	}
	o := config.LoadOptions{Dir: dir, Env: a.Env, Flags: flags}
	if a.flags.file != "" {
		o.File = a.abs(a.flags.file)
	}
	set, err := a.set()
	if err != nil {
		return config.Loaded{}, err
	}
	for _, s := range set {
		if i := slices.IndexFunc(flags, func(f config.Flag) bool { return f.Key == s.Key && f.Value != s.Value }); i >= 0 {
			return config.Loaded{}, usage("%s %s and --set %s=%s say different things: give one of them", flags[i].Name, flags[i].Value, s.Key, s.Value)
		}
		o.Flags = append(o.Flags, s)
	}
	if p.target.Bare && o.File == "" {
		data, err := gitops.ReadFile(ctx, p.target, "HEAD", config.FileName)
		if err != nil && !errors.Is(err, gitops.ErrNotFound) {
			return config.Loaded{}, err
		}
		if err == nil {
			o.File, o.Data = config.FileName, data
		}
	}
	return config.Load(o)
}

// parseCandidate reads c128, #128 or 128; "best" and "root" name themselves.
func (o *opened) parseCandidate(text string) (record.CandidateID, error) {
	switch text {
	case "best":
		id := o.state.Snapshot().Best.ID
		if id == record.NoCandidate {
			return id, fmt.Errorf("%w: nothing is measured yet; `atoll run` begins with the root", fold.ErrDecision)
		}
		return id, nil
	case "root":
		return record.Root, nil
	}
	id, err := record.ParseCandidateID(text)
	if err != nil {
		return id, usage("%v", err)
	}
	return id, nil
}

// noCandidate says of which experiment a candidate is none; another error stays what it is.
func (o *opened) noCandidate(id record.CandidateID, err error) error {
	if errors.Is(err, store.ErrNotFound) {
		return usage("%s has no candidate %s; --experiment NAME asks another one of those that `atoll experiments` lists", view.CleanLine(o.exp.Name), id)
	}
	return fmt.Errorf("read candidate %s: %w", id, err)
}

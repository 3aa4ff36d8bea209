package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"time"

	"atoll/config"
	"atoll/engine"
	"atoll/engine/doctor"
	"atoll/engine/survey"
	"atoll/engine/view"
	"atoll/gitops"
	"atoll/store/record"
	"atoll/tui"
)

// begin writes a new experiment: everything that can be wrong is found before
// anything is spent.
func (a *App) begin(ctx context.Context, ses *engine.Session, p place, l config.Loaded) (record.Experiment, error) {
	warnings, err := a.startable(ctx, p, l)
	if err != nil {
		return record.Experiment{}, err
	}
	if text := dirtyText(ctx, p.target); text != "" {
		a.warn(fmt.Sprintf("%s: the search begins with the commit %s, without them", text, l.Root))
	}
	for _, advice := range slices.Concat(warnings, l.Advice()) {
		a.warn(advice)
	}
	began, told := time.Now(), time.Now()
	ses.Repo.OnProgress(func(text string) { // of an import that takes its time
		if strings.HasSuffix(text, "done.") {
			return // a small repository on a busy machine: there is nothing to wait for
		}
		if now := time.Now(); now.Sub(began) > 2*time.Second && now.Sub(told) > time.Second {
			told = now
			fmt.Fprintln(a.Err, "atoll:", text)
		}
	})
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

// startable finds what is wrong with a new experiment before anything is written. What
// is allowed and hardly meant comes back as warnings.
func (a *App) startable(ctx context.Context, p place, l config.Loaded) (warnings []string, err error) {
	if problems := l.Complete(); len(problems) > 0 {
		return nil, problems
	}
	if p.target.Path == "" {
		return nil, usage("a new experiment needs its repository: run this inside it, or name it with --repo")
	}
	problems, warnings, err := doctor.Start(ctx, p.target, l, a.getenv)
	if err != nil {
		return nil, err
	}
	if err := checkKeys(l); err != nil {
		problems = append(problems, l.Problem("console.keys", strings.TrimPrefix(err.Error(), "console.keys: ")))
	}
	if len(problems) > 0 {
		return nil, problems
	}
	if files := uncommitted(ctx, p, l); len(files) > 0 {
		return nil, usage("%s of the evaluator's command is not committed, so no candidate would have it: %s", strings.Join(files, ", "), committing(files))
	}
	return warnings, nil
}

// checkKeys says what is wrong with the keys of the console that a person chose.
func checkKeys(l config.Loaded) error { return tui.CheckKeys(l.Console.Keys) }

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
// when the experiment started, unless they are given again now, with the name that it
// had from its folder, and with what was the default then.
func (a *App) keepGiven(ctx context.Context, ses *engine.Session, exp record.Experiment, old, cfg config.Config, l config.Loaded) (config.Config, error) {
	if l.Origin("name").Kind == config.FromDefault {
		cfg.Name = old.Name // whatever the folder is called now
	}
	if l.Origin("search.selection").Kind == config.FromDefault && old.Search.Selection == config.FormerSelection {
		cfg.Search.Selection = old.Search.Selection // the default of then
	}
	if l.Origin("search.evolve").Kind == config.FromDefault && old.Search.Evolve == 0 {
		cfg.Search.Evolve = 0 // the default of then
	}
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
		return sealed(ses.Dir, l, engine.SealEvaluator)
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
	return sealed(ses.Dir, l, engine.SealEvaluator)
}

// sealed returns the configuration that names copies of the evaluator directory and of the
// plug-ins that place candidates, in the state directory. seal makes one, or says where
// it would be ([engine.SealEvaluator], [engine.SealedPath]).
func sealed(state string, l config.Loaded, seal func(state, dir string) (string, error)) (config.Config, error) {
	cfg := l.Config
	copied := func(key, dir string) (string, error) {
		if dir == "" {
			return "", nil
		}
		from := dir
		if !filepath.IsAbs(dir) {
			from = filepath.Join(l.Dir, dir)
		}
		if info, err := os.Stat(from); err != nil || !info.IsDir() {
			return "", config.Problems{{Key: key, Text: fmt.Sprintf("there is no folder %s; name the folder, relative to %s", dir, config.FileName)}}
		}
		to, err := seal(state, from)
		if err != nil {
			return "", err
		}
		return filepath.Rel(state, to)
	}
	var err error
	if cfg.Evaluator.Dir, err = copied("evaluator.dir", cfg.Evaluator.Dir); err != nil {
		return l.Config, err
	}
	if cfg.Plugins.Embedder, err = copied("plugins.embedder", cfg.Plugins.Embedder); err != nil {
		return l.Config, err
	}
	cfg.Plugins.Descriptors = slices.Clone(cfg.Plugins.Descriptors)
	for i, dir := range cfg.Plugins.Descriptors {
		if cfg.Plugins.Descriptors[i], err = copied("plugins.descriptors", dir); err != nil {
			return l.Config, err
		}
	}
	return cfg, nil
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
	gone := folderGone(l, old)
	if gone {
		l.Evaluator.Dir = "" // the copy goes on measuring, and moved says so
	}
	cfg, err := sealedFor(ctx, ses, place{target: ses.Target}, exp.RootCommit, l)
	if err != nil {
		return nil, err
	}
	if gone {
		cfg.Evaluator.Dir = old.Evaluator.Dir
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

// uncommitted lists the words of the evaluator's commands that are files of the
// work tree and not of the root commit: a candidate's tree would not have them.
func uncommitted(ctx context.Context, p place, l config.Loaded) []string {
	if p.target.Path == "" || p.target.Bare || !p.target.Dirty {
		return nil
	}
	if _, err := gitops.Resolve(ctx, p.target, l.Root); err != nil {
		return nil // and that is what is wrong
	}
	words := wordsOf(l.Evaluator.Command)
	for _, s := range l.Evaluator.Stages {
		words = append(words, wordsOf(s.Command)...)
	}
	var missing []string
	for _, w := range words {
		w = path.Clean(filepath.ToSlash(w))
		if !filepath.IsLocal(w) || w == "." || strings.ContainsAny(w, "{}*$ ") || slices.Contains(missing, w) {
			continue
		}
		if info, err := os.Stat(filepath.Join(p.target.Path, w)); err != nil || info.IsDir() {
			continue
		}
		if _, err := gitops.ReadFile(ctx, p.target, l.Root, w); errors.Is(err, gitops.ErrNotFound) {
			missing = append(missing, w)
		}
	}
	return missing
}

// wordsOf are the words of a command, also of one that is a line for a shell.
func wordsOf(command []string) []string {
	last := len(command) - 1
	if last != 0 && (last != 2 || path.Base(command[0]) != "sh" || command[1] != "-c") {
		return slices.Clone(command)
	}
	return strings.FieldsFunc(command[last], func(r rune) bool { return strings.ContainsRune(" \t\n;|&<>()\"'", r) })
}

// committing is what to do about files that are not committed.
func committing(files []string) string {
	names := make([]string, len(files))
	for i, f := range files {
		names[i] = shellWord(f)
	}
	list := strings.Join(names, " ")
	return fmt.Sprintf("git add %s && git commit -m \"Add the evaluator\" -- %s", list, list)
}

// dirtyText names what of the work tree is not committed, "" where that is nothing but what
// init wrote.
func dirtyText(ctx context.Context, t gitops.Target) string {
	if !t.Dirty {
		return ""
	}
	paths, err := gitops.Uncommitted(ctx, t)
	paths = slices.DeleteFunc(paths, func(path string) bool {
		return path == config.FileName || strings.HasPrefix(path, survey.EvaluatorDir+"/") // a new folder as a whole, or its files
	})
	switch n := len(paths); {
	case err != nil:
		return "the work tree has changes that are not committed"
	case n == 0:
		return ""
	case n == 1:
		return view.CleanLine(paths[0]) + " has changes that are not committed"
	case n <= 3:
		return view.CleanLine(strings.Join(paths, ", ")) + " have changes that are not committed"
	default:
		return fmt.Sprintf("%s and %d more have changes that are not committed", view.CleanLine(strings.Join(paths[:3], ", ")), n-3)
	}
}

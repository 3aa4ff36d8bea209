package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"atoll/config"
	"atoll/engine/backup"
	"atoll/engine/view"
)

// experimentExt is how files end that hold whole experiments.
const experimentExt = ".atoll"

// exportExperiment writes the experiment that the flags name alone into one file.
func (a *App) exportExperiment(ctx context.Context, file string) error {
	o, err := a.openUnfolded(ctx)
	if err != nil {
		return err
	}
	defer o.Close()
	cfg, err := config.Decode(o.exp.Config)
	if err != nil {
		return fmt.Errorf("read the stored configuration of %s: %w", o.exp.Name, err)
	}
	src := backup.Source{Dir: o.Dir, DB: o.DB, Repo: o.Repo, Only: o.exp.ID}
	for _, dir := range append([]string{cfg.Evaluator.Dir, cfg.Plugins.Embedder}, cfg.Plugins.Descriptors...) {
		if dir != "" { // the copy that was made of it
			src.Evaluators = append(src.Evaluators, filepath.Base(dir))
		}
	}
	if o.OwnerPID() != 0 {
		backup.Yield()
	}
	m, err := backup.Write(ctx, src, a.abs(file), "atoll "+a.Build.Version, a.now())
	if err != nil {
		return err
	}
	return a.toldBackup("wrote "+file, a.abs(file), m)
}

// importExperiments adds the experiments of a file to those here.
func (a *App) importExperiments(ctx context.Context, file string) error {
	p, err := a.place(ctx)
	if err != nil {
		return err
	}
	ses, err := a.session(ctx, p, true)
	if err != nil {
		return err
	}
	list, err := backup.Add(ctx, a.abs(file), backup.Source{Dir: ses.Dir, DB: ses.DB, Repo: ses.Repo})
	if err := errors.Join(err, ses.Close()); err != nil {
		return err
	}
	if a.flags.json {
		return writeJSON(a.Out, list)
	}
	for _, added := range list {
		name := ""
		if added.Is.Name != added.Was.Name {
			name = ", which is called " + view.CleanLine(added.Is.Name) + " here"
		}
		fmt.Fprintf(a.Out, "took in %s as experiment %d%s: %s\n", view.CleanLine(added.Was.Name), added.Is.ID, name, view.Plural(added.Was.Candidates, "candidate"))
	}
	_, err = fmt.Fprintln(a.Out, a.spell("`atoll experiments` lists all; --experiment NAME chooses one, without it verbs take the latest"))
	return err
}

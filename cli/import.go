package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"atoll/config"
	"atoll/engine/view"
	"atoll/gitops"
)

func (a *App) importCmd() *cobra.Command {
	cmd := &cobra.Command{
		Use: "import [FILE]", Short: "Take in experiments of a file, or another system's settings", Args: cobra.MaximumNArgs(1),
		Long: `A file that export or backup wrote: its experiments are added to those here, also while a run is under way. Nothing that is
here changes; a name that is taken gets a number behind it. Each part is compared with its sum, and every candidate's commit and
files must be there, before anything is taken in.

With openevolve or loreley, atoll.yaml is written from that system's settings.`,
		Example: "  atoll import tuesday.atoll\n  atoll import openevolve examples/function_minimization\n  atoll import loreley .env",
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return cmd.Help()
			}
			if !isFile(a.abs(args[0])) {
				return usage("there is no file %s to import; `atoll import --help` tells what can be", args[0])
			}
			return a.importExperiments(cmd.Context(), args[0])
		},
	}
	cmd.AddCommand(&cobra.Command{
		Use: "openevolve DIR", Short: "Take over an OpenEvolve example: config.yaml, evaluator.py, initial_program.*", Args: cobra.ExactArgs(1),
		Example: "  atoll import openevolve .",
		RunE: func(_ *cobra.Command, args []string) error {
			dir := a.abs(args[0])
			if _, err := os.Stat(dir); err != nil {
				return usage("import from OpenEvolve: %v", err)
			}
			imp, err := config.ImportOpenEvolve(dir)
			if err != nil {
				return err
			}
			return a.writeImport(dir, imp)
		},
	}, &cobra.Command{
		Use: "loreley ENVFILE", Short: "Take over a Loreley environment file", Args: cobra.ExactArgs(1),
		Example: "  atoll import loreley .env",
		RunE: func(cmd *cobra.Command, args []string) error {
			data, err := os.ReadFile(a.abs(args[0]))
			if err != nil {
				return usage("read %s: %v", args[0], err)
			}
			to := a.abs(a.flags.repo)
			imp, err := config.ImportLoreley(data, filepath.Dir(a.abs(args[0])), to)
			if err != nil {
				return err
			}
			if text := noCommit(cmd.Context(), to, imp.YAML); text != "" {
				imp.Notes = append(imp.Notes, text)
			}
			return a.writeImport(to, imp)
		},
	})
	return cmd
}

// noCommit says that the root of an imported configuration is no commit of the
// repository in a folder, "" where it is one, or where there is no repository yet.
func noCommit(ctx context.Context, dir string, yaml []byte) string {
	l, err := config.Load(config.LoadOptions{File: config.FileName, Data: yaml})
	if err != nil { // a run says it
		return ""
	}
	t, err := gitops.Locate(ctx, dir)
	if err != nil {
		return ""
	}
	if _, err := gitops.Resolve(ctx, t, l.Root); errors.Is(err, gitops.ErrRevision) {
		return fmt.Sprintf("root: %q names no commit in this repository: name one before the first run.", l.Root)
	}
	return ""
}

// writeImport writes atoll.yaml and says what did not map.
func (a *App) writeImport(dir string, imp config.Imported) error {
	path := filepath.Join(dir, config.FileName)
	if _, err := os.Stat(path); err == nil {
		return usage("%s is there already; move it aside first", path)
	}
	if err := os.WriteFile(path, imp.YAML, 0o644); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	fmt.Fprintf(a.Out, "wrote %s\n", view.CleanLine(path))
	for _, n := range imp.Notes {
		fmt.Fprintf(a.Out, "note: %s\n", view.CleanLine(n))
	}
	return nil
}

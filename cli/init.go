package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"atoll/config"
	"atoll/gitops"
)

func (a *App) initCmd() *cobra.Command {
	var force bool
	cmd := &cobra.Command{
		Use: "init [PATH]", Short: "Look at a repository and write a commented atoll.yaml", Example: "  atoll init\n  atoll init ../my-project", Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				a.flags.repo = args[0]
			}
			target, err := gitops.Inspect(cmd.Context(), a.abs(a.flags.repo))
			if err != nil {
				return err
			}
			if target.Bare {
				return usage("%s has no work tree; commit an atoll.yaml from a clone of it", target.Path)
			}
			path := filepath.Join(target.Path, config.FileName)
			if _, err := os.Stat(path); err == nil && !force {
				return usage("%s is there already; look at it with `atoll config explain`, or write it anew with --force", path)
			}
			files, err := listFiles(target.Path)
			if err != nil {
				return err
			}
			found := config.Detect(files, func(p string) ([]byte, error) { return os.ReadFile(filepath.Join(target.Path, p)) })
			if err := os.WriteFile(path, config.Template(found), 0o644); err != nil {
				return fmt.Errorf("write %s: %w", path, err)
			}
			_, err = fmt.Fprintf(a.Out, "wrote %s\nread it, then try `atoll doctor --deep` and `atoll run`\n", path)
			return err
		},
	}
	cmd.Flags().BoolVar(&force, "force", false, "write over an atoll.yaml that is there")
	return cmd
}

// listedFiles bounds the look at a repository.
const listedFiles = 20000

var errEnough = errors.New("enough")

func listFiles(root string) ([]string, error) {
	var out []string
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil // what cannot be read is not looked at
		}
		if d.IsDir() {
			if name := d.Name(); path != root && (name == ".git" || name == "node_modules") {
				return filepath.SkipDir
			}
			return nil
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		if out = append(out, filepath.ToSlash(rel)); len(out) >= listedFiles {
			return errEnough
		}
		return nil
	})
	if errors.Is(err, errEnough) {
		err = nil
	}
	return out, err
}

package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"atoll/engine"
	"atoll/engine/verify"
	"atoll/engine/view"
)

func (a *App) promoteCmd() *cobra.Command {
	var branch, patch, bundle string
	var check verification
	cmd := &cobra.Command{
		Use: "promote CANDIDATE", Short: "Make a branch of a candidate in your repository, or a patch or bundle file",
		Example: "  atoll promote best --branch faster-packing\n  atoll promote best --patch best.patch\n  atoll promote best --verify --squash", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.with(cmd.Context(), func(o *opened) error {
				id, err := o.parseCandidate(args[0])
				if err != nil {
					return err
				}
				c, err := o.DB.Candidate(cmd.Context(), o.exp.ID, id)
				if err != nil {
					return fmt.Errorf("there is no candidate %s: %w", id, err)
				}
				switch {
				case check.on && (patch != "" || bundle != ""):
					return usage("--verify writes a branch: leave --patch and --bundle out")
				case check.on:
					check.branch = branch
					return a.verify(cmd.Context(), o, &c, check)
				case check.squash || cmd.Flags().Changed("rounds"):
					return usage("--squash and --rounds go with --verify")
				case patch != "":
					text, err := o.Repo.ExportPatch(cmd.Context(), o.exp.RootCommit, c.Commit)
					if err != nil {
						return err
					}
					if patch == "-" {
						_, err = a.Out.Write(text)
						return err
					}
					if err := writeNew(a.abs(patch), text); err != nil {
						return fmt.Errorf("write the patch: %w", err)
					}
					_, err = fmt.Fprintf(a.Out, "wrote %s; try it with `git apply --check %s`\n", patch, patch)
					return err
				case bundle != "":
					if err := o.Repo.Bundle(cmd.Context(), o.Target, c.Commit, a.abs(bundle)); err != nil {
						return err
					}
					_, err = fmt.Fprintf(a.Out, "wrote %s; read it with `git fetch %s`\n", bundle, bundle)
					return err
				}
				report, looked, err := engine.GuardReport(cmd.Context(), o.Session, o.exp.ID, &c)
				if err != nil {
					return err
				}
				name, err := engine.Promote(cmd.Context(), o.Session, o.exp.ID, id, branch, a.who())
				if err != nil {
					return err
				}
				fmt.Fprintf(a.Out, "branch %s is %s (%s); look at it with `git diff %s...%s`\n", name, id, c.Commit.Short(), o.exp.Branch, name)
				if !looked {
					return nil
				}
				fmt.Fprintf(a.Out, "%-10s %s\n", "behaviour", view.CleanLine(report.Summary()))
				return a.printUnreached(report)
			})
		},
	}
	cmd.Flags().StringVar(&branch, "branch", "", "name of the new branch (default: atoll/EXPERIMENT-CANDIDATE)")
	cmd.Flags().StringVar(&patch, "patch", "", "write a patch file instead (- for stdout)")
	cmd.Flags().StringVar(&bundle, "bundle", "", "write a git bundle instead")
	cmd.Flags().BoolVar(&check.on, "verify", false, "put the change on top of the branch as it is now, test and measure both in turn; refuse where the gain does not hold")
	cmd.Flags().BoolVar(&check.squash, "squash", false, "with --verify: one commit on top of the branch, without the steps that led there")
	cmd.Flags().IntVar(&check.rounds, "rounds", verify.DefaultRounds, "with --verify: rounds at most in which both are measured")
	return cmd
}

// writeNew writes a file that must not be there yet, not even as a symlink.
func writeNew(path string, text []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s is there already: choose another name or remove it", path)
	}
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	return errors.Join(err, f.Close())
}

package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"atoll/engine"
	"atoll/engine/repair"
	"atoll/engine/view"
)

func (a *App) repairCmd() *cobra.Command {
	var from []string
	cmd := &cobra.Command{
		Use: "repair", Short: "Mend what doctor found in the state directory, and say what was done and what is lost",
		Long: `What can be made again from what is left is made again: indexes, refs, git's own files, commits from their rows. What
cannot is taken from where --from says, and the root's files from your repository. What is nowhere is named; a
candidate without its files is rejected, so that its niche goes to the runner-up. Nothing is deleted: what was replaced
lies in the folder aside/ of the state directory.

Exit codes: 0 all is mended, or there was nothing to mend; 1 something is lost or could not be mended; 2 usage. What was
lost and is named once leaves a whole directory: the next repair has nothing to do and ends with 0.`,
		Example: "  atoll doctor --deep && atoll repair\n  atoll repair --from monday.atoll      a file of `atoll backup`\n  atoll repair --from /mnt/old/.git/atoll", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx := cmd.Context()
			p, err := a.place(ctx)
			if err != nil {
				return err
			}
			lock, err := engine.LockState(p.state)
			if err != nil {
				return err
			}
			defer lock.Close()
			for i := range from {
				from[i] = a.abs(from[i])
			}
			report, err := repair.Run(ctx, repair.Options{Dir: p.state, From: from, Target: p.target, Now: a.now})
			if err != nil && !errors.Is(err, repair.ErrLost) {
				return err
			}
			return errors.Join(a.toldRepair(report), err)
		},
	}
	cmd.Flags().StringArrayVar(&from, "from", nil, "a backup, another state directory or a git repository to take what is missing from (repeatable)")
	return cmd
}

func (a *App) toldRepair(r repair.Report) error {
	if a.flags.json {
		return writeJSON(a.Out, r)
	}
	if len(r.Steps) == 0 {
		fmt.Fprintln(a.Out, "nothing to repair")
	}
	for _, s := range r.Steps {
		mark := "done"
		if s.Lost {
			mark = "LOST"
		}
		fmt.Fprintf(a.Out, "%s  %s\n", mark, a.spell(view.CleanLine(s.What)))
	}
	if r.Aside != "" {
		fmt.Fprintf(a.Out, "what was replaced is in %s\n", r.Aside)
	}
	for _, l := range r.After {
		if !l.OK && !l.Warn {
			fmt.Fprintf(a.Out, "FAIL  %s %s  %s\n      -> %s\n", l.Group, l.Name, view.CleanLine(l.Detail), a.spell(l.Cure))
		}
	}
	return nil
}

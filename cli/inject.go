package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"atoll/engine"
)

func (a *App) injectCmd() *cobra.Command {
	return &cobra.Command{
		Use: "inject REVISION", Short: "Add a commit of your repository as a candidate",
		Long: "inject queues a commit of your repository as a candidate of the experiment that is there; it is measured\n" +
			"by the next run, or by the one that is under way. Before the first run there is no experiment: begin with\n" +
			"`atoll run`.",
		Example: "  atoll inject my-branch", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.with(cmd.Context(), func(o *opened) error {
				commit, _, err := engine.Inject(cmd.Context(), o.Session, o.exp.ID, engine.Injection{Revision: args[0]}, a.who())
				if err != nil {
					return err
				}
				_, err = fmt.Fprintf(a.Out, "queued %s as a candidate\n", commit.Short())
				return err
			})
		},
	}
}

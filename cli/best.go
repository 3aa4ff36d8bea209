package cli

import "github.com/spf13/cobra"

func (a *App) bestCmd() *cobra.Command {
	return &cobra.Command{
		Use: "best", Short: "Print the best candidate", Example: "  atoll best --json | jq -r .commit", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.show(cmd.Context(), "best", false) },
	}
}

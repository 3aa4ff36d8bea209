package cli

import (
	"encoding/json"

	"github.com/spf13/cobra"

	"atoll/store/record"
)

func (a *App) setCmd() *cobra.Command {
	return &cobra.Command{
		Use: "set KEY VALUE", Short: "Change a setting while the experiment runs", Example: "  atoll set workers 4\n  atoll set budget.jobs 1000\n  atoll set review.niche risky", Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.with(cmd.Context(), func(o *opened) error {
				args, err := json.Marshal(map[string]string{"key": args[0], "value": args[1]})
				if err != nil {
					return err
				}
				d := noObject(record.Set)
				d.Args = args
				return a.decide(cmd.Context(), o, d)
			})
		},
	}
}

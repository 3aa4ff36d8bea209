package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"atoll/store/record"
)

func (a *App) candidateVerb(verb record.Verb, short string) *cobra.Command {
	var reason string
	cmd := &cobra.Command{
		Use: string(verb) + " CANDIDATE...", Short: short, Example: fmt.Sprintf("  atoll %s c128", verb), Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.with(cmd.Context(), func(o *opened) error {
				var ds []record.Decision
				for _, arg := range args {
					id, err := o.parseCandidate(arg)
					if err != nil {
						return err
					}
					d := noObject(verb)
					d.Candidate, d.Text = id, reason
					ds = append(ds, d)
				}
				return a.decide(cmd.Context(), o, ds...)
			})
		},
	}
	if verb == record.Reject {
		cmd.Flags().StringVarP(&reason, "reason", "m", "", "why, in your words")
	}
	return cmd
}

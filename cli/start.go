package cli

import (
	"encoding/json"
	"strings"

	"github.com/spf13/cobra"

	"atoll/store/record"
)

func (a *App) startCmd() *cobra.Command {
	var parent, operator, agent, goal string
	cmd := &cobra.Command{
		Use: "start", Short: "Queue one job of your choice", Example: "  atoll start --parent c128 --operator mutate --goal 'make the inner loop shorter'", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.with(cmd.Context(), func(o *opened) error {
				job := record.Job{Parent: record.NoCandidate, Operator: record.Operator(operator), Agent: agent, Goal: goal}
				if parent != "" {
					id, err := o.parseCandidate(parent)
					if err != nil {
						return err
					}
					job.Parent = id
				}
				args, err := json.Marshal(job)
				if err != nil {
					return err
				}
				d := noObject(record.StartJob)
				d.Args, d.Text = args, strings.TrimSpace(operator+" "+goal)
				return a.decide(cmd.Context(), o, d)
			})
		},
	}
	cmd.Flags().StringVar(&parent, "parent", "", "the candidate to edit (default: drawn)")
	cmd.Flags().StringVar(&operator, "operator", "", "tune, mutate, crossover, ... (default: drawn)")
	cmd.Flags().StringVar(&agent, "agent", "", "who edits (default: drawn)")
	cmd.Flags().StringVar(&goal, "goal", "", "goal of this job alone")
	return cmd
}

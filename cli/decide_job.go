package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"atoll/store"
	"atoll/store/record"
)

func (a *App) jobVerb(verb record.Verb, short string) *cobra.Command {
	priority := 1.0
	cmd := &cobra.Command{
		Use: string(verb) + " JOB...", Short: short, Example: fmt.Sprintf("  atoll %s 341", verb), Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.with(cmd.Context(), func(o *opened) error {
				var ds []record.Decision
				for _, arg := range args {
					n, err := record.ParseCandidateID(arg)
					if err != nil {
						return usage("%q is no job: write 341 or '#341'", arg)
					}
					j, err := o.DB.Job(cmd.Context(), o.exp.ID, record.JobID(n))
					if errors.Is(err, store.ErrNotFound) {
						return usage("there is no job %s; `atoll jobs` lists them", record.JobID(n))
					}
					if err != nil {
						return err
					}
					if j.State.Ended() && verb != record.Retry {
						return usage("%s has ended: %s", j.ID, j.State)
					}
					d := noObject(verb)
					d.Job = record.JobID(n)
					if verb == record.Prioritise {
						d = record.NewPriority(j.ID, j.Priority, priority)
					}
					ds = append(ds, d)
				}
				return a.decide(cmd.Context(), o, ds...)
			})
		},
	}
	if verb == record.Prioritise {
		cmd.Flags().Float64Var(&priority, "to", 1, "a whole number; higher comes first, 0 is usual")
	}
	return cmd
}

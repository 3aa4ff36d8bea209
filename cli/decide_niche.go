package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"atoll/cli/door"
	"atoll/store/record"
)

// nicheVerb takes a candidate (c12), a niche (9,4) or target:NAME.
func (a *App) nicheVerb(verb record.Verb, short string) *cobra.Command {
	factor := 3.0
	cmd := &cobra.Command{
		Use: string(verb) + " NICHE|CANDIDATE|target:NAME", Short: short,
		Example: fmt.Sprintf("  atoll %s 9,4\n  atoll %s c128\n  atoll %s target:parser", verb, verb, verb), Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.with(cmd.Context(), func(o *opened) error {
				var ds []record.Decision
				for _, arg := range args {
					d, err := o.aboutNiche(verb, arg)
					if err != nil {
						return err
					}
					if verb == record.Boost {
						d.Value = factor
					}
					ds = append(ds, d)
				}
				return a.decide(cmd.Context(), o, ds...)
			})
		},
	}
	if verb == record.Boost {
		cmd.Flags().Float64Var(&factor, "by", 2, "factor, above 0; below 1 chooses it less often")
	}
	return cmd
}

// aboutNiche reads what a niche verb is about.
func (o *opened) aboutNiche(verb record.Verb, arg string) (record.Decision, error) {
	candidate := func(text string) (record.CandidateID, error) {
		id, err := o.parseCandidate(text)
		if errors.Is(err, errUsage) {
			err = usage("%q is neither a candidate nor a niche nor a target: write c128, 9,4 or target:NAME", text)
		}
		return id, err
	}
	return door.AboutNiche(verb, arg, candidate, func(text string) (int, error) {
		coords, err := record.ParseNiche(text)
		if err != nil {
			return -1, usage("%v", err)
		}
		return o.state.Cell(coords)
	})
}

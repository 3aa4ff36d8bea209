package cli

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

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
					d, err := o.niche(arg)
					if err != nil {
						return err
					}
					d.Verb = verb
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
		cmd.Flags().Float64Var(&factor, "by", 3, "factor, above 0; below 1 chooses it less often")
	}
	return cmd
}

// niche reads what a niche verb is about.
func (o *opened) niche(arg string) (record.Decision, error) {
	d := noObject("")
	if name, ok := strings.CutPrefix(arg, "target:"); ok {
		d.Text = name
		return d, nil
	}
	if !strings.Contains(arg, ",") {
		id, err := o.parseCandidate(arg)
		d.Candidate = id
		return d, err
	}
	var coords []int
	for _, p := range strings.Split(strings.Trim(arg, "()"), ",") {
		n, err := strconv.Atoi(strings.TrimSpace(p))
		if err != nil {
			return d, usage("%q is no niche: write 9,4", arg)
		}
		coords = append(coords, n)
	}
	cell, err := o.state.Cell(coords)
	d.Cell = cell
	return d, err
}

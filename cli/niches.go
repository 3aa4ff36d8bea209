package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"atoll/engine/view"
	"atoll/store/record"
)

func nicheText(n []int) string {
	if n == nil {
		return "-"
	}
	parts := make([]string, len(n))
	for i, v := range n {
		parts[i] = fmt.Sprint(v)
	}
	return "(" + strings.Join(parts, ",") + ")"
}

func (a *App) nichesCmd() *cobra.Command {
	return &cobra.Command{
		Use: "niches", Short: "List the niches and who holds them", Example: "  atoll niches --json", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o, err := a.open(cmd.Context())
			if err != nil {
				return err
			}
			defer o.Close()
			s := o.state.Snapshot()
			tw := table(a.Out)
			if !a.flags.json {
				names := make([]string, len(s.Grid.Axes))
				for i, ax := range s.Grid.Axes {
					names[i] = ax.Name
				}
				fmt.Fprintf(a.Out, "axes: %s\n", strings.Join(names, " x "))
				fmt.Fprintln(tw, "NICHE\tELITE\tOBJECTIVE\tTRIES\tMARKS")
			}
			for _, c := range s.Grid.Cells {
				if c.Elite == record.NoCandidate {
					continue
				}
				if a.flags.json {
					elite, err := o.DB.Candidate(cmd.Context(), o.exp.ID, c.Elite)
					if err != nil {
						return err
					}
					writeJSONLine(a.Out, map[string]any{
						"niche": o.state.Coords(c.Index), "index": c.Index, "elite": c.Elite, "commit": elite.Commit, "objective": c.Objective,
						"samples": c.Samples, "spread": c.MAD, "tries": c.Tries, "frozen": c.Frozen, "boost": c.Boost, "runners": c.Runners,
					})
					continue
				}
				marks := ""
				if c.Frozen {
					marks = "frozen"
				}
				if c.Boost != 1 {
					marks = strings.TrimSpace(fmt.Sprintf("%s boost x%.3g", marks, c.Boost))
				}
				fmt.Fprintf(tw, "%s\t%s\t%s\t%d\t%s\n", nicheText(o.state.Coords(c.Index)), c.Elite, view.FormatValue(c.Objective), c.Tries, marks)
			}
			return tw.Flush()
		},
	}
}

package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

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

// nicheLine is one niche of `niches --json`.
type nicheLine struct {
	Niche     []int                `json:"niche"` // cell on each axis
	Index     int                  `json:"index"`
	Elite     record.CandidateID   `json:"elite"`
	Commit    record.Hash          `json:"commit"`
	Objective float64              `json:"objective"` // of the samples that decided
	Value     string               `json:"value"`     // with its evidence, for people
	Samples   int                  `json:"samples"`
	Spread    float64              `json:"spread"`
	Tries     int                  `json:"tries"`
	Frozen    bool                 `json:"frozen"`
	Boost     float64              `json:"boost"`
	Runners   []record.CandidateID `json:"runners"`
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
				fmt.Fprintln(tw, "NICHE\tELITE\tVALUE\tTRIES\tMARKS")
			}
			for _, c := range s.Grid.Cells {
				if c.Elite == record.NoCandidate {
					continue
				}
				value := o.told(c.Elite)
				if a.flags.json {
					elite, err := o.DB.Candidate(cmd.Context(), o.exp.ID, c.Elite)
					if err != nil {
						return err
					}
					writeJSONLine(a.Out, nicheLine{
						Niche: o.state.Coords(c.Index), Index: c.Index, Elite: c.Elite, Commit: elite.Commit, Objective: c.Objective, Value: value,
						Samples: c.Samples, Spread: c.MAD, Tries: c.Tries, Frozen: c.Frozen, Boost: c.Boost, Runners: c.Runners,
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
				fmt.Fprintf(tw, "%s\t%s\t%s\t%d\t%s\n", nicheText(o.state.Coords(c.Index)), c.Elite, value, c.Tries, marks)
			}
			return tw.Flush()
		},
	}
}

package cli

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"atoll/engine"
	"atoll/engine/schedule"
	"atoll/engine/view"
	"atoll/store/record"
)

// targetLine is one target as `targets --json` prints it.
type targetLine struct {
	record.Target
	Tries    int      `json:"tries"`
	Improved int      `json:"improved"`
	Frozen   bool     `json:"frozen"`
	Boost    float64  `json:"boost"`
	CostUSD  *float64 `json:"cost_usd"`
}

// targetsCmd lists the targets and steers the mapper. Freezing, boosting and
// releasing one are the verbs of niches.
func (a *App) targetsCmd() *cobra.Command {
	var propose, reset bool
	cmd := &cobra.Command{
		Use: "targets", Short: "List the targets, ask the mapper for new ones, or drop the proposed ones",
		Example: "  atoll targets\n  atoll targets --propose\n  atoll targets --reset\n  atoll freeze target:parser\n  atoll boost target:parser --by 3\n  atoll release target:parser",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.with(cmd.Context(), func(o *opened) error {
				switch {
				case propose && reset:
					return usage("--propose and --reset: one at a time")
				case propose:
					if now := a.fileNow(cmd.Context()); now != nil {
						o.state.Config = engine.WithLive(o.state.Config, *now)
					}
					d := noObject(record.StartJob)
					d.Args, d.Text = schedule.MapJob(), "look for targets"
					return a.decide(cmd.Context(), o, d)
				case reset:
					args, err := json.Marshal(map[string]string{"key": "targets", "value": "[]"})
					if err != nil {
						return err
					}
					d := noObject(record.Set)
					d.Args = args
					return a.decide(cmd.Context(), o, d)
				}
				return a.listTargets(o)
			})
		},
	}
	cmd.Flags().BoolVar(&propose, "propose", false, "have the mapper (roles.mapper) propose targets now")
	cmd.Flags().BoolVar(&reset, "reset", false, "drop what the mapper proposed; `atoll undo` brings it back")
	return cmd
}

func (a *App) listTargets(o *opened) error {
	list := o.targets()
	if a.flags.json {
		for _, t := range list {
			writeJSONLine(a.Out, t)
		}
		return nil
	}
	if len(list) == 0 {
		fmt.Fprintln(a.Out, "no targets: jobs are free to change what the gate allows; name parts under targets in atoll.yaml, or set roles.mapper")
		return nil
	}
	tw := table(a.Out)
	fmt.Fprintln(tw, "TARGET\tFILES\tSYMBOL\tWEIGHT\tTRIES\tIMPROVED\tMARKS\tFROM\tHINT")
	for _, t := range list {
		marks, from := "-", "atoll.yaml"
		switch {
		case t.Frozen:
			marks = "frozen"
		case t.Boost != 1:
			marks = fmt.Sprintf("boost x%.3g", t.Boost)
		}
		if t.By != "" {
			from = t.By
		}
		symbol := t.Symbol
		if symbol == "" {
			symbol = "-"
		}
		fmt.Fprintf(tw, "%s\t%s\t%s\t%g\t%d\t%d\t%s\t%s\t%s\n", view.CleanLine(t.Name), view.CleanLine(short(strings.Join(t.Files, ", "), 40)),
			view.CleanLine(symbol), t.Weight, t.Tries, t.Improved, marks, view.CleanLine(from), view.CleanLine(short(t.Hint, 60)))
	}
	return tw.Flush()
}

// targets joins the targets with how they did.
func (o *opened) targets() []targetLine {
	yields := map[string]view.Yield{}
	for _, y := range o.state.Snapshot().Targets {
		yields[y.Name] = y
	}
	var out []targetLine
	for _, t := range o.state.Targets() {
		y := yields[t.Name]
		l := targetLine{Target: t, Tries: y.Tries, Improved: y.Improved, Frozen: y.Frozen, Boost: y.Boost, CostUSD: y.CostUSD}
		if l.Boost == 0 {
			l.Boost = 1
		}
		out = append(out, l)
	}
	return out
}

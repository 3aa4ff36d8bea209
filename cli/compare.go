package cli

import (
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"atoll/config"
	"atoll/engine/view"
	"atoll/store/record"
)

// comparison is what `compare A B --json` prints. Lists of two have first and second.
type comparison struct {
	Experiments []experimentLine `json:"experiments"`
	Effort      []effort         `json:"effort"`
	Differences []difference     `json:"differences"` // of the configurations
	Comparable  bool             `json:"comparable"`  // both values are of the same evaluator and root
	Race        *race            `json:"race"`        // null where values do not compare, or one found nothing better than the root
	Map         *mapContrast     `json:"map"`         // null where the maps or the values do not compare
}

type difference struct {
	Key    string `json:"key"`
	Before string `json:"first"`
	After  string `json:"second"`
}

// effort is what an experiment took.
type effort struct {
	Evaluations  int      `json:"evaluations"`
	InputTokens  int64    `json:"input_tokens"`
	OutputTokens int64    `json:"output_tokens"`
	Cost         *float64 `json:"cost_usd"` // null: unknown
	WallS        float64  `json:"wall_s"`
}

// race is how soon each came to a value that both came to: the lesser of their bests, by
// held-out samples where values vary. There is none where that is no better than the root.
type race struct {
	Level    float64 `json:"level"`
	Measured []int   `json:"measured"` // candidates measured until then
}

// mapContrast counts niches by who holds the better elite.
type mapContrast struct {
	First      int `json:"first_better"`
	Second     int `json:"second_better"`
	Equal      int `json:"equal"`
	OnlyFirst  int `json:"only_first"`
	OnlySecond int `json:"only_second"`
}

func (a *App) compareCmd() *cobra.Command {
	return &cobra.Command{
		Use: "compare FIRST SECOND", Short: "Put two experiments side by side",
		Long: `Two experiments of this repository, by name or number: what came of them and what it took, how soon each was as good as both
became, who holds the better elite of each niche, and what differs in their configurations. Values are compared only where root and evaluator
are the same, niches only where the axes are.`,
		Example: "  atoll compare 1 2\n  atoll compare packing packing-2 --json | jq .race", Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error { return a.experiments(cmd.Context(), args) },
	}
}

func (a *App) compare(list []record.Experiment, lines []experimentLine, snaps []*view.Snapshot) error {
	c := comparison{Experiments: lines, Differences: []difference{}, Comparable: list[0].EvalKey == list[1].EvalKey && list[0].RootTree == list[1].RootTree}
	var configs []config.Config
	for i, exp := range list {
		cfg, err := config.Decode(exp.Config)
		if err != nil {
			return fmt.Errorf("read the stored configuration of %s: %w", exp.Name, err)
		}
		configs = append(configs, cfg)
		u := snaps[i].Usage
		c.Effort = append(c.Effort, effort{snaps[i].Evals, u.InputTokens, u.OutputTokens, costOf(u), float64(snaps[i].WallMS) / 1000})
	}
	frozen, live := config.Diff(configs[0], configs[1])
	for _, d := range append(frozen, live...) {
		c.Differences = append(c.Differences, difference{d.Key, d.Old, d.New})
	}
	if c.Comparable {
		c.Race = raceOf(snaps[0], snaps[1])
		c.Map = contrast(snaps[0].Grid, snaps[1].Grid)
	}
	if a.flags.json {
		return writeJSON(a.Out, c)
	}
	return a.printComparison(&c)
}

// raceOf tells how soon each came to what both came to; nil where a curve is missing, or
// one never left the root.
func raceOf(first, second *view.Snapshot) *race {
	sign := 1.0
	if first.Direction == "minimize" {
		sign = -1
	}
	level, r := 0.0, race{}
	for i, s := range []*view.Snapshot{first, second} {
		if len(s.Curves.Best) == 0 {
			return nil
		}
		if last := sign * s.Curves.Best[len(s.Curves.Best)-1]; i == 0 || last < level {
			level = last
		}
	}
	for _, s := range []*view.Snapshot{first, second} {
		if level <= sign*s.Curves.Best[0] { // of the root
			return nil
		}
		at := slices.IndexFunc(s.Curves.Best, func(v float64) bool { return sign*v >= level })
		if at < 0 || at >= len(s.Curves.X) {
			return nil
		}
		r.Measured = append(r.Measured, s.Curves.X[at])
	}
	r.Level = sign * level
	return &r
}

// contrast compares the holders of each niche; nil where the maps are not the same, as
// two that were learned are not.
func contrast(first, second view.Grid) *mapContrast {
	if first.Map+second.Map > 0 || !slices.Equal(first.Dims, second.Dims) || !reflect.DeepEqual(first.Axes, second.Axes) || first.Total == 0 {
		return nil
	}
	held := map[int]float64{}
	for _, c := range first.Cells {
		if c.Elite != record.NoCandidate {
			held[c.Index] = c.Adjusted
		}
	}
	m := &mapContrast{}
	for _, c := range second.Cells {
		if c.Elite == record.NoCandidate {
			continue
		}
		was, both := held[c.Index]
		delete(held, c.Index)
		switch {
		case !both:
			m.OnlySecond++
		case was > c.Adjusted:
			m.First++
		case was < c.Adjusted:
			m.Second++
		default:
			m.Equal++
		}
	}
	m.OnlyFirst = len(held)
	return m
}

func (a *App) printComparison(c *comparison) error {
	if err := a.listExperiments(c.Experiments); err != nil {
		return err
	}
	fmt.Fprintln(a.Out)
	tw := table(a.Out)
	fmt.Fprintf(tw, "\t%d\t%d\n", c.Experiments[0].ID, c.Experiments[1].ID)
	row := func(name string, value func(i int) string) { fmt.Fprintf(tw, "%s\t%s\t%s\n", name, value(0), value(1)) }
	row("measurements", func(i int) string { return fmt.Sprint(c.Effort[i].Evaluations) })
	row("tokens", func(i int) string { return fmt.Sprint(c.Effort[i].InputTokens + c.Effort[i].OutputTokens) })
	row("cost", func(i int) string { return amount(c.Effort[i].Cost, "unknown") })
	row("time", func(i int) string {
		return (time.Duration(c.Effort[i].WallS*1000) * time.Millisecond).Round(100 * time.Millisecond).String()
	})
	if r := c.Race; r != nil {
		row("as good as "+view.FormatValue(r.Level)+" after", func(i int) string { return view.Plural(r.Measured[i], "candidate") })
	}
	if m := c.Map; m != nil {
		row("niches held alone", func(i int) string { return fmt.Sprint([]int{m.OnlyFirst, m.OnlySecond}[i]) })
		row("niches held better", func(i int) string { return fmt.Sprint([]int{m.First, m.Second}[i]) })
		row("niches held alike", func(int) string { return fmt.Sprint(m.Equal) })
	}
	if len(c.Differences) > 0 {
		fmt.Fprintf(tw, "\t\t\nKEY\t%d\t%d\n", c.Experiments[0].ID, c.Experiments[1].ID)
		for _, d := range c.Differences {
			fmt.Fprintf(tw, "%s\t%s\t%s\n", d.Key, view.CleanLine(d.Before), view.CleanLine(d.After))
		}
	}
	if err := tw.Flush(); err != nil {
		return err
	}
	if len(c.Differences) == 0 {
		fmt.Fprintln(a.Out, "\nTheir configurations are the same.")
	}
	if !c.Comparable {
		_, err := fmt.Fprintln(a.Out, "\nTheir values do not compare: the root or what measures is not the same.")
		return err
	}
	return nil
}

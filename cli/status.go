package cli

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"atoll/cli/door"
	"atoll/engine"
	"atoll/engine/view"
	"atoll/store/record"
)

func (a *App) statusCmd() *cobra.Command {
	return &cobra.Command{
		Use: "status", Short: "Say how the experiment stands", Example: "  atoll status\n  atoll status --json | jq .best", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.status(cmd.Context()) },
	}
}

// status prints how the experiment stands.
func (a *App) status(ctx context.Context) error {
	o, err := a.open(ctx)
	if err != nil {
		return err
	}
	defer o.Close()
	s, err := o.snapshot(ctx)
	if err != nil {
		return err
	}
	if a.flags.json {
		return writeJSON(a.Out, door.StatusOf(s))
	}
	return a.printStatus(o, s)
}

// snapshot is the folded state with the store's totals.
func (o *opened) snapshot(ctx context.Context) (*view.Snapshot, error) {
	s := o.state.Snapshot()
	c, err := o.DB.Counters(ctx, o.exp.ID)
	if err != nil {
		return nil, err
	}
	engine.FillCounts(s, c)
	s.OwnerPID = o.OwnerPID()
	if s.OwnerPID == 0 {
		engine.AtRest(s, engine.NoEngine)
	}
	return s, engine.FillFacts(ctx, o.DB, s)
}

func (a *App) printStatus(o *opened, s *view.Snapshot) error {
	w := a.Out
	fmt.Fprintf(w, "%s (seed %d)  %s\n", view.CleanLine(s.Experiment.Name), s.Experiment.Seed, a.stateText(s))
	if s.Root.ID == record.NoCandidate {
		fmt.Fprintln(w, "root  not measured yet")
	} else {
		held := ""
		if s.Root.Claimed != nil && !s.Paired {
			held = "; held out " + rootValue(s)
		}
		fmt.Fprintf(w, "root  %s  %s  n %d, spread %s%s\n", s.Root.Commit.Short(), s.RootText(), s.Root.Samples, view.FormatValue(s.Root.MAD), held)
		fmt.Fprintf(w, "best  %s\n", bestLine(s))
	}
	for _, p := range s.Past {
		fmt.Fprintln(w, pastText(p))
	}
	fmt.Fprintf(w, "map   %s\n", mapText(&s.Grid))
	fmt.Fprintf(w, "jobs  %s\n", countsText(s))
	fmt.Fprintf(w, "used  %s, %d tokens, %s, %s\n", view.Plural(s.Evals, "evaluation"), s.Usage.InputTokens+s.Usage.OutputTokens, spendText(s), (time.Duration(s.WallMS) * time.Millisecond).Round(time.Second))
	for _, y := range door.AgentYields(s) {
		fmt.Fprintln(w, yieldText(y))
	}
	for i := range s.Islands {
		k := &s.Islands[i]
		told := s.Told(k.Best, &k.Objective, k.Claim)
		fmt.Fprintf(w, "isle  %d  %s of its own: best %s with %s, %s\n", k.Number, view.Plural(k.Jobs, "job"), k.Best, told.String(), view.Plural(k.Filled, "niche"))
	}
	if s.Stalled != "" {
		fmt.Fprintf(w, "still %s\n", s.Stalled)
	}
	if s.Shadow.Compared > 0 {
		fmt.Fprintf(w, "agent %s\n", view.CleanLine(s.Shadow.Text()))
	}
	for _, g := range s.Guarantees {
		fmt.Fprintf(w, "missing guarantee: %s\n", g)
	}
	if why := unsure(s); why != "" {
		fmt.Fprintf(w, "note  %s\n", why)
	}
	if text := s.SureText(); text != "" {
		fmt.Fprintf(w, "note  %s\n", text)
	}
	if text := a.hopeful(s); text != "" {
		fmt.Fprintf(w, "note  %s\n", text)
	}
	return nil
}

// mapText tells how much of the map is filled, or why there is none yet.
func mapText(g *view.Grid) string {
	drawn := fmt.Sprintf("%d of %d niches filled (%.0f %%), QD score %s", g.Filled, g.Total, 100*g.Coverage, g.QDText())
	return cmp.Or(g.Undrawn(), drawn)
}

// spendText is the money of a run against its budget, and whether some of what
// was used could not be counted.
func spendText(s *view.Snapshot) string {
	text := costText(s.Usage)
	if s.Settings.MaxCostUSD > 0 {
		text += fmt.Sprintf(" of $%g", s.Settings.MaxCostUSD)
	}
	if s.Usage.Unmetered {
		text += ", not all of it metered"
	}
	return text
}

// costText is the money of a usage; what nobody could meter is unknown.
func costText(u record.Usage) string { return amount(costOf(u), "unknown cost") }

// costOf is the money of a usage, none where nobody was asked; nil where it is not known.
func costOf(u record.Usage) *float64 {
	if u.CostUSD == nil && u.Requests == 0 && !u.Unmetered {
		return new(float64)
	}
	return u.CostUSD
}

// amount writes a sum of money, or what stands for one that is not known.
func amount(usd *float64, unknown string) string {
	switch {
	case usd == nil:
		return unknown
	case *usd > 0:
		return fmt.Sprintf("$%.4f", *usd)
	}
	return "$0"
}

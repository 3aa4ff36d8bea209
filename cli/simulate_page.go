package cli

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"atoll/engine/report"
	"atoll/engine/simulate"
	"atoll/engine/view"
)

// simulatedPlan says what is simulated.
func simulatedPlan(s *simulated) string {
	return fmt.Sprintf("%s of %s, order %s, seed %d; edit %s, evaluation %s",
		view.Plural(s.Plan.Machines, "machine"), view.Plural(s.Plan.Slots, "slot"), orderOf(s.Plan.Strict, s.Plan.Lookahead), s.Plan.Seed, s.Edit, s.Eval)
}

func orderOf(strict bool, lookahead int) string {
	if strict {
		return fmt.Sprintf("strict, lookahead %d", lookahead)
	}
	return "completion"
}

// simulatedLike says what was taken from the experiment here, and by how much the
// simulation is wrong about it.
func simulatedLike(s *simulated) []string {
	m, p := s.Measured, &s.Plan
	if m == nil {
		return nil
	}
	out := []string{fmt.Sprintf("the experiment here did %d jobs at %s an hour, on %s of %s (%s) in order %s; simulated as it was %s (%+.1f %%)", m.Jobs, count(m.PerHour),
		view.Plural(m.Machines, "machine"), view.Plural(m.Slots, "slot"), slotsBy[m.SlotsBy], orderOf(m.Order == "strict", m.Lookahead), count(m.Simulated), 100*m.Error)}
	if m.Seen > m.Machines || m.Still > 0 {
		out = append(out, unsteady(m))
	}
	out = append(out, spentWords(m)...)
	return append(out, fmt.Sprintf("taken from it where no flag says else: machines, slots, order, times, costs; %.3g %% of edits give nothing, %.3g %% what is known, %.3g %% of the others fail, %.3g %% are better than their parent",
		100*p.Barren, 100*p.Twins, 100*p.Fail, 100*p.Yield))
}

// unsteady says how machines came and went, and how long the run stood.
func unsteady(m *checked) string {
	var told []string
	if m.Seen > m.Machines {
		told = append(told, fmt.Sprintf("%s were there at some time, that many on the average", view.Plural(m.Seen, "machine")))
	}
	if m.Still > 0 {
		told = append(told, fmt.Sprintf("for %s nothing was done, which does not count", span(m.Still)))
	}
	return strings.Join(told, "; ")
}

// simulatedOutcome says what came of it, each line with its name.
func simulatedOutcome(o *simulate.Outcome) [][2]string {
	out := [][2]string{
		{"throughput", fmt.Sprintf("%s jobs an hour; %d jobs in %s, ended by: %s", count(o.PerHour), o.Jobs, span(o.Seconds), o.Ended)},
		{"slots", fmt.Sprintf("%.1f %% busy; a slot waits %s for a candidate, a candidate %s for a slot", 100*o.Busy, span(o.WaitJob), span(o.WaitSlot))},
		{"held back", "by " + o.Limit},
		{"parents", fmt.Sprintf("are %.0f results old when their child ends", o.Stale)},
	}
	if o.Cost > 0 {
		out = append(out, [2]string{"cost", fmt.Sprintf("%s, %s a job%s", dollars(o.Cost), dollars(o.PerJob), byAgent(o.Agents, o.Cost))})
	}
	return append(out, [2]string{"lost", fmt.Sprintf("%d measurements with their machines; %d edits gave nothing, %d failed, %s", o.Lost, o.Barren, o.Failed, view.Plural(o.Duplicates, "duplicate"))})
}

// simulatedKnee says from how many machines on more bring little.
func simulatedKnee(s *simulated) string {
	if s.Knee > 0 {
		return fmt.Sprintf("more than %s bring less than a third of what they should", view.Plural(s.Knee, "machine"))
	}
	return fmt.Sprintf("up to %s each step brings what it should, or a third of it", view.Plural(s.Plan.Machines, "machine"))
}

// mostMoments is how many moments a table shows.
const mostMoments = 12

// moments are some of the points at even distances, the first and the last among them.
func moments(all []simulate.Point) []simulate.Point {
	if len(all) <= mostMoments {
		return all
	}
	out := make([]simulate.Point, mostMoments)
	for i := range out {
		out[i] = all[i*(len(all)-1)/(mostMoments-1)]
	}
	return out
}

// simulatedTables are how it goes over time, with fewer machines, and in either order.
func simulatedTables(s *simulated) []report.Grid {
	over := report.Grid{Title: "Over time", Heads: []string{"AFTER", "JOBS", "BEST", "NICHES", "COST"}}
	for _, pt := range moments(s.Outcome.Points) {
		over.Rows = append(over.Rows, []string{span(pt.Seconds), fmt.Sprint(pt.Jobs), fmt.Sprintf("%.2f", pt.Best), fmt.Sprint(pt.Filled), dollars(pt.Cost)})
	}
	out := []report.Grid{over}
	if len(s.Sweep) > 0 {
		sweep := report.Grid{
			Title: fmt.Sprintf("With %d jobs or fewer", s.Sweep[len(s.Sweep)-1].Jobs), Below: simulatedKnee(s), Words: []int{6},
			Heads: []string{"MACHINES", "JOBS/H", "BUSY", "TIME", "BEST", "STALE", "HELD BACK BY"},
		}
		for _, o := range s.Sweep {
			sweep.Rows = append(sweep.Rows, []string{fmt.Sprint(o.Machines), count(o.PerHour), fmt.Sprintf("%.0f %%", 100*o.Busy), span(o.Seconds), fmt.Sprintf("%.2f", o.Best), fmt.Sprintf("%.0f", o.Stale), o.Limit})
		}
		out = append(out, sweep)
	}
	if len(s.Orders) > 0 {
		orders := report.Grid{Title: "What strict order costs with these machines", Heads: []string{"ORDER", "LOOKAHEAD", "JOBS/H", "BUSY", "LOST", "STALE", "BEST"}}
		for _, o := range s.Orders {
			look, lost := "-", "-"
			if o.Order == "strict" {
				look, lost = fmt.Sprint(o.Lookahead), fmt.Sprintf("%.0f %%", math.Max(0, 100*o.Costs))
			}
			orders.Rows = append(orders.Rows, []string{o.Order, look, count(o.Outcome.PerHour), fmt.Sprintf("%.0f %%", 100*o.Outcome.Busy), lost, fmt.Sprintf("%.0f", o.Outcome.Stale), fmt.Sprintf("%.2f", o.Outcome.Best)})
		}
		out = append(out, orders)
	}
	return out
}

// printSimulated writes a simulation on one page.
func printSimulated(w io.Writer, s *simulated) {
	fmt.Fprintln(w, simulatedPlan(s))
	for _, line := range simulatedLike(s) {
		fmt.Fprintln(w, line)
	}
	fmt.Fprintln(w)
	for _, line := range simulatedOutcome(&s.Outcome) {
		fmt.Fprintf(w, "%-11s %s\n", line[0], line[1])
	}
	for i, g := range simulatedTables(s) {
		fmt.Fprintln(w)
		if i > 0 {
			fmt.Fprintln(w, strings.ToLower(g.Title[:1])+g.Title[1:]+":")
		}
		tw := table(w)
		fmt.Fprintln(tw, strings.Join(g.Heads, "\t"))
		for _, row := range g.Rows {
			fmt.Fprintln(tw, strings.Join(row, "\t"))
		}
		_ = tw.Flush()
		if g.Below != "" {
			fmt.Fprintln(w, g.Below)
		}
	}
}

// asTyped is a command with the flags that were given.
func asTyped(cmd *cobra.Command) string {
	words := []string{cmd.CommandPath()}
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if f.Value.Type() == "bool" && f.Value.String() == "true" {
			words = append(words, "--"+f.Name)
			return
		}
		words = append(words, "--"+f.Name, shellWord(f.Value.String()))
	})
	return strings.Join(words, " ")
}

// simulatedSheet is a simulation as a page with curves.
func (a *App) simulatedSheet(s *simulated, again string) *report.Sheet {
	o := &s.Outcome
	page := &report.Sheet{
		Title: "What " + view.Plural(s.Plan.Machines, "machine") + " would bring", Under: simulatedPlan(s), Again: again, Program: "atoll " + a.Build.String(), Made: a.now(),
		Facts: []report.Fact{{Name: "jobs an hour", Value: count(o.PerHour)}, {Name: "slots busy", Value: fmt.Sprintf("%.1f %%", 100*o.Busy)}, {Name: "jobs", Value: fmt.Sprint(o.Jobs)}, {Name: "in", Value: span(o.Seconds)}},
		Says:  simulatedLike(s), Tables: simulatedTables(s),
	}
	if o.Cost > 0 {
		page.Facts = append(page.Facts, report.Fact{Name: "cost", Value: dollars(o.Cost)})
	}
	for _, line := range simulatedOutcome(o) {
		page.Says = append(page.Says, line[0]+": "+line[1])
	}
	page.Says = append(page.Says, "What a child is worth is drawn: the best over time compares plans, and is no forecast.")
	var best, niches, cost, rate, each, busy, ideal [][2]float64
	for _, pt := range o.Points {
		h := pt.Seconds / 3600
		best, niches, cost = append(best, [2]float64{h, pt.Best}), append(niches, [2]float64{h, float64(pt.Filled)}), append(cost, [2]float64{h, pt.Cost})
	}
	var places []float64
	for _, o := range s.Sweep {
		n := float64(o.Machines)
		places = append(places, n)
		rate, busy, ideal = append(rate, [2]float64{n, o.PerHour}), append(busy, [2]float64{n, 100 * o.Busy}), append(ideal, [2]float64{n, 100})
		each = append(each, [2]float64{n, 100 * o.PerHour / n / (s.Sweep[0].PerHour / float64(s.Sweep[0].Machines))})
	}
	over := func(title string, points [][2]float64) report.Chart {
		return report.Chart{Title: title, Across: "hours", Lines: []report.Line{{Points: points, Steps: true}}}
	}
	by := func(title string, lines ...report.Line) report.Chart {
		return report.Chart{Title: title, Across: "machines", Places: places, Zero: true, Lines: lines}
	}
	page.Charts = []report.Chart{over("Best so far; the root has 100, nothing has more than 200", best), over("Niches filled", niches)}
	if o.Cost > 0 {
		page.Charts = append(page.Charts, over("Dollars spent", cost))
	}
	if len(places) > 1 {
		page.Charts = append(page.Charts, by("Jobs an hour", report.Line{Points: rate}), by("What one machine of them brings, in percent of what it brings alone; dashed: as much",
			report.Line{Points: each}, report.Line{Points: ideal, Dashed: true}), by("Slots busy, in percent", report.Line{Points: busy}))
	}
	return page
}

// slotsBy says how the slots of an experiment's machines are known.
var slotsBy = map[string]string{
	simulate.SlotsSaid:  "as they said when they joined",
	simulate.SlotsSeen:  "the most that were seen busy together, since the log does not say of each how many it joined with; --slots says it",
	simulate.SlotsGiven: "--slots, since the log does not say",
}

// spentWords say what an experiment cost, and how well that was foretold.
func spentWords(m *checked) (out []string) {
	if m.Cost > 0 {
		out = append(out, fmt.Sprintf("they cost %s, %s a job%s; foretold from the first half of them %s (%+.1f %%)",
			dollars(m.Cost), dollars(m.PerJob), byAgent(m.Agents, m.Cost), dollars(m.SimulatedCost), 100**m.CostError))
	}
	if m.Unknown > 0 {
		out = append(out, fmt.Sprintf("what %s cost nobody could meter: they count as nothing", view.Plural(m.Unknown, "job")))
	}
	return out
}

// byAgent is who cost how much of a sum, where more than one did; the rest is reflection and
// what else is no edit.
func byAgent(list []simulate.Spent, whole float64) string {
	var parts []string
	rest := whole
	for _, s := range list {
		rest -= s.Cost
		if s.Cost > 0 {
			parts = append(parts, fmt.Sprintf("%s %s in %s", view.CleanLine(cmp.Or(s.Agent, "edits")), dollars(s.Cost), view.Plural(s.Jobs, "job")))
		}
	}
	if rest > whole/1e6 {
		parts = append(parts, "what is no edit "+dollars(rest))
	}
	if len(parts) < 2 {
		return ""
	}
	return " (" + strings.Join(parts, ", ") + ")"
}

// dollars is an amount with digits enough to tell it from nothing.
func dollars(usd float64) string {
	if usd >= 1 || usd == 0 {
		return fmt.Sprintf("$%.2f", usd)
	}
	return fmt.Sprintf("$%.3g", usd)
}

// count is a large number with three digits that count.
func count(v float64) string {
	if v < 1000 {
		return fmt.Sprintf("%.3g", v)
	}
	unit := math.Pow(10, math.Floor(math.Log10(v))-2)
	return fmt.Sprintf("%.0f", math.Round(v/unit)*unit)
}

// span is a time in words, of seconds.
func span(seconds float64) string {
	d := time.Duration(seconds * float64(time.Second))
	switch {
	case d >= 48*time.Hour:
		return fmt.Sprintf("%.1f days", d.Hours()/24)
	case d >= time.Minute:
		return d.Round(time.Second).String()
	case d >= time.Second:
		return d.Round(100 * time.Millisecond).String()
	}
	return d.Round(time.Millisecond).String()
}

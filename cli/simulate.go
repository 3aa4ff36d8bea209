package cli

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"atoll/engine/eval"
	"atoll/engine/fleet"
	"atoll/engine/simulate"
	"atoll/engine/view"
	"atoll/store"
	"atoll/store/record"
)

// simulateFlags are those of simulate.
type simulateFlags struct {
	plan       simulate.Plan
	edit, eval string
	order      string
	like       bool
	sweep      int
	given      func(flag string) bool
}

func (a *App) simulateCmd() *cobra.Command {
	f := simulateFlags{plan: simulate.Defaults()}
	cmd := &cobra.Command{
		Use: "simulate", Short: "Say beforehand what more machines would bring: throughput, cost, waiting, and from where they help no more",
		Long: "simulate runs the search, the archive, the queue and the budgets of a run under a clock that does not wait. How long edits and\n" +
			"measurements take, how often they fail and what they cost is given, or taken from an experiment (--like). What a child is worth\n" +
			"is drawn, so that the best over time compares plans under the same assumptions and is no forecast for your problem.\n\n" +
			"Times are written 30s, exp:30s (mean), lognormal:30s,0.8 (median, deviation of the logarithm) or uniform:10s,50s.",
		Example: "  atoll simulate --machines 2000 --jobs 1000000\n  atoll simulate --machines 64 --edit lognormal:40s,0.7 --eval 5m --for 24h --loss 12h\n" +
			"  atoll simulate --like --machines 32        as the experiment here, on more machines",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			f.given = cmd.Flags().Changed
			if cmd.Flags().Changed("for") && !cmd.Flags().Changed("jobs") {
				f.plan.Jobs = 0
			}
			return a.simulate(cmd.Context(), f)
		},
	}
	p := &f.plan
	fl := cmd.Flags()
	fl.IntVar(&p.Machines, "machines", p.Machines, "machines")
	fl.IntVar(&p.Slots, "slots", p.Slots, "samples at the same time on each")
	fl.IntVar(&p.Jobs, "jobs", p.Jobs, "make jobs; 0: no bound")
	fl.DurationVar(&p.For, "for", 0, "virtual time after which it ends")
	fl.Float64Var(&p.MaxCost, "max-cost", 0, "dollars after which it ends")
	fl.StringVar(&f.order, "order", "completion", "completion or strict")
	fl.IntVar(&p.Lookahead, "lookahead", p.Lookahead, "jobs in work at the same time under order strict")
	fl.Uint64Var(&p.Seed, "seed", p.Seed, "number that fixes every draw")
	fl.StringVar(&f.edit, "edit", p.Edit.String(), "time of an edit")
	fl.StringVar(&f.eval, "eval", p.Eval.String(), "time of a measurement")
	fl.DurationVar(&p.Overhead, "overhead", p.Overhead, "time of the run itself for each job")
	fl.DurationVar(&p.Travel, "travel", p.Travel, "time for a task to a machine and its result back")
	fl.Float64Var(&p.Cost, "cost", 0, "dollars of an edit, failed ones and retries with it")
	fl.Float64Var(&p.Barren, "barren", p.Barren, "share of edits that give no candidate")
	fl.Float64Var(&p.Twins, "duplicates", p.Twins, "share of candidates that are known")
	fl.Float64Var(&p.Fail, "fail", p.Fail, "share of the others that fail when measured")
	fl.Float64Var(&p.Yield, "yield", p.Yield, "share of candidates that are better than their parent")
	fl.DurationVar(&p.Loss, "loss", 0, "mean time until a machine is lost; 0: never")
	fl.DurationVar(&p.Back, "back", p.Back, "time until another stands in for it")
	fl.BoolVar(&f.like, "like", false, "take machines, slots, order, times, failures, duplicates, costs and yield from the experiment here, as far as they are not given, and compare with it")
	fl.IntVar(&f.sweep, "sweep-jobs", 20_000, "jobs of each smaller number of machines it is compared with; 0: no comparison")
	return cmd
}

// simulated is what simulate prints as JSON.
type simulated struct {
	Plan     simulate.Plan       `json:"plan"`
	Edit     string              `json:"edit"`
	Eval     string              `json:"eval"`
	Outcome  simulate.Outcome    `json:"outcome"`
	Sweep    []simulate.Outcome  `json:"sweep"`
	Knee     int                 `json:"knee"` // machines from which more help little; 0: not reached
	Orders   []simulate.Ordering `json:"orders"`
	Measured *checked            `json:"measured,omitempty"`
}

// checked is how a simulation of what an experiment did compares with it.
type checked struct {
	simulate.Experience
	Order     string  `json:"order"`
	Lookahead int     `json:"lookahead"` // of order strict
	Simulated float64 `json:"simulated_per_hour"`
	Error     float64 `json:"error"` // of jobs an hour, as a share
	// SimulatedCost is what its jobs cost in the simulation, where their edits go on to cost
	// what those of the first half did.
	SimulatedCost float64  `json:"simulated_cost"`
	CostError     *float64 `json:"cost_error"` // as a share; null: nothing had a price
}

func (a *App) simulate(ctx context.Context, f simulateFlags) error {
	p := f.plan
	switch f.order {
	case "strict":
		p.Strict = true
	case "completion":
	default:
		return usage("--order %q: completion or strict", f.order)
	}
	var err error
	if p.Edit, err = simulate.ParseTimes(f.edit); err != nil {
		return usage("--edit: %v", err)
	}
	if p.Eval, err = simulate.ParseTimes(f.eval); err != nil {
		return usage("--eval: %v", err)
	}
	out := simulated{Sweep: []simulate.Outcome{}, Orders: []simulate.Ordering{}}
	if f.like {
		if out.Measured, err = a.likeHere(ctx, f, &p); err != nil {
			return err
		}
	}
	if out.Outcome, err = simulate.Run(ctx, p, a.Now); err != nil {
		return usage("%v", err)
	}
	if f.sweep > 0 && p.Machines > 1 {
		if out.Sweep, err = simulate.Sweep(ctx, p, f.sweep, a.Now); err != nil {
			return err
		}
		out.Knee = simulate.Knee(out.Sweep)
		if out.Orders, err = simulate.Orders(ctx, p, f.sweep, a.Now); err != nil {
			return err
		}
	}
	out.Plan, out.Edit, out.Eval = p, p.Edit.String(), p.Eval.String()
	if a.flags.json {
		return writeJSON(a.Out, out)
	}
	printSimulated(a.Out, out)
	return nil
}

// likeHere takes from the experiment here what a plan does not say, and simulates what the
// experiment did as it did it.
func (a *App) likeHere(ctx context.Context, f simulateFlags, p *simulate.Plan) (*checked, error) {
	var c checked
	given := *p
	var jobs []record.Job
	err := a.with(ctx, func(o *opened) error {
		var improved int
		var err error
		if jobs, improved, err = history(ctx, o); err != nil {
			return err
		}
		if c.Experience, err = simulate.FromJobs(p, jobs, improved, slotsSaid(o.Dir, jobs)); err != nil {
			return usage("--like: %v", err)
		}
		c.Order, c.Lookahead = o.state.Config.Order, o.state.Config.Lookahead
		return nil
	})
	if err != nil {
		return nil, err
	}
	if c.SlotsBy == simulate.SlotsSeen && f.given("slots") {
		c.Slots, c.SlotsBy = given.Slots, simulate.SlotsGiven
	}
	p.Machines, p.Slots, p.Strict, p.Lookahead = c.Machines, c.Slots, c.Order == "strict", max(1, c.Lookahead)
	again := *p
	again.Jobs, again.For, again.MaxCost = c.Jobs, 0, 0
	half := again
	simulate.FromFirstHalf(&half, jobs)
	for flag, keep := range map[string]func(){
		"machines": func() { p.Machines = given.Machines }, "slots": func() { p.Slots = given.Slots }, "order": func() { p.Strict = given.Strict },
		"lookahead": func() { p.Lookahead = given.Lookahead }, "edit": func() { p.Edit = given.Edit }, "eval": func() { p.Eval = given.Eval },
		"fail": func() { p.Fail = given.Fail }, "duplicates": func() { p.Twins = given.Twins }, "yield": func() { p.Yield = given.Yield },
		"barren": func() { p.Barren = given.Barren }, "cost": func() { p.Cost, p.Beside = given.Cost, 0 },
	} {
		if f.given(flag) {
			keep()
		}
	}
	if f.given("edit") || f.given("cost") { // in the place of what was seen
		p.Past = slices.Clone(p.Past)
		for i := range p.Past {
			if e := &p.Past[i]; f.given("edit") {
				e.Time = -1
			}
			if f.given("cost") {
				p.Past[i].Cost = p.Cost
			}
		}
	}
	return &c, a.hold(ctx, &c, again, half)
}

// slotsSaid is with how many slots machines joined, as the log file of a state directory
// says, before the last of the jobs ended. Without one nothing is known.
func slotsSaid(state string, jobs []record.Job) map[string]int {
	var last record.Millis
	for i := range jobs {
		last = max(last, jobs[i].Ended)
	}
	said := map[string]int{}
	for _, name := range []string{logName + ".1", logName} { // the older one first
		f, err := os.Open(filepath.Join(state, "logs", name))
		if err != nil {
			continue
		}
		for lines := bufio.NewScanner(f); lines.Scan(); {
			if !bytes.Contains(lines.Bytes(), []byte(" joined ")) {
				continue
			}
			var line struct {
				Time time.Time
				Msg  string
			}
			if json.Unmarshal(lines.Bytes(), &line) != nil || line.Time.UnixMilli() > int64(last) {
				continue
			}
			if machine, slots, ok := fleet.Joined(line.Msg); ok {
				said[machine] = slots
			}
		}
		_ = f.Close() // it was only read
	}
	return said
}

// hold simulates what an experiment did as it did it, and says by how much that is wrong;
// half is the same with the costs of its first half.
func (a *App) hold(ctx context.Context, c *checked, again, half simulate.Plan) error {
	o, err := simulate.Run(ctx, again, a.Now)
	if err != nil {
		return usage("--like: %v", err)
	}
	c.Simulated = o.PerHour
	if c.PerHour > 0 {
		c.Error = o.PerHour/c.PerHour - 1
	}
	if o, err = simulate.Run(ctx, half, a.Now); err != nil {
		return usage("--like: %v", err)
	}
	c.SimulatedCost = o.Cost
	if c.Cost > 0 {
		wrong := o.Cost/c.Cost - 1
		c.CostError = &wrong
	}
	return nil
}

// history is what the jobs of an experiment were like, and how many of its
// candidates are better than their parents.
func history(ctx context.Context, o *opened) (jobs []record.Job, improved int, err error) {
	for before := record.JobID(0); ; {
		list, err := o.DB.Jobs(ctx, o.exp.ID, store.JobFilter{Before: before, Limit: 5000})
		if err != nil {
			return nil, 0, err
		}
		jobs = append(jobs, list...)
		if len(list) < 5000 {
			break
		}
		before = list[len(list)-1].ID
	}
	down := o.state.Config.Evaluator.Direction == eval.Minimize
	values := map[record.CandidateID]float64{}
	for after := record.NoCandidate; ; {
		list, err := o.DB.Candidates(ctx, o.exp.ID, store.CandidateFilter{After: after, Limit: 5000})
		if err != nil {
			return nil, 0, err
		}
		for i := range list {
			if c := &list[i]; c.Objective != nil {
				values[c.ID] = *c.Objective
				if from, ok := values[c.Parent()]; ok && c.ID != record.Root && (*c.Objective > from) != down && *c.Objective != from {
					improved++
				}
			}
		}
		if len(list) < 5000 {
			return jobs, improved, nil
		}
		after = list[len(list)-1].ID
	}
}

// printSimulated writes a simulation on one page.
func printSimulated(w io.Writer, s simulated) {
	p, o := &s.Plan, &s.Outcome
	order := "completion"
	if p.Strict {
		order = fmt.Sprintf("strict, lookahead %d", p.Lookahead)
	}
	fmt.Fprintf(w, "%s of %s, order %s, seed %d; edit %s, evaluation %s\n", view.Plural(p.Machines, "machine"), view.Plural(p.Slots, "slot"), order, p.Seed, s.Edit, s.Eval)
	if m := s.Measured; m != nil {
		order := "completion"
		if m.Order == "strict" {
			order = fmt.Sprintf("strict, lookahead %d", m.Lookahead)
		}
		fmt.Fprintf(w, "the experiment here did %d jobs at %s an hour, on %s of %s (%s) in order %s; simulated as it was %s (%+.1f %%)\n", m.Jobs, count(m.PerHour),
			view.Plural(m.Machines, "machine"), view.Plural(m.Slots, "slot"), slotsBy[m.SlotsBy], order, count(m.Simulated), 100*m.Error)
		printSpent(w, m)
		fmt.Fprintf(w, "taken from it where no flag says else: machines, slots, order, times, costs; %.3g %% of edits give nothing, %.3g %% what is known, %.3g %% of the others fail, %.3g %% are better than their parent\n",
			100*p.Barren, 100*p.Twins, 100*p.Fail, 100*p.Yield)
	}
	fmt.Fprintf(w, "\nthroughput  %s jobs an hour; %d jobs in %s, ended by: %s\n", count(o.PerHour), o.Jobs, span(o.Seconds), o.Ended)
	fmt.Fprintf(w, "slots       %.1f %% busy; a slot waits %s for a candidate, a candidate %s for a slot\n", 100*o.Busy, span(o.WaitJob), span(o.WaitSlot))
	fmt.Fprintf(w, "held back   by %s\n", o.Limit)
	fmt.Fprintf(w, "parents     are %.0f results old when their child ends\n", o.Stale)
	if o.Cost > 0 {
		fmt.Fprintf(w, "cost        %s, %s a job%s\n", dollars(o.Cost), dollars(o.PerJob), byAgent(o.Agents, o.Cost))
	}
	fmt.Fprintf(w, "lost        %d measurements with their machines; %d edits gave nothing, %d failed, %s\n", o.Lost, o.Barren, o.Failed, view.Plural(o.Duplicates, "duplicate"))
	tw := table(w)
	fmt.Fprintf(tw, "\nAFTER\tJOBS\tBEST\tNICHES\tCOST\n")
	for _, pt := range o.Points {
		fmt.Fprintf(tw, "%s\t%d\t%.2f\t%d\t%s\n", span(pt.Seconds), pt.Jobs, pt.Best, pt.Filled, dollars(pt.Cost))
	}
	_ = tw.Flush()
	if len(s.Sweep) == 0 {
		return
	}
	fmt.Fprintf(w, "\nwith %d jobs or fewer:\n", s.Sweep[len(s.Sweep)-1].Jobs)
	tw = table(w)
	fmt.Fprintln(tw, "MACHINES\tJOBS/H\tBUSY\tTIME\tBEST\tSTALE\tHELD BACK BY")
	for _, o := range s.Sweep {
		fmt.Fprintf(tw, "%d\t%s\t%.0f %%\t%s\t%.2f\t%.0f\t%s\n", o.Machines, count(o.PerHour), 100*o.Busy, span(o.Seconds), o.Best, o.Stale, o.Limit)
	}
	_ = tw.Flush()
	if s.Knee > 0 {
		fmt.Fprintf(w, "more than %s bring less than a third of what they should\n", view.Plural(s.Knee, "machine"))
	} else {
		fmt.Fprintf(w, "up to %s each step brings what it should, or a third of it\n", view.Plural(p.Machines, "machine"))
	}
	printOrders(w, s.Orders)
}

// slotsBy says how the slots of an experiment's machines are known.
var slotsBy = map[string]string{
	simulate.SlotsSaid:  "as they said when they joined",
	simulate.SlotsSeen:  "the most that were seen busy together, since the log does not say of each how many it joined with; --slots says it",
	simulate.SlotsGiven: "--slots, since the log does not say",
}

// printSpent writes what an experiment cost, and how well that was foretold.
func printSpent(w io.Writer, m *checked) {
	if m.Cost > 0 {
		fmt.Fprintf(w, "they cost %s, %s a job%s; foretold from the first half of them %s (%+.1f %%)\n",
			dollars(m.Cost), dollars(m.PerJob), byAgent(m.Agents, m.Cost), dollars(m.SimulatedCost), 100**m.CostError)
	}
	if m.Unknown > 0 {
		fmt.Fprintf(w, "what %s cost nobody could meter: they count as nothing\n", view.Plural(m.Unknown, "job"))
	}
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

// printOrders writes what strict order costs on the machines of the plan.
func printOrders(w io.Writer, list []simulate.Ordering) {
	if len(list) == 0 {
		return
	}
	fmt.Fprintf(w, "\nwhat strict order costs with these machines:\n")
	tw := table(w)
	fmt.Fprintln(tw, "ORDER\tLOOKAHEAD\tJOBS/H\tBUSY\tLOST\tSTALE\tBEST")
	for _, o := range list {
		look, lost := "-", "-"
		if o.Order == "strict" {
			look, lost = fmt.Sprint(o.Lookahead), fmt.Sprintf("%.0f %%", math.Max(0, 100*o.Costs))
		}
		fmt.Fprintf(tw, "%s\t%s\t%s\t%.0f %%\t%s\t%.0f\t%.2f\n", o.Order, look, count(o.Outcome.PerHour), 100*o.Outcome.Busy, lost, o.Outcome.Stale, o.Outcome.Best)
	}
	_ = tw.Flush()
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

package cli

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"atoll/engine/eval"
	"atoll/engine/fleet"
	"atoll/engine/simulate"
	"atoll/engine/view"
	"atoll/store"
	"atoll/store/record"
	"atoll/store/whole"
)

// simulateFlags are those of simulate.
type simulateFlags struct {
	plan       simulate.Plan
	edit, eval string
	order      string
	page       string
	like       bool
	sweep      int
	given      func(flag string) bool
	again      string // the command as it was typed
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
			f.again = asTyped(cmd)
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
	fl.StringVar(&f.page, "html", "", "write one HTML file with curves instead of the text")
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
	if err := a.foldersThere(f.page); err != nil {
		return err
	}
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
	if f.page != "" {
		if err := whole.Write(a.abs(f.page), whole.Options{Mode: 0o644}, a.simulatedSheet(&out, f.again).HTML); err != nil {
			return fmt.Errorf("write the page: %w", err)
		}
		if !a.flags.json {
			fmt.Fprintf(a.Out, "wrote %s\n", view.CleanLine(f.page))
			return nil
		}
	}
	if a.flags.json {
		return writeJSON(a.Out, out)
	}
	printSimulated(a.Out, &out)
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

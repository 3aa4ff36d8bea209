package cli

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"atoll/engine/bench"
	"atoll/engine/view"
	"atoll/examples"
)

func (a *App) benchCmd() *cobra.Command {
	cmd := &cobra.Command{Use: "bench", Short: "Measure atoll itself"}
	cmd.AddCommand(a.benchSearchCmd())
	return cmd
}

// benchFlags say what is compared.
type benchFlags struct {
	quick          bool
	examples, ways []string
	seeds          int
	evaluations    []int
}

func (a *App) benchSearchCmd() *cobra.Command {
	var f benchFlags
	cmd := &cobra.Command{
		Use: "search", Short: "Compare ways to search on the examples, at equal evaluations over many seeds",
		Long: "Runs the examples with the offline agent and compares how the search goes on: as it is, with single ways to\n" +
			"draw parents, and with baselines (random sampling, a climb from the best, one archive without niches).\n" +
			"Nothing runs in a sandbox here, and nothing is stored: the candidates are edits of atoll's own examples.\n\nThe ways:\n" + wayLines() +
			"\nBy name there are also functions of vectors, whose results with MAP-Elites are published:\n" + fieldLines(),
		Example: "  atoll bench search --quick                       a few minutes\n  atoll bench search --example deceptive --seeds 20 --evaluations 300\n  atoll bench search --way atoll --way rank --json > runs.jsonl\n  atoll bench search --example circle-packing --set map.axes=[]",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.benchSearch(cmd.Context(), f)
		},
	}
	cmd.Flags().BoolVar(&f.quick, "quick", false, "four ways, few seeds and evaluations: a few minutes on two processors")
	cmd.Flags().StringSliceVar(&f.examples, "example", nil, "an example (repeatable; default: all that can run here)")
	cmd.Flags().StringSliceVar(&f.ways, "way", nil, "a way to search (repeatable; default: all; four of them with --quick)")
	cmd.Flags().IntVar(&f.seeds, "seeds", 0, "seeds of each way (default 10; 3 with --quick)")
	cmd.Flags().IntSliceVar(&f.evaluations, "evaluations", nil, "numbers of evaluations at which to look; the last ends a run")
	return cmd
}

func wayLines() string {
	var b strings.Builder
	for _, w := range bench.Ways() {
		fmt.Fprintf(&b, "  %-10s %s\n", w.Name, w.Text)
	}
	return b.String()
}

func fieldLines() string {
	var b strings.Builder
	for _, f := range bench.Fields() {
		fmt.Fprintf(&b, "  %-18s %s; %d evaluations\n", f.Name, f.Text, f.Evaluations)
	}
	return b.String()
}

// quickWays are those that a quick comparison is about: the default, what it is to beat in
// its best and in its map, and a climb.
var quickWays = []string{"atoll", "rank", "uniform", "climb"}

// filled replaces what was not given.
func (f benchFlags) filled() (benchFlags, error) {
	if len(f.ways) == 0 && f.quick {
		f.ways = quickWays
	}
	if f.seeds == 0 {
		if f.seeds = 10; f.quick {
			f.seeds = 3
		}
	}
	if len(f.evaluations) == 0 {
		if f.evaluations = []int{300, 2000}; f.quick {
			f.evaluations = []int{100, 300}
		}
	}
	if f.seeds < 1 || slices.Min(f.evaluations) < 1 {
		return f, usage("--seeds and --evaluations: 1 or more")
	}
	for _, name := range f.ways {
		if !slices.ContainsFunc(bench.Ways(), func(w bench.Way) bool { return w.Name == name }) {
			return f, usage("--way %s: there is no such way:\n%s", name, strings.TrimRight(wayLines(), "\n"))
		}
	}
	return f, nil
}

func (a *App) benchSearch(ctx context.Context, f benchFlags) error {
	asked := f
	f, err := f.filled()
	if err != nil {
		return err
	}
	var fields []bench.Field
	for _, name := range f.examples {
		all := bench.Fields()
		if i := slices.IndexFunc(all, func(x bench.Field) bool { return x.Name == name }); i >= 0 {
			fields = append(fields, all[i])
		} else if !slices.Contains(bench.Names(), name) {
			return usage("--example %s: there are %s; and over vectors of numbers\n%s", name, strings.Join(bench.Names(), ", "), strings.TrimRight(fieldLines(), "\n"))
		}
	}
	for _, field := range fields {
		g := f
		g.ways = asked.ways // it has ways of its own
		if err := a.benchField(ctx, field, g, asked.evaluations); err != nil {
			return err
		}
	}
	for _, e := range examples.List() {
		if !slices.Contains(bench.Names(), e.Name) || len(f.examples) > 0 && !slices.Contains(f.examples, e.Name) {
			continue
		}
		if missing := a.benchLacks(e); missing != "" {
			fmt.Fprintf(a.Err, "atoll: %s is left out: there is no %s on the PATH\n", e.Name, missing)
			continue
		}
		g := f
		if f.quick && len(asked.evaluations) == 0 && e.NeedsGo {
			g.evaluations = []int{30, 100} // each is compiled
		}
		if err := a.benchExample(ctx, e.Name, g); err != nil {
			return err
		}
	}
	return nil
}

// benchLacks names the program that an example needs and that is not here.
func (a *App) benchLacks(e examples.Example) string {
	switch {
	case e.NeedsGo && !a.has("go"):
		return "go"
	case e.NeedsPython && !a.has("python3"):
		return "python3"
	}
	return ""
}

func (a *App) benchExample(ctx context.Context, name string, f benchFlags) error {
	set, err := a.set()
	if err != nil {
		return err
	}
	problems := make(chan bench.Problem, min(f.seeds, runtime.GOMAXPROCS(0)))
	var first bench.Problem
	for range cap(problems) {
		p, err := bench.Open(ctx, name, set...)
		if err != nil {
			return err
		}
		defer p.Close()
		problems <- p
		first = p
	}
	title := fmt.Sprintf("%s, %s (%s)", name, first.Config.Evaluator.Objective, first.Config.Evaluator.Direction)
	return a.benchTable(f, cap(problems), title, bench.Ways(), func(w bench.Way, seed uint64) (bench.Result, error) {
		p := <-problems
		defer func() { problems <- p }()
		return bench.Run(ctx, p, w, seed, f.evaluations, a.Now)
	})
}

// benchField compares ways on vectors of numbers; where nobody said how many
// evaluations, as many as were published.
func (a *App) benchField(ctx context.Context, field bench.Field, f benchFlags, evaluations []int) error {
	if len(a.flags.set) > 0 {
		return usage("--set changes the configuration of an example, and %s has none", field.Name)
	}
	if len(evaluations) == 0 {
		evaluations = []int{field.Evaluations}
	}
	return a.benchTable(f, 1, field.Name+", "+field.Text+", 0 to 100", field.Ways(), func(w bench.Way, seed uint64) (bench.Result, error) {
		return field.Run(ctx, w, seed, evaluations, a.Now)
	})
}

// benchTable runs all seeds of each way that was asked for, so many at once.
func (a *App) benchTable(f benchFlags, atOnce int, title string, ways []bench.Way, run func(bench.Way, uint64) (bench.Result, error)) error {
	tw := table(a.Out)
	if !a.flags.json {
		fmt.Fprintf(a.Out, "%s, %s: median [least, most]\n", title, view.Plural(f.seeds, "seed"))
		fmt.Fprintln(tw, "WAY\tEVALUATIONS\tBEST\tQD SCORE\tNICHES\tDUPLICATES\tFAILED\tDEPTH\tSECONDS A RUN")
	}
	for _, w := range ways {
		if len(f.ways) > 0 && !slices.Contains(f.ways, w.Name) {
			continue
		}
		runs, err := allSeeds(f.seeds, atOnce, func(seed uint64) (bench.Result, error) { return run(w, seed) }, func(r bench.Result) {
			if a.flags.json {
				writeJSONLine(a.Out, r)
			}
		})
		if err != nil {
			return err
		}
		if !a.flags.json {
			for _, row := range benchRows(w.Name, runs) {
				fmt.Fprintln(tw, row)
			}
			if err := tw.Flush(); err != nil {
				return err
			}
		}
	}
	return nil
}

// allSeeds runs from seed 1 on, so many at once, and tells each result in their order.
func allSeeds(seeds, atOnce int, run func(seed uint64) (bench.Result, error), tell func(bench.Result)) ([]bench.Result, error) {
	runs, done, told := make([]bench.Result, seeds), make([]bool, seeds), 0
	var mu sync.Mutex
	var all errgroup.Group
	all.SetLimit(atOnce)
	for i := range runs {
		all.Go(func() error {
			r, err := run(uint64(i + 1))
			mu.Lock()
			defer mu.Unlock()
			runs[i], done[i] = r, err == nil
			for ; told < seeds && done[told]; told++ {
				tell(runs[told])
			}
			return err
		})
	}
	return runs, all.Wait()
}

// benchRows are the lines of one way, one for each number of evaluations.
func benchRows(way string, runs []bench.Result) []string {
	spread := func(format string, of func(bench.Result) float64) string {
		var v []float64
		for _, r := range runs {
			v = append(v, of(r))
		}
		s := bench.SpreadOf(v)
		return fmt.Sprintf(format+" ["+format+", "+format+"]", s.Median, s.Min, s.Max)
	}
	var out []string
	for i, at := range runs[0].Points {
		point := func(of func(bench.Point) float64) func(bench.Result) float64 {
			return func(r bench.Result) float64 { return of(r.Points[min(i, len(r.Points)-1)]) }
		}
		row := fmt.Sprintf("%s\t%d\t%s\t%s\t%s", way, at.Evaluations,
			spread("%.4f", point(func(p bench.Point) float64 { return p.Best })),
			spread("%.1f", point(func(p bench.Point) float64 { return p.QD })),
			spread("%.0f", point(func(p bench.Point) float64 { return float64(p.Niches) })))
		if i == len(runs[0].Points)-1 {
			share := func(of func(bench.Result) int) func(bench.Result) float64 {
				return func(r bench.Result) float64 { return 100 * float64(of(r)) / float64(max(1, r.Jobs)) }
			}
			row += fmt.Sprintf("\t%s %%\t%s %%\t%s\t%s",
				spread("%.0f", share(func(r bench.Result) int { return r.Duplicates })),
				spread("%.0f", share(func(r bench.Result) int { return r.Failed })),
				spread("%.0f", func(r bench.Result) float64 { return float64(r.Depth) }),
				spread("%.1f", func(r bench.Result) float64 { return r.Seconds }))
		}
		out = append(out, row)
	}
	return out
}

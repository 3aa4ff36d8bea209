package cli

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"

	"github.com/spf13/cobra"

	"atoll/config"
	"atoll/engine"
	"atoll/engine/doctor"
	"atoll/engine/trial"
	"atoll/engine/view"
	"atoll/store/record"
)

// mostMutants bounds --mutants: each costs one run of the evaluator.
const mostMutants = 10_000

// mutantsBehind is the number in `--mutants 40`: a flag that may stand alone takes none that is a
// word of its own.
func mutantsBehind(cmd *cobra.Command, args []string) (n int, given bool) {
	if len(args) != 1 || !cmd.Flags().Changed("mutants") {
		return 0, false
	}
	n, err := strconv.Atoi(args[0])
	return n, err == nil
}

// mutants puts the evaluator on trial and prints its grade; tell is told of each program.
func (a *App) mutants(ctx context.Context, o doctor.Options, state string, n int, tell func(string)) error {
	if n < 1 || n > mostMutants {
		return usage("--mutants %d: between 1 and %d", n, mostMutants)
	}
	report, err := doctor.Mutants(ctx, o, n, tell)
	if err != nil {
		if tried := report.Caught + len(report.Missed); tried > 0 && !a.flags.json {
			fmt.Fprintf(a.Out, "ended early, %d of %d were tried\n", tried+report.Unbuilt+report.Same, n)
			err = errors.Join(err, a.printTrial(&report))
		}
		return err
	}
	if err := keepGrade(state, o.Config, &report); err != nil {
		fmt.Fprintln(a.Err, "atoll:", err)
	}
	if a.flags.json {
		return writeJSON(a.Out, struct {
			trial.Report
			Score *float64 `json:"score"`
			Grade string   `json:"grade"`
		}{report, finite(report.Score()), report.Grade()})
	}
	return a.printTrial(&report)
}

// keepGrade keeps a grade for the runs that measure with the same evaluator. The copy that
// they measure with is theirs to make: where it is, an experiment was.
func keepGrade(state string, l config.Loaded, r *trial.Report) error {
	cfg, err := sealed(state, l, engine.SealedPath)
	if err != nil {
		return err
	}
	return trial.Keep(state, r.Tree, config.MeasureKey(cfg), r)
}

// gradeOf is the grade of an experiment's evaluator in one line, or how to get
// one. known tells which.
func (a *App) gradeOf(state string, exp record.Experiment) (text string, known bool) {
	if g, ok := trial.Known(state, exp.RootTree, exp.EvalKey); ok {
		return g.String(), true
	}
	return "not graded: `" + a.says("doctor --mutants 20") + "` tells how many broken programs it lets through", false
}

// finite is nil for what JSON cannot tell.
func finite(v float64) *float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return &v
}

func (a *App) printTrial(r *trial.Report) error {
	w := a.Out
	fmt.Fprintf(w, "evaluator  %s", r.Verdict())
	if r.Grade() != trial.Unknown {
		s := r.Score()
		lo, hi := r.Range()
		fmt.Fprintf(w, " (%.0f %%; of all such programs %.0f to %.0f %%)", 100*s, 100*lo, 100*hi)
	}
	fmt.Fprintf(w, "; %d did not build, %d were the same program\n", r.Unbuilt, r.Same)
	switch {
	case r.Smallest == 0:
		fmt.Fprintf(w, "root       %d runs gave the same value: any gain shows\n", r.Samples)
	case r.Smallest < 0:
		fmt.Fprintf(w, "root       %s, spread %s: %d samples are too few to confirm any gain\n", view.FormatValue(r.Mean), view.FormatValue(r.Dev), r.Samples)
	default:
		fmt.Fprintf(w, "root       %s, spread %s: with %d samples a gain of %.1f %% or more shows\n", view.FormatValue(r.Mean), view.FormatValue(r.Dev), r.Samples, 100*r.Smallest)
	}
	if r.Coverage >= 0 {
		fmt.Fprintf(w, "coverage   the tests run %.0f %% of the code in scope\n", 100*r.Coverage)
	}
	tw := table(w)
	for _, f := range r.Files {
		if f.Caught+f.Missed == 0 {
			continue
		}
		fmt.Fprintf(tw, "  %s\tcaught %d of %d\t%s\n", view.CleanLine(f.File), f.Caught, f.Caught+f.Missed, coverageText(f.Coverage))
	}
	if err := tw.Flush(); err != nil {
		return err
	}
	for i, m := range r.Missed {
		if i == 0 {
			fmt.Fprintln(w, "\ngot through:")
		}
		where := fmt.Sprintf("%s:%d", m.Path, m.Line)
		if m.Function != "" {
			where += " " + m.Function
		}
		note := ""
		if m.Better {
			note = " (measured better than the root)"
		}
		fmt.Fprintf(w, "  %s  %s%s\n    -> %s\n", view.CleanLine(where), view.CleanLine(m.Change), note, view.CleanLine(m.Advice()))
	}
	return nil
}

func coverageText(part float64) string {
	if part < 0 {
		return ""
	}
	return fmt.Sprintf("%.0f %% run by tests", 100*part)
}

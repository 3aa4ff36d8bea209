package cli

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"atoll/config"
	"atoll/engine/fold"
	"atoll/engine/view"
	"atoll/store"
	"atoll/store/record"
)

// frontLine is one candidate of `front --json`.
type frontLine struct {
	ID        record.CandidateID  `json:"id"`
	Commit    record.Hash         `json:"commit"`
	Objective float64             `json:"objective"` // of the samples that decided
	Value     string              `json:"value"`     // with its evidence, for people
	Samples   int                 `json:"samples"`
	Values    map[string]*float64 `json:"values"`   // of what counts beside the objective, of the sample in the middle; null: not measured
	OnFront   bool                `json:"on_front"` // no other is at least as good in everything
	Leads     map[string]float64  `json:"leads"`    // the cases in which none is better, with its values
	Niche     []int               `json:"niche"`
	Holds     bool                `json:"holds"` // its niche
	Intent    string              `json:"intent"`
}

func (a *App) frontCmd() *cobra.Command {
	var by, cases []string
	var lower bool
	cmd := &cobra.Command{
		Use: "front", Short: "List who is best in a way of its own: the Pareto front, and who leads which case",
		Long: "Candidates of which no other is at least as good in the objective and in all that counts beside it, and those that\n" +
			"are the best in some case. What counts is said by front.objectives and front.cases of atoll.yaml, or here for any\n" +
			"experiment: --by METRIC, METRIC:minimize, or METRIC:minimize:STEP, which takes values in the same multiple of STEP as alike.",
		Example: "  atoll front\n  atoll front --by peak_mb:minimize --by lines:minimize:10\n  atoll front --cases 'case_*' --json\n  atoll diff c12 && atoll promote c12", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			asked, err := frontBy(by, cases, lower)
			if err != nil {
				return err
			}
			return a.with(cmd.Context(), func(o *opened) error {
				f, err := o.front(cmd.Context(), asked)
				if err != nil {
					return err
				}
				return a.printFront(cmd.Context(), o, &f)
			})
		},
	}
	cmd.Flags().StringArrayVar(&by, "by", nil, "a metric that counts beside the objective, as METRIC[:minimize][:STEP]; several times for several")
	cmd.Flags().StringSliceVar(&cases, "cases", nil, "globs of metrics that are one case each")
	cmd.Flags().BoolVar(&lower, "lower", false, "in a case of --cases less is better")
	return cmd
}

// frontBy reads what a person asks for; nothing is what the configuration says.
func frontBy(by, cases []string, lower bool) (config.Front, error) {
	f := config.Front{Cases: cases, CaseDirection: "maximize"}
	if lower {
		f.CaseDirection = "minimize"
	}
	for _, text := range by {
		parts := strings.Split(text, ":")
		o := config.FrontObjective{Metric: parts[0], Direction: "maximize"}
		for _, p := range parts[1:] {
			step, err := strconv.ParseFloat(p, 64)
			switch {
			case p == "minimize" || p == "maximize":
				o.Direction = p
			case err == nil && step >= 0 && !math.IsInf(step, 0):
				o.Step = step
			default:
				return f, usage("--by %s: %q is neither minimize, maximize nor a step; write METRIC:minimize:0.5", text, p)
			}
		}
		f.Objectives = append(f.Objectives, o)
	}
	check := config.Defaults()
	check.Front = f
	if problems := check.Validate(); len(problems) > 0 {
		return f, usage("%s", problems[0].Text)
	}
	return f, nil
}

// front is that of the experiment, or the one that a person asks for.
func (o *opened) front(ctx context.Context, asked config.Front) (view.Front, error) {
	if !asked.Kept() {
		return o.reader().Front(ctx)
	}
	for _, obj := range asked.Objectives {
		if name := o.state.Snapshot().Objective; obj.Metric == name {
			return view.Front{}, usage("--by %s: it is the objective, which counts anyway; name another metric", name)
		}
	}
	other := fold.NewFront(o.state, asked)
	err := o.DB.EachCandidate(ctx, o.exp.ID, record.NoCandidate, func(c *record.Candidate) error {
		other.Take(c.ID, c.Metrics)
		return nil
	}, store.WithMetrics)
	if err != nil {
		return view.Front{}, err
	}
	f := other.Front()
	for i, v := range f.Root {
		if math.IsNaN(v) {
			return f, usage("the root has no metric %q; it has %s", asked.Objectives[i].Metric, o.metricNames(ctx))
		}
	}
	if len(asked.Cases) > 0 && len(f.Cases) == 0 {
		return f, usage("the root has no metric that fits %s; it has %s", strings.Join(asked.Cases, ", "), o.metricNames(ctx))
	}
	for i := range f.Members {
		c, err := o.DB.Candidate(ctx, o.exp.ID, f.Members[i].ID)
		if err != nil {
			return f, err
		}
		f.Members[i].Intent = c.Intent
	}
	return f, nil
}

// metricNames are the metrics of the root, for a sentence.
func (o *opened) metricNames(ctx context.Context) string {
	metrics, err := o.DB.Metrics(ctx, o.exp.ID, record.Root)
	if err != nil || len(metrics) == 0 {
		return "none yet"
	}
	names := make([]string, 0, len(metrics))
	for _, m := range metrics {
		names = append(names, view.CleanLine(m.Name))
	}
	slices.Sort(names)
	if more := len(names) - 30; more > 0 {
		names = append(names[:30], fmt.Sprintf("and %d more", more))
	}
	return strings.Join(names, ", ")
}

func (a *App) printFront(ctx context.Context, o *opened, f *view.Front) error {
	if !f.Kept() { // as JSON a front of no lines
		w := map[bool]io.Writer{true: a.Err, false: a.Out}[a.flags.json]
		fmt.Fprintf(w, "%s\nHere for once: `%s`; the root has %s.\n", view.FrontSentence(f, "", ""), a.says("front --by METRIC:minimize"), o.metricNames(ctx))
		return nil
	}
	if a.flags.json {
		for i := range f.Members {
			l, err := o.frontLine(ctx, f, &f.Members[i])
			if err != nil {
				return err
			}
			writeJSONLine(a.Out, l)
		}
		return nil
	}
	s := o.state.Snapshot()
	fmt.Fprintln(a.Out, view.FrontSentence(f, s.Objective, s.Direction))
	if i := slices.IndexFunc(f.Members, func(m view.FrontMember) bool { return m.On && m.ID == s.Best.ID }); i < 0 && len(f.Objectives) > 0 && s.Best.ID != record.NoCandidate {
		fmt.Fprintf(a.Out, "The best, %s, is not on it: another one is as good and better in what counts beside it.\n", s.Best.ID)
	}
	if s.Noisy {
		fmt.Fprintln(a.Out, "Values vary here. Who is on the front is decided by single values; promote --verify measures again.")
	}
	tw := table(a.Out)
	printFrontRows(tw, o, f)
	return tw.Flush()
}

func printFrontRows(tw *tabwriter.Writer, o *opened, f *view.Front) {
	head := "ID\tVALUE"
	for _, obj := range f.Objectives {
		head += "\t" + strings.ToUpper(view.CleanLine(obj.Metric))
	}
	if len(f.Cases) > 0 {
		head += "\tBEST IN"
	}
	both := len(f.Objectives) > 0 && len(f.Cases) > 0
	if both {
		head += "\tON FRONT"
	}
	fmt.Fprintln(tw, head+"\tNICHE\tHOLDS IT\tINTENT")
	for i := range f.Members {
		m := &f.Members[i]
		row := m.ID.String() + "\t" + o.told(m.ID)
		for k := range f.Objectives {
			row += "\t" + f.Beside(m, k)
		}
		if len(f.Cases) > 0 {
			row += "\t" + view.CleanLine(f.LeadText(m, 3))
		}
		if both {
			row += "\t" + map[bool]string{true: "yes", false: "-"}[m.On]
		}
		niche := "-"
		if m.Cell >= 0 {
			niche = nicheText(o.state.Coords(m.Cell))
		}
		elite := "-"
		if m.Holds {
			elite = "elite"
		}
		fmt.Fprintf(tw, "%s\t%s\t%s\t%s\n", row, niche, elite, view.CleanLine(short(m.Intent, 60)))
	}
}

func (o *opened) frontLine(ctx context.Context, f *view.Front, m *view.FrontMember) (frontLine, error) {
	c, err := o.DB.Candidate(ctx, o.exp.ID, m.ID)
	if err != nil {
		return frontLine{}, err
	}
	l := frontLine{
		ID: m.ID, Commit: c.Commit, Objective: m.Objective, Value: o.told(m.ID), Samples: m.Samples, Values: map[string]*float64{}, OnFront: m.On,
		Leads: map[string]float64{}, Holds: m.Holds, Intent: m.Intent,
	}
	for i, obj := range f.Objectives {
		l.Values[obj.Metric] = nil
		if v := m.Values[i]; !math.IsNaN(v) {
			l.Values[obj.Metric] = &v
		}
	}
	for _, c := range m.Leads {
		l.Leads[f.Cases[c.Case]] = c.Value
	}
	if m.Cell >= 0 {
		l.Niche = o.state.Coords(m.Cell)
	}
	return l, nil
}

package cli

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"atoll/engine"
	"atoll/store"
	"atoll/store/record"
)

// candidateLine is one candidate as `candidates --json` and `best --json`
// print it.
type candidateLine struct {
	ID        record.CandidateID `json:"id"`
	Job       record.JobID       `json:"job"`
	Commit    record.Hash        `json:"commit"`
	Tree      record.Hash        `json:"tree"`
	Parents   []record.ParentRef `json:"parents"`
	Operator  record.Operator    `json:"operator"`
	Agent     string             `json:"agent"`
	Status    record.Status      `json:"status"`
	Reason    string             `json:"reason"`
	Objective *float64           `json:"objective"`
	Version   int                `json:"objective_version"`
	Metrics   map[string]float64 `json:"metrics"`
	Measures  []float64          `json:"measures"`
	Niche     []int              `json:"niche"`
	Created   string             `json:"created"`
	Samples   int                `json:"samples"`
	Spread    float64            `json:"spread"`
	Claimed   *float64           `json:"claimed,omitempty"`
	Intent    string             `json:"intent,omitempty"`
	History   []pastValue        `json:"history,omitempty"` // values under earlier objective versions
	Pinned    bool               `json:"pinned,omitempty"`
}

func (o *opened) line(c record.Candidate) candidateLine {
	o.state.Dress(&c)
	l := candidateLine{
		ID: c.ID, Job: c.Job, Commit: c.Commit, Tree: c.Tree, Parents: c.Parents, Operator: c.Operator, Agent: c.Agent, Status: c.Status,
		Reason: c.Reason, Objective: c.Objective, Version: max(1, c.Version), Metrics: map[string]float64{}, Measures: c.Measures, Samples: c.Samples, Spread: c.MAD,
		Claimed: c.Claimed, Intent: c.Intent, Pinned: c.Pinned,
		Created: time.UnixMilli(int64(c.Created)).UTC().Format(time.RFC3339Nano),
	}
	if l.Parents == nil {
		l.Parents = []record.ParentRef{}
	}
	for _, m := range c.Metrics {
		l.Metrics[m.Name] = m.Value
	}
	l.Niche, l.Measures = o.state.Place(c.ID)
	return l
}

func (a *App) candidatesCmd() *cobra.Command {
	var status []string
	var limit int
	var text string
	cmd := &cobra.Command{
		Use: "candidates", Short: "List the candidates", Example: "  atoll candidates --status elite\n  atoll candidates --json > all.jsonl", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := known("status", status, candidateStatuses); err != nil {
				return err
			}
			o, err := a.open(cmd.Context())
			if err != nil {
				return err
			}
			defer o.Close()
			tw := table(a.Out)
			if !a.flags.json {
				fmt.Fprintln(tw, "ID\tCOMMIT\tOPERATOR\tPARENT\tSTATUS\tOBJECTIVE\tNICHE\tINTENT")
			}
			n := 0
			err = o.DB.EachCandidate(cmd.Context(), o.exp.ID, record.NoCandidate, func(c *record.Candidate) error {
				l := o.line(*c)
				if len(status) > 0 && !slices.Contains(status, string(l.Status)) || text != "" && !strings.Contains(l.Intent+" "+l.Reason+" "+string(l.Operator), text) || limit > 0 && n >= limit {
					return nil
				}
				n++
				if a.flags.json {
					writeJSONLine(a.Out, l)
					return nil
				}
				fmt.Fprintf(tw, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", l.ID, l.Commit.Short(), l.Operator, parentText(c), l.Status, o.valueText(l), nicheText(l.Niche), engine.CleanLine(short(l.Intent, 60)))
				return nil
			}, store.WithMetrics)
			if err != nil {
				return err
			}
			return tw.Flush()
		},
	}
	cmd.Flags().StringSliceVar(&status, "status", nil, strings.Join(candidateStatuses, ", "))
	cmd.Flags().StringVar(&text, "text", "", "only those whose operator, intent or reason holds this")
	cmd.Flags().IntVar(&limit, "limit", 0, "at most so many")
	return cmd
}

// The values of --status, of candidates and of jobs.
var (
	candidateStatuses = []string{"made", "held", "rejected", "failed", "cancelled", "scored", "elite"}
	jobStates         = []string{"queued", "editing", "committed", "gated", "held", "evaluating", "placed", "scored", "rejected", "failed", "duplicate", "cancelled", "done"}
)

// known refuses values that are none of those a flag takes.
func known(flag string, values, allowed []string) error {
	for _, v := range values {
		if !slices.Contains(allowed, v) {
			return usage("--%s %s: there is %s", flag, v, strings.Join(allowed, ", "))
		}
	}
	return nil
}

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

func short(s string, n int) string {
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	return string(r[:n-3]) + "..."
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
				fmt.Fprintln(tw, "NICHE\tELITE\tOBJECTIVE\tTRIES\tMARKS")
			}
			for _, c := range s.Grid.Cells {
				if c.Elite == record.NoCandidate {
					continue
				}
				if a.flags.json {
					writeJSONLine(a.Out, map[string]any{
						"niche": o.state.Coords(c.Index), "index": c.Index, "elite": c.Elite, "commit": c.Commit, "objective": c.Objective,
						"samples": c.Samples, "spread": c.MAD, "tries": c.Tries, "frozen": c.Frozen, "boost": c.Boost, "runners": c.Runners,
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
				fmt.Fprintf(tw, "%s\t%s\t%s\t%d\t%s\n", nicheText(o.state.Coords(c.Index)), c.Elite, engine.FormatValue(c.Objective), c.Tries, marks)
			}
			return tw.Flush()
		},
	}
}

func (a *App) jobsCmd() *cobra.Command {
	var states []string
	var limit int
	var text string
	cmd := &cobra.Command{
		Use: "jobs", Short: "List the jobs, newest first", Example: "  atoll jobs --status failed\n  atoll jobs --limit 20 --json", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := known("status", states, jobStates); err != nil {
				return err
			}
			o, err := a.open(cmd.Context())
			if err != nil {
				return err
			}
			defer o.Close()
			f := store.JobFilter{Limit: limit, Text: text}
			for _, s := range states {
				f.States = append(f.States, record.JobState(s))
			}
			list, err := o.DB.Jobs(cmd.Context(), o.exp.ID, f)
			if err != nil {
				return err
			}
			if a.flags.json {
				for _, j := range list {
					writeJSONLine(a.Out, j)
				}
				return nil
			}
			tw := table(a.Out)
			fmt.Fprintln(tw, "JOB\tKIND\tSTATE\tOPERATOR\tAGENT\tPARENT\tEDIT\tMEASURE\tREASON")
			for _, j := range list {
				what := string(j.Operator)
				if j.Kind == record.Evaluate {
					what = string(j.Purpose)
				}
				fmt.Fprintf(tw, "%s\t%s\t%s\t%s\t%s\t%s\t%d ms\t%d ms\t%s\n", j.ID, j.Kind, j.State, what, j.Agent, dash(j.Parent), j.EditMS, j.EvalMS, engine.CleanLine(short(j.Reason, 70)))
			}
			return tw.Flush()
		},
	}
	cmd.Flags().StringSliceVar(&states, "status", nil, "only jobs that are "+strings.Join(jobStates, ", "))
	cmd.Flags().StringVar(&text, "text", "", "only those that hold this text")
	cmd.Flags().IntVar(&limit, "limit", 50, "at most so many")
	return cmd
}

func dash(id record.CandidateID) string {
	if id == record.NoCandidate {
		return "-"
	}
	return id.String()
}

func (a *App) eventsCmd() *cobra.Command {
	var after int64
	var tail int
	var follow bool
	cmd := &cobra.Command{
		Use: "events", Short: "Print the ordered log", Example: "  atoll events --tail 20\n  atoll events --follow --json", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o, err := a.open(cmd.Context())
			if err != nil {
				return err
			}
			defer o.Close()
			return a.events(cmd.Context(), o, record.Seq(after), tail, follow)
		},
	}
	cmd.Flags().Int64Var(&after, "after", 0, "only rows behind this number")
	cmd.Flags().IntVar(&tail, "tail", 0, "only the last so many rows")
	cmd.Flags().BoolVarP(&follow, "follow", "f", false, "go on as rows are written")
	return cmd
}

func (a *App) events(ctx context.Context, o *opened, after record.Seq, tail int, follow bool) error {
	if tail > 0 {
		rows, err := o.DB.Tail(ctx, o.exp.ID, tail)
		if err != nil {
			return err
		}
		after = a.printRows(rows, after)
		if !follow {
			return nil
		}
	}
	poll := time.NewTicker(200 * time.Millisecond)
	defer poll.Stop()
	for {
		rows, err := o.DB.Log(ctx, o.exp.ID, after, 1000)
		if err != nil {
			return err
		}
		after = a.printRows(rows, after)
		if len(rows) > 0 {
			continue
		}
		if !follow {
			return nil
		}
		select {
		case <-ctx.Done():
			return nil
		case <-a.Signals:
			return nil
		case <-poll.C:
		}
	}
}

func (a *App) printRows(rows []record.LogRow, after record.Seq) record.Seq {
	for _, r := range rows {
		after = r.Seq
		if a.flags.json {
			writeJSONLine(a.Out, r)
			continue
		}
		subject := ""
		if r.Job != record.NoJob {
			subject = r.Job.String()
		}
		if r.Candidate != record.NoCandidate {
			subject += " " + r.Candidate.String()
		}
		fmt.Fprintf(a.Out, "%d %s %-10s %s %s\n", r.Seq, time.UnixMilli(int64(r.At)).Format("15:04:05.000"), r.Kind, subject, engine.CleanLine(string(r.Data)))
	}
	return after
}

func (a *App) bestCmd() *cobra.Command {
	return &cobra.Command{
		Use: "best", Short: "Print the best candidate", Example: "  atoll best --json | jq -r .commit", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.show(cmd.Context(), "best", false) },
	}
}

func (a *App) showCmd() *cobra.Command {
	var evidence, prompt bool
	cmd := &cobra.Command{
		Use: "show CANDIDATE", Short: "Print one candidate, or one job with #N", Example: "  atoll show c128\n  atoll show best --evidence\n  atoll show '#341'\n  atoll show '#350' --prompt", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if prompt {
				return a.showPrompt(cmd.Context(), args[0])
			}
			return a.show(cmd.Context(), args[0], evidence)
		},
	}
	cmd.Flags().BoolVar(&prompt, "prompt", false, "only what its agent was told; of a job that waits, what it would be told now")
	cmd.Flags().BoolVar(&evidence, "evidence", false, "with the texts kept: prompt, transcript, evaluator output, gate")
	return cmd
}

func (a *App) show(ctx context.Context, what string, evidence bool) error {
	o, err := a.open(ctx)
	if err != nil {
		return err
	}
	defer o.Close()
	if strings.HasPrefix(what, "#") {
		return a.showJob(ctx, o, what)
	}
	id, err := o.parseCandidate(what)
	if err != nil {
		return err
	}
	c, err := o.DB.Candidate(ctx, o.exp.ID, id)
	if err != nil {
		return fmt.Errorf("there is no candidate %s: %w", id, err)
	}
	l := o.line(c)
	if l.History, err = o.history(ctx, c); err != nil {
		return err
	}
	if a.flags.json {
		writeJSONLine(a.Out, l)
		return nil
	}
	w := a.Out
	fmt.Fprintf(w, "%s  %s  %s\n", l.ID, l.Commit, l.Status)
	if l.Reason != "" {
		fmt.Fprintf(w, "reason     %s\n", engine.CleanLine(l.Reason))
	}
	if c.ID == 0 {
		fmt.Fprintln(w, "the root of the experiment")
	} else {
		fmt.Fprintf(w, "job        %s  %s by %s\nintent     %s\n", l.Job, l.Operator, l.Agent, engine.CleanLine(l.Intent))
	}
	for _, p := range l.Parents {
		fmt.Fprintf(w, "%-10s %s\n", p.Role, p.ID)
	}
	fmt.Fprintf(w, "objective  %s  n %d, spread %s\n", o.valueText(l), l.Samples, engine.FormatValue(l.Spread))
	if l.Claimed != nil {
		fmt.Fprintf(w, "claimed    %s (held-out samples)\n", engine.FormatValue(*l.Claimed))
	}
	for _, h := range l.History {
		fmt.Fprintf(w, "before     %s  n %d  (objective version %d)\n", engine.FormatValue(h.Objective), h.Samples, h.Version)
	}
	for _, m := range c.Metrics {
		fmt.Fprintf(w, "           %s %s %s\n", engine.CleanLine(m.Name), engine.FormatValue(m.Value), m.Unit)
	}
	fmt.Fprintf(w, "niche      %s\nsize       %d files, +%d -%d lines\n", nicheText(l.Niche), c.Files, c.Added, c.Removed)
	if evidence {
		return a.printEvidence(ctx, o, l.Job)
	}
	return nil
}

func (a *App) showJob(ctx context.Context, o *opened, what string) error {
	id, err := record.ParseCandidateID(what)
	if err != nil {
		return usage("%v", err)
	}
	j, err := o.DB.Job(ctx, o.exp.ID, record.JobID(id))
	if err != nil {
		return fmt.Errorf("there is no job %s: %w", record.JobID(id), err)
	}
	if a.flags.json {
		return writeJSON(a.Out, j)
	}
	printJob(a.Out, j)
	return a.printEvidence(ctx, o, j.ID)
}

// printJob writes what there is to say about a job, one line each.
func printJob(w io.Writer, j record.Job) {
	state := string(j.State)
	if j.Class != "" {
		state += ", " + string(j.Class)
	}
	what := string(j.Operator)
	if j.Kind == record.Evaluate {
		what = string(j.Purpose)
	}
	fmt.Fprintf(w, "%s  %s %s  %s\n", j.ID, j.Kind, what, state)
	line := func(name, text string) {
		if text != "" {
			fmt.Fprintf(w, "%-10s %s\n", name, engine.CleanLine(text))
		}
	}
	line("reason", j.Reason)
	line("agent", j.Agent)
	line("target", j.Target)
	line("goal", j.Goal)
	for _, ref := range []struct {
		name string
		id   record.CandidateID
	}{{"parent", j.Parent}, {"candidate", j.Candidate}, {"same as", j.Duplicate}} {
		if ref.id != record.NoCandidate {
			line(ref.name, ref.id.String())
		}
	}
	if j.RetryOf != 0 {
		line("retry of", j.RetryOf.String())
	}
	line("attempts", strconv.Itoa(j.Attempt))
	line("time", fmt.Sprintf("%d ms editing, %d ms measuring, %.1f ms own", j.EditMS, j.EvalMS, j.OwnMS))
	if u := j.Usage; u.Requests > 0 || u.Unmetered {
		line("used", fmt.Sprintf("%d requests, %d tokens, %s", u.Requests, u.InputTokens+u.OutputTokens, costText(u)))
	}
}

func (a *App) printEvidence(ctx context.Context, o *opened, job record.JobID) error {
	list, err := o.DB.EvidenceOf(ctx, o.exp.ID, job)
	if err != nil {
		return err
	}
	a.printTexts(list)
	return nil
}

func (a *App) printTexts(list []record.Evidence) {
	for _, ev := range list {
		fmt.Fprintf(a.Out, "\n--- %s, attempt %d ---\n", ev.Kind, ev.Attempt)
		for _, line := range strings.Split(strings.TrimRight(string(ev.Text), "\n"), "\n") {
			fmt.Fprintln(a.Out, engine.CleanLine(line))
		}
		if ev.Cut > 0 {
			fmt.Fprintf(a.Out, "(%d bytes left out)\n", ev.Cut)
		}
	}
}

func (a *App) diffCmd() *cobra.Command {
	return &cobra.Command{
		Use: "diff CANDIDATE [CANDIDATE]", Short: "Print a candidate's difference to the root, or between two", Example: "  atoll diff best\n  atoll diff c12 c40", Args: cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			o, err := a.open(cmd.Context())
			if err != nil {
				return err
			}
			defer o.Close()
			from, to := record.Root, record.Root
			if len(args) == 2 {
				if from, err = o.parseCandidate(args[0]); err != nil {
					return err
				}
			}
			if to, err = o.parseCandidate(args[len(args)-1]); err != nil {
				return err
			}
			x, err := o.DB.Candidate(cmd.Context(), o.exp.ID, from)
			if err != nil {
				return fmt.Errorf("there is no candidate %s: %w", from, err)
			}
			y, err := o.DB.Candidate(cmd.Context(), o.exp.ID, to)
			if err != nil {
				return fmt.Errorf("there is no candidate %s: %w", to, err)
			}
			patch, err := o.Repo.PatchText(cmd.Context(), x.Tree, y.Tree)
			if err != nil {
				return err
			}
			_, err = a.Out.Write(patch)
			return err
		},
	}
}

func splitLines(s string) []string { return strings.Split(strings.TrimSpace(s), "\n") }

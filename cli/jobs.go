package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"atoll/engine/agent"
	"atoll/engine/view"
	"atoll/store"
	"atoll/store/record"
)

func (a *App) jobsCmd() *cobra.Command {
	var states []string
	var limit int
	var text string
	cmd := &cobra.Command{
		Use: "jobs", Short: "List the jobs, newest first", Example: "  atoll jobs --status failed\n  atoll jobs --limit 20 --json", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := known("status", states, record.JobStateNames()); err != nil {
				return err
			}
			o, err := a.openUnfolded(cmd.Context())
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
			o.atRest(list)
			if a.flags.json {
				for _, j := range list {
					writeJSONLine(a.Out, jobLine{j, o.workTree(j)})
				}
				return nil
			}
			tw := table(a.Out)
			machine := func(j record.Job) string { return "" }
			if slices.ContainsFunc(list, func(j record.Job) bool { return j.Machine != "" }) {
				machine = func(j record.Job) string { return cmp.Or(j.Machine, "-") + "\t" }
				fmt.Fprintln(tw, "JOB\tKIND\tSTATE\tOPERATOR\tAGENT\tPARENT\tEDIT\tMEASURE\tMACHINE\tREASON")
			} else {
				fmt.Fprintln(tw, "JOB\tKIND\tSTATE\tOPERATOR\tAGENT\tPARENT\tEDIT\tMEASURE\tREASON")
			}
			for _, j := range list {
				fmt.Fprintf(tw, "%s\t%s\t%s\t%s\t%s\t%s\t%d ms\t%d ms\t%s%s\n", j.ID, j.Kind, j.State, workOf(j), j.Agent, dash(j.Parent), j.EditMS, j.EvalMS, machine(j), view.CleanLine(short(j.Reason, 70)))
			}
			return tw.Flush()
		},
	}
	cmd.Flags().StringSliceVar(&states, "status", nil, "only jobs that are "+strings.Join(record.JobStateNames(), ", "))
	cmd.Flags().StringVar(&text, "text", "", "only those that hold this text")
	cmd.Flags().IntVar(&limit, "limit", 50, "at most so many")
	return cmd
}

// workOf says what a job does: how it edits, or why it measures.
func workOf(j record.Job) string {
	if j.Kind == record.Evaluate {
		return string(j.Purpose)
	}
	return string(j.Operator)
}

func dash(id record.CandidateID) string {
	if id == record.NoCandidate {
		return "-"
	}
	return id.String()
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
	one := []record.Job{j}
	o.atRest(one)
	j = one[0]
	if a.flags.json {
		return writeJSON(a.Out, jobLine{j, o.workTree(j)})
	}
	printJob(a.Out, jobLine{j, o.workTree(j)})
	return a.printEvidence(ctx, o, j.ID)
}

// atRest makes jobs that an engine left in work wait in the queue, which they do as
// soon as another one starts.
func (o *opened) atRest(list []record.Job) {
	if o.OwnerPID() != 0 {
		return
	}
	for i := range list {
		if list[i].State.Running() {
			list[i].State = record.Queued
		}
	}
}

// jobLine is a job, and where its person edits.
type jobLine struct {
	record.Job
	WorkTree string `json:"work_tree,omitempty"` // "" = none waits
}

// workTree is the folder in which a running job waits for a person, "" for none.
func (o *opened) workTree(j record.Job) string {
	if dir := agent.HumanTree(o.Dir, j.ID); j.State.Running() || j.State == record.Queued {
		if _, err := os.Stat(dir); err == nil {
			return dir
		}
	}
	return ""
}

// printJob writes what there is to say about a job, one line each.
func printJob(w io.Writer, j jobLine) {
	state := string(j.State)
	if j.Class != "" {
		state += ", " + string(j.Class)
	}
	fmt.Fprintf(w, "%s  %s %s  %s\n", j.ID, j.Kind, workOf(j.Job), state)
	line := func(name, text string) {
		if text != "" {
			fmt.Fprintf(w, "%-10s %s\n", name, view.CleanLine(text))
		}
	}
	line("reason", j.Reason)
	line("why", strings.Join(view.ChoiceWords(j.Job), "; "))
	line("work tree", j.WorkTree)
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
	line("measured on", j.Machine)
	line("attempts", strconv.Itoa(j.Attempt))
	line("time", fmt.Sprintf("%d ms editing, %d ms measuring, %.1f ms own", j.EditMS, j.EvalMS, j.OwnMS))
	if u := j.Usage; u.Requests > 0 || u.Unmetered {
		line("used", fmt.Sprintf("%d requests, %d tokens, %s", u.Requests, u.InputTokens+u.OutputTokens, costText(u)))
	}
}

package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"atoll/engine"
	"atoll/engine/campaign"
	"atoll/engine/view"
	"atoll/store"
	"atoll/store/record"
)

// logTail is how many lines of a command's log are shown with its task.
const logTail = 20

// backlogShown is what `backlog show --json` prints.
type backlogShown struct {
	backlogLine
	Log string `json:"log,omitempty"` // of the command of a chore, its last attempt; the tail of it without --log
}

func (a *App) backlogShowCmd() *cobra.Command {
	var whole bool
	cmd := &cobra.Command{
		Use: "show TASK", Short: "Print one task: what became of it and, of a command, its log", Args: cobra.ExactArgs(1),
		Example: "  atoll backlog show t3\n  atoll backlog show t3 --log | less",
		RunE: func(cmd *cobra.Command, args []string) error {
			id, err := parseTask(args[0])
			if err != nil {
				return err
			}
			return a.backlogShow(cmd.Context(), id, whole)
		},
	}
	cmd.Flags().BoolVar(&whole, "log", false, "the log alone, as much of it as was kept")
	return cmd
}

func (a *App) backlogShow(ctx context.Context, id int, whole bool) error {
	return a.withBacklog(ctx, false, func(ses *engine.Session, s *campaign.State) error {
		it, err := s.Item(id)
		if err != nil {
			return err
		}
		log, err := choreLog(ctx, ses, it)
		if err != nil {
			return err
		}
		tail, cut := log, false
		if !whole {
			tail, cut = lastLines(log, logTail)
		}
		switch {
		case a.flags.json:
			return writeJSON(a.Out, backlogShown{backlogLineOf(s, it, s.Order(a.Now())), tail})
		case whole:
			a.printLog(tail, "")
			return nil
		}
		a.printTask(s, it)
		if log == "" {
			return nil
		}
		fmt.Fprintln(a.Out, "log")
		a.printLog(tail, "  ")
		if cut {
			fmt.Fprintf(a.Out, "  the whole of it: %s\n", a.says(fmt.Sprintf("backlog show t%d --log", id)))
		}
		return nil
	})
}

func (a *App) printLog(text, indent string) {
	if text == "" {
		return
	}
	for _, line := range strings.Split(text, "\n") {
		fmt.Fprintln(a.Out, indent+view.CleanLine(line))
	}
}

// printTask writes what there is to say about a task, one line each.
func (a *App) printTask(s *campaign.State, it *campaign.Item) {
	st, why := s.StatusOf(it)
	fmt.Fprintf(a.Out, "t%d %s: %s\n", it.ID, view.CleanLine(it.Title), st)
	line := func(name, text string) {
		if text = strings.TrimSpace(text); text == "" {
			return
		}
		for i, part := range strings.Split(text, "\n") {
			if i > 0 {
				name = ""
			}
			fmt.Fprintf(a.Out, "%-11s %s\n", name, view.CleanLine(part))
		}
	}
	line("reason", why)
	if it.Goal != it.Title {
		line("goal", it.Goal)
	}
	line("run", it.Command)
	for _, c := range it.Acceptance {
		text := c.String()
		if i := slices.IndexFunc(it.Checks, func(k campaign.Check) bool { return k.Acceptance == c }); i >= 0 {
			text = it.Checks[i].String()
		}
		line("accept", text)
	}
	line("scope", strings.Join(it.Scope, " "))
	line("component", it.Component)
	line("after", taskNames(it.Dependencies))
	line("epic", it.Epic)
	line("deadline", it.Deadline)
	line("note", it.Note)
	if it.Attempt > 0 {
		line("attempt", fmt.Sprintf("%d of %d, %s", it.Attempt, it.Retries+1, view.Plural(it.UsedJobs, "job")))
	}
	if it.Experiment != "" {
		line("experiment", experimentName(it.Experiment))
	}
	if !it.Commit.IsZero() {
		line("commit", it.Commit.Short())
	}
	if it.Status == campaign.Done || it.Status == campaign.Failed {
		line("more", a.says("why t"+strconv.Itoa(it.ID)))
	}
}

// choreLog is what the command of the last attempt wrote: stdout, then stderr. Of a
// search it is empty.
func choreLog(ctx context.Context, ses *engine.Session, it *campaign.Item) (string, error) {
	if it.Command == "" || it.Experiment == "" {
		return "", nil
	}
	exp, err := ses.Find(ctx, experimentName(it.Experiment))
	if errors.Is(err, engine.ErrNoExperiment) { // it was refused before it began
		return "", nil
	}
	if err != nil {
		return "", err
	}
	jobs, err := ses.DB.Jobs(ctx, exp.ID, store.JobFilter{Kind: record.Make, Limit: 1})
	if err != nil || len(jobs) == 0 {
		return "", err
	}
	texts, err := ses.DB.EvidenceOf(ctx, exp.ID, jobs[0].ID)
	if err != nil {
		return "", err
	}
	var parts []string
	for _, kind := range []string{"events", "stderr", "refused"} {
		for _, ev := range texts {
			if ev.Kind != kind {
				continue
			}
			if ev.Cut > 0 {
				parts = append(parts, fmt.Sprintf("(%d bytes before this were not kept)", ev.Cut))
			}
			parts = append(parts, strings.TrimRight(string(ev.Text), "\n"))
		}
	}
	return strings.Join(parts, "\n"), nil
}

// lastLines are the last n lines of a text, and whether there are more.
func lastLines(text string, n int) (string, bool) {
	lines := strings.Split(text, "\n")
	if len(lines) <= n {
		return text, false
	}
	return strings.Join(lines[len(lines)-n:], "\n"), true
}

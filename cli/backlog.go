package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"atoll/engine"
	"atoll/engine/campaign"
	"atoll/engine/view"
	"atoll/store/record"
	"atoll/store/whole"
)

// backlogLine is one task of `backlog --json`.
type backlogLine struct {
	campaign.Item
	Status   campaign.Status `json:"status"`             // with ready and blocked
	Reason   string          `json:"reason,omitempty"`   // why it is so
	Position int             `json:"position,omitempty"` // in the order of those that are ready, from 1
	Why      string          `json:"why,omitempty"`      // why it stands there
}

func (a *App) backlogCmd() *cobra.Command {
	cmd := &cobra.Command{
		Use: "backlog", Short: "The tasks of a campaign: list, add, edit, drop, import, export", Args: cobra.NoArgs,
		Long: "A campaign works through the backlog: see `atoll campaign --help`. Ready tasks are listed in the order in\nwhich they would be begun, with the reason of each position.",
		Example: "  atoll backlog\n  atoll backlog add \"Parse without copies\" --accept \"gain >= 5%\" --scope 'parse/**' --value 8\n" +
			"  atoll backlog add \"Format\" --run \"gofmt -w .\"\n  atoll backlog epic plan.md\n  atoll backlog import tasks.yml",
		RunE: func(cmd *cobra.Command, _ []string) error { return a.backlog(cmd.Context()) },
	}
	cmd.AddCommand(a.backlogShowCmd(), a.backlogAddCmd(), a.backlogEditCmd(), a.backlogDropCmd(), a.backlogReopenCmd(), a.backlogImportCmd(), a.backlogExportCmd(), a.backlogEpicCmd())
	return cmd
}

// withBacklog opens the campaign of a place and calls fn. Where there is no state and
// none is to be made, the session is nil and the campaign empty.
func (a *App) withBacklog(ctx context.Context, create bool, fn func(*engine.Session, *campaign.State) error) error {
	p, err := a.place(ctx)
	if err != nil {
		return err
	}
	ses, err := a.session(ctx, p, create)
	if errors.Is(err, engine.ErrNoExperiment) {
		return fn(nil, campaign.NewState())
	}
	if err != nil {
		return err
	}
	defer ses.Close()
	s, err := campaign.Load(ctx, ses.DB)
	if err != nil {
		return err
	}
	return fn(ses, s)
}

// changeBacklog writes what decide says on the newest state.
func (a *App) changeBacklog(ctx context.Context, create bool, decide func(*campaign.State) ([]record.CampaignRow, error), then func(*campaign.State) error) error {
	return a.withBacklog(ctx, create, func(ses *engine.Session, s *campaign.State) error {
		if ses == nil { // there is nothing to change: decide says so
			_, err := decide(s)
			return err
		}
		if err := campaign.Change(ctx, ses.DB, s, a.who(), decide); err != nil {
			return err
		}
		return then(s)
	})
}

func (a *App) backlog(ctx context.Context) error {
	return a.withBacklog(ctx, false, func(_ *engine.Session, s *campaign.State) error {
		lines := a.backlogLines(s)
		if a.flags.json {
			return writeJSON(a.Out, lines)
		}
		if len(lines) == 0 {
			fmt.Fprintln(a.Out, a.spell("the backlog is empty; `atoll backlog add TITLE` adds a task, `atoll campaign run` has the auditor look for some"))
			return nil
		}
		tw := table(a.Out)
		fmt.Fprintln(tw, "TASK\tSTATUS\tTITLE\tAFTER\tGAIN\tWHY")
		for _, l := range lines {
			gain := ""
			if l.Gain != nil {
				gain = signedPercent(*l.Gain)
			}
			why := l.Reason
			if l.Position > 0 {
				why = fmt.Sprintf("%d. %s", l.Position, l.Why)
			}
			fmt.Fprintf(tw, "t%d\t%s\t%s\t%s\t%s\t%s\n", l.ID, l.Status, view.CleanLine(short(l.Title, 60)), taskNames(l.Dependencies), gain, view.CleanLine(short(why, 100)))
		}
		return tw.Flush()
	})
}

// backlogLines lists the task that runs, the ready ones in their order, then the others
// by number.
func (a *App) backlogLines(s *campaign.State) []backlogLine {
	order := s.Order(a.Now())
	lines := make([]backlogLine, len(s.Items))
	for i, it := range s.Items {
		lines[i] = backlogLineOf(s, it, order)
	}
	rank := func(l backlogLine) int {
		switch {
		case l.Status == campaign.Running:
			return 0
		case l.Position > 0:
			return l.Position
		}
		return len(order) + 1
	}
	slices.SortStableFunc(lines, func(x, y backlogLine) int { return cmp.Compare(rank(x), rank(y)) })
	return lines
}

func backlogLineOf(s *campaign.State, it *campaign.Item, order []campaign.Position) backlogLine {
	l := backlogLine{Item: *it}
	l.Status, l.Reason = s.StatusOf(it)
	if i := slices.IndexFunc(order, func(p campaign.Position) bool { return p.Task == it.ID }); i >= 0 {
		l.Position, l.Why = i+1, order[i].Why
	}
	return l
}

func taskNames(ids []int) string {
	words := make([]string, len(ids))
	for i, id := range ids {
		words[i] = fmt.Sprintf("t%d", id)
	}
	return strings.Join(words, " ")
}

// parseTask reads t12 or 12.
func parseTask(text string) (int, error) {
	n, err := strconv.Atoi(strings.TrimPrefix(text, "t"))
	if err != nil || n < 1 {
		return 0, usage("%q is no task; `atoll backlog` lists them as t1, t2", text)
	}
	return n, nil
}

// taskFlags are the fields of a task on the command line.
type taskFlags struct {
	title, goal, component, run, deadline, epic string
	after, scope, accept                        []string
	value, urgency, risk, size, cost            float64
	priority, jobs, retries                     int
	best                                        bool
}

func (f *taskFlags) add(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.StringVar(&f.goal, "goal", "", "what agents are told (default: the title)")
	fl.StringVar(&f.component, "component", "", "part of the system; the ranker learns by it")
	fl.StringSliceVar(&f.after, "after", nil, "tasks that must be done before, such as t1,t2")
	fl.StringArrayVar(&f.accept, "accept", nil, `condition under which it is done: "gain >= 5%", "time_ms <= 80", "audit complexity a.go:F <= 15", "run: go vet ./..." (repeatable; default: a confirmed gain)`)
	fl.StringSliceVar(&f.scope, "scope", nil, "globs of files it may change (default: gate.scope)")
	fl.StringVar(&f.run, "run", "", "a plain chore: run this in the tree, by sh -c, instead of a search")
	fl.Float64Var(&f.value, "value", 0, "value to the users")
	fl.Float64Var(&f.urgency, "urgency", 0, "how much waiting costs")
	fl.Float64Var(&f.risk, "risk", 0, "risk that it takes away")
	fl.Float64Var(&f.size, "size", 0, "size of the work (default: 1)")
	fl.Float64Var(&f.cost, "cost", 0, "US dollars, at most (default: no own limit)")
	fl.IntVar(&f.priority, "priority", 0, "1 to 5, 5 first (default: 3)")
	fl.IntVar(&f.jobs, "jobs", 0, "make jobs of one attempt (default: 60)")
	fl.IntVar(&f.retries, "retries", 0, "further attempts when one fails")
	fl.BoolVar(&f.best, "best", false, "spend all jobs and take the best that meets the conditions (default: end at the first)")
	fl.StringVar(&f.deadline, "deadline", "", "of one attempt, such as 30m")
	fl.StringVar(&f.epic, "epic", "", "what it is part of")
}

// apply writes the flags that were given into a task.
func (f *taskFlags) apply(cmd *cobra.Command, t *campaign.Task) error {
	changed := cmd.Flags().Changed
	for _, s := range []struct {
		flag string
		from string
		to   *string
	}{{"title", f.title, &t.Title}, {"goal", f.goal, &t.Goal}, {"component", f.component, &t.Component}, {"run", f.run, &t.Command}, {"deadline", f.deadline, &t.Deadline}, {"epic", f.epic, &t.Epic}} {
		if changed(s.flag) {
			*s.to = s.from
		}
	}
	for _, n := range []struct {
		flag string
		from float64
		to   *float64
	}{{"value", f.value, &t.Value}, {"urgency", f.urgency, &t.Urgency}, {"risk", f.risk, &t.Risk}, {"size", f.size, &t.Size}, {"cost", f.cost, &t.CostUSD}} {
		if changed(n.flag) {
			*n.to = n.from
		}
	}
	for _, n := range []struct {
		flag string
		from int
		to   *int
	}{{"priority", f.priority, &t.Priority}, {"jobs", f.jobs, &t.Jobs}, {"retries", f.retries, &t.Retries}} {
		if changed(n.flag) {
			*n.to = n.from
		}
	}
	if changed("size") {
		if err := campaign.CheckSize(f.size); err != nil {
			return usage("size: %v", err)
		}
	}
	if changed("best") {
		t.Best = f.best
	}
	if changed("scope") {
		t.Scope = slices.Clone(f.scope)
	}
	if changed("after") {
		t.Dependencies = nil
		for _, text := range f.after {
			id, err := parseTask(text)
			if err != nil {
				return err
			}
			t.Dependencies = append(t.Dependencies, id)
		}
	}
	if changed("accept") {
		t.Acceptance = nil
		for _, text := range f.accept {
			c, err := campaign.ParseAcceptance(text)
			if err != nil {
				return err
			}
			t.Acceptance = append(t.Acceptance, c)
		}
	}
	return nil
}

func (a *App) backlogAddCmd() *cobra.Command {
	var f taskFlags
	cmd := &cobra.Command{
		Use: "add TITLE", Short: "Add a task", Args: cobra.ExactArgs(1),
		Example: "  atoll backlog add \"Parse without copies\" --accept \"gain >= 5%\" --value 8 --size 2\n  atoll backlog add \"Format\" --run \"gofmt -w .\" --after t1",
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.putTask(cmd.Context(), true, func(s *campaign.State) (campaign.Task, error) {
				t := campaign.Task{ID: s.NextID(), Title: args[0], Origin: campaign.FromPerson}
				return t, f.apply(cmd, &t)
			})
		},
	}
	f.add(cmd)
	return cmd
}

func (a *App) backlogEditCmd() *cobra.Command {
	var f taskFlags
	cmd := &cobra.Command{
		Use: "edit TASK", Short: "Change a pending task", Args: cobra.ExactArgs(1), Example: "  atoll backlog edit t3 --priority 5 --after t1",
		RunE: func(cmd *cobra.Command, args []string) error {
			id, err := parseTask(args[0])
			if err != nil {
				return err
			}
			return a.putTask(cmd.Context(), false, func(s *campaign.State) (campaign.Task, error) {
				it, err := s.Item(id)
				if err != nil {
					return campaign.Task{}, err
				}
				t := it.Task
				return t, f.apply(cmd, &t)
			})
		},
	}
	f.add(cmd)
	cmd.Flags().StringVar(&f.title, "title", "", "title")
	return cmd
}

func (a *App) backlogDropCmd() *cobra.Command {
	var why string
	cmd := &cobra.Command{
		Use: "drop TASK", Short: "Take a task out of the backlog", Args: cobra.ExactArgs(1), Example: "  atoll backlog drop t3 --why \"done by hand\"",
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.moveTask(cmd.Context(), args[0], func(s *campaign.State, id int) ([]record.CampaignRow, error) { return s.Drop(id, why) })
		},
	}
	cmd.Flags().StringVar(&why, "why", "", "the reason")
	return cmd
}

func (a *App) backlogReopenCmd() *cobra.Command {
	return &cobra.Command{
		Use: "reopen TASK", Short: "Make a failed or dropped task pending again", Args: cobra.ExactArgs(1), Example: "  atoll backlog reopen t3",
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.moveTask(cmd.Context(), args[0], func(s *campaign.State, id int) ([]record.CampaignRow, error) { return s.Reopen(id, "") })
		},
	}
}

func (a *App) moveTask(ctx context.Context, text string, decide func(*campaign.State, int) ([]record.CampaignRow, error)) error {
	id, err := parseTask(text)
	if err != nil {
		return err
	}
	return a.changeBacklog(ctx, false, func(s *campaign.State) ([]record.CampaignRow, error) { return decide(s, id) },
		func(s *campaign.State) error { return a.tellTask(s, id) })
}

// tellTask prints one task as it is now.
func (a *App) tellTask(s *campaign.State, ids ...int) error {
	if a.flags.json {
		lines := []backlogLine{}
		for _, l := range a.backlogLines(s) {
			if slices.Contains(ids, l.ID) {
				lines = append(lines, l)
			}
		}
		return writeJSON(a.Out, lines)
	}
	for _, id := range ids {
		it, err := s.Item(id)
		if err != nil {
			return err
		}
		st, why := s.StatusOf(it)
		if l := backlogLineOf(s, it, s.Order(a.Now())); l.Position > 0 {
			why = fmt.Sprintf("%d. %s", l.Position, l.Why)
		}
		fmt.Fprintf(a.Out, "t%d %s: %s", id, view.CleanLine(it.Title), st)
		if why != "" {
			fmt.Fprintf(a.Out, " (%s)", view.CleanLine(why))
		}
		fmt.Fprintln(a.Out)
	}
	return nil
}

// maxBacklogFile bounds a file that tasks are read from.
const maxBacklogFile = 4 << 20

func (a *App) readInput(path string) ([]byte, error) {
	if path == "-" {
		return io.ReadAll(io.LimitReader(a.In, maxBacklogFile))
	}
	data, err := whole.Read(a.abs(path), maxBacklogFile)
	if err != nil {
		return nil, usage("%v", err)
	}
	return data, nil
}

func (a *App) backlogImportCmd() *cobra.Command {
	return &cobra.Command{
		Use: "import FILE", Short: "Add the tasks of a tasks.yml or JSON file (- is standard input)", Args: cobra.ExactArgs(1), Example: "  atoll backlog import tasks.yml",
		Long: "Reads what `atoll backlog export` writes, and the tasks.yml of systems with description, priority, cost and\nstatus: a higher priority number comes first, cost is the size, in_progress is pending, area is the component.\nDone, failed and dropped tasks stay so; what has no place here is kept in the note of its task.",
		RunE: func(cmd *cobra.Command, args []string) error {
			data, err := a.readInput(args[0])
			if err != nil {
				return err
			}
			file, err := campaign.ReadTasks(data)
			if err != nil {
				return err
			}
			err = a.scopesFit(cmd.Context(), func(*campaign.State) ([]campaign.Task, error) { return file.Open(), nil })
			if err != nil {
				return err
			}
			before := 0
			return a.changeBacklog(cmd.Context(), true, func(s *campaign.State) ([]record.CampaignRow, error) {
				before = len(s.Items)
				return s.Import(file)
			}, func(s *campaign.State) error {
				fmt.Fprintf(a.Err, "atoll: %s taken in, %d of them done, %d failed, %d dropped\n", view.Plural(len(s.Items)-before, "task"),
					file.Count(campaign.Done), file.Count(campaign.Failed), file.Count(campaign.Dropped))
				for _, line := range file.Told {
					fmt.Fprintf(a.Err, "atoll: %s\n", view.CleanLine(line))
				}
				return a.tellPlaces(cmd.Context(), file.Open())
			})
		},
	}
}

func (a *App) backlogExportCmd() *cobra.Command {
	return &cobra.Command{
		Use: "export", Short: "Print the backlog as tasks.yml (with --json as JSON)", Args: cobra.NoArgs, Example: "  atoll backlog export > tasks.yml",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.withBacklog(cmd.Context(), false, func(_ *engine.Session, s *campaign.State) error { return s.WriteTasks(a.Out, a.flags.json) })
		},
	}
}

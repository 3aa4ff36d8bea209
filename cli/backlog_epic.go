package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"atoll/config"
	"atoll/engine"
	"atoll/engine/agent"
	"atoll/engine/campaign"
	"atoll/engine/campaign/audit"
	"atoll/engine/gateway"
	"atoll/engine/roster"
	"atoll/engine/view"
	"atoll/store/record"
)

// epicFlags are those of backlog epic.
type epicFlags struct {
	agent string
	yes   bool
}

func (a *App) backlogEpicCmd() *cobra.Command {
	var f epicFlags
	cmd := &cobra.Command{
		Use: "epic FILE", Short: "Turn an epic in words into tasks with dependencies (- is standard input)", Args: cobra.ExactArgs(1),
		Example: "  atoll backlog epic plan.md\n  echo \"Parsing shall be twice as fast and need no more memory\" | atoll backlog epic - --agent writer",
		Long: "The first heading is the epic, every item of a list a task. Indented lines below an item are its fields\n(goal, accept, value, urgency, risk, size, priority, jobs, best, scope, run, after: 1, 2 ...) or belong to its goal.\n" +
			"The items of a numbered list come one after the other, unless after: says otherwise.\n\n" +
			"A text without a list is given to a model: the agent of roles.planner, or the one of --agent, which takes\na list, too. Its answer is checked, refused with a reason where it cannot be used, and asked for once more.",
		RunE: func(cmd *cobra.Command, args []string) error {
			data, err := a.readInput(args[0])
			if err != nil {
				return err
			}
			return a.epic(cmd.Context(), string(data), f)
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&f.agent, "agent", "", "chat agent that makes tasks of the words (default: roles.planner, where the text is no list)")
	fl.BoolVar(&f.yes, "yes", false, "agree to what asking the agent costs")
	return cmd
}

func (a *App) epic(ctx context.Context, text string, f epicFlags) error {
	if f.agent == "" && campaign.Listed(text) {
		return a.addEpic(ctx, campaign.Epic{Words: text}, func(s *campaign.State) (string, []campaign.Task, error) {
			return campaign.MapEpic(text, s.NextID())
		})
	}
	p, loaded, err := a.configured(ctx)
	if err != nil {
		return err
	}
	if f.agent == "" {
		f.agent = loaded.Roles.Planner
	}
	if f.agent == "" {
		return usage("the text lists no task; write each as an item of a list (1. Title), or name who shall plan: roles.planner in %s, or --agent", config.FileName)
	}
	plan, err := a.askPlanner(ctx, p, loaded, text, f)
	if err != nil {
		return err
	}
	if len(plan.tasks) == 0 {
		fmt.Fprintln(a.Err, "atoll: nobody was asked, and nothing was paid for")
		return nil
	}
	return a.addEpic(ctx, campaign.Epic{Words: text, By: f.agent, USD: plan.usd}, func(s *campaign.State) (string, []campaign.Task, error) {
		return plan.epic, plan.from(s.NextID()), nil
	})
}

// addEpic writes an epic and its tasks.
func (a *App) addEpic(ctx context.Context, e campaign.Epic, read func(*campaign.State) (title string, tasks []campaign.Task, err error)) error {
	err := a.scopesFit(ctx, func(s *campaign.State) ([]campaign.Task, error) {
		_, tasks, err := read(s)
		return tasks, err
	})
	if err != nil {
		return err
	}
	var added []campaign.Task
	return a.changeBacklog(ctx, true, func(s *campaign.State) ([]record.CampaignRow, error) {
		title, tasks, err := read(s)
		if err != nil {
			return nil, err
		}
		e.Title, e.Tasks, added = title, nil, tasks
		for _, t := range tasks {
			e.Tasks = append(e.Tasks, t.ID)
		}
		return s.PutEpic(e, tasks...)
	}, func(s *campaign.State) error {
		fmt.Fprintf(a.Err, "atoll: epic: %s\n", view.CleanLine(e.Title))
		if err := a.tellTask(s, e.Tasks...); err != nil {
			return err
		}
		return a.tellPlaces(ctx, added)
	})
}

// epicPlan is what a planner made of an epic.
type epicPlan struct {
	epic  string
	tasks []campaign.Task
	usd   float64
}

// from are the tasks numbered from first on: the backlog may have grown while the
// planner thought.
func (p *epicPlan) from(first int) []campaign.Task {
	by := first - p.tasks[0].ID
	was := p.tasks[0].ID
	out := slices.Clone(p.tasks)
	for i := range out {
		t := &out[i]
		t.ID += by
		t.Dependencies = slices.Clone(t.Dependencies)
		for k, d := range t.Dependencies {
			if d >= was {
				t.Dependencies[k] = d + by
			}
		}
	}
	return out
}

// askPlanner has a chat agent make tasks of words; none, when the person did not want
// that.
func (a *App) askPlanner(ctx context.Context, p place, l config.Loaded, words string, f epicFlags) (epicPlan, error) {
	i := slices.IndexFunc(l.Agents, func(ag config.Agent) bool { return ag.Name == f.agent })
	if i < 0 {
		return epicPlan{}, usage("%s has no agent %q", config.FileName, f.agent)
	}
	who := l.Agents[i]
	cfg := l.Config
	cfg.Agents, cfg.Roles = []config.Agent{who}, config.Roles{Planner: who.Name}
	if err := roster.CheckAgents(cfg, a.getenv); err != nil {
		return epicPlan{}, err
	}
	var out epicPlan
	err := a.withBacklog(ctx, true, func(ses *engine.Session, s *campaign.State) error {
		if s.Settings.CostUSD > 0 && s.Left().CostUSD == 0 {
			return usage("the campaign's budget of $%s is used up; `atoll campaign set --cost` gives it more", view.FormatValue(s.Settings.CostUSD))
		}
		g, err := a.groundOf(ctx, ses, p, l, s)
		if err != nil {
			return err
		}
		if ok, err := a.agreeToPlanner(ctx, cfg, f.yes); err != nil || !ok {
			return err
		}
		paid := gateway.NewAccount(gateway.AccountOptions{Name: "epic", LimitUSD: leastLimit(who.JobUSD, s.Left().CostUSD), Limited: s.Settings.CostUSD > 0})
		h := &roster.Builder{
			Config: cfg, Getenv: a.getenv, Now: a.Now, Note: func(string) {}, Dir: ses.Dir,
			Account: func(string, float64) func(agent.Job) *gateway.Account {
				return func(agent.Job) *gateway.Account { return paid }
			},
		}
		built, err := h.Build()
		if err != nil {
			return err
		}
		defer built.Close()
		client := built.Client(who.Name)
		fmt.Fprintf(a.Err, "atoll: %s plans\n", who.Name)
		ask := func(ctx context.Context, turn int, system, user string) (string, error) {
			text, _, err := client.Ask(ctx, agent.RolePlanner, record.Lease{Job: record.Job{ID: record.JobID(turn)}, Attempt: 1}, agent.Rendered{System: system, User: user})
			if err != nil {
				return "", fmt.Errorf("ask %s: %w", who.Name, err)
			}
			return built.Redact(text), nil
		}
		out.epic, out.tasks, err = s.MapIntent(ctx, ask, words, g)
		if u := paid.Totals().Usage; u.CostUSD != nil {
			out.usd = *u.CostUSD
		}
		if err != nil && out.usd > 0 { // what was paid for nothing counts, too
			vain := campaign.Epic{Words: words, By: who.Name, USD: out.usd}
			err = errors.Join(err, campaign.Change(ctx, ses.DB, s, a.who(), func(s *campaign.State) ([]record.CampaignRow, error) { return s.PutEpic(vain) }))
		}
		return err
	})
	return out, err
}

// groundOf is what a planner may know of the repository.
func (a *App) groundOf(ctx context.Context, ses *engine.Session, p place, l config.Loaded, s *campaign.State) (campaign.Ground, error) {
	g := campaign.Ground{Goal: l.Goal, Constraints: l.Constraints, Objective: l.Evaluator.Objective, Direction: l.Evaluator.Direction, Scope: l.Gate.Scope}
	for _, axis := range l.Map.Axes {
		g.Metrics = append(g.Metrics, axis.Metric)
	}
	if exp, err := ses.Find(ctx, ""); err == nil { // what the root of the latest experiment was seen to report
		all, err := ses.DB.Metrics(ctx, exp.ID, record.Root)
		if err != nil {
			return g, err
		}
		for _, m := range all {
			if !slices.Contains(g.Metrics, m.Name) {
				g.Metrics = append(g.Metrics, m.Name)
			}
		}
	} else if !errors.Is(err, engine.ErrNoExperiment) {
		return g, err
	}
	head := s.Head
	if head.IsZero() {
		r := &taskRunner{app: a, ses: ses, place: p, loaded: l}
		var err error
		if head, err = r.Head(ctx); err != nil {
			return g, err
		}
	}
	id, tree, err := treeAt(ctx, ses, head)
	if err != nil {
		return g, err
	}
	for _, file := range tree.Files() {
		g.Files = append(g.Files, file.Path)
	}
	if g.Report, err = auditTree(ctx, ses, id, auditOf{profiles: true}); err != nil {
		return g, err
	}
	g.Findings = g.Report.Findings(audit.Bounds{}, nil)
	return g, nil
}

// agreeToPlanner asks a person before an agent that costs money is asked.
func (a *App) agreeToPlanner(ctx context.Context, cfg config.Config, yes bool) (bool, error) {
	if yes || len(roster.PaidAgents(cfg)) == 0 {
		return true, nil
	}
	who := cfg.Agents[0]
	most := "with no limit of its own (agents.job_usd sets one)"
	if who.JobUSD > 0 {
		most = "at most $" + view.FormatValue(who.JobUSD)
	}
	text := fmt.Sprintf("%s (%s) will be asked once or twice, %s.", who.Name, who.Model, most)
	return a.confirm(ctx, text+" Go on?", text+" Agree with --yes.")
}

// leastLimit is the smaller of two limits, 0 being none.
func leastLimit(a, b float64) float64 {
	if a == 0 || b > 0 && b < a {
		return b
	}
	return a
}

package cli

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"atoll/config"
	"atoll/engine"
	"atoll/engine/campaign"
	"atoll/engine/campaign/audit"
	"atoll/engine/roster"
	"atoll/engine/view"
	"atoll/store/record"
)

// campaignLine is what `campaign status --json` prints.
type campaignLine struct {
	Head      record.Hash         `json:"head"`
	Branch    string              `json:"branch"` // of atoll's own store
	Tasks     map[string]int      `json:"tasks"`  // by status
	Spent     campaign.Spent      `json:"spent"`
	Settings  campaign.Settings   `json:"settings"`
	Ranker    rankerLine          `json:"ranker"`
	Health    []campaign.Health   `json:"health"`
	Plans     []campaign.Plan     `json:"plans"`
	Proposals []campaign.Proposal `json:"proposals"`
	Lessons   []string            `json:"lessons"`
}

type rankerLine struct {
	Authority float64 `json:"authority"`
	Evidence  float64 `json:"evidence"` // mean, -1 to 1: how much more often than the formula it had two tasks in order
	Error     float64 `json:"standard_error"`
	Judged    int     `json:"judged"`
	Own       int     `json:"own"`    // ended tasks that it chose and the formula would not have begun then
	Won       float64 `json:"won"`    // percent that those gained beyond what the formula's last ones did for the same cost
	Asked     int     `json:"asked"`  // plans in which it had an opinion
	Agrees    float64 `json:"agrees"` // share of them in which it would have taken the same task as the formula
}

func (a *App) campaignCmd() *cobra.Command {
	cmd := &cobra.Command{
		Use: "campaign", Short: "Let a repository improve itself, task by task",
		Long: "A campaign works through the backlog (`atoll backlog`). A task is an experiment with its own goal, scope,\nacceptance and budget, or a command; it is done when its acceptance was measured to hold, and its commit is\n" +
			"the root of the next. An auditor finds further tasks. Results stand on the branch \"campaign\" of atoll's own\nstore until `atoll campaign promote` makes a branch of yours of them.",
		Example: "  atoll backlog add \"Parse faster\" --accept \"gain >= 5%\"\n  atoll campaign run\n  atoll campaign status\n  atoll campaign promote",
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return a.campaignStatus(cmd.Context()) },
	}
	cmd.AddCommand(a.campaignRunCmd(), a.campaignStatusCmd(), a.campaignSetCmd(), a.campaignAnswerCmd("accept", true), a.campaignAnswerCmd("reject", false),
		a.campaignPromoteCmd(), a.campaignTakeCmd(), a.campaignDemoCmd())
	return cmd
}

// campaignFlags are those of campaign run and campaign demo.
type campaignFlags struct {
	tasks    int
	noAudit  bool
	headless bool
	yes      bool
	covered  float64
}

func (f *campaignFlags) add(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.IntVar(&f.tasks, "tasks", 0, "stop after so many attempts (default: when nothing is ready)")
	fl.BoolVar(&f.noAudit, "no-audit", false, "the auditor finds no tasks")
	fl.Float64Var(&f.covered, "covered", 0, "percent of the lines of each file that tests should run: the auditor runs them for it; 0: not asked for")
	fl.BoolVar(&f.yes, "yes", false, "agree to agents that cost money")
	fl.BoolVar(&f.headless, "headless", false, "no console: one line per event (the default when stdout is no terminal)")
}

func (a *App) campaignRunCmd() *cobra.Command {
	var f campaignFlags
	cmd := &cobra.Command{
		Use: "run", Short: "Work through the backlog", Args: cobra.NoArgs, Example: "  atoll campaign run --tasks 3",
		RunE: func(cmd *cobra.Command, _ []string) error { return a.campaignRun(cmd.Context(), f) },
	}
	f.add(cmd)
	return cmd
}

func (a *App) campaignRun(ctx context.Context, f campaignFlags) error {
	p, loaded, err := a.configured(ctx)
	if err != nil {
		return err
	}
	if !(f.covered >= 0 && f.covered <= 100) {
		return usage("--covered %v is not between 0 and 100", f.covered)
	}
	ses, err := a.session(ctx, p, true)
	if err != nil {
		return err
	}
	defer ses.Close()
	if err := ses.Lock(); err != nil {
		return err
	}
	if err := a.campaignReady(ctx, ses, p, loaded, f); err != nil {
		return err
	}
	if ok, err := a.agreeToCampaign(ctx, ses, loaded.Config, f.yes); err != nil || !ok {
		return err
	}
	r := &taskRunner{app: a, ses: ses, place: p, loaded: loaded, tell: a.printCampaign, covered: f.covered}
	defer r.close()
	o := campaign.Options{Journal: ses.DB, Executor: r, Now: a.Now, NoAudit: f.noAudit, Tasks: f.tasks, Tell: a.printCampaign, Bounds: audit.Bounds{Coverage: f.covered}}
	if !f.headless && !a.flags.json && a.IsTTY(a.Out) {
		return a.watchCampaign(ctx, r, o)
	}
	c := campaign.New(o)
	why, err := c.Run(ctx)
	if err != nil {
		return err
	}
	return a.campaignEnd(c.State(), why)
}

// campaignReady says what would keep the searches of a campaign from beginning, before
// one of its tasks fails for it. Tasks that commands carry out need nothing of it.
func (a *App) campaignReady(ctx context.Context, ses *engine.Session, p place, l config.Loaded, f campaignFlags) error {
	s, err := campaign.Load(ctx, ses.DB)
	searches := slices.ContainsFunc(s.Items, func(it *campaign.Item) bool {
		now, _ := s.StatusOf(it)
		return it.Command == "" && (now == campaign.Ready || now == campaign.Pending || now == campaign.Running)
	})
	if err != nil || !searches && (f.noAudit || len(s.Items) > 0) {
		return err
	}
	warnings, err := a.startable(ctx, p, l)
	for _, text := range warnings {
		fmt.Fprintln(a.Err, "atoll:", text)
	}
	return err
}

// agreeToCampaign asks a person, once, before agents that cost money work on tasks.
func (a *App) agreeToCampaign(ctx context.Context, ses *engine.Session, cfg config.Config, yes bool) (bool, error) {
	paid := roster.PaidAgents(cfg)
	s, err := campaign.Load(ctx, ses.DB)
	if err != nil || !slices.ContainsFunc(paid, func(name string) bool { return !slices.Contains(s.Settings.Agreed, name) }) {
		return true, err
	}
	if !yes {
		most := "with no limit (" + a.says("campaign set --cost 20") + " sets one)"
		if s.Settings.CostUSD > 0 {
			most = "at most $" + view.FormatValue(s.Settings.CostUSD) + " in all"
		}
		text := fmt.Sprintf("%s will work on the tasks, and may cost money: %s.", strings.Join(paid, ", "), most)
		if ok, err := a.confirm(ctx, text+" Go on?", text+" Agree with --yes; nothing was paid for."); err != nil || !ok {
			return false, err
		}
	}
	return true, campaign.Change(ctx, ses.DB, s, a.who(), func(s *campaign.State) ([]record.CampaignRow, error) {
		next := s.Settings
		next.Agreed = paid
		return s.Bound(next)
	})
}

// campaignEvent is a line of `campaign run --json` with type event.
type campaignEvent struct {
	Type string `json:"type"`
	At   string `json:"at"`
	Task int    `json:"task"`
	Text string `json:"text"`
	Bad  bool   `json:"bad,omitempty"`
}

// campaignResult is the last line of `campaign run --json`.
type campaignResult struct {
	Type   string       `json:"type"`
	Reason string       `json:"reason"` // why the run ended
	Result campaignLine `json:"result"`
}

func (a *App) printCampaign(e campaign.Event) {
	if a.flags.json {
		writeJSONLine(a.Out, campaignEvent{Type: "event", At: a.Now().UTC().Format(time.RFC3339Nano), Task: e.Task, Text: e.Text, Bad: e.Bad})
		return
	}
	who := "campaign"
	if e.Task > 0 {
		who = "t" + strconv.Itoa(e.Task)
	}
	fmt.Fprintf(a.Out, "%s %-4s %s\n", a.Now().Format("15:04:05"), who, view.CleanLine(e.Text))
}

// campaignEnd says how a run of a campaign ended, and what to do next.
func (a *App) campaignEnd(s *campaign.State, why string) error {
	if a.flags.json {
		writeJSONLine(a.Out, campaignResult{"result", why, campaignOf(s)})
		return nil
	}
	fmt.Fprintf(a.Out, "\n%s\n", why)
	return a.printCampaignStatus(s)
}

func (a *App) campaignStatusCmd() *cobra.Command {
	return &cobra.Command{
		Use: "status", Short: "How the campaign stands", Args: cobra.NoArgs, Example: "  atoll campaign status --json | jq .ranker",
		RunE: func(cmd *cobra.Command, _ []string) error { return a.campaignStatus(cmd.Context()) },
	}
}

func (a *App) campaignStatus(ctx context.Context) error {
	return a.withBacklog(ctx, false, func(_ *engine.Session, s *campaign.State) error {
		if a.flags.json {
			return writeJSON(a.Out, campaignOf(s))
		}
		return a.printCampaignStatus(s)
	})
}

func campaignOf(s *campaign.State) campaignLine {
	l := campaignLine{
		Head: s.Head, Branch: campaignBranch, Tasks: map[string]int{}, Spent: s.Spent, Settings: s.Settings, Health: s.Health, Plans: s.Plans,
		Proposals: s.Proposals, Lessons: s.Lessons,
	}
	for _, it := range s.Items {
		st, _ := s.StatusOf(it)
		l.Tasks[string(st)]++
	}
	same := 0
	asked := 0
	for _, p := range s.Plans {
		if p.Suggestion != 0 {
			asked++
			if p.Suggestion == p.Baseline {
				same++
			}
		}
	}
	mean, se, n := s.Ranker.Seen()
	l.Ranker = rankerLine{Authority: s.Ranker.Authority, Evidence: mean, Error: se, Judged: n, Own: s.Ranker.Own, Won: s.Ranker.Won, Asked: asked, Agrees: float64(same) / float64(max(asked, 1))}
	if l.Lessons == nil {
		l.Lessons = []string{}
	}
	if l.Health == nil {
		l.Health = []campaign.Health{}
	}
	if l.Plans == nil {
		l.Plans = []campaign.Plan{}
	}
	if l.Proposals == nil {
		l.Proposals = []campaign.Proposal{}
	}
	return l
}

// showProposals is how many proposals that wait are printed.
const showProposals = 3

func (a *App) printCampaignStatus(s *campaign.State) error {
	w, l := a.Out, campaignOf(s)
	fmt.Fprintf(w, "tasks   %d done, %d failed, %d ready, %d pending, %d blocked, %d dropped, %d running\n", l.Tasks["done"], l.Tasks["failed"], l.Tasks["ready"],
		l.Tasks["pending"], l.Tasks["blocked"], l.Tasks["dropped"], l.Tasks["running"])
	fmt.Fprintf(w, "spent   %s, %s, $%s\n", view.Plural(l.Spent.Tasks, "attempt"), view.Plural(l.Spent.Jobs, "job"), view.FormatValue(l.Spent.USD))
	if !l.Head.IsZero() {
		fmt.Fprintf(w, "head    %s on the branch %q of atoll's own store\n", l.Head.Short(), campaignBranch)
	}
	if n := len(l.Health); n > 0 {
		first, last := l.Health[0], l.Health[n-1]
		fmt.Fprintf(w, "health  highest complexity %d -> %d, mean %.2f -> %.2f, findings %d -> %d, lines %d -> %d\n", first.Complexity, last.Complexity, first.Mean, last.Mean,
			first.Findings, last.Findings, first.Lines, last.Lines)
	}
	if l.Ranker.Asked == 0 {
		fmt.Fprintln(w, "ranker  has no opinion yet: it needs a few tasks that ended, and gained more or less than others")
	} else {
		fmt.Fprintf(w, "ranker  authority %.2f; evidence %+.2f ± %.2f from %s; it would have taken the same task in %.0f %% of %s\n", l.Ranker.Authority, l.Ranker.Evidence,
			l.Ranker.Error, view.Plural(l.Ranker.Judged, "task"), 100*l.Ranker.Agrees, view.Plural(l.Ranker.Asked, "plan"))
		if l.Ranker.Own > 0 {
			fmt.Fprintf(w, "        it chose %s, which are %s of what the formula's choices do for the same cost\n", view.Plural(l.Ranker.Own, "task"), moreOrLess(l.Ranker.Won))
		}
	}
	for _, it := range s.Items {
		if it.Status == campaign.Done || it.Status == campaign.Failed {
			fmt.Fprintf(w, "t%-3d %-6s %s: %s\n", it.ID, it.Status, view.CleanLine(short(it.Title, 60)), view.CleanLine(short(it.Reason, 120)))
		}
	}
	waiting := slices.DeleteFunc(slices.Clone(s.Proposals), func(p campaign.Proposal) bool { return p.Answer != "" })
	if n := len(waiting); n > showProposals {
		fmt.Fprintf(w, "%d proposals wait, the first %d are below; %s lists all\n", n, showProposals, a.says("campaign status --json"))
		waiting = waiting[:showProposals]
	}
	for _, p := range waiting {
		fmt.Fprintf(w, "proposal %d: %s\n         %s or %s\n", p.ID, view.CleanLine(p.Text), a.says("campaign accept "+strconv.Itoa(p.ID)), a.says("campaign reject "+strconv.Itoa(p.ID)))
	}
	if l.Tasks["done"] > 0 && len(s.Plans) > 0 {
		fmt.Fprintf(w, "next    %s\n", a.says("campaign promote"))
	}
	return nil
}

func moreOrLess(percent float64) string {
	if percent < 0 {
		return view.FormatValue(-percent) + " percent points short"
	}
	return view.FormatValue(percent) + " percent points ahead"
}

func (a *App) campaignSetCmd() *cobra.Command {
	var v campaign.Settings
	var authority float64
	cmd := &cobra.Command{
		Use: "set", Short: "Bound the campaign: jobs, money, attempts, authority of the ranker", Args: cobra.NoArgs,
		Example: "  atoll campaign set --jobs 1000 --cost 20\n  atoll campaign set --authority 0      the formula alone orders the tasks",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.changeBacklog(cmd.Context(), true, func(s *campaign.State) ([]record.CampaignRow, error) {
				next := s.Settings
				changed := cmd.Flags().Changed
				if changed("jobs") {
					next.Jobs = v.Jobs
				}
				if changed("cost") {
					next.CostUSD = v.CostUSD
				}
				if changed("tasks") {
					next.Tasks = v.Tasks
				}
				if changed("authority") {
					next.Authority = &authority
				}
				return s.Bound(next)
			}, func(s *campaign.State) error {
				if a.flags.json {
					return writeJSON(a.Out, s.Settings)
				}
				most := 1.0
				if s.Settings.Authority != nil {
					most = *s.Settings.Authority
				}
				fmt.Fprintf(a.Out, "jobs %d, cost $%s, attempts %d (0: no limit); authority of the ranker at most %.2f\n", s.Settings.Jobs, view.FormatValue(s.Settings.CostUSD), s.Settings.Tasks, most)
				return nil
			})
		},
	}
	f := cmd.Flags()
	f.IntVar(&v.Jobs, "jobs", 0, "make jobs of all tasks together; 0: no limit")
	f.Float64Var(&v.CostUSD, "cost", 0, "US dollars of all tasks together; 0: no limit")
	f.IntVar(&v.Tasks, "tasks", 0, "attempts; 0: no limit")
	f.Float64Var(&authority, "authority", 1, "the most that the learned ranker may have, 0 to 1")
	return cmd
}

func (a *App) campaignAnswerCmd(verb string, accept bool) *cobra.Command {
	return &cobra.Command{
		Use: verb + " PROPOSAL", Short: map[bool]string{true: "Carry out a proposal of the reflector", false: "Turn a proposal of the reflector down"}[accept],
		Args: cobra.ExactArgs(1), Example: "  atoll campaign " + verb + " 17",
		RunE: func(cmd *cobra.Command, args []string) error {
			id, err := strconv.Atoi(args[0])
			if err != nil {
				return usage("%q is no number of a proposal", args[0])
			}
			return a.changeBacklog(cmd.Context(), false, func(s *campaign.State) ([]record.CampaignRow, error) { return s.Answer(id, accept) },
				func(*campaign.State) error {
					fmt.Fprintf(a.Err, "atoll: proposal %d: %sed\n", id, verb)
					return nil
				})
		},
	}
}

func (a *App) campaignPromoteCmd() *cobra.Command {
	var branch string
	cmd := &cobra.Command{
		Use: "promote", Short: "Make a branch of yours of what the campaign has done", Args: cobra.NoArgs, Example: "  atoll campaign promote --branch better",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.withBacklog(cmd.Context(), false, func(ses *engine.Session, s *campaign.State) error {
				if s.Head.IsZero() {
					return usage("the campaign has done nothing yet; `atoll campaign run` begins")
				}
				if ses.Target.Path == "" {
					return usage("the repository is not known here; run this inside it")
				}
				if err := ses.Repo.Advance(cmd.Context(), ses.Target, branch, s.Head); err != nil {
					return err
				}
				if a.flags.json {
					return writeJSON(a.Out, map[string]string{"branch": branch, "commit": s.Head.String()})
				}
				fmt.Fprintf(a.Out, "branch %s is at %s\n", branch, s.Head.Short())
				return nil
			})
		},
	}
	cmd.Flags().StringVar(&branch, "branch", "atoll/campaign", "name of the branch: a new one, or one that the campaign's commits build on")
	return cmd
}

func (a *App) campaignDemoCmd() *cobra.Command {
	var f campaignFlags
	var dir string
	cmd := &cobra.Command{
		Use: "demo", Short: "Watch a small campaign, offline", Args: cobra.NoArgs, Example: "  atoll campaign demo --dir /tmp/campaign --headless",
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx := cmd.Context()
			var err error
			if dir, err = a.demoDir("campaign", dir); err != nil {
				return err
			}
			more, epic := demoTools(), demoEpic
			if a.has("python3") {
				plugged, err := a.demoPlugin()
				if err != nil {
					return err
				}
				if maps.Copy(more, plugged); len(plugged) > 0 {
					epic += demoPlugged
				}
			}
			if err := a.makeDemo(ctx, campaignExample, dir, more); err != nil {
				return err
			}
			a.flags.repo = dir
			fmt.Fprintf(a.Err, "atoll: a campaign in %s; again: %s\n", dir, a.says("campaign run"))
			if err := a.demoBacklog(ctx, epic); err != nil {
				return err
			}
			return a.campaignRun(ctx, f)
		},
	}
	f.add(cmd)
	cmd.Flags().StringVar(&dir, "dir", "", "folder of the copy (default: a new one in your cache)")
	return cmd
}

// demoBacklog writes the backlog of the demo, unless there is one.
func (a *App) demoBacklog(ctx context.Context, epic string) error {
	return a.changeBacklog(ctx, true, func(s *campaign.State) ([]record.CampaignRow, error) {
		if len(s.Items) > 0 {
			return nil, nil
		}
		title, tasks, err := campaign.MapEpic(epic, 1)
		if err != nil {
			return nil, err
		}
		return s.PutEpic(campaign.Epic{Title: title, Words: epic}, tasks...)
	}, func(*campaign.State) error { return nil })
}

package engine

import (
	"context"
	"fmt"
	"strings"

	"atoll/config"
	"atoll/engine/agent"
	"atoll/engine/fold"
	"atoll/engine/gateway"
	"atoll/engine/roster"
	"atoll/engine/view"
	"atoll/engine/work"
	"atoll/store/record"
)

// Proposal is what a run would do with agents that cost money.
type Proposal struct {
	Experiment string
	Root       *view.Standing // nil: not measured yet
	Objective  string
	Noisy      bool
	Eligible   []string // files that may be changed
	Files      int      // of the root
	Agents     []ProposedAgent
	Jobs       int     // make jobs to come; 0 = no limit
	CostUSD    float64 // budget of the experiment, 0 = none
	Spent      record.Usage
	Estimate   *float64 // US dollars of the jobs to come; nil = unknown
	Basis      string   // what the estimate rests on
}

// ProposedAgent is one agent of a proposal.
type ProposedAgent struct {
	Name, Kind, Model, Address string
	Roles                      []string // beside editing
	Share                      float64  // of the jobs, by weight
	JobUSD                     float64  // limit of one job, 0 = none
	Paid                       bool
}

// The tokens that a job is taken to use before anything was measured: one
// answer of a chat model to a prompt of ordinary length, and the many turns of
// a coding client, whose input is mostly repeated.
const (
	guessChatIn, guessChatOut       = 8_000, 2_000
	guessCommandIn, guessCommandOut = 200_000, 8_000
)

// Propose says what running an experiment would do. cfg is the configuration
// as it is now.
func Propose(ctx context.Context, ses *Session, exp record.Experiment, cfg config.Config) (Proposal, error) {
	st, err := fold.LoadState(ctx, ses.DB, exp.ID)
	if err != nil {
		return Proposal{}, err
	}
	s := st.Snapshot()
	counters, err := ses.DB.Counters(ctx, exp.ID)
	if err != nil {
		return Proposal{}, err
	}
	p := Proposal{
		Experiment: exp.Name, Objective: cfg.Evaluator.Objective, Noisy: s.Noisy, CostUSD: st.Settings.MaxCostUSD, Spent: counters.Usage,
	}
	if name, err := work.LearnedMetric(ctx, ses.DB, exp.ID, exp.Objective); err == nil && name != "" {
		p.Objective = name
	}
	if s.Root.ID == record.Root {
		p.Root = &s.Root
	}
	tree, err := ses.Repo.Tree(ctx, exp.RootTree)
	if err != nil {
		return Proposal{}, fmt.Errorf("read the files of the root: %w", err)
	}
	set := st.Settings
	_, allowed := work.New(work.Options{Facts: work.Facts{Experiment: exp, Config: cfg}, Settings: func() record.Settings { return set }}).Scope("")
	for _, f := range tree.Files() {
		p.Files++
		if allowed(f.Path) {
			p.Eligible = append(p.Eligible, f.Path)
		}
	}
	if most := st.Settings.MaxJobs; most > 0 {
		p.Jobs = max(0, most-counters.Begun)
	}
	p.propose(cfg, st.Settings.Agents, counters.Begun)
	return p, nil
}

// propose fills in agents and the estimate.
func (p *Proposal) propose(cfg config.Config, weights map[string]float64, begun int) {
	prices := roster.PricesOf(cfg)
	sum := 0.0
	for _, w := range weights {
		sum += w
	}
	total, known, unknown := 0.0, true, []string{}
	for _, a := range cfg.Agents {
		a.Weight = weights[a.Name]
		if !roster.Used(cfg, a) {
			continue
		}
		pa := ProposedAgent{Name: a.Name, Kind: a.Kind, Model: a.Model, Address: a.BaseURL, JobUSD: a.JobUSD, Paid: roster.Costs(a, prices)}
		if sum > 0 {
			pa.Share = a.Weight / sum
		}
		for _, r := range roster.RolesOf(cfg) {
			if r.Agent == a.Name {
				pa.Roles = append(pa.Roles, r.Name)
			}
		}
		p.Agents = append(p.Agents, pa)
		if !pa.Paid {
			continue
		}
		price, ok := prices.Of(a.Model)
		if !ok {
			known, unknown = false, append(unknown, a.Name)
			continue
		}
		total += p.jobsOf(cfg, pa) * p.costOf(pa, price, begun)
	}
	switch {
	case !known:
		p.Basis = "no price is known for " + strings.Join(unknown, ", ") + "; add it to prices"
	case p.Jobs == 0:
		p.Basis = "budget.jobs sets no end"
	default:
		if p.CostUSD > 0 && total > p.CostUSD {
			total = p.CostUSD
			p.Basis += "; the budget ends it before all jobs are done"
		}
		p.Estimate = &total
	}
}

// jobsOf is how many calls an agent gets: its share of the jobs, and those of
// its roles.
func (p *Proposal) jobsOf(cfg config.Config, a ProposedAgent) float64 {
	n := a.Share * float64(p.Jobs)
	for _, r := range a.Roles {
		switch r {
		case agent.RoleReflector, agent.RoleMapper:
			n += float64(p.Jobs) / float64(cfg.Search.Epoch)
		default:
			n += float64(p.Jobs)
		}
	}
	return n
}

// costOf is what one call is taken to cost: by the mean of the jobs so far, or
// by a guess.
func (p *Proposal) costOf(a ProposedAgent, price gateway.Price, begun int) float64 {
	in, out := int64(guessChatIn), int64(guessChatOut)
	if a.Kind == "command" {
		in, out = guessCommandIn, guessCommandOut
	}
	p.Basis = fmt.Sprintf("a guess: %d tokens in and %d out a job", in, out)
	if begun > 0 && p.Spent.Requests > 0 {
		in, out = p.Spent.InputTokens/int64(begun), p.Spent.OutputTokens/int64(begun)
		p.Basis = fmt.Sprintf("by the mean of %d jobs: %d tokens in and %d out", begun, in, out)
	}
	cost := price.Cost(gateway.Tokens{Input: in, Output: out})
	if a.JobUSD > 0 {
		cost = min(cost, a.JobUSD)
	}
	return cost
}

// eligibleShown is how many files a proposal names.
const eligibleShown = 8

// Lines tells the proposal to a person.
func (p Proposal) Lines() []string {
	out := []string{fmt.Sprintf("Before the first paid job of %s:", p.Experiment)}
	line := func(name, format string, args ...any) {
		out = append(out, fmt.Sprintf("  %-9s %s", name, view.CleanLine(fmt.Sprintf(format, args...))))
	}
	if p.Root == nil {
		line("root", "not measured yet")
	} else {
		noise := "no noise seen"
		if p.Noisy {
			noise = "noisy"
		}
		line("root", "%s = %s, %s of %s, spread %s: %s", p.Objective, view.FormatValue(p.Root.Objective), view.Plural(p.Root.Samples, "sample"), p.Root.Commit.Short(), view.FormatValue(p.Root.MAD), noise)
	}
	names := strings.Join(p.Eligible[:min(len(p.Eligible), eligibleShown)], ", ")
	if len(p.Eligible) > eligibleShown {
		names += ", ..."
	}
	line("files", "%d of %d may be changed: %s", len(p.Eligible), p.Files, names)
	for _, a := range p.Agents {
		line("agent", "%s", a.text())
	}
	jobs, cost := "jobs without end", "no limit of money"
	if p.Jobs > 0 {
		jobs = view.Plural(p.Jobs, "job")
	}
	if p.CostUSD > 0 {
		cost = fmt.Sprintf("at most $%g in all", p.CostUSD)
	}
	if p.Spent.CostUSD != nil && *p.Spent.CostUSD > 0 {
		cost += fmt.Sprintf(", $%.4f spent", *p.Spent.CostUSD)
	}
	line("limits", "%s, %s", jobs, cost)
	if p.Estimate == nil {
		line("estimate", "unknown: %s", p.Basis)
	} else {
		line("estimate", "about $%.4f (%s)", *p.Estimate, p.Basis)
	}
	return out
}

func (a ProposedAgent) text() string {
	words := []string{fmt.Sprintf("%s (%s)", a.Name, a.Kind)}
	if a.Model != "" {
		words = append(words, "model "+a.Model)
	}
	if a.Address != "" {
		words = append(words, "at "+a.Address)
	}
	words = append(words, fmt.Sprintf("%.0f %% of the jobs", 100*a.Share))
	words = append(words, a.Roles...)
	switch {
	case !a.Paid:
		words = append(words, "costs nothing here")
	case a.JobUSD > 0:
		words = append(words, fmt.Sprintf("at most $%g a job", a.JobUSD))
	}
	return strings.Join(words, ", ")
}

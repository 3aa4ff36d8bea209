package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"atoll/engine"
	"atoll/engine/evidence"
	"atoll/engine/view"
	"atoll/store/record"
)

// statusReport is what `status --json` prints.
type statusReport struct {
	Experiment string                 `json:"experiment"`
	ID         record.ExperimentID    `json:"id"`
	State      record.ExperimentState `json:"state"`
	Reason     string                 `json:"reason,omitempty"`
	Seed       uint64                 `json:"seed"`
	Order      string                 `json:"order"`
	Rung       string                 `json:"rung"`
	EnginePID  int                    `json:"engine_pid,omitempty"`
	Objective  string                 `json:"objective"`
	Version    int                    `json:"objective_version"`
	Direction  string                 `json:"direction"`
	Noisy      bool                   `json:"noisy"`
	Root       *standing              `json:"root"`
	Best       *standing              `json:"best"`
	Niches     struct {
		Filled int `json:"filled"`
		Total  int `json:"total"`
	} `json:"niches"`
	Coverage    float64 `json:"coverage"`
	QDScore     float64 `json:"qd_score"`
	QDNorm      float64 `json:"qd_score_norm"` // for each niche there is
	QDOffset    float64 `json:"qd_offset"`     // what the score takes off each elite
	Map         int     `json:"map,omitempty"`
	Jobs        jobs    `json:"jobs"`
	Evaluations int     `json:"evaluations"`
	Usage       struct {
		Tokens    int64    `json:"tokens"`
		CostUSD   *float64 `json:"cost_usd"`
		Unmetered bool     `json:"unmetered,omitempty"` // more was used than anybody could count
	} `json:"usage"`
	Agents []agentYield `json:"agents"`
	Shadow *shadow      `json:"shadow,omitempty"`
	Budget struct {
		Jobs        int     `json:"jobs,omitempty"`
		Evaluations int     `json:"evaluations,omitempty"`
		Tokens      int64   `json:"tokens,omitempty"`
		CostUSD     float64 `json:"cost_usd,omitempty"`
		WallS       float64 `json:"wall_s,omitempty"`
	} `json:"budget"`
	WallS   float64  `json:"wall_s"`
	OwnMS   float64  `json:"own_ms_per_job"`
	Missing []string `json:"missing_guarantees,omitempty"`
	// Failures counts jobs that failed, by class.
	Failures map[record.Class]int   `json:"failures"`
	Past     []record.PastObjective `json:"past_objectives,omitempty"`
}

// shadow is what a bandit over the agents would do; it decides nothing.
type shadow struct {
	Agent    string `json:"agent"`
	Why      string `json:"why"`
	Agreed   int    `json:"agreed"`
	Compared int    `json:"compared"`
}

type standing struct {
	ID          record.CandidateID `json:"id"`
	Commit      record.Hash        `json:"commit"`
	Objective   float64            `json:"objective"`
	Claimed     *float64           `json:"claimed,omitempty"`
	Claim       *evidence.Claim    `json:"claim,omitempty"` // what may be told of the best
	Samples     int                `json:"samples"`
	Spread      float64            `json:"spread"`
	Improvement *float64           `json:"improvement_pct,omitempty"`
}

type jobs struct {
	Queued    int `json:"queued"`
	Running   int `json:"running"`
	Held      int `json:"held"`
	Placed    int `json:"placed"`
	Scored    int `json:"scored"`
	Rejected  int `json:"rejected"`
	Failed    int `json:"failed"`
	Duplicate int `json:"duplicate"`
	Cancelled int `json:"cancelled"`
}

func standingOf(s view.Standing, root bool) *standing {
	if s.ID == record.NoCandidate {
		return nil
	}
	out := &standing{ID: s.ID, Commit: s.Commit, Objective: s.Objective, Claimed: s.Claimed, Samples: s.Samples, Spread: s.MAD}
	if !root {
		out.Improvement, out.Claim = number(s.Percent), &s.Claim
	}
	return out
}

func (a *App) statusCmd() *cobra.Command {
	return &cobra.Command{
		Use: "status", Short: "Say how the experiment stands", Example: "  atoll status\n  atoll status --json | jq .best", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.status(cmd.Context()) },
	}
}

// status prints how the experiment stands.
func (a *App) status(ctx context.Context) error {
	o, err := a.open(ctx)
	if err != nil {
		return err
	}
	defer o.Close()
	s, err := o.snapshot(ctx)
	if err != nil {
		return err
	}
	if a.flags.json {
		return writeJSON(a.Out, reportOf(s))
	}
	return a.printStatus(o, s)
}

// snapshot is the folded state with the store's totals.
func (o *opened) snapshot(ctx context.Context) (*view.Snapshot, error) {
	s := o.state.Snapshot()
	c, err := o.DB.Counters(ctx, o.exp.ID)
	if err != nil {
		return nil, err
	}
	engine.FillCounts(s, c)
	s.OwnerPID = o.OwnerPID()
	if s.OwnerPID == 0 && s.State == record.ExperimentRunning {
		s.State, s.Reason = record.ExperimentStopped, "no engine runs; `atoll run` goes on"
	}
	return s, engine.FillFacts(ctx, o.DB, s)
}

func reportOf(s *view.Snapshot) statusReport {
	r := statusReport{
		Experiment: s.Experiment.Name, ID: s.Experiment.ID, State: s.State, Reason: s.Reason, Seed: s.Experiment.Seed, Order: "completion",
		Rung: s.Rung, EnginePID: s.OwnerPID, Objective: s.Objective, Direction: s.Direction, Noisy: s.Noisy,
		Root: standingOf(s.Root, true), Best: standingOf(s.Best, false), Coverage: s.Grid.Coverage, QDScore: s.Grid.QD, QDNorm: s.Grid.QDNorm, QDOffset: s.Grid.Offset, Map: s.Grid.Map,
		Version: max(1, s.Experiment.Objective), Past: s.Past, Failures: map[record.Class]int{},
		Evaluations: s.Evals, WallS: float64(s.WallMS) / 1000, OwnMS: s.OwnMS, Missing: s.Guarantees,
	}
	if s.Experiment.Strict {
		r.Order = "strict"
	}
	for _, g := range s.Failures {
		r.Failures[g.Class] += g.Count
	}
	r.Niches.Filled, r.Niches.Total = s.Grid.Filled, s.Grid.Total
	c := s.Jobs
	r.Jobs = jobs{Queued: c.Queued, Running: c.Running, Held: c.Held, Placed: c.Placed, Scored: c.Scored, Rejected: c.Rejected, Failed: c.Failed, Duplicate: c.Duplicate, Cancelled: c.Cancelled}
	r.Usage.Tokens, r.Usage.CostUSD, r.Usage.Unmetered = s.Usage.InputTokens+s.Usage.OutputTokens, s.Usage.CostUSD, s.Usage.Unmetered
	r.Agents = agentYields(s)
	if c := s.Shadow; c.Compared > 0 {
		r.Shadow = &shadow{Agent: c.Agent, Why: c.Why, Agreed: c.Agreed, Compared: c.Compared}
	}
	b := s.Settings
	r.Budget.Jobs, r.Budget.Evaluations, r.Budget.Tokens, r.Budget.CostUSD = b.MaxJobs, b.MaxEvals, b.MaxTokens, b.MaxCostUSD
	r.Budget.WallS = (time.Duration(b.MaxWallMS) * time.Millisecond).Seconds()
	return r
}

func (a *App) printStatus(o *opened, s *view.Snapshot) error {
	w := a.Out
	fmt.Fprintf(w, "%s  %s", s.Experiment.Name, s.State)
	if s.Reason != "" {
		fmt.Fprintf(w, " (%s)", a.spell(s.Reason))
	}
	fmt.Fprintf(w, "  seed %d\n", s.Experiment.Seed)
	if s.Root.ID == record.NoCandidate {
		fmt.Fprintln(w, "root  not measured yet")
	} else {
		fmt.Fprintf(w, "root  %s  %s %s  n %d, spread %s\n", s.Root.Commit.Short(), objectiveName(s), view.FormatValue(s.Root.Objective), s.Root.Samples, view.FormatValue(s.Root.MAD))
		fmt.Fprintf(w, "best  %s %s  %s\n", s.Best.ID, s.Best.Commit.Short(), bestText(s))
	}
	for _, p := range s.Past {
		fmt.Fprintln(w, pastText(p))
	}
	fmt.Fprintf(w, "map   %d/%d niches (%.0f %%), QD score %s\n", s.Grid.Filled, s.Grid.Total, 100*s.Grid.Coverage, view.FormatValue(s.Grid.QD))
	fmt.Fprintf(w, "jobs  %s\n", countsText(s.Jobs))
	fmt.Fprintf(w, "used  %d evaluations, %d tokens, %s, %s\n", s.Evals, s.Usage.InputTokens+s.Usage.OutputTokens, spendText(s), (time.Duration(s.WallMS) * time.Millisecond).Round(time.Second))
	for _, y := range agentYields(s) {
		fmt.Fprintln(w, y.text())
	}
	if s.Shadow.Compared > 0 {
		fmt.Fprintf(w, "agent %s\n", view.CleanLine(s.Shadow.Text()))
	}
	for _, g := range s.Guarantees {
		fmt.Fprintf(w, "missing guarantee: %s\n", g)
	}
	return nil
}

// spendText is the money of a run against its budget, and whether some of what
// was used could not be counted.
func spendText(s *view.Snapshot) string {
	text := costText(s.Usage)
	if s.Settings.MaxCostUSD > 0 {
		text += fmt.Sprintf(" of $%g", s.Settings.MaxCostUSD)
	}
	if s.Usage.Unmetered {
		text += ", not all of it metered"
	}
	return text
}

// costText is the money of a usage; what nobody could meter is unknown.
func costText(u record.Usage) string {
	switch {
	case u.CostUSD != nil:
		return fmt.Sprintf("$%.4f", *u.CostUSD)
	case u.Requests == 0 && !u.Unmetered:
		return "$0"
	}
	return "unknown cost"
}

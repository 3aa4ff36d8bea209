package door

import (
	"math"
	"time"

	"atoll/engine/evidence"
	"atoll/engine/view"
	"atoll/store/record"
)

// Status is what `status --json` prints.
type Status struct {
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
	Root       *Standing              `json:"root"`
	Best       *Standing              `json:"best"`
	Sure       *Standing              `json:"sure,omitempty"` // whom a promotion verified while the root is the best
	Niches     struct {
		Filled int `json:"filled"`
		Total  int `json:"total"`
	} `json:"niches"`
	Coverage float64   `json:"coverage"`
	QDScore  float64   `json:"qd_score"`
	QDNorm   float64   `json:"qd_score_norm"`            // for each niche there is
	QDOpen   int       `json:"qd_unconfirmed,omitempty"` // niches that the score takes with the samples that decided
	QDOffset float64   `json:"qd_offset"`                // what the score takes off each elite
	Map      int       `json:"map,omitempty"`
	Jobs     JobCounts `json:"jobs"`
	// RejectedAfter counts candidates that were rejected once they were measured, by whom; the ends of their jobs stay.
	RejectedAfter *RejectedAfter `json:"rejected_after,omitempty"`
	Undo          record.Seq     `json:"undo,omitempty"` // position of the decision that undo would take back
	Redo          record.Seq     `json:"redo,omitempty"` // position of the decision that redo would do again
	Evaluations   int            `json:"evaluations"`
	Usage         struct {
		Tokens    int64    `json:"tokens"`
		CostUSD   *float64 `json:"cost_usd"`
		Unmetered bool     `json:"unmetered,omitempty"` // more was used than anybody could count
	} `json:"usage"`
	Agents []AgentYield `json:"agents"`
	Shadow *Shadow      `json:"shadow,omitempty"`
	// Islands are the sub-populations where there are several.
	Islands []Island `json:"islands,omitempty"`
	Stalled string   `json:"stalled,omitempty"` // since when nothing better was found, where that is long
	Budget  struct {
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

// Shadow is what a bandit over the agents would do; decides: agents that are shown to bring less
// keep a fifth of their weight.
type Shadow struct {
	Agent    string `json:"agent"`
	Why      string `json:"why"`
	Agreed   int    `json:"agreed"`
	Compared int    `json:"compared"`
	Behind   string `json:"behind,omitempty"`
	Decides  bool   `json:"decides"`
}

// Island is one of several sub-populations.
type Island struct {
	Number int                `json:"number"`
	Best   record.CandidateID `json:"best"`
	Value  string             `json:"value"` // of the best, with its evidence, for people
	Niches int                `json:"niches"`
	Jobs   int                `json:"jobs"` // that ended
}

type Standing struct {
	ID          record.CandidateID `json:"id"`
	Commit      record.Hash        `json:"commit"`
	Objective   float64            `json:"objective"` // of the samples that decided
	Value       string             `json:"value"`     // with its evidence, for people
	Claimed     *float64           `json:"claimed,omitempty"`
	Claim       *evidence.Claim    `json:"claim,omitempty"` // what may be told of the best
	Uncompared  bool               `json:"behaviour_not_compared,omitempty"`
	Samples     int                `json:"samples"`
	Spread      float64            `json:"spread"`
	Improvement *float64           `json:"improvement_pct,omitempty"`
	Verified    *Verified          `json:"verified,omitempty"` // by promote --verify; none where it was not
}

// Verified is a branch whose gain was measured on top of the user's before it was made.
type Verified struct {
	Branch string             `json:"branch"`
	Of     record.CandidateID `json:"of"`   // what was written: of a minimised one an earlier step
	Base   string             `json:"base"` // the branch that it was measured on
	Onto   string             `json:"onto"` // its commit then
	Gain   string             `json:"gain"` // with its evidence, for people
}

func verifiedOf(b *view.Branch) *Verified {
	if b == nil || b.Base == "" {
		return nil
	}
	return &Verified{view.CleanLine(b.Name), b.Of, view.CleanLine(b.Base), b.Onto, view.CleanLine(b.Gain)}
}

type JobCounts struct {
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

// RejectedAfter counts candidates that were rejected once they were measured.
type RejectedAfter struct {
	People int `json:"people"`
	Guard  int `json:"guard"`
}

func StandingOf(s view.Standing, root bool) *Standing {
	if s.ID == record.NoCandidate {
		return nil
	}
	told := view.Told{ID: s.ID, Value: &s.Objective, Claim: &s.Claim, Noisy: s.Claim.Word != evidence.Exact}
	if root {
		told.Claim = nil
	}
	out := &Standing{ID: s.ID, Commit: s.Commit, Objective: s.Objective, Value: told.String(), Claimed: s.Claimed, Samples: s.Samples, Spread: s.MAD}
	if !root {
		out.Improvement, out.Claim, out.Uncompared, out.Verified = Number(s.Percent), &s.Claim, s.Uncompared, verifiedOf(s.Verified)
	}
	return out
}

func StatusOf(s *view.Snapshot) Status {
	r := Status{
		Experiment: s.Experiment.Name, ID: s.Experiment.ID, State: s.State, Reason: s.Reason, Seed: s.Experiment.Seed, Order: "completion",
		Rung: s.Rung, EnginePID: s.OwnerPID, Objective: s.Objective, Direction: s.Direction, Noisy: s.Noisy,
		Root: StandingOf(s.Root, true), Best: StandingOf(s.Best, false), Coverage: s.Grid.Coverage, QDScore: s.Grid.QD, QDNorm: s.Grid.QDNorm, QDOpen: s.Grid.Unconfirmed, QDOffset: s.Grid.Offset, Map: s.Grid.Map,
		Version: max(1, s.Experiment.Objective), Past: s.Past, Failures: map[record.Class]int{},
		Evaluations: s.Evals, Undo: s.Undo, Redo: s.Redo, WallS: float64(s.WallMS) / 1000, OwnMS: s.OwnMS, Missing: s.Guarantees,
	}
	if s.Experiment.Strict {
		r.Order = "strict"
	}
	for _, g := range s.Failures {
		r.Failures[g.Class] += g.Count
	}
	r.Niches.Filled, r.Niches.Total = s.Grid.Filled, s.Grid.Total
	c := s.Jobs
	r.Jobs = JobCounts{Queued: c.Queued, Running: c.Running, Held: c.Held, Placed: c.Placed, Scored: c.Scored, Rejected: c.Rejected, Failed: c.Failed, Duplicate: c.Duplicate, Cancelled: c.Cancelled}
	if s.Rejections.After() > 0 {
		r.RejectedAfter = &RejectedAfter{s.Rejections.People, s.Rejections.Guard}
	}
	r.Usage.Tokens, r.Usage.CostUSD, r.Usage.Unmetered = s.Usage.InputTokens+s.Usage.OutputTokens, s.Usage.CostUSD, s.Usage.Unmetered
	r.Agents = AgentYields(s)
	r.Stalled = s.Stalled
	for i := range s.Islands {
		k := &s.Islands[i]
		r.Islands = append(r.Islands, Island{k.Number, k.Best, s.Told(k.Best, &k.Objective, k.Claim).String(), k.Filled, k.Jobs})
	}
	if s.Sure != nil {
		r.Sure = StandingOf(*s.Sure, false)
	}
	if c := s.Shadow; c.Compared > 0 {
		r.Shadow = &Shadow{Agent: c.Agent, Why: c.Why, Agreed: c.Agreed, Compared: c.Compared, Behind: c.Behind, Decides: c.Decides}
	}
	b := s.Settings
	r.Budget.Jobs, r.Budget.Evaluations, r.Budget.Tokens, r.Budget.CostUSD = b.MaxJobs, b.MaxEvals, b.MaxTokens, b.MaxCostUSD
	r.Budget.WallS = (time.Duration(b.MaxWallMS) * time.Millisecond).Seconds()
	return r
}

// number returns nil for what JSON cannot carry.
func Number(v float64) *float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return &v
}

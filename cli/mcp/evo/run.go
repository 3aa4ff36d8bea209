package evo

import (
	"encoding/json"
	"errors"
	"fmt"

	"atoll/store/record"
)

// The errors of a step that is refused. Nothing has changed then.
var (
	// ErrOrder: the step does not come now, was taken before, or is about a branch
	// that is not in the batch.
	ErrOrder = errors.New("out of order")
	// ErrArgument: what was given makes no sense, whatever the state is.
	ErrArgument = errors.New("bad argument")
	// ErrMissing: there is no run, target or individual of that name.
	ErrMissing = errors.New("not found")
)

// Seed is the name of the root in lists of parents: the client's tag.
const Seed = "seed-baseline"

// Setup is what a client begins an evolution with.
type Setup struct {
	RepoPath     string  `json:"repo_path"`
	BenchmarkCmd string  `json:"benchmark_cmd"`
	Objective    string  `json:"objective"` // min or max
	MaxFE        int     `json:"max_fe"`    // evaluations, the seed's included
	PopSize      int     `json:"pop_size"`
	MutationRate float64 `json:"mutation_rate"`
	Synergy      int     `json:"synergy_interval"` // generations between synergies; 0 = none
	TopK         int     `json:"top_k_survive"`
	QuickCmd     string  `json:"quick_cmd"`
}

// check fills in defaults and refuses what nobody means.
func (s *Setup) check() error {
	switch {
	case s.Objective != "min" && s.Objective != "max":
		return fmt.Errorf("%w: objective %q: min or max", ErrArgument, s.Objective)
	case s.MaxFE < 2 || s.MaxFE > 1_000_000:
		return fmt.Errorf("%w: max_fe %d: from 2, the seed counts, to 1000000", ErrArgument, s.MaxFE)
	case s.PopSize < 1 || s.PopSize > 1000:
		return fmt.Errorf("%w: pop_size %d: from 1 to 1000", ErrArgument, s.PopSize)
	case !(s.MutationRate >= 0 && s.MutationRate <= 1):
		return fmt.Errorf("%w: mutation_rate %v: from 0 to 1", ErrArgument, s.MutationRate)
	case s.Synergy < 0:
		return fmt.Errorf("%w: synergy_interval %d: not below 0", ErrArgument, s.Synergy)
	case s.TopK < 1:
		return fmt.Errorf("%w: top_k_survive %d: at least 1", ErrArgument, s.TopK)
	case s.BenchmarkCmd == "":
		return fmt.Errorf("%w: benchmark_cmd is empty", ErrArgument)
	}
	return nil
}

// Dialect is a version of the protocol: they differ in who judges a diff and how
// work is handed out.
type Dialect string

// The dialects.
const (
	// Parallel hands out a generation at once and lets the client judge each diff as
	// well (version 0.1.4).
	Parallel Dialect = "0.1.4"
	// Serial hands out one item after the other and judges diffs alone (0.1.2).
	Serial Dialect = "0.1.2"
)

// The stages of a run; "" while no generation is under way.
const (
	stageBatch   = "batch"   // the items of the batch are worked on
	stageReflect = "reflect" // survivors were chosen
)

// Run is the state of an evolution. It is plain data: the host keeps it as JSON.
// Individuals are kept apart, by branch.
type Run struct {
	Setup      Setup     `json:"setup"`
	Stage      string    `json:"stage"`
	Generation int       `json:"generation"`
	Evals      int       `json:"total_evals"`
	SeedObj    *float64  `json:"seed_obj"`
	SeedClaim  *float64  `json:"seed_claim,omitempty"`
	Best       *float64  `json:"best_obj_overall"`
	BestBranch string    `json:"best_branch_overall"`
	Targets    []Target  `json:"targets"`
	Batch      []Item    `json:"batch"`
	Synergies  []Synergy `json:"synergy_records"`
}

// Target is a function that is worked on.
type Target struct {
	ID          string   `json:"id"`
	File        string   `json:"file"`
	Function    string   `json:"function"`
	Lines       string   `json:"lines,omitempty"`
	Impact      string   `json:"impact,omitempty"`
	Description string   `json:"description,omitempty"`
	Frozen      bool     `json:"frozen,omitempty"`
	Temperature float64  `json:"temperature"`
	Best        *float64 `json:"current_best_obj"`
	BestBranch  string   `json:"current_best_branch"`
	Stagnation  int      `json:"stagnation_count"`
	Active      []Active `json:"active"` // successes, in the order of their reports
}

// Active is a branch that may be a parent.
type Active struct {
	Branch    string             `json:"branch"`
	Fitness   float64            `json:"fitness"`
	Candidate record.CandidateID `json:"candidate"`
}

// The operations of an item.
const (
	opMutate    = "mutate"
	opCrossover = "crossover"
	opSynergy   = "synergy"
)

// The phases of an item.
const (
	phasePlanned   = ""          // handed out
	phaseCoded     = "coded"     // its diff is with the policy
	phaseMeasuring = "measuring" // its commit is in the experiment
	phaseDone      = "done"
)

// Item is one branch of a batch.
type Item struct {
	Branch    string      `json:"branch"`
	Operation string      `json:"operation"`
	Target    string      `json:"target_id"`
	Parents   []string    `json:"parent_branches"`
	Phase     string      `json:"phase,omitempty"`
	Commit    record.Hash `json:"commit"`
	Seq       record.Seq  `json:"seq,omitempty"` // of the injection
	Tries     int         `json:"tries,omitempty"`
}

// Individual is a branch that was reported.
type Individual struct {
	Branch     string              `json:"branch"`
	Generation int                 `json:"generation"`
	Target     string              `json:"target_id"`
	Operation  string              `json:"operation"`
	Parents    []string            `json:"parent_branches"`
	Fitness    *float64            `json:"fitness"` // measured; null where nothing was
	Success    bool                `json:"success"`
	Cached     bool                `json:"cached,omitempty"`
	Claim      *Claim              `json:"claim,omitempty"`
	Reason     string              `json:"reason,omitempty"` // why it failed or was refused
	CodeHash   string              `json:"code_hash,omitempty"`
	RawOutput  string              `json:"raw_output,omitempty"`
	Commit     *record.Hash        `json:"commit,omitempty"`
	Candidate  *record.CandidateID `json:"candidate,omitempty"`
	New        bool                `json:"is_new_best,omitempty"`
}

// Claim is what a client reported.
type Claim struct {
	Fitness float64 `json:"fitness"`
	Success bool    `json:"success"`
}

// Synergy is a combination of targets that was tried.
type Synergy struct {
	Branch     string             `json:"branch"`
	Generation int                `json:"generation"`
	Targets    []string           `json:"target_ids"`
	Fitness    *float64           `json:"fitness"`
	Success    bool               `json:"success"`
	Single     map[string]float64 `json:"individual_fitnesses"`
	Gain       *float64           `json:"synergy_gain"`
}

// better reports whether a is better than b.
func (r *Run) better(a, b float64) bool {
	if r.Setup.Objective == "min" {
		return a < b
	}
	return a > b
}

// left is what the budget leaves beyond what is measured now.
func (r *Run) left() int {
	left := r.Setup.MaxFE - r.Evals
	for i := range r.Batch {
		if r.Batch[i].Phase == phaseMeasuring {
			left--
		}
	}
	return left
}

func (r *Run) target(id string) *Target {
	for i := range r.Targets {
		if r.Targets[i].ID == id {
			return &r.Targets[i]
		}
	}
	return nil
}

// item returns the item of a branch in the present batch.
func (r *Run) item(branch string) (*Item, error) {
	if r.Stage == stageBatch {
		for i := range r.Batch {
			if r.Batch[i].Branch == branch {
				return &r.Batch[i], nil
			}
		}
	}
	if branch == "" {
		return nil, fmt.Errorf("%w: say which branch", ErrArgument)
	}
	return nil, fmt.Errorf("%w: %.100q is no branch of the present batch", ErrOrder, branch)
}

// open lists the branches of the batch that were not reported.
func (r *Run) open() []string {
	var names []string
	for i := range r.Batch {
		if r.Batch[i].Phase != phaseDone {
			names = append(names, r.Batch[i].Branch)
		}
	}
	return names
}

// decodeRun reads a kept state; nil where there is none.
func decodeRun(text string) (*Run, error) {
	if text == "" {
		return nil, nil
	}
	r := &Run{}
	if err := json.Unmarshal([]byte(text), r); err != nil {
		return nil, fmt.Errorf("read the state of the evolution: %w", err)
	}
	return r, nil
}

func encodeRun(r *Run) (string, error) {
	text, err := json.Marshal(r)
	return string(text), err
}

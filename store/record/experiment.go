package record

// ExperimentState says what the engine may do.
type ExperimentState string

// The states of an experiment. Draining finishes what runs and claims nothing
// new; broken waits for a person because the evaluator or the disk failed.
const (
	ExperimentRunning  ExperimentState = "running"
	ExperimentPaused   ExperimentState = "paused"
	ExperimentDraining ExperimentState = "draining"
	ExperimentStopped  ExperimentState = "stopped"
	ExperimentDone     ExperimentState = "done"
	ExperimentBroken   ExperimentState = "broken"
)

// Experiment is one search over one repository. What it holds besides State
// and Settings is frozen when it starts.
type Experiment struct {
	ID         ExperimentID    `json:"id"`
	Name       string          `json:"name"`
	Repository string          `json:"repository"` // how the user named the target; never used to find objects
	Branch     string          `json:"branch"`     // what the root was resolved from
	RootCommit Hash            `json:"root_commit"`
	RootTree   Hash            `json:"root_tree"`
	RootTime   Millis          `json:"root_time"` // committer time of the root, the base of every candidate's commit time
	Seed       uint64          `json:"seed"`
	Strict     bool            `json:"strict"`    // fold by job number, not by completion
	Lookahead  int             `json:"lookahead"` // L of strict order
	Config     []byte          `json:"-"`         // the configuration as stored, JSON
	EvalKey    string          `json:"eval_key"`  // hash of evaluator and the settings that affect measurement
	Objective  int             `json:"objective_version"`
	State      ExperimentState `json:"state"`
	Reason     string          `json:"reason,omitempty"` // why it is paused, stopped or broken
	Created    Millis          `json:"created"`
}

// Settings are what a person may change while an experiment runs. Each change
// is a row of the log.
type Settings struct {
	Workers      int      `json:"workers"`
	MaxJobs      int      `json:"max_jobs"`        // make jobs of the whole experiment; 0 = no limit
	MaxEvals     int      `json:"max_evaluations"` // runs of one stage; 0 = no limit
	MaxTokens    int64    `json:"max_tokens"`      // 0 = no limit
	MaxCostUSD   float64  `json:"max_cost_usd"`    // 0 = no limit
	MaxWallMS    int64    `json:"max_wall_ms"`     // time with a running engine; 0 = no limit
	Review       string   `json:"review"`          // before measuring: off, risky, all
	ReviewNiche  string   `json:"review_niche"`    // before a niche is taken: off, risky, all
	Goal         string   `json:"goal"`
	Constraints  []string `json:"constraints,omitempty"`
	Acceptance   []string `json:"acceptance,omitempty"`
	Inspirations int      `json:"inspirations"`
	// Challenge, Depth and Remeasure say how often a noisy objective is looked at again:
	// further samples of a challenger, deciding samples at most, the share of evaluations
	// spent on elites. Nil is as the experiment was configured.
	Challenge *int     `json:"challenge,omitempty"`
	Depth     *int     `json:"depth,omitempty"`
	Remeasure *float64 `json:"remeasure,omitempty"`
	// Operators and Agents are weights of the draw; a missing or zero entry is
	// never drawn.
	Operators map[string]float64 `json:"operators,omitempty"`
	Agents    map[string]float64 `json:"agents,omitempty"`
	// Targets are those that were proposed while the experiment runs, beside the
	// ones of its configuration.
	Targets []Target `json:"targets,omitempty"`
}

// Target is a part of the repository that is worth working on, as a mapper
// proposes it.
type Target struct {
	Name   string   `json:"name"`
	Files  []string `json:"files"` // globs
	Symbol string   `json:"symbol,omitempty"`
	Hint   string   `json:"hint,omitempty"`
	Weight float64  `json:"weight"`
	By     string   `json:"by,omitempty"` // the agent that proposed it
}

package record

// Status is what became of a candidate.
type Status string

// The statuses. Elite is derived: scored and holding a niche now.
const (
	StatusMade      Status = "made"
	StatusHeld      Status = "held"
	StatusRejected  Status = "rejected"
	StatusFailed    Status = "failed"
	StatusCancelled Status = "cancelled"
	StatusScored    Status = "scored"
	StatusElite     Status = "elite"
)

// StatusNames lists the names of all statuses.
func StatusNames() []string {
	return []string{
		string(StatusMade), string(StatusHeld), string(StatusRejected), string(StatusFailed), string(StatusCancelled), string(StatusScored),
		string(StatusElite),
	}
}

// Role is what a parent gave to a candidate.
type Role string

// The roles of a parent: the one edited, one merged in, one shown.
const (
	RoleParent      Role = "parent"
	RoleCrossover   Role = "crossover"
	RoleInspiration Role = "inspiration"
)

// ParentRef names a parent and its role.
type ParentRef struct {
	ID   CandidateID `json:"id"`
	Role Role        `json:"role"`
}

// Metric is one named figure of an evaluator. Value is always finite.
type Metric struct {
	Name   string  `json:"name"`
	Value  float64 `json:"value"`
	Unit   string  `json:"unit,omitempty"`
	Higher *bool   `json:"higher_is_better,omitempty"` // nil: true
}

// Candidate is one commit of an experiment.
type Candidate struct {
	Experiment ExperimentID `json:"-"`
	ID         CandidateID  `json:"id"`
	Job        JobID        `json:"job"`
	Commit     Hash         `json:"commit"`
	Tree       Hash         `json:"tree"`
	Parents    []ParentRef  `json:"parents"`
	Operator   Operator     `json:"operator"`
	Agent      string       `json:"agent"`
	Target     string       `json:"target,omitempty"`
	Intent     string       `json:"intent,omitempty"` // one line: what the agent meant to do
	Added      int          `json:"added"`            // lines against the parent
	Removed    int          `json:"removed"`
	Files      int          `json:"files"`
	Status     Status       `json:"status"` // never elite in the store
	Class      Class        `json:"class,omitempty"`
	Reason     string       `json:"reason,omitempty"`
	// Objective is the median of the deciding samples in the evaluator's own
	// direction; nil when it was not measured. MAD is their median absolute
	// deviation, Dev their standard deviation, Samples their number.
	Objective *float64 `json:"objective"`
	MAD       float64  `json:"mad,omitempty"`
	Dev       float64  `json:"dev,omitempty"`
	Samples   int      `json:"samples"`
	// Claimed is the mean of the held-out samples, nil while there are none;
	// ClaimedDev is their standard deviation.
	Claimed        *float64  `json:"claimed,omitempty"`
	ClaimedDev     float64   `json:"claimed_dev,omitempty"`
	ClaimedSamples int       `json:"claimed_samples,omitempty"`
	Version        int       `json:"objective_version"`
	Metrics        []Metric  `json:"metrics,omitempty"`  // medians
	Measures       []float64 `json:"measures,omitempty"` // raw values of the named axes
	Pinned         bool      `json:"pinned,omitempty"`
	Created        Millis    `json:"created"`
	Scored         Seq       `json:"-"` // log position of its result; 0 before
}

// Parent returns the candidate that was edited, or NoCandidate for the root.
func (c *Candidate) Parent() CandidateID {
	for _, p := range c.Parents {
		if p.Role == RoleParent {
			return p.ID
		}
	}
	return NoCandidate
}

// Sample is one measurement of one candidate.
type Sample struct {
	Candidate CandidateID `json:"candidate"`
	Job       JobID       `json:"job"`
	Version   int         `json:"objective_version"`
	Repeat    int         `json:"repeat"`
	HeldOut   bool        `json:"held_out"` // taken after the place was decided
	Objective float64     `json:"objective"`
	Metrics   []Metric    `json:"metrics,omitempty"`
	WallMS    int64       `json:"wall_ms"`
	Load      *float64    `json:"load,omitempty"`    // of the machine, by processor; nil unknown
	Machine   string      `json:"machine,omitempty"` // of the fleet that took it, "" = the run itself
	At        Millis      `json:"at"`
}

// Evidence is a text kept with a job: output, prompt, transcript, verdict.
// Kind is a short word such as "stderr", "evaluation", "prompt", "gate".
type Evidence struct {
	Job     JobID  `json:"job"`
	Attempt int    `json:"attempt"`
	Kind    string `json:"kind"`
	Text    []byte `json:"text"`
	Cut     int64  `json:"cut,omitempty"` // bytes left out
}

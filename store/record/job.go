package record

// JobKind says what a job does.
type JobKind string

// Make writes one candidate; Evaluate measures one; Assist is any other paid
// agent call (reflection, proposals of targets).
const (
	Make     JobKind = "make"
	Evaluate JobKind = "evaluate"
	Assist   JobKind = "assist"
)

// JobState is where a job stands.
type JobState string

// The states of a job, in the order of its way. Placed to Cancelled end a make
// job; Done, Failed and Cancelled end evaluate and assist jobs. Held holds no
// lease.
const (
	Queued     JobState = "queued"
	Editing    JobState = "editing"
	Committed  JobState = "committed"
	Gated      JobState = "gated"
	Held       JobState = "held"
	Evaluating JobState = "evaluating"
	Placed     JobState = "placed"
	Scored     JobState = "scored"
	Rejected   JobState = "rejected"
	Failed     JobState = "failed"
	Duplicate  JobState = "duplicate"
	Cancelled  JobState = "cancelled"
	Done       JobState = "done"
)

// JobStateNames lists the names of all states, in the order of the way.
func JobStateNames() []string {
	return []string{
		string(Queued), string(Editing), string(Committed), string(Gated), string(Held), string(Evaluating), string(Placed), string(Scored),
		string(Rejected), string(Failed), string(Duplicate), string(Cancelled), string(Done),
	}
}

// Ended reports whether nothing more happens to a job in this state.
func (s JobState) Ended() bool {
	switch s {
	case Placed, Scored, Rejected, Failed, Duplicate, Cancelled, Done:
		return true
	}
	return false
}

// Running reports whether a worker holds the job.
func (s JobState) Running() bool {
	switch s {
	case Editing, Committed, Gated, Evaluating:
		return true
	}
	return false
}

// Operator is how a make job edits.
type Operator string

// The operators. Seed to Crossover need no model.
const (
	OpSeed       Operator = "seed"
	OpTune       Operator = "tune"
	OpMutate     Operator = "mutate"
	OpCrossover  Operator = "crossover"
	OpSynergy    Operator = "synergy"
	OpStructural Operator = "structural"
	OpRepair     Operator = "repair"
	OpRewrite    Operator = "rewrite"
	OpMeta       Operator = "meta"
	OpManual     Operator = "manual"
)

// Purpose says why an evaluate job measures, what an assist job asks for, and of a make
// job by which way its parent was drawn, "" where one way draws all.
type Purpose string

// Why an evaluate job measures. The samples of the leader and of the root that
// confirm the gain are held out, all others decide: of the root, of a challenger
// of a niche and its holder (race: more looks follow; challenge: the last), of
// those that may be the best and the leader beside them (lead), of an elite again,
// of everything after a change of the evaluator, and those that a person asked for.
const (
	PurposeRoot      Purpose = "root"
	PurposeRace      Purpose = "race"
	PurposeChallenge Purpose = "challenge"
	PurposeLead      Purpose = "lead"
	PurposeConfirm   Purpose = "confirm"
	PurposeRemeasure Purpose = "remeasure"
	PurposeVerify    Purpose = "verify"
)

// What an assist job asks an agent for: the notes of an epoch, or proposals of
// targets.
const (
	PurposeReflect Purpose = "reflect"
	PurposeMap     Purpose = "map"
)

// Class groups failures by what would cure them.
type Class string

// The classes of failure. ClassNone is no failure.
const (
	ClassNone      Class = ""
	ClassBuild     Class = "build"
	ClassTest      Class = "test"
	ClassTimeout   Class = "timeout"
	ClassMemory    Class = "memory"
	ClassOutput    Class = "output"
	ClassCrash     Class = "crash"
	ClassMetric    Class = "metric"    // missing, not finite, or no result at all
	ClassGate      Class = "gate"      // refused before any of its code ran
	ClassSandbox   Class = "sandbox"   // tried what the sandbox forbids
	ClassEvaluator Class = "evaluator" // the same error on the root
	ClassAgent     Class = "agent"     // the agent failed
	ClassNoChange  Class = "no-change" // the agent changed nothing
	ClassBudget    Class = "budget"
	ClassReview    Class = "review" // a person said no
	ClassInternal  Class = "internal"
)

// Job is a numbered piece of work.
type Job struct {
	Experiment   ExperimentID  `json:"-"`
	ID           JobID         `json:"id"`
	Kind         JobKind       `json:"kind"`
	State        JobState      `json:"state"`
	Priority     int           `json:"priority"` // higher first
	Purpose      Purpose       `json:"purpose,omitempty"`
	Island       string        `json:"island,omitempty"`
	Parent       CandidateID   `json:"parent"`
	Inspirations []CandidateID `json:"inspirations,omitempty"`
	Operator     Operator      `json:"operator,omitempty"`
	Agent        string        `json:"agent,omitempty"`
	Target       string        `json:"target,omitempty"`
	Goal         string        `json:"goal,omitempty"`     // overrides the experiment's goal for this job
	Why          string        `json:"why,omitempty"`      // why it starts where it does, one line for people
	Candidate    CandidateID   `json:"candidate"`          // made or measured; NoCandidate before
	Duplicate    CandidateID   `json:"duplicate_of"`       // the original of a duplicate, else NoCandidate
	RetryOf      JobID         `json:"retry_of,omitempty"` // 0 = first try
	Repeat       int           `json:"repeat,omitempty"`   // evaluate: index of the first sample to take
	Samples      int           `json:"samples,omitempty"`  // evaluate: how many samples to take
	HeldAt       JobState      `json:"held_at,omitempty"`  // Gated: before measuring; Evaluating: before a niche
	Approved     bool          `json:"approved,omitempty"` // a person let it pass HeldAt
	Attempt      int           `json:"attempt"`            // number of leases so far
	Class        Class         `json:"class,omitempty"`    // of a failure
	Reason       string        `json:"reason,omitempty"`   // one line for people
	Usage        Usage         `json:"usage"`              // of all attempts
	EditMS       int64         `json:"edit_ms,omitempty"`  // time of the agent
	EvalMS       int64         `json:"eval_ms,omitempty"`  // time of the evaluator
	OwnMS        float64       `json:"own_ms,omitempty"`   // everything else
	Machine      string        `json:"machine,omitempty"`  // of the fleet that measured last, "" = the run itself
	Created      Millis        `json:"created"`
	Started      Millis        `json:"started,omitempty"`
	Ended        Millis        `json:"ended,omitempty"`
	LeaseUntil   Millis        `json:"-"`
}

// NewJob returns a queued job that has no candidate yet and starts from none.
func NewJob(exp ExperimentID, id JobID, kind JobKind) Job {
	return Job{
		Experiment: exp, ID: id, Kind: kind, State: Queued, Island: "main",
		Parent: NoCandidate, Candidate: NoCandidate, Duplicate: NoCandidate,
	}
}

// Mate is the candidate that the job merges with its parent, NoCandidate where it merges
// none: of the inspirations the first one of an operator that has two parents.
func (j *Job) Mate() CandidateID {
	if len(j.Inspirations) > 0 && (j.Operator == OpCrossover || j.Operator == OpSynergy) {
		return j.Inspirations[0]
	}
	return NoCandidate
}

// Lease is the right of one worker to advance one job. Attempt is the fence:
// every transition names it and is refused when another attempt began.
type Lease struct {
	Job     Job
	Worker  string
	Attempt int
	Until   Millis
}

package record

import "encoding/json"

// LogKind says what a row of the ordered log tells.
type LogKind string

// The kinds of rows. The search is a fold of them in order of Seq.
const (
	LogExperiment LogKind = "experiment" // created
	LogJob        LogKind = "job"        // a job was created; Data: none, read the job
	LogLease      LogKind = "lease"      // an attempt began
	LogStage      LogKind = "stage"      // a job changed its state otherwise; Data: {"state": the [JobState]}
	LogMade       LogKind = "made"       // a commit exists
	LogHeld       LogKind = "held"       // waits for a person; Data: HeldData
	LogEnd        LogKind = "end"        // a job ended; Data: EndData
	LogSample     LogKind = "sample"     // more samples of a candidate; Data: none, read the candidate
	LogDecision   LogKind = "decision"   // Data: Decision
	LogSpace      LogKind = "space"      // a new map; Data: SpaceReport
	LogSetting    LogKind = "setting"    // Data: Settings
	LogState      LogKind = "state"      // Data: StateData
	LogNote       LogKind = "note"       // Data: Note
	LogObjective  LogKind = "objective"  // a new objective version; Data: Objective
)

// LogRow is one row of the ordered log. Rows are never changed.
type LogRow struct {
	Seq        Seq             `json:"seq"`
	Experiment ExperimentID    `json:"-"`
	At         Millis          `json:"at"`
	Kind       LogKind         `json:"kind"`
	Job        JobID           `json:"job"`       // -1 = none
	Candidate  CandidateID     `json:"candidate"` // NoCandidate = none
	Data       json.RawMessage `json:"data,omitempty"`
}

// NoJob marks a log row or decision that concerns no job.
const NoJob JobID = -1

// EndData goes with LogEnd.
type EndData struct {
	State  JobState `json:"state"`
	Class  Class    `json:"class,omitempty"`
	Reason string   `json:"reason,omitempty"`
}

// HeldData goes with LogHeld; rows of earlier versions have none.
type HeldData struct {
	Reason string `json:"reason,omitempty"` // why it waits, one line for people
}

// StateData goes with LogState.
type StateData struct {
	State  ExperimentState `json:"state"`
	Reason string          `json:"reason,omitempty"`
}

// Verb names an intervention.
type Verb string

// The decisions of a person.
const (
	Approve    Verb = "approve"
	Hold       Verb = "hold" // inverse of approve: waits for a person again
	Reject     Verb = "reject"
	Restore    Verb = "restore" // inverse of reject
	Freeze     Verb = "freeze"
	Release    Verb = "release" // ends a freeze or a boost
	Boost      Verb = "boost"
	Pin        Verb = "pin"
	Unpin      Verb = "unpin"
	Pause      Verb = "pause"
	Resume     Verb = "resume"
	Stop       Verb = "stop"
	Cancel     Verb = "cancel"
	Retry      Verb = "retry"
	Prioritise Verb = "prioritise"
	Measure    Verb = "measure" // a measured candidate again
	Refit      Verb = "refit"
	Inject     Verb = "inject"
	StartJob   Verb = "start"
	Set        Verb = "set"
	Promote    Verb = "promote"
	WriteNote  Verb = "note"
	Undo       Verb = "undo"
	Redo       Verb = "redo"
)

// Decision is an intervention: a command as a row. It is appended by whoever
// decides and carried out when the loop folds it.
type Decision struct {
	Seq       Seq             `json:"seq,omitempty"`
	At        Millis          `json:"at,omitempty"`
	Who       string          `json:"who"`
	Verb      Verb            `json:"verb"`
	Candidate CandidateID     `json:"candidate"` // NoCandidate = none
	Job       JobID           `json:"job"`       // NoJob = none
	Cell      int             `json:"cell"`      // flat index; -1 = none
	Value     float64         `json:"value,omitempty"`
	Text      string          `json:"text,omitempty"`
	Args      json.RawMessage `json:"args,omitempty"`
	Undoes    Seq             `json:"undoes,omitempty"`  // the decision this one takes back
	Group     Seq             `json:"group,omitempty"`   // the first of those written together, which are one step of undo; 0 = alone
	Inverse   *Decision       `json:"inverse,omitempty"` // nil: cannot be taken back
}

// NewDecision returns a decision that is about nothing yet: no candidate, no job,
// no niche.
func NewDecision(verb Verb) Decision {
	return Decision{Verb: verb, Candidate: NoCandidate, Job: NoJob, Cell: -1}
}

// Promotion is what the decision that adds a branch says beside its name.
type Promotion struct {
	Base string `json:"base,omitempty"` // the branch of the user's on which the gain was verified; "" = it was not
	Onto string `json:"onto,omitempty"` // the commit of that branch then
	Gain string `json:"gain,omitempty"` // what was measured there, for people
	// From is the candidate that was asked for, of which the last edits were left out, and Left
	// how many: what was written is the decision's candidate. Left 0: it is the one asked for.
	From CandidateID `json:"from,omitempty"`
	Left int         `json:"left_edits,omitempty"`
}

// NewPromotion tells that a candidate was written to a branch.
func NewPromotion(id CandidateID, branch string, p Promotion) Decision {
	d := NewDecision(Promote)
	d.Candidate, d.Text = id, branch
	if p != (Promotion{}) {
		d.Args, _ = json.Marshal(p) // plain data
	}
	return d
}

// NewPriority gives a job another priority, as it was asked for; its inverse gives it
// the present one back.
func NewPriority(job JobID, now int, to float64) Decision {
	back := NewDecision(Prioritise)
	back.Job, back.Value = job, float64(now)
	d := back
	d.Value, d.Inverse = to, &back
	return d
}

// Space is one version of the learned coordinates: embedder, projection,
// rotation. Model is opaque to all but package behavior.
type Space struct {
	Version int         `json:"version"`
	AtFold  int         `json:"at_fold"` // number of scored candidates folded when it was fitted
	Model   []byte      `json:"-"`
	Report  SpaceReport `json:"report"`
	Seq     Seq         `json:"-"`
}

// SpaceReport says what a new map changed.
type SpaceReport struct {
	Version  int      `json:"version"`
	Cause    string   `json:"cause"`         // provisional, first, variance, spread, asked
	Moved    float64  `json:"moved"`         // share of placed candidates that changed cell
	Far      float64  `json:"far,omitempty"` // share of the elites before it that lie more than one cell away
	Gained   int      `json:"gained"`
	Lost     int      `json:"lost"`
	Degrees  float64  `json:"degrees"`
	Captured float64  `json:"captured"` // share of variance
	Axes     []string `json:"axes"`
}

// Note is a lesson for later prompts.
type Note struct {
	ID     int64  `json:"id"`
	Kind   string `json:"kind"`   // short, long, failure, direction
	Target string `json:"target"` // "" = global
	Text   string `json:"text"`
	Author string `json:"author"`
	Gone   bool   `json:"gone,omitempty"`
	At     Millis `json:"at"`
}

// Objective goes with LogObjective: from here on values are those of another
// evaluator, or of the same one under other settings. What was measured before
// is history; the jobs from First on measure the root again, then Elites, best
// first.
type Objective struct {
	Version int           `json:"version"`
	Changed string        `json:"changed"` // what is new, for people
	First   JobID         `json:"first"`
	Elites  []CandidateID `json:"elites"`
	Was     PastObjective `json:"was"`
}

// PastObjective is how the search stood when an objective version ended, in
// the values of that version.
type PastObjective struct {
	Version   int         `json:"version"`
	Metric    string      `json:"metric,omitempty"`
	Direction string      `json:"direction"`
	Root      *float64    `json:"root"` // nil: never measured
	Best      CandidateID `json:"best"`
	Value     *float64    `json:"value"`              // of Best
	Evidence  string      `json:"evidence,omitempty"` // what Value is worth: exact, confirmed, unconfirmed, within noise; "" in logs of before
	Scored    int         `json:"scored"`
	Filled    int         `json:"filled"` // niches
	X         []int       `json:"x,omitempty"`
	Curve     []float64   `json:"curve,omitempty"` // of the best, at X scored candidates
}

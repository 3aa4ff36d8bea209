package view

import (
	"fmt"

	"atoll/engine/evidence"
	"atoll/store/record"
)

// This file holds the answers of a reader: what a screen asks for by id when
// the snapshot is too small to carry it. All of it is plain data, read-only
// once returned. Texts are as the candidate, the agent or the evaluator wrote
// them (secrets removed); whoever shows them removes control characters.

// JobDetail is everything known about one job.
type JobDetail struct {
	Job       record.Job
	Candidate *record.Candidate // made or measured; nil before
	Claim     *evidence.Claim   // of it, by samples that decided nothing; nil where there are none, or nothing varies
	Parent    *record.Candidate // nil when the job has none
	Stages    []StageSpan       // in order of time, all attempts
	Findings  []GateFinding     // of the gate, when it ran
	Evidence  []record.Evidence // oldest first, whole texts as stored
	Retries   []record.JobID    // later jobs that try this one again
	Live      []string          // last lines of output while it runs, oldest first
}

// StageSpan is one stretch of a job. Ended is zero while it lasts.
type StageSpan struct {
	Attempt int
	Name    string // queued, editing, gate, held, measuring quick 1/3, ...
	Started record.Millis
	Ended   record.Millis
	Note    string // one line: threshold missed, exit 1, ...
}

// GateFinding is one remark of the gate on a diff. Hard findings reject.
type GateFinding struct {
	Rule string
	Path string
	Line int // of the new file, 0 = the whole file
	Text string
	Hard bool
}

// CandidateDetail is everything known about one candidate. Its Status is
// elite when it holds a niche now.
type CandidateDetail struct {
	Candidate record.Candidate
	Job       record.Job
	Parent    *record.Candidate // with metrics; nil for the root
	Root      *record.Candidate // with metrics
	Samples   []record.Sample   // deciding and held out, oldest first
	Cell      int               // niche it lands in under the current map, -1 = unplaced
	Claim     evidence.Claim    // what may be told of it; no word when it is not measured
	Percent   float64           // its gain on the root; NaN when that may not be told
	Frozen    bool
	Boost     float64 // factor of its niche, 1 = none
	Children  []record.CandidateID
	Depth     int // steps from the root along first parents
	Findings  []GateFinding
	Branches  []Branch // promoted from it, oldest first
	Behaviour string   // one line: what the guard found, or that it is to look; "" where it is not to
}

// Branch is a branch of the user's repository that a candidate was written to.
type Branch struct {
	Name string
	Of   record.CandidateID // what was written: of a minimised one an earlier step
	record.Promotion
}

// Verification says what was found out before a branch was made: "verified by promote on main
// at 1234567: a gain of +12.30 %, exact: 2 rounds agree". "" where nothing was.
func (b *Branch) Verification() string {
	if b == nil || b.Base == "" {
		return ""
	}
	text := "verified by promote"
	if b.Left > 0 {
		text += fmt.Sprintf(" as %s, without its last %s,", b.Of, Plural(b.Left, "edit"))
	}
	text += fmt.Sprintf(" on %s at %s", CleanLine(b.Base), b.Onto[:min(7, len(b.Onto))])
	if b.Gain != "" {
		text += ": " + CleanLine(b.Gain)
	}
	return text
}

// NicheDetail is one niche with its past.
type NicheDetail struct {
	Cell    int
	Elite   *CandidateDetail
	Runners []record.Candidate // best losers first, at most 20
	Claims  Claims             // of the runners
	History []Takeover         // newest first, at most 100
	Tries   int
	Jobs    []record.Job // jobs whose parent lives here, newest first, at most 20
}

// Claims are what may be told of candidates by samples that decided nothing; those that
// have none are not among them, and nobody is where nothing varies.
type Claims map[record.CandidateID]*evidence.Claim

// Takeover is one change of a niche's holder.
type Takeover struct {
	At        record.Millis
	Candidate record.CandidateID
	From      record.CandidateID // NoCandidate: the niche was empty
	Objective float64
	Delta     float64 // against the former holder, positive is better; NaN when new
	Why       string  // "better", "new niche", "reject c12", "map 2"
}

// LineageNode is one candidate of a family tree.
type LineageNode struct {
	ID        record.CandidateID
	Parents   []record.ParentRef
	Operator  record.Operator
	Agent     string
	Status    record.Status
	Class     record.Class
	Objective *float64
	Claim     *evidence.Claim // what may be told of it; nil when it has no value
	Delta     *float64        // against the parent, positive is better; nil where it may not be told
	Cell      int             // -1 = unplaced
	Intent    string
	At        record.Millis
}

// Told is its value with its evidence.
func (n *LineageNode) Told() string {
	switch {
	case n.Claim != nil:
		return ToldValue(n.ID, *n.Claim)
	case n.Objective != nil:
		return FormatValue(*n.Objective)
	}
	return "-"
}

// Lineage is the family of one candidate: its first-parent chain up to the
// root, the others it took from, and its descendants.
type Lineage struct {
	Focus       record.CandidateID
	Ancestors   []LineageNode // root first, Focus last
	Descendants []LineageNode // breadth first, without Focus, at most 500
	More        int           // descendants left out
}

// JobQuery selects jobs, newest first. Zero fields do not restrict.
type JobQuery struct {
	States   []record.JobState
	Kind     record.JobKind
	Operator record.Operator
	Agent    string
	Target   string
	Text     string       // in number, reason, operator, agent or class
	Before   record.JobID // only lower numbers; 0 = from the newest
	Limit    int          // 0 = 200
}

// JobLine is a job as lists show it.
type JobLine struct {
	Job       record.Job
	Objective *float64        // of what it made or measured, as it counts now
	Claim     *evidence.Claim // of that, by samples that decided nothing; nil where there are none, or nothing varies
}

// CandidateQuery selects candidates. Zero fields do not restrict.
type CandidateQuery struct {
	Elites bool               // only those that hold a niche; Before does not count then
	Text   string             // in number, operator, agent, target, class, reason and intent, or the beginning of the commit
	Before record.CandidateID // only lower ids; 0 = from the newest
	Best   bool               // the best of all that count, best first, in place of newest first
	// Behind is whom the page follows in an order of Best or Elites; nil: nobody.
	Behind *record.CandidateID
	Limit  int // 0 = 200
}

// FilePatch is the difference of one file as hunks. Cut is how many lines
// were left out because the patch was too long.
type FilePatch struct {
	Path    string
	OldMode record.Mode // Deleted: the file is new
	NewMode record.Mode // Deleted: the file is gone
	Added   int         // -1 = not counted
	Removed int
	Binary  bool
	Cut     int
	Hunks   []PatchHunk
}

// PatchHunk is a stretch of changed lines with context. Line numbers start
// at 1.
type PatchHunk struct {
	OldStart, OldLines int
	NewStart, NewLines int
	Lines              []PatchLine
}

// PatchLine is one line without its end. Kind is ' ', '+' or '-'.
type PatchLine struct {
	Kind byte
	Text string
}

// SettingInfo explains one key of the configuration.
type SettingInfo struct {
	Key     string // evaluator.timeout
	Value   string // as a person would write it
	Default string
	Origin  string // default, atoll.yaml:12, ATOLL_WORKERS, --workers, "set by ada 14:02"
	Doc     string
	Live    bool // may change while the experiment runs
	Enum    []string
}

// CheckLine is one finding of the doctor.
type CheckLine struct {
	Group  string `json:"group"` // system, sandbox, repository, evaluator, agents, store
	Name   string `json:"name"`
	OK     bool   `json:"ok"`
	Warn   bool   `json:"warn"` // not OK, but the search can go on
	Detail string `json:"detail"`
	Cure   string `json:"cure,omitempty"` // what to do next, "" when OK
}

// Odds are the chances of the next draws, by what they draw; each adds up to 1
// where something can be drawn.
type Odds struct {
	Cells     map[int]float64 // of the parent, by the niche it holds
	Elsewhere float64         // of a parent without a niche
	Operators map[string]float64
	Agents    map[string]float64
	Targets   map[string]float64 // "" = none
}

// NextPrompt is what the agent of the next job would be told.
type NextPrompt struct {
	Job   record.JobID
	Agent string
	Text  string
	Why   string // there is no text
}

package agent

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"atoll/store/record"
)

// Agent edits. Edit returns at least one change against t, or an error:
// ErrNoChange when there is nothing to offer, an *Error for a failure with a
// class, the context's error when it ended. It must not keep t or j, and it
// may be called from many goroutines at once (with a different Job.Rand each).
type Agent interface {
	Edit(ctx context.Context, j Job, t Tree) (Result, error)
}

// Tree is an immutable tree of files. Files are sorted by path, and the slice
// belongs to the tree: readers do not change it. Read returns bytes that the
// caller must not change.
type Tree interface {
	Files() []record.File
	Read(ctx context.Context, path string) ([]byte, error)
}

// Item is a candidate as an agent sees it: the parent of a job or an
// inspiration. Files may be nil where only the figures are known.
type Item struct {
	ID        record.CandidateID
	Commit    record.Hash
	Tree      record.Hash
	Objective *float64 // in the evaluator's own direction; nil = not measured
	Delta     *float64 // against its own parent
	Metrics   []record.Metric
	Intent    string
	Operator  record.Operator
	Files     Tree
	Parents   []record.ParentRef
	Changed   []string // paths that differ from its parent; may be empty
	Diff      string   // unified diff against its parent, for prompts; may be empty
	Place     string   // where it lies in the archive, in words ("niche 3,7"); may be empty
}

// Target is the named part of the repository that a job is about. The zero
// Target is the whole repository.
type Target struct {
	Name   string
	Files  []string // globs, for prompts; Job.Scope already applies them
	Symbol string   // function or type inside the files; "" = all of them
	Hint   string
}

// Covers reports whether one of the target's globs, or a folder that they
// name, holds the path. The whole repository covers none by name.
func (t Target) Covers(p string) bool {
	for _, g := range t.Files {
		g = strings.TrimSuffix(strings.TrimPrefix(g, "./"), "/")
		if ok, err := doublestar.Match(g, p); err == nil && ok {
			return true
		}
		if ok, err := doublestar.Match(g+"/**", p); err == nil && ok {
			return true
		}
	}
	return false
}

// Targets are what a job may know of the targets of its experiment.
type Targets struct {
	// Hot are those that name a function or a type, those with most weight first. What the
	// scope allows but for the job's own target is Everywhere; nil allows every path.
	Hot        []Target
	Everywhere func(path string) bool
	// Frozen are those that a person froze: what they name stays as it is.
	Frozen []Target
}

// Failure is an earlier job that failed, for prompts and for repair.
type Failure struct {
	Job    record.JobID
	Class  record.Class
	Reason string
	Text   string // tail of its output
	Intent string // what it was to do; may be empty
	Diff   string // unified diff against its parent; may be empty
	Alike  int    // how many more failed for the same reason
}

// Job is one edit to make.
type Job struct {
	Number       record.JobID
	Attempt      int
	Rand         *rand.Rand // seeded by experiment and job number; owned by this call
	Operator     record.Operator
	Target       Target
	Parent       Item
	Inspirations []Item // for crossover [0] is the donor; for repair one of them is the parent of Parent
	// Scope reports whether a path may be changed; nil allows every path.
	Scope   func(path string) bool
	Targets // of the experiment
	// Known reports whether a candidate that a job may know of has the tree that these changes
	// make of the parent's, so that something else can be made; nil knows none.
	Known func(changes []record.Change) (bool, error)
	// Limits are what a change may not exceed (files, lines, bytes), a sentence
	// each, for prompts.
	Limits      []string
	Goal        string
	Constraints []string
	Acceptance  []string
	Direction   string // maximize or minimize
	Metric      string // name of the objective
	// Keeps says that what behaves in another way than the root may not lead.
	Keeps      bool
	Notes      []record.Note
	Failures   []Failure
	History    *History           // what worked so far; nil = nothing known
	Background *Background        // what only prompts tell; nil = nothing known
	Live       func(line string)  // output while it runs; may be nil
	Progress   func(stage string) // coarse stage names; may be nil
	// Alive is told of signs of life that are neither a line nor a stage; may be nil.
	Alive func()
	// Sending is told of a prompt before it leaves, so that it can be seen; role
	// says to whom. It may be nil.
	Sending func(role, text string)
}

// Allowed reports whether the job's scope lets path be changed.
func (j *Job) Allowed(path string) bool { return j.Scope == nil || j.Scope(path) }

// Tell tells of a prompt that is about to leave.
func (j *Job) Tell(role, text string) {
	if j.Sending != nil {
		j.Sending(role, text)
	}
}

// Better reports whether an item's objective beats that of the parent.
func (j *Job) Better(it Item) bool {
	if it.Objective == nil || j.Parent.Objective == nil {
		return false
	}
	return j.Ahead(*it.Objective, *j.Parent.Objective)
}

// Ahead reports whether one objective is better than another.
func (j *Job) Ahead(a, b float64) bool {
	if j.Direction == "minimize" {
		return a < b
	}
	return a > b
}

// Result is what an agent made. Changes holds one entry per path, sorted by
// path, each with the whole new content.
type Result struct {
	Changes  []record.Change
	Usage    record.Usage
	Intent   string // one line, without control characters
	Evidence []record.Evidence
}

// ErrNoChange reports that an agent found nothing to change. Test with
// errors.Is.
var ErrNoChange = errors.New("the agent changed nothing")

// ErrMissing reports that the program of an agent, or what it runs on, is not on
// this machine: every further job of the agent fails alike until a person
// installed it. Test with errors.Is.
var ErrMissing = errors.New("the agent's program is not on this machine")

// Error is a failure of an agent with what is known about it. Usage counts
// what was consumed before it failed. It is a gateway.ErrAccess when the provider
// does not serve the key or the model: then every further job of this agent fails alike until
// a person did something about it, and the [gateway.ProviderError] among its
// causes names the key's variable. It is an [ErrMissing] when there is nothing to run.
type Error struct {
	Class    record.Class
	Reason   string // one line for people: what was attempted, what went wrong, what to do
	Evidence []record.Evidence
	Usage    record.Usage
	Err      error // cause; may be nil
}

// Error returns the reason and, when there is one, the cause.
func (e *Error) Error() string {
	if e.Err == nil {
		return e.Reason
	}
	return fmt.Sprintf("%s: %v", e.Reason, e.Err)
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

func FreeOfCharge() record.Usage { return record.Usage{CostUSD: new(float64)} }

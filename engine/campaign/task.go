package campaign

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"atoll/store/record"
)

// Status is what became of a task so far.
type Status string

// The statuses. Ready and blocked are no rows of the log: they follow from the
// dependencies.
const (
	Pending Status = "pending"
	Ready   Status = "ready"   // pending, and all dependencies are done
	Blocked Status = "blocked" // pending, and a dependency failed or was dropped
	Running Status = "running"
	Done    Status = "done"
	Failed  Status = "failed"
	Dropped Status = "dropped"
)

// The origins of tasks.
const (
	FromPerson    = "person"
	FromAudit     = "audit"
	FromEpic      = "epic"
	FromReflector = "reflector"
	FromFile      = "file"
)

// The numbers of a task that gives none.
const (
	DefaultPriority = 3
	DefaultJobs     = 60
)

// maxTasks bounds a backlog, and maxText a text of a task.
const (
	maxTasks = 10000
	maxText  = 4000
)

// Task is one piece of work. The zero value of every field but ID and Title has a
// meaning.
type Task struct {
	ID           int          `json:"id" yaml:"id"` // from 1
	Title        string       `json:"title" yaml:"title"`
	Goal         string       `json:"goal,omitempty" yaml:"goal,omitempty"` // what agents are told; "": the title
	Component    string       `json:"component,omitempty" yaml:"component,omitempty"`
	Dependencies []int        `json:"dependencies,omitempty" yaml:"dependencies,omitempty,flow"`
	Priority     int          `json:"priority,omitempty" yaml:"priority,omitempty"` // 1 to 5, 5 first; 0: 3
	Value        float64      `json:"value,omitempty" yaml:"value,omitempty"`       // to the users; 0, as the next two: the priority
	Urgency      float64      `json:"urgency,omitempty" yaml:"urgency,omitempty"`
	Risk         float64      `json:"risk,omitempty" yaml:"risk,omitempty"` // that it takes away
	Size         float64      `json:"size,omitempty" yaml:"size,omitempty"` // of the work; 0: 1
	CostUSD      float64      `json:"cost_usd,omitempty" yaml:"cost_usd,omitempty"`
	Jobs         int          `json:"jobs,omitempty" yaml:"jobs,omitempty"`         // make jobs of one attempt; 0: 60
	Deadline     string       `json:"deadline,omitempty" yaml:"deadline,omitempty"` // of one attempt, such as 30m
	Retries      int          `json:"retries,omitempty" yaml:"retries,omitempty"`
	Best         bool         `json:"best,omitempty" yaml:"best,omitempty"`             // spend all jobs, and take the best that meets the acceptance
	Acceptance   []Acceptance `json:"acceptance,omitempty" yaml:"acceptance,omitempty"` // none: a confirmed gain, of a command its exit code
	Scope        []string     `json:"scope,omitempty" yaml:"scope,omitempty,flow"`      // globs of files it may change; none: the experiment's
	Command      string       `json:"command,omitempty" yaml:"command,omitempty"`       // a plain chore: run by sh -c in the tree instead of a search
	Epic         string       `json:"epic,omitempty" yaml:"epic,omitempty"`
	Key          string       `json:"key,omitempty" yaml:"key,omitempty"` // what it is about, where a program found it
	Origin       string       `json:"origin,omitempty" yaml:"origin,omitempty"`
	Note         string       `json:"note,omitempty" yaml:"note,omitempty"` // for people
}

// Wall is the deadline of one attempt; 0: none.
func (t *Task) Wall() time.Duration {
	d, _ := time.ParseDuration(t.Deadline)
	return d
}

// MakeJobs is how many candidates one attempt may make; a chore's command is one job.
func (t *Task) MakeJobs() int {
	if t.Command != "" {
		return 1
	}
	if t.Jobs > 0 {
		return t.Jobs
	}
	return DefaultJobs
}

// EndsEarly reports whether an attempt ends when something meets the acceptance. A
// task that asks for the best does not, nor one without a condition of its own.
func (t *Task) EndsEarly() bool { return !t.Best && t.Command == "" && len(t.Acceptance) > 0 }

// WSJF is (value + urgency + risk) / size. A task without these three has its
// priority as value; a size of 0 counts as 1.
func (t *Task) WSJF() float64 {
	sum := t.Value + t.Urgency + t.Risk
	if sum == 0 {
		sum = float64(t.priority())
	}
	return sum / t.size()
}

func (t *Task) size() float64 { return cmp.Or(t.Size, 1) }

func (t *Task) priority() int {
	return cmp.Or(t.Priority, DefaultPriority)
}

// CheckSize refuses what no work can be the size of. A task that says nothing of its
// size is another case: it counts as 1.
func CheckSize(v float64) error {
	if !(v > 0 && v <= 1e6) {
		return fmt.Errorf("%v is not above 0 and at most 1,000,000; left out, it is 1", v)
	}
	return nil
}

// check reports what is wrong with a task by itself.
func (t *Task) check() error {
	bad := func(format string, args ...any) error {
		return fmt.Errorf("%w: task %d: %s", ErrTask, t.ID, fmt.Sprintf(format, args...))
	}
	switch {
	case t.ID < 1 || t.ID > maxTasks:
		return bad("its number is not between 1 and %d", maxTasks)
	case strings.TrimSpace(t.Title) == "":
		return bad("it has no title")
	case strings.ContainsAny(t.Title, "\r\n"):
		return bad("its title has more than one line; --goal takes a longer text")
	case len(t.Title) > 300 || len(t.Goal) > maxText || len(t.Command) > maxText || len(t.Note) > maxText:
		return bad("its title is longer than 300 bytes, or its goal, command or note longer than %d", maxText)
	case t.Priority < 0 || t.Priority > 5:
		return bad("priority %d is not between 1 and 5", t.Priority)
	case t.Jobs < 0 || t.Retries < 0 || t.Retries > 20:
		return bad("jobs must not be negative, retries be between 0 and 20")
	case slices.Contains(t.Dependencies, t.ID):
		return bad("it depends on itself")
	}
	for _, n := range []struct {
		name  string
		value float64
	}{{"value", t.Value}, {"urgency", t.Urgency}, {"risk", t.Risk}, {"size", t.Size}, {"cost_usd", t.CostUSD}} {
		if math.IsNaN(n.value) || n.value < 0 || n.value > 1e6 {
			return bad("%s %v is not between 0 and 1,000,000", n.name, n.value)
		}
	}
	if t.Deadline != "" {
		if d, err := time.ParseDuration(t.Deadline); err != nil || d <= 0 {
			return bad("deadline %q is no time such as 30m", t.Deadline)
		}
	}
	return nil
}

// Item is a task with what became of it.
type Item struct {
	Task
	Status     Status        `json:"status"`
	Reason     string        `json:"reason,omitempty"` // why it is so, in words
	Attempt    int           `json:"attempt,omitempty"`
	Experiment string        `json:"experiment,omitempty"` // of the last attempt
	Root       record.Hash   `json:"root,omitzero"`        // the commit that the last attempt began on
	Commit     record.Hash   `json:"commit,omitzero"`      // what it left on the branch; zero: nothing
	Winner     string        `json:"winner,omitempty"`     // candidate of the experiment
	Gain       *float64      `json:"gain,omitempty"`       // percent, held out; absent: none was confirmed
	UsedJobs   int           `json:"used_jobs,omitempty"`
	UsedUSD    float64       `json:"used_usd,omitempty"`
	Checks     []Check       `json:"checks,omitempty"`
	Added      record.Millis `json:"added"`
	Ended      record.Millis `json:"ended,omitempty"`
}

package door

import (
	"context"
	"encoding/base64"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"atoll/engine/agent"
	"atoll/engine/agent/broker"
	"atoll/engine/agent/edit"
	"atoll/engine/view"
	"atoll/store/record"
)

// Task is a job for a worker that comes for it.
type Task struct {
	ID       record.JobID  `json:"id"`
	Status   string        `json:"status" enum:"waiting,leased"`
	Agent    string        `json:"agent" doc:"The agent of the configuration whose job this is."`
	Operator string        `json:"operator"`
	Target   string        `json:"target,omitempty"`
	Parent   string        `json:"parent"`
	Commit   record.Hash   `json:"commit" doc:"Of the parent."`
	Goal     string        `json:"goal"`
	Worker   string        `json:"worker,omitempty" doc:"Who has it."`
	Until    record.Millis `json:"until,omitempty" doc:"When the lease ends."`
	Since    record.Millis `json:"since" doc:"When it began to wait."`
}

// TaskDetail is a task with all that a worker needs. The files come as a tar.
type TaskDetail struct {
	Task
	Prompt string     `json:"prompt" doc:"The whole task in words, as any agent gets it."`
	Files  []TaskFile `json:"files" doc:"The parent's tree."`
}

// TaskFile is a file of a task's tree.
type TaskFile struct {
	Path    string `json:"path"`
	Mode    string `json:"mode" enum:"100644,100755,120000,160000"`
	Allowed bool   `json:"allowed" doc:"It may be changed."`
}

// Leased is a task that is the caller's for a time.
type Leased struct {
	Task  TaskDetail    `json:"task"`
	Lease string        `json:"lease" doc:"Needed to finish the task, or to ask for more time."`
	Until record.Millis `json:"until"`
}

// Answer is what a worker made of a task.
type Answer struct {
	Lease   string       `json:"lease" maxLength:"64"`
	Changes []TaskChange `json:"changes,omitempty" maxItems:"1000" doc:"Files as they are now."`
	Patch   string       `json:"patch,omitempty" maxLength:"1000000" doc:"Instead of changes: what git diff printed."`
	Intent  string       `json:"intent,omitempty" maxLength:"2000" doc:"What was tried, in a line."`
	Failed  string       `json:"failed,omitempty" maxLength:"2000" doc:"Why there is no change."`
	Usage   *TaskUsage   `json:"usage,omitempty" doc:"What it cost; left out: nothing."`
}

// TaskChange is a file as it is after the edit.
type TaskChange struct {
	Path       string `json:"path" maxLength:"4096"`
	Text       string `json:"text,omitempty" doc:"The whole new content."`
	Base64     string `json:"base64,omitempty" doc:"The whole new content, where it is no text."`
	Executable bool   `json:"executable,omitempty"`
	Delete     bool   `json:"delete,omitempty"`
}

// TaskUsage is what a worker used.
type TaskUsage struct {
	InputTokens  int64    `json:"input_tokens,omitempty" minimum:"0"`
	OutputTokens int64    `json:"output_tokens,omitempty" minimum:"0"`
	CostUSD      *float64 `json:"cost_usd,omitempty" minimum:"0"`
}

// patience is how long a worker waits for an experiment that is being read.
const patience = 10 * time.Second

// tasks are those of the engine of this process. The error is a conflict where
// another process runs the jobs.
func (d *Door) tasks(ctx context.Context) (*broker.Broker, error) {
	if err := d.Ready(ctx, patience); err != nil {
		return nil, err
	}
	if !d.eng.Owner() {
		return nil, fmt.Errorf("%w; tasks are handed out by `atoll run --http`", ErrNoEngine)
	}
	return d.eng.Tasks(), nil
}

// Tasks are the jobs that wait for workers or are with them.
func (d *Door) Tasks(ctx context.Context) ([]Task, error) {
	b, err := d.tasks(ctx)
	if err != nil {
		return nil, err
	}
	out := []Task{}
	for _, t := range b.Tasks() {
		out = append(out, taskOf(&t))
	}
	return out, nil
}

// task finds one of them.
func (d *Door) task(ctx context.Context, id record.JobID) (*broker.Broker, broker.Task, error) {
	b, err := d.tasks(ctx)
	if err != nil {
		return nil, broker.Task{}, err
	}
	t, err := b.Task(id)
	return b, t, err
}

// Task tells how one task stands.
func (d *Door) Task(ctx context.Context, id record.JobID) (Task, error) {
	_, t, err := d.task(ctx, id)
	if err != nil {
		return Task{}, err
	}
	return taskOf(&t), nil
}

// TaskDetail tells one task with all that a worker needs.
func (d *Door) TaskDetail(ctx context.Context, id record.JobID) (TaskDetail, error) {
	_, t, err := d.task(ctx, id)
	if err != nil {
		return TaskDetail{}, err
	}
	return detailOf(&t), nil
}

// TaskTree gives the files of one task.
func (d *Door) TaskTree(ctx context.Context, id record.JobID) (TaskTree, error) {
	_, t, err := d.task(ctx, id)
	return TaskTree{t.Files}, err
}

func taskOf(t *broker.Task) Task {
	out := Task{
		ID: t.Job, Status: "waiting", Agent: t.Agent, Operator: string(t.About.Operator), Target: t.About.Target.Name, Parent: t.About.Parent.ID.String(),
		Commit: t.About.Parent.Commit, Goal: t.About.Goal, Since: record.Millis(t.Since.UnixMilli()),
	}
	if t.Worker != "" {
		out.Status, out.Worker, out.Until = "leased", t.Worker, record.Millis(t.Until.UnixMilli())
	}
	return out
}

func detailOf(t *broker.Task) TaskDetail {
	out := TaskDetail{Task: taskOf(t), Prompt: t.Prompt, Files: []TaskFile{}}
	for _, f := range t.Files.Files() {
		out.Files = append(out.Files, TaskFile{f.Path, fmt.Sprintf("%06o", f.Mode), t.About.Allowed(f.Path)})
	}
	return out
}

// NextTask leases the oldest task that waits to a worker for a span, or waits so long
// for one: then there is none.
func (d *Door) NextTask(ctx context.Context, worker string, span, wait time.Duration) (*Leased, error) {
	b, err := d.tasks(ctx)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	t, l, ok := b.Next(ctx, worker, span)
	if !ok {
		return nil, nil
	}
	return &Leased{detailOf(&t), l.Token, record.Millis(l.Until.UnixMilli())}, nil
}

// ExtendTask gives a worker more time, and tells those who watch what it says.
func (d *Door) ExtendTask(ctx context.Context, id record.JobID, lease string, span time.Duration, says string) (record.Millis, error) {
	b, err := d.tasks(ctx)
	if err != nil {
		return 0, err
	}
	l, err := b.Extend(broker.Lease{Job: id, Token: lease}, span, view.CleanLine(says))
	return record.Millis(l.Until.UnixMilli()), err
}

// GiveTaskBack lets another worker have it.
func (d *Door) GiveTaskBack(ctx context.Context, id record.JobID, lease string) error {
	b, err := d.tasks(ctx)
	if err != nil {
		return err
	}
	return b.GiveBack(broker.Lease{Job: id, Token: lease})
}

// FinishTask takes in what a worker made. What makes no sense is refused, and the
// task stays with the worker.
func (d *Door) FinishTask(ctx context.Context, id record.JobID, a Answer) error {
	b, t, err := d.task(ctx, id)
	if err != nil {
		return err
	}
	lease := broker.Lease{Job: id, Token: a.Lease}
	usage := agent.FreeOfCharge()
	if u := a.Usage; u != nil {
		usage = record.Usage{Requests: 1, InputTokens: u.InputTokens, OutputTokens: u.OutputTokens, CostUSD: u.CostUSD}
	}
	if a.Failed != "" || a.Patch == "" && len(a.Changes) == 0 {
		return b.Finish(lease, agent.Result{}, &agent.Error{Class: record.ClassNoChange, Reason: view.CleanLine(givenUp(a.Failed)), Usage: usage, Err: agent.ErrNoChange})
	}
	changes, err := a.changes(ctx, &t)
	if err != nil {
		return err
	}
	return b.Finish(lease, agent.Result{Changes: changes, Usage: usage, Intent: view.CleanLine(a.Intent)}, nil)
}

func givenUp(why string) string {
	if why == "" {
		return "the worker changed nothing"
	}
	return "the worker gave up: " + why
}

// changes are the files that an answer changes, sorted.
func (a *Answer) changes(ctx context.Context, t *broker.Task) ([]record.Change, error) {
	if a.Patch != "" {
		if len(a.Changes) > 0 {
			return nil, bad("changes and patch are two ways to say the same: leave one out")
		}
		var known []string
		for _, f := range t.Files.Files() {
			known = append(known, f.Path)
		}
		edits, err := edit.Parse(edit.Diff, a.Patch, known)
		if err != nil {
			return nil, bad("the patch cannot be read: %v", err)
		}
		changes, err := edit.Apply(ctx, t.Files, edits, edit.Scope{})
		if err != nil {
			return nil, bad("the patch does not fit the parent: %v", err)
		}
		return changes, nil
	}
	modes := map[string]record.Mode{}
	for _, f := range t.Files.Files() {
		modes[f.Path] = f.Mode
	}
	var out []record.Change
	for _, c := range a.Changes {
		change, err := c.change(modes)
		if err != nil {
			return nil, err
		}
		out = append(out, change)
	}
	slices.SortFunc(out, func(x, y record.Change) int { return strings.Compare(x.Path, y.Path) })
	for i := 1; i < len(out); i++ {
		if out[i].Path == out[i-1].Path {
			return nil, bad("%s is there twice", out[i].Path)
		}
	}
	return out, nil
}

func (c *TaskChange) change(modes map[string]record.Mode) (record.Change, error) {
	was, there := modes[c.Path]
	switch {
	case !fs.ValidPath(c.Path) || c.Path == ".":
		return record.Change{}, bad("%q is no path inside the repository", c.Path)
	case c.Delete && !there:
		return record.Change{}, bad("%s cannot be deleted: the parent has no such file", c.Path)
	case c.Delete:
		return record.Change{Path: c.Path}, nil
	case there && was != record.Regular && was != record.Executable:
		return record.Change{}, bad("%s is a symlink or a submodule: it can only be deleted", c.Path)
	case c.Text != "" && c.Base64 != "":
		return record.Change{}, bad("%s has text and base64: leave one out", c.Path)
	}
	data := []byte(c.Text)
	if c.Base64 != "" {
		var err error
		if data, err = base64.StdEncoding.DecodeString(c.Base64); err != nil {
			return record.Change{}, bad("%s: %v", c.Path, err)
		}
	}
	mode := record.Regular
	if c.Executable || was == record.Executable {
		mode = record.Executable
	}
	return record.Change{Path: c.Path, Mode: mode, Data: data}, nil
}

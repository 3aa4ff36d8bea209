package door

import (
	"context"
	"errors"
	"fmt"
	"time"

	"atoll/engine/agent/broker"
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
	Worker   string        `json:"worker,omitempty" doc:"Who has it, as the worker calls itself."`
	Holder   string        `json:"holder,omitempty" doc:"The name of the token that the lease belongs to."`
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
		out.Status, out.Worker, out.Holder, out.Until = "leased", t.Worker, t.Holder, record.Millis(t.Until.UnixMilli())
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

// NextTask leases the oldest task that waits to a worker of the caller for a span, or
// waits so long for one: then there is none.
func (d *Door) NextTask(ctx context.Context, who Caller, worker string, span, wait time.Duration) (*Leased, error) {
	b, err := d.tasks(ctx)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	t, l, ok := b.Next(ctx, who.Name, worker, span)
	if !ok {
		return nil, nil
	}
	return &Leased{detailOf(&t), l.Token, record.Millis(l.Until.UnixMilli())}, nil
}

// ExtendTask gives a worker more time, and tells those who watch what it says.
func (d *Door) ExtendTask(ctx context.Context, who Caller, id record.JobID, lease string, span time.Duration, says string) (record.Millis, error) {
	b, err := d.tasks(ctx)
	if err != nil {
		return 0, err
	}
	l, err := b.Extend(leased(who, id, lease), span, view.CleanLine(says))
	return record.Millis(l.Until.UnixMilli()), d.late(ctx, id, err)
}

// GiveTaskBack lets another worker have it.
func (d *Door) GiveTaskBack(ctx context.Context, who Caller, id record.JobID, lease string) error {
	b, err := d.tasks(ctx)
	if err != nil {
		return err
	}
	return d.late(ctx, id, b.GiveBack(leased(who, id, lease)))
}

// FinishTask takes in what a worker made. What makes no sense is refused, and the
// task stays with the worker.
func (d *Door) FinishTask(ctx context.Context, who Caller, id record.JobID, a Answer) error {
	b, err := d.tasks(ctx)
	if err != nil {
		return err
	}
	l := leased(who, id, a.Lease)
	t, err := b.Holds(l)
	if err != nil {
		return d.late(ctx, id, err)
	}
	res, failure, err := a.result(ctx, t.Files)
	if err != nil {
		return err
	}
	return d.late(ctx, id, b.Finish(l, res, failure))
}

// leased is the lease that a caller says it has.
func leased(who Caller, id record.JobID, secret string) broker.Lease {
	return broker.Lease{Job: id, Holder: who.Name, Token: secret}
}

// late tells a task that was done, or whose job has ended, from one that never was:
// what comes for it comes too late.
func (d *Door) late(ctx context.Context, id record.JobID, err error) error {
	if !errors.Is(err, broker.ErrNoTask) {
		return err
	}
	if _, missing := d.Reader().Job(ctx, id); missing != nil {
		return err
	}
	return fmt.Errorf("%w: %s waits for no answer now", broker.ErrLease, id)
}

package campaign

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"atoll/store/record"
)

// TasksFile is what a tasks.yml holds.
type TasksFile struct {
	Tasks []Task
	Ended []Ended  // those that were done, failed or dropped there
	Told  []string // what was taken otherwise than it stands there, a line each
}

// Ended is what became of a task where a file was written.
type Ended struct {
	Task   int
	Status Status // Done, Failed or Dropped
	Reason string
}

// Count is how many of the tasks ended so.
func (f *TasksFile) Count(as Status) (n int) {
	for _, e := range f.Ended {
		if e.Status == as {
			n++
		}
	}
	return n
}

// Open are the tasks that have not ended.
func (f *TasksFile) Open() []Task {
	return slices.DeleteFunc(slices.Clone(f.Tasks), func(t Task) bool {
		return slices.ContainsFunc(f.Ended, func(e Ended) bool { return e.Task == t.ID })
	})
}

// isDone reports whether a task was done where the file was written.
func (f *TasksFile) isDone(task int) bool {
	return slices.ContainsFunc(f.Ended, func(e Ended) bool { return e.Task == task && e.Status == Done })
}

// ReadTasks reads tasks.yml or JSON: a list of tasks, or an object with one under
// "tasks". Fields it does not know are refused. A file of the kind that has
// description, priority, cost and status for each task is read as it means it, where
// it can mean one thing only: a higher priority number comes first; cost is the size;
// in_progress and running are pending, for whoever ran it is gone, which is told; done, failed
// and dropped stay so; area is the component;
// steps and criteria in words belong to what agents are told; what has no place here
// (task_id, assigned_to, metadata, an id that is no number) is kept in the note of its task. A
// dependency on a task that the file does not have is dropped: such files have their
// done tasks elsewhere. Errors wrap [ErrTask].
func ReadTasks(data []byte) (TasksFile, error) {
	entries, err := readEntries(data)
	if err != nil {
		return TasksFile{}, fmt.Errorf("%w: %w", ErrTask, plainly(err))
	}
	ids, err := number(entries)
	if err != nil {
		return TasksFile{}, err
	}
	var f TasksFile
	var lost, ran []string
	inWords := 0
	for _, e := range entries {
		t := e.taskOf(ids[e.id])
		for _, on := range e.after {
			if id, ok := ids[on]; ok {
				t.Dependencies = append(t.Dependencies, id)
			} else {
				lost = append(lost, fmt.Sprintf("%s on %s", e.id, on))
			}
		}
		switch e.status {
		case Done, Failed, Dropped:
			f.Ended = append(f.Ended, Ended{t.ID, e.status, e.reason})
		case Running, inProgress:
			ran = append(ran, e.id)
			fallthrough
		default:
			inWords += len(e.criteria)
		}
		if err := t.check(); err != nil {
			return TasksFile{}, fmt.Errorf("%w: line %d: %w", ErrTask, e.line, plainly(err))
		}
		f.Tasks = append(f.Tasks, t)
	}
	if len(lost) > 0 {
		f.Told = append(f.Told, "dependencies on tasks that the file does not have are dropped: "+strings.Join(lost, ", "))
	}
	if len(ran) > 0 {
		f.Told = append(f.Told, "running where the file was written, and pending here, from the beginning: "+strings.Join(ran, ", "))
	}
	for _, t := range f.Tasks {
		for _, d := range t.Dependencies {
			if f.isDone(t.ID) && !f.isDone(d) {
				f.Told = append(f.Told, fmt.Sprintf("task %d of the file is done there, though it comes after task %d, which is not; it stays done", t.ID, d))
			}
		}
	}
	if inWords > 0 {
		f.Told = append(f.Told, fmt.Sprintf("%d criteria in words are told to agents and measured by nobody; `atoll backlog edit TASK --accept` adds conditions that are", inWords))
	}
	return f, nil
}

// number gives every id of a file the number of its task: its own, or for a
// name the next after the highest.
func number(entries []*entry) (map[string]int, error) {
	ids := map[string]int{}
	next := 1
	for _, e := range entries {
		if _, ok := ids[e.id]; ok {
			return nil, fmt.Errorf("%w: line %d: the id %s stands twice", ErrTask, e.line, e.id)
		}
		n, _ := strconv.Atoi(e.id) // 0: a name
		ids[e.id] = n
		next = max(next, n+1)
	}
	for _, e := range entries {
		if _, err := strconv.Atoi(e.id); err != nil {
			ids[e.id] = next
			next++
		}
	}
	return ids, nil
}

// writtenTask is a task as a tasks.yml has it.
type writtenTask struct {
	Task   `yaml:",inline"`
	Status Status `json:"status,omitempty" yaml:"status,omitempty"`
	Reason string `json:"reason,omitempty" yaml:"reason,omitempty"` // of a task that ended
}

// WriteTasks writes the whole backlog in the form that [ReadTasks] reads: as YAML, or
// as JSON.
func (b *Backlog) WriteTasks(w io.Writer, asJSON bool) error {
	list := make([]writtenTask, len(b.Items))
	for i, it := range b.Items {
		list[i] = writtenTask{Task: it.Task, Status: it.Status}
		if it.Status != Pending && it.Status != Running {
			list[i].Reason = it.Reason
		}
	}
	if asJSON {
		enc := json.NewEncoder(w)
		enc.SetIndent("", "  ")
		return enc.Encode(list)
	}
	enc := yaml.NewEncoder(w)
	enc.SetIndent(2)
	if err := enc.Encode(list); err != nil {
		return err
	}
	return enc.Close()
}

// Import returns the rows that add the tasks of a file. They keep their numbers where
// all of these are free, else they get new ones, dependencies included. Those that
// were done, failed or dropped there are so here.
func (b *Backlog) Import(f TasksFile) ([]record.CampaignRow, error) {
	tasks := slices.Clone(f.Tasks)
	to := map[int]int{}
	free := true
	for _, t := range tasks {
		to[t.ID] = t.ID
		free = free && b.byID[t.ID] == nil
	}
	for i := range tasks {
		t := &tasks[i]
		if !free {
			to[t.ID] = b.NextID() + i
		}
	}
	ended := map[int]bool{}
	for _, e := range f.Ended {
		ended[to[e.Task]] = true
	}
	for i := range tasks {
		t := &tasks[i]
		t.ID = to[t.ID]
		t.Dependencies = slices.Clone(t.Dependencies)
		for k, d := range t.Dependencies {
			t.Dependencies[k] = to[d]
		}
	}
	rows, err := b.putAll(tasks, ended)
	kinds := map[Status]record.CampaignKind{Done: kindDone, Failed: kindFail, Dropped: kindDrop}
	for _, e := range f.Ended {
		rows = append(rows, row(kinds[e.Status], to[e.Task], "", words{cmp.Or(e.Reason, string(e.Status)+" before it was imported")}))
	}
	return rows, err
}

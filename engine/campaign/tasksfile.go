package campaign

import (
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
	Done  []int    // numbers of those that were done there
	Told  []string // what was taken otherwise than it stands there, a line each
}

// ReadTasks reads tasks.yml or JSON: a list of tasks, or an object with one under
// "tasks". Fields it does not know are refused. A file of the kind that has
// description, priority, cost and status for each task is read as it means it, where
// it can mean one thing only: a higher priority number comes first; cost is the size;
// in_progress is pending, for whoever ran it is gone; done stays done; area is the component;
// steps and criteria in words belong to what agents are told; what has no place here
// (task_id, assigned_to, metadata, an id that is no number) is kept in the note of its task. A
// dependency on a task that the file does not have is dropped: such files have their
// done tasks elsewhere. Errors wrap [ErrTask].
func ReadTasks(data []byte) (TasksFile, error) {
	entries, err := readEntries(data)
	if err != nil {
		return TasksFile{}, fmt.Errorf("%w: %w", ErrTask, plainly(err))
	}
	entries = slices.DeleteFunc(entries, func(e *entry) bool { return e.status == Dropped })
	ids, err := number(entries)
	if err != nil {
		return TasksFile{}, err
	}
	var f TasksFile
	var lost []string
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
		if e.status == Done {
			f.Done = append(f.Done, t.ID)
		} else {
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
	for _, t := range f.Tasks {
		for _, d := range t.Dependencies {
			if slices.Contains(f.Done, t.ID) && !slices.Contains(f.Done, d) {
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
}

// WriteTasks writes the whole backlog in the form that [ReadTasks] reads: as YAML, or
// as JSON.
func (b *Backlog) WriteTasks(w io.Writer, asJSON bool) error {
	list := make([]writtenTask, len(b.Items))
	for i, it := range b.Items {
		list[i] = writtenTask{Task: it.Task, Status: it.Status}
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
// were done there count as done here.
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
	for _, id := range f.Done {
		ended[to[id]] = true
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
	for _, id := range f.Done {
		rows = append(rows, row(kindDone, to[id], "", words{"done before it was imported"}))
	}
	return rows, err
}

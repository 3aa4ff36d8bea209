package campaign

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"atoll/store/record"
)

// fileTask is a task in a tasks.yml: that of atoll, and of systems that know fewer
// fields and other words (description, cost, in_progress).
type fileTask struct {
	Task        `yaml:",inline"`
	Description string  `json:"description,omitempty" yaml:"description,omitempty"`
	Status      Status  `json:"status,omitempty" yaml:"status,omitempty"`
	Cost        float64 `json:"cost,omitempty" yaml:"cost,omitempty"`
}

// ReadTasks reads tasks.yml or JSON: a list of tasks, or an object with one under
// "tasks". Fields it does not know are refused. A file of the kind that has
// description, priority, cost and status for each task is read as it means it, where
// it can mean one thing only: a higher priority number comes first; cost is the size;
// in_progress is pending, for whoever ran it is gone; done stays done. Errors wrap
// [ErrTask].
func ReadTasks(data []byte) (tasks []Task, done []int, err error) {
	list, err := decodeTasks(data)
	if err != nil {
		return nil, nil, fmt.Errorf("%w: %v", ErrTask, err)
	}
	seen := map[int]bool{}
	for i, f := range list {
		t := f.Task
		if t.Title == "" {
			t.Title, _, _ = strings.Cut(f.Description, "\n")
		} else if t.Goal == "" {
			t.Goal = f.Description
		}
		if len(t.Title) > 300 {
			t.Goal, t.Title = t.Title, strings.ToValidUTF8(t.Title[:200], "")+" ..."
		}
		if t.Size == 0 {
			t.Size = f.Cost
		}
		if t.Origin == "" {
			t.Origin = FromFile
		}
		if seen[t.ID] {
			return nil, nil, fmt.Errorf("%w: the number %d stands twice", ErrTask, t.ID)
		}
		seen[t.ID] = true
		switch f.Status {
		case "", Pending, Ready, Blocked, Running, Failed, "in_progress":
		case Done:
			done = append(done, t.ID)
		case Dropped:
			continue
		default:
			return nil, nil, fmt.Errorf("%w: task %d: the status %q is unknown; there are pending, in_progress and done", ErrTask, t.ID, f.Status)
		}
		if err := t.check(); err != nil {
			return nil, nil, fmt.Errorf("entry %d: %w", i+1, err)
		}
		tasks = append(tasks, t)
	}
	return tasks, done, nil
}

// decodeTasks reads both forms; JSON is YAML as far as this goes.
func decodeTasks(data []byte) ([]fileTask, error) {
	var top yaml.Node
	if err := yaml.Unmarshal(data, &top); err != nil {
		return nil, err
	}
	if len(top.Content) == 0 {
		return nil, errors.New("the file is empty")
	}
	dec := yaml.NewDecoder(bytes.NewReader(data))
	dec.KnownFields(true)
	if top.Content[0].Kind == yaml.MappingNode {
		var f struct {
			Tasks []fileTask `yaml:"tasks"`
		}
		err := dec.Decode(&f)
		return f.Tasks, err
	}
	var list []fileTask
	err := dec.Decode(&list)
	return list, err
}

// WriteTasks writes the whole backlog in the form that [ReadTasks] reads: as YAML, or
// as JSON.
func (s *State) WriteTasks(w io.Writer, asJSON bool) error {
	list := make([]fileTask, len(s.Items))
	for i, it := range s.Items {
		list[i] = fileTask{Task: it.Task, Status: it.Status}
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
func (s *State) Import(tasks []Task, done []int) ([]record.CampaignRow, error) {
	to := map[int]int{}
	free := true
	for _, t := range tasks {
		to[t.ID] = t.ID
		free = free && s.byID[t.ID] == nil
	}
	for i := range tasks {
		t := &tasks[i]
		if !free {
			to[t.ID] = s.NextID() + i
		}
	}
	for i := range tasks {
		t := &tasks[i]
		t.ID = to[t.ID]
		t.Dependencies = slices.Clone(t.Dependencies)
		for k, d := range t.Dependencies {
			now, ok := to[d]
			if !ok {
				return nil, fmt.Errorf("%w: task %q depends on %d, which the file does not have", ErrTask, t.Title, d)
			}
			t.Dependencies[k] = now
		}
	}
	rows, err := s.Put(tasks...)
	for _, id := range done {
		rows = append(rows, row(kindDone, to[id], "", words{"done before it was imported"}))
	}
	return rows, err
}

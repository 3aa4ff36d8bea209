package campaign

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"atoll/engine/agent/clean"
	"atoll/engine/agent/edit"
)

// planned is a planner's answer.
type planned struct {
	Epic  string        `json:"epic"`
	Tasks []plannedTask `json:"tasks"`
}

type plannedTask struct {
	Title     string            `json:"title"`
	Goal      string            `json:"goal"`
	After     []json.RawMessage `json:"after"` // 1 of this answer, "t4" of the backlog
	Accept    []string          `json:"accept"`
	Scope     []string          `json:"scope"`
	Component string            `json:"component"`
	Value     float64           `json:"value"`
	Urgency   float64           `json:"urgency"`
	Risk      float64           `json:"risk"`
	Size      float64           `json:"size"`
	Jobs      int               `json:"jobs"`
	Best      bool              `json:"best"`
}

// readPlan reads an answer. The error says, for the planner, what keeps it from being
// used.
func (i *intent) readPlan(answer string) (epic string, tasks []Task, err error) {
	p, err := decodePlan(answer)
	if err != nil {
		return "", nil, err
	}
	if len(p.Tasks) > maxPlanned {
		return "", nil, fmt.Errorf("it has %d tasks; write %d at most", len(p.Tasks), maxPlanned)
	}
	first := i.backlog.NextID()
	epic = clean.Line(p.Epic)
	for n := range p.Tasks {
		t, err := i.readTask(&p.Tasks[n], first, len(p.Tasks))
		if err != nil {
			return "", nil, fmt.Errorf("task %d (%s): %w", n+1, clip(clean.Line(p.Tasks[n].Title), 60), err)
		}
		t.ID, t.Epic, t.Origin = first+n, epic, FromEpic
		tasks = append(tasks, t)
	}
	if _, err := i.backlog.Put(tasks...); err != nil {
		return "", nil, plainly(err)
	}
	return epic, tasks, nil
}

// decodePlan finds the object of a plan among the words of an answer.
func decodePlan(answer string) (planned, error) {
	wrong := errors.New("it holds no JSON object with tasks")
	for _, object := range edit.JSONObjects(edit.WithoutThoughts(answer)) {
		var p planned
		dec := json.NewDecoder(bytes.NewReader(object))
		dec.DisallowUnknownFields()
		if err := dec.Decode(&p); err != nil {
			if bytes.Contains(object, []byte(`"tasks"`)) {
				wrong = errors.New(strings.TrimPrefix(err.Error(), "json: "))
			}
			continue
		}
		switch {
		case len(p.Tasks) == 0:
			wrong = errors.New("it has no tasks")
		case strings.TrimSpace(p.Epic) == "":
			wrong = errors.New("it has no epic, the title of the whole")
		default:
			return p, nil
		}
	}
	return planned{}, wrong
}

// readTask reads one task of an answer of n whose first gets the number first.
func (i *intent) readTask(p *plannedTask, first, n int) (Task, error) {
	g := &i.ground
	t := Task{
		Title: clean.Line(p.Title), Goal: clean.Line(p.Goal), Component: clean.Line(p.Component), Scope: p.Scope, Jobs: p.Jobs, Best: p.Best,
		Value: p.Value, Urgency: p.Urgency, Risk: p.Risk, Size: p.Size,
	}
	for _, raw := range p.After {
		id, err := i.before(raw, first, n)
		if err != nil {
			return t, err
		}
		t.Dependencies = append(t.Dependencies, id)
	}
	for _, text := range p.Accept {
		a, err := ParseAcceptance(clean.Line(text))
		if err == nil {
			err = g.checkable(a)
		}
		if err != nil {
			return t, plainly(err)
		}
		t.Acceptance = append(t.Acceptance, a)
	}
	if len(t.Scope) > 0 && !g.touches(t.Scope) {
		return t, fmt.Errorf("its scope %s matches no file of the repository", strings.Join(t.Scope, ", "))
	}
	if len(t.Scope) > 0 && len(g.Scope) > 0 && !g.touches(t.Scope, g.Scope) {
		return t, fmt.Errorf("its scope %s lies wholly outside the files that may be changed: %s", strings.Join(t.Scope, ", "), strings.Join(g.Scope, ", "))
	}
	return t, nil
}

// before is the number of a task that "after" names.
func (i *intent) before(raw json.RawMessage, first, n int) (int, error) {
	text := strings.Trim(string(raw), `" `)
	id, err := strconv.Atoi(strings.TrimPrefix(text, "t"))
	switch {
	case err != nil:
		return 0, fmt.Errorf("after: %s is neither the place of a task here nor one of the backlog, such as 1 or \"t4\"", text)
	case !strings.HasPrefix(text, "t") && (id < 1 || id > n):
		return 0, fmt.Errorf("after: there is no task %d in the answer, which has %d", id, n)
	case !strings.HasPrefix(text, "t"):
		return first + id - 1, nil
	case i.backlog.byID[id] == nil:
		return 0, fmt.Errorf("after: the backlog has no task %s", text)
	}
	return id, nil
}

// checkable reports why a condition could never be looked at in this repository.
func (g *Ground) checkable(a Acceptance) error {
	switch a.Kind {
	case AcceptMetric:
		if names := g.metrics(); !slices.Contains(names, a.Name) {
			return fmt.Errorf("accept %q: the evaluator is not known to report %s; there are: %s", a, a.Name, strings.Join(names, ", "))
		}
	case AcceptAudit:
		v, err := g.Report.Figure(a.Name)
		if err != nil {
			return fmt.Errorf("accept %q: %w", a, err)
		}
		if a.Holds(v) {
			return fmt.Errorf("accept %q holds already: it is %s", a, short(v))
		}
	}
	return nil
}

// touches reports whether a file of the repository is in every one of scopes.
func (g *Ground) touches(scopes ...[]string) bool {
	return slices.ContainsFunc(g.Files, func(path string) bool {
		return !slices.ContainsFunc(scopes, func(scope []string) bool { return !inScope(scope, path) })
	})
}

func inScope(scope []string, path string) bool {
	return slices.ContainsFunc(scope, func(glob string) bool {
		ok, err := doublestar.Match(glob, path)
		return err == nil && ok || strings.HasPrefix(path, strings.TrimSuffix(glob, "/")+"/")
	})
}

// plainly is an error of a task without the sentinel's words, for one that says them.
func plainly(err error) error {
	return errors.New(strings.ReplaceAll(err.Error(), ErrTask.Error()+": ", ""))
}

package campaign

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"atoll/engine/agent/clean"
)

// inProgress is how other systems write Running.
const inProgress Status = "in_progress"

// maxReason bounds, in runes, why a task of a file ended.
const maxReason = 1000

// entry is one task of a tasks.yml as it stands there.
type entry struct {
	task            Task // what has the same name and form in both
	line            int
	id              string
	after           []string // ids
	status          Status
	reason          string
	description     string
	area            string
	cost            float64
	steps, criteria []string
	notes           []string
}

// readEntries reads the list; JSON is YAML as far as this goes.
func readEntries(data []byte) ([]*entry, error) {
	var top yaml.Node
	if err := yaml.Unmarshal(data, &top); err != nil {
		return nil, err
	}
	if len(top.Content) == 0 {
		return nil, errors.New("the file is empty")
	}
	list := resolve(top.Content[0])
	if list.Kind == yaml.MappingNode {
		if len(list.Content) != 2 || list.Content[0].Value != "tasks" {
			return nil, fmt.Errorf("line %d: the file is neither a list of tasks nor an object with one under tasks alone", list.Line)
		}
		list = resolve(list.Content[1])
	}
	if list.Kind != yaml.SequenceNode {
		return nil, fmt.Errorf("line %d: this is no list of tasks", list.Line)
	}
	out := make([]*entry, len(list.Content))
	for i, n := range list.Content {
		e, err := readEntry(resolve(n))
		if err != nil {
			return nil, err
		}
		out[i] = e
	}
	return out, nil
}

func readEntry(n *yaml.Node) (*entry, error) {
	if n.Kind != yaml.MappingNode {
		return nil, fmt.Errorf("line %d: this is no task: a task has an id and a title or description", n.Line)
	}
	e := &entry{line: n.Line}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], resolve(n.Content[i+1])
		if err := e.set(key.Value, value); err != nil {
			return nil, fmt.Errorf("line %d: %s: %w", key.Line, key.Value, err)
		}
	}
	if e.id == "" {
		return nil, fmt.Errorf("line %d: the task has no id", n.Line)
	}
	return e, e.judgeStatus()
}

func resolve(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}

func (e *entry) judgeStatus() error {
	switch e.status {
	case "", Pending, Ready, Blocked, Running, Failed, inProgress, Done, Dropped:
		return nil
	}
	return fmt.Errorf("line %d: the status %q is unknown; there are pending, in_progress, done, failed and dropped", e.line, e.status)
}

// set takes in one field.
func (e *entry) set(key string, n *yaml.Node) (err error) {
	t := &e.task
	switch key {
	case "id":
		e.id, err = readID(n)
	case "title":
		t.Title, err = readText(n)
	case "goal":
		t.Goal, err = readText(n)
	case "description":
		e.description, err = readText(n)
		e.description = strings.TrimSpace(e.description)
	case "component":
		t.Component, err = readText(n)
	case "area":
		e.area, err = readText(n)
	case "dependencies":
		e.after, err = readList(n, readID)
	case "priority":
		t.Priority, err = readWhole(n)
	case "value":
		t.Value, err = readNumber(n)
	case "urgency":
		t.Urgency, err = readNumber(n)
	case "risk":
		t.Risk, err = readNumber(n)
	case "size":
		t.Size, err = readSize(n)
	case "cost":
		e.cost, err = readNumber(n)
	case "cost_usd":
		t.CostUSD, err = readNumber(n)
	case "jobs":
		t.Jobs, err = readWhole(n)
	case "deadline":
		t.Deadline, err = readText(n)
	case "retries":
		t.Retries, err = readWhole(n)
	case "best":
		t.Best, err = readBool(n)
	case "acceptance":
		t.Acceptance, err = readList(n, readAcceptance)
	case "acceptance_criteria":
		e.criteria, err = readList(n, readWords)
	case "actionable_steps":
		e.steps, err = readList(n, readWords)
	case "scope":
		t.Scope, err = readList(n, readText)
	case "command":
		t.Command, err = readText(n)
	case "epic":
		t.Epic, err = readText(n)
	case "key":
		t.Key, err = readText(n)
	case "origin":
		t.Origin, err = readText(n)
	case "note":
		t.Note, err = readText(n)
	case "status":
		var text string
		text, err = readText(n)
		e.status = Status(text)
	case "reason":
		e.reason, err = readText(n)
		e.reason = clean.Clip(clean.Line(e.reason), maxReason)
	case "task_id", "assigned_to", "metadata":
		var text string
		if text, err = readWords(n); text != "" && text != "{}" {
			e.notes = append(e.notes, key+": "+text)
		}
	default:
		return errors.New("a task has no such field")
	}
	return err
}

// taskOf is the task of an entry, without its dependencies.
func (e *entry) taskOf(id int) Task {
	t := e.task
	t.ID = id
	if t.Title == "" {
		t.Title, _, _ = strings.Cut(e.description, "\n")
	} else if t.Goal == "" {
		t.Goal = e.description
	}
	if len(t.Title) > 300 {
		t.Goal, t.Title = t.Title, strings.ToValidUTF8(t.Title[:200], "")+" ..."
	}
	t.Goal = e.goal(t.Title, t.Goal)
	if t.Size == 0 {
		t.Size = e.cost
	}
	if t.Origin == "" {
		t.Origin = FromFile
	}
	notes := slices.Clone(e.notes)
	if t.Component == "" {
		t.Component = e.area
	} else if e.area != "" && e.area != t.Component {
		notes = append(notes, "area: "+e.area)
	}
	if e.id != strconv.Itoa(id) {
		notes = append([]string{"id: " + e.id}, notes...)
	}
	if t.Note != "" {
		notes = append([]string{t.Note}, notes...)
	}
	t.Note = strings.Join(notes, "\n")
	return t
}

// goal is what agents are told: with the steps and the criteria, if there are any.
func (e *entry) goal(title, goal string) string {
	if len(e.steps)+len(e.criteria) == 0 {
		return goal
	}
	parts := []string{goal}
	if goal == "" {
		parts[0] = title
	}
	for _, list := range []struct {
		head  string
		lines []string
	}{{"Steps:", e.steps}, {"It is done when:", e.criteria}} {
		if len(list.lines) > 0 {
			parts = append(parts, list.head+"\n- "+strings.Join(list.lines, "\n- "))
		}
	}
	return strings.Join(parts, "\n")
}

// readText reads a scalar; null is "".
func readText(n *yaml.Node) (string, error) {
	switch {
	case n.Kind != yaml.ScalarNode:
		return "", errors.New("this is no text")
	case n.Tag == "!!null":
		return "", nil
	}
	return n.Value, nil
}

// readWords reads a text, or whatever else stands there as one: a text with a colon
// is easily an object.
func readWords(n *yaml.Node) (string, error) {
	if n.Kind == yaml.ScalarNode {
		return readText(n)
	}
	if n.Kind == yaml.MappingNode && len(n.Content) == 2 && n.Content[1].Kind == yaml.ScalarNode {
		return n.Content[0].Value + ": " + n.Content[1].Value, nil
	}
	data, err := yaml.Marshal(n)
	return strings.TrimSpace(string(data)), err
}

// readID reads a number from 1, or a name. Numbers that are written as text are numbers.
func readID(n *yaml.Node) (string, error) {
	text, err := readText(n)
	text = strings.TrimSpace(text)
	switch {
	case err != nil:
		return "", err
	case n.Tag == "!!float", n.Tag == "!!bool", text == "", len(text) > 100:
		return "", fmt.Errorf("%q is neither a whole number nor a name", text)
	}
	if i, err := strconv.Atoi(text); err == nil {
		return strconv.Itoa(i), nil
	}
	return text, nil
}

func readWhole(n *yaml.Node) (int, error) {
	text, err := readText(n)
	if err != nil || text == "" {
		return 0, err
	}
	i, err := strconv.Atoi(strings.TrimSpace(text))
	if err != nil {
		return 0, fmt.Errorf("%q is no whole number", text)
	}
	return i, nil
}

func readNumber(n *yaml.Node) (float64, error) {
	text, err := readText(n)
	if err != nil || text == "" {
		return 0, err
	}
	v, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if err != nil {
		return 0, fmt.Errorf("%q is no number", text)
	}
	return v, nil
}

// readSize reads a size; one that is left empty is not given.
func readSize(n *yaml.Node) (float64, error) {
	v, err := readNumber(n)
	if text, _ := readText(n); err != nil || text == "" {
		return v, err
	}
	return v, CheckSize(v)
}

func readBool(n *yaml.Node) (bool, error) {
	text, err := readText(n)
	if err != nil || text == "" {
		return false, err
	}
	v, err := strconv.ParseBool(text)
	if err != nil {
		return false, fmt.Errorf("%q is neither true nor false", text)
	}
	return v, nil
}

func readAcceptance(n *yaml.Node) (Acceptance, error) {
	text, err := readText(n)
	if err != nil {
		return Acceptance{}, err
	}
	return ParseAcceptance(text)
}

// readList reads a list; one value alone is a list of it, null an empty one.
func readList[T any](n *yaml.Node, read func(*yaml.Node) (T, error)) ([]T, error) {
	values := []*yaml.Node{n}
	switch {
	case n.Kind == yaml.SequenceNode:
		values = n.Content
	case n.Tag == "!!null":
		return nil, nil
	}
	var out []T
	for _, v := range values {
		got, err := read(resolve(v))
		if err != nil {
			return nil, err
		}
		out = append(out, got)
	}
	return out, nil
}

package campaign

import (
	"bufio"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// listed begins a task of an epic: "1. Title", "- Title", "* [ ] Title".
var listed = regexp.MustCompile(`^\s*(?:(\d+)[.)]|[-*+])\s+(?:\[[ xX]\]\s+)?(.*)$`)

// MapEpic turns an epic in structured words into tasks with dependencies. The first
// heading or line is the epic; every item of a list is a task; the indented lines
// below an item are "key: value" for its fields (goal, component, value, urgency, risk,
// size, priority, jobs, cost_usd, deadline, retries, best, scope, accept, run, after) and
// otherwise belong to its goal. "after: 1, 3" names items by their place in the text;
// items of a numbered list come after the one before them unless they say otherwise,
// items of a bulleted list after none. Numbers are given from first on. Errors wrap
// [ErrTask] and name the line.
func MapEpic(text string, first int) (epic string, tasks []Task, err error) {
	m := epicMap{first: first}
	sc := bufio.NewScanner(strings.NewReader(text))
	sc.Buffer(nil, 1<<20)
	for n := 1; sc.Scan(); n++ {
		if err := m.line(sc.Text()); err != nil {
			return "", nil, fmt.Errorf("%w: line %d: %w", ErrTask, n, plainly(err))
		}
	}
	if err := sc.Err(); err != nil {
		return "", nil, err
	}
	if len(m.tasks) == 0 {
		return "", nil, fmt.Errorf("%w: %w", ErrTask, errNoList)
	}
	for i := range m.tasks {
		for _, d := range m.tasks[i].Dependencies {
			if d < first || d >= first+len(m.tasks) {
				return "", nil, fmt.Errorf("%w: item %d comes after item %d, which does not exist", ErrTask, i+1, d-first+1)
			}
		}
	}
	return m.epic, m.tasks, nil
}

// epicMap is an epic as far as it was read.
type epicMap struct {
	epic  string
	first int
	tasks []Task
}

func (m *epicMap) line(line string) error {
	trimmed := strings.TrimSpace(line)
	if trimmed == "" {
		return nil
	}
	if strings.HasPrefix(line, "#") && (len(m.tasks) > 0 || m.epic != "" && strings.HasPrefix(line, "# ")) {
		return fmt.Errorf("%q is a second heading; write each epic in a file of its own", trimmed)
	}
	if found := listed.FindStringSubmatch(line); found != nil {
		t := Task{ID: m.first + len(m.tasks), Title: found[2], Epic: m.epic, Origin: FromEpic}
		if found[1] != "" && len(m.tasks) > 0 {
			t.Dependencies = []int{t.ID - 1}
		}
		m.tasks = append(m.tasks, t)
		return nil
	}
	if len(m.tasks) == 0 {
		if m.epic == "" {
			m.epic = strings.TrimSpace(strings.TrimPrefix(strings.TrimLeft(trimmed, "# "), "Epic:"))
		}
		return nil
	}
	t := &m.tasks[len(m.tasks)-1]
	if key, value, ok := strings.Cut(trimmed, ":"); ok {
		known, err := m.set(t, strings.ToLower(strings.TrimSpace(key)), strings.TrimSpace(value))
		if known || err != nil {
			return err
		}
	}
	t.Goal = strings.TrimSpace(t.Goal + " " + trimmed)
	return nil
}

// set gives a field its value; known is false for words that name no field.
func (m *epicMap) set(t *Task, key, value string) (known bool, err error) {
	number := func(into *float64) (bool, error) {
		if *into, err = strconv.ParseFloat(value, 64); err != nil {
			err = fmt.Errorf("%s: %q is no number", key, value)
		}
		return true, err
	}
	whole := func(into *int) (bool, error) {
		if *into, err = strconv.Atoi(value); err != nil {
			err = fmt.Errorf("%s: %q is no whole number", key, value)
		}
		return true, err
	}
	switch key {
	case "goal":
		t.Goal = value
	case "component":
		t.Component = value
	case "value":
		return number(&t.Value)
	case "urgency":
		return number(&t.Urgency)
	case "risk":
		return number(&t.Risk)
	case "size":
		if known, err = number(&t.Size); err == nil {
			err = CheckSize(t.Size)
		}
		return known, err
	case "cost_usd", "cost":
		return number(&t.CostUSD)
	case "priority":
		return whole(&t.Priority)
	case "jobs":
		return whole(&t.Jobs)
	case "retries":
		return whole(&t.Retries)
	case "best":
		t.Best, err = strconv.ParseBool(strings.NewReplacer("yes", "true", "no", "false").Replace(strings.ToLower(value)))
		if err != nil {
			err = fmt.Errorf("best: %q is neither yes nor no", value)
		}
		return true, err
	case "deadline":
		t.Deadline = value
	case "run":
		t.Command = value
	case "scope":
		t.Scope = strings.Fields(strings.ReplaceAll(value, ",", " "))
	case "accept", "acceptance":
		a, err := ParseAcceptance(value)
		t.Acceptance = append(t.Acceptance, a)
		return true, err
	case "after":
		t.Dependencies = nil
		for _, w := range strings.FieldsFunc(value, func(r rune) bool { return r == ',' || r == ' ' }) {
			if w == "nothing" || w == "none" {
				continue
			}
			n, err := strconv.Atoi(w)
			if err != nil {
				return true, fmt.Errorf("after: %q is no number of an item", w)
			}
			t.Dependencies = append(t.Dependencies, m.first+n-1)
		}
	default:
		return false, nil
	}
	return true, nil
}

package campaign

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"atoll/engine/campaign/audit"
)

// ground is a repository of two files whose evaluator reports a time.
func ground() Ground {
	src := "package parse\n\nfunc Parse(s string) int {\n\tif s == \"\" {\n\t\treturn 0\n\t}\n\treturn 1\n}\n"
	return Ground{
		Goal: "Parse fast.", Objective: "time_ms", Direction: "minimize", Metrics: []string{"memory_mb"},
		Files: []string{"parse/parse.go", "README.md"}, Scope: []string{"**/*.go"}, Report: audit.Run([]audit.Source{{Path: "parse/parse.go", Data: []byte(src)}}),
	}
}

// backlogOf is a state with so many tasks.
func backlogOf(t *testing.T, titles ...string) *State {
	t.Helper()
	j := &memory{}
	s := NewState()
	for i, title := range titles {
		s = put(t, j, Task{ID: i + 1, Title: title})
	}
	return s
}

// planner answers with these texts, and keeps what it was asked.
type planner struct {
	says  []string
	asked []string
}

func (p *planner) ask(_ context.Context, turn int, system, user string) (string, error) {
	p.asked = append(p.asked, system+"\n"+user)
	if len(p.asked) != turn {
		return "", fmt.Errorf("question %d is told as turn %d", len(p.asked), turn)
	}
	return p.says[turn-1], nil
}

const goodPlan = `I would do it so:

` + "```json" + `
{"epic": "Parsing twice as fast",
 "tasks": [
  {"title": "Parse without copies", "goal": "No copy of the input.", "accept": ["gain >= 20%", "memory_mb <= 40"], "scope": ["parse/**"], "value": 8, "size": 2, "jobs": 40},
  {"title": "Simplify Parse", "after": [1, "t1"], "accept": ["audit complexity parse/parse.go:Parse <= 1"], "best": true},
]}
` + "```"

func TestAnEpicInWordsBecomesTasksWithDependencies(t *testing.T) {
	t.Parallel()
	s, p := backlogOf(t, "Measure"), planner{says: []string{goodPlan}}
	epic, tasks, err := s.MapIntent(t.Context(), p.ask, "Parsing shall be twice as fast.", ground())
	if err != nil {
		t.Fatal(err)
	}
	if epic != "Parsing twice as fast" || len(tasks) != 2 {
		t.Fatalf("the epic is %q with %d tasks", epic, len(tasks))
	}
	one, two := tasks[0], tasks[1]
	if one.ID != 2 || one.Title != "Parse without copies" || fmt.Sprint(one.Acceptance) != "[gain >= 20% memory_mb <= 40]" || one.Jobs != 40 || one.Epic != epic || one.Origin != FromEpic {
		t.Errorf("the first task is %+v", one)
	}
	if fmt.Sprint(two.Dependencies) != "[2 1]" || !two.Best {
		t.Errorf("the second task comes after %v, best %v", two.Dependencies, two.Best)
	}
	for _, want := range []string{"Parsing shall be twice as fast.", "objective: time_ms (minimize)", "memory_mb", "parse/parse.go", "t1 Measure"} {
		if !strings.Contains(p.asked[0], want) {
			t.Errorf("the planner was not told %q:\n%s", want, p.asked[0])
		}
	}
}

func TestAnAnswerThatCannotBeUsedIsRefusedWithAReasonAndAskedForOnceMore(t *testing.T) {
	t.Parallel()
	task := func(fields string) string { return `{"epic": "E", "tasks": [{"title": "A"` + fields + `}]}` }
	for name, c := range map[string]struct{ answer, reason string }{
		"no object":                      {"I cannot do that.", "no JSON object with tasks"},
		"no tasks":                       {`{"epic": "E", "tasks": []}`, "it has no tasks"},
		"no title of the whole":          {`{"tasks": [{"title": "A"}]}`, "it has no epic"},
		"a task without a title":         {`{"epic": "E", "tasks": [{"goal": "x"}]}`, "it has no title"},
		"a command of its own":           {task(`, "run": "rm -rf /"`), `unknown field "run"`},
		"too many tasks":                 {`{"epic": "E", "tasks": [` + strings.Repeat(`{"title": "A"},`, 20) + `{"title": "B"}]}`, "it has 21 tasks"},
		"two tasks of one title":         {`{"epic": "E", "tasks": [{"title": "A"}, {"title": "a"}]}`, "is the same as"},
		"a task that is there":           {`{"epic": "E", "tasks": [{"title": "measure"}]}`, "is the same as t1"},
		"after nothing":                  {task(`, "after": [7]`), "there is no task 7 in the answer"},
		"after a task that is not there": {task(`, "after": ["t9"]`), "the backlog has no task t9"},
		"after words":                    {task(`, "after": ["the first"]`), "after: the first is neither"},
		"a circle":                       {`{"epic": "E", "tasks": [{"title": "A", "after": [2]}, {"title": "B", "after": [1]}]}`, "go in a circle: t2 -> t3 -> t2"},
		"itself":                         {task(`, "after": [1]`), "depends on itself"},
		"a condition in words":           {task(`, "accept": ["it is faster"]`), `acceptance "it is faster"`},
		"a metric nobody measures":       {task(`, "accept": ["speed >= 3"]`), "not known to report speed; there are: time_ms, memory_mb"},
		"a figure the auditor lacks":     {task(`, "accept": ["audit beauty parse/parse.go >= 3"]`), `no figure "beauty"`},
		"a function of no file":          {task(`, "accept": ["audit complexity other.go:F <= 3"]`), "the auditor measures no file other.go"},
		"what holds already":             {task(`, "accept": ["audit complexity parse/parse.go:Parse <= 30"]`), "holds already: it is 2"},
		"a scope of nothing":             {task(`, "scope": ["lexer/**"]`), "lexer/** matches no file"},
		"a scope of what may not change": {task(`, "scope": ["README.md"]`), "README.md lies wholly outside the files that may be changed: **/*.go"},
		"a number out of bounds":         {task(`, "value": -3`), "value -3 is not between"},
		"a type that is none":            {task(`, "jobs": "many"`), "cannot unmarshal string"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := planner{says: []string{c.answer, goodPlan}}
			_, tasks, err := backlogOf(t, "Measure").MapIntent(t.Context(), p.ask, "Faster.", ground())
			if err != nil || len(tasks) != 2 {
				t.Fatalf("after a second, good answer: %d tasks, %v", len(tasks), err)
			}
			if !strings.Contains(p.asked[1], c.reason) || !strings.Contains(p.asked[1], "Your first answer") {
				t.Errorf("the planner was not told %q:\n%s", c.reason, p.asked[1])
			}
			p = planner{says: []string{c.answer, "no"}}
			_, _, err = backlogOf(t, "Measure").MapIntent(t.Context(), p.ask, "Faster.", ground())
			if !errors.Is(err, ErrPlan) || !strings.Contains(err.Error(), c.reason) || len(p.asked) != 2 {
				t.Errorf("two bad answers give %v after %d questions", err, len(p.asked))
			}
		})
	}
}

func TestWordsThatNobodyCouldReadAreNotAskedAbout(t *testing.T) {
	t.Parallel()
	for _, words := range []string{" \n", strings.Repeat("long ", 10_000)} {
		p := planner{}
		if _, _, err := backlogOf(t).MapIntent(t.Context(), p.ask, words, ground()); !errors.Is(err, ErrTask) || len(p.asked) > 0 {
			t.Errorf("%d bytes give %v after %d questions", len(words), err, len(p.asked))
		}
	}
}

package campaign

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"atoll/engine/campaign/audit"
)

// Planner answers one prompt: the model of the planner's role. Of one epic, turn is 1
// for the first question and 2 for the second.
type Planner func(ctx context.Context, turn int, system, user string) (answer string, err error)

// Ground is what a planner is told beside the epic, and what its answer is held
// against.
type Ground struct {
	Goal        string
	Constraints []string
	Objective   string // "" = not known
	Direction   string
	Metrics     []string // that the evaluator is known to report
	Files       []string // of the repository
	Scope       []string // globs of those that may be changed at all; none: every one
	Report      audit.Report
	Findings    []audit.Finding
}

// What a planner is told at most, and may answer.
const (
	maxEpic      = 32 << 10 // bytes of the words
	tellFiles    = 400
	tellOpen     = 40
	tellFindings = 10
	maxPlanned   = 20 // tasks of one answer
)

// MapIntent has a planner turn an epic in words into tasks with dependencies, numbered
// from the backlog's next number on. An answer that cannot be used is refused, and the
// planner is asked once more with the reason. Errors wrap [ErrTask] where the words
// cannot be asked about, [ErrPlan] where both answers were refused; those of ask are
// returned as they are.
func (b *Backlog) MapIntent(ctx context.Context, ask Planner, words string, g Ground) (epic string, tasks []Task, err error) {
	words = strings.TrimSpace(words)
	if words == "" || len(words) > maxEpic {
		return "", nil, fmt.Errorf("%w: the epic has %d bytes; between 1 and %d can be asked about", ErrTask, len(words), maxEpic)
	}
	i := intent{backlog: b, ground: g}
	first, question := "", i.question(words)
	for turn := 1; ; turn++ {
		answer, err := ask(ctx, turn, plannerIs, question)
		if err != nil {
			return "", nil, err
		}
		epic, tasks, err := i.readPlan(answer)
		switch {
		case err == nil:
			return epic, tasks, nil
		case turn > 1:
			return "", nil, fmt.Errorf("%w: at first %s; then %s; write the epic as a list of tasks, which needs no planner", ErrPlan, first, err.Error())
		}
		first = err.Error()
		question += "\n\n# Your first answer\n\n" + clip(strings.TrimSpace(answer), 4000) + "\n\nIt was refused: " + first + ". Answer again, with the whole JSON object."
	}
}

// plannerIs says who a planner is and how it answers.
const plannerIs = `You plan the work on a git repository. A person tells you an epic in words; you turn it into tasks.

Each task is carried out by itself: either a search changes the files of its scope until its conditions are measured to hold, or it fails. Tasks build on each other only through "after". Write as few as the epic needs, each small enough to be measured alone.

Answer with one JSON object and nothing else:

{"epic": "title of the whole in one line",
 "tasks": [{
   "title": "what is done, in one line",
   "goal": "what whoever edits must know, in a few sentences",
   "after": [1, "t4"],
   "accept": ["gain >= 5%"],
   "scope": ["parse/**"],
   "component": "parser",
   "value": 8, "urgency": 3, "risk": 2, "size": 2,
   "jobs": 40,
   "best": false
 }]}

"after" names tasks of this answer by their place, from 1, and tasks of the backlog as "t4"; leave it out where nothing must be done before.
"accept" holds conditions that can be measured, and each must be one of:
  gain >= NUMBER%                                  the objective gains so much on what the task began with
  METRIC <= NUMBER or METRIC >= NUMBER             a metric of the evaluator
  audit complexity FILE:FUNCTION <= NUMBER         also cognitive, length, coverage; maintainability, lines, worst, duplicated of a FILE
  run: COMMAND                                     the command ends with 0 in the tree, without network
"scope" holds globs of files that may change. value, urgency, risk and size are from 1 to 10. "jobs" is how many edits may be tried. "best" is true where all of them shall be tried and the best kept. Fields that say nothing are left out.`

// intent is what an epic in words is planned on.
type intent struct {
	backlog *Backlog
	ground  Ground
}

// question is the prompt of an epic.
func (i *intent) question(words string) string {
	g := &i.ground
	var b strings.Builder
	part := func(title string, lines ...string) {
		if len(lines) > 0 {
			fmt.Fprintf(&b, "\n# %s\n\n%s\n", title, strings.Join(lines, "\n"))
		}
	}
	b.WriteString("# The epic\n\n" + words + "\n")
	if g.Goal != "" {
		part("What the repository is evolved for", append([]string{g.Goal}, g.Constraints...)...)
	}
	if g.Objective != "" {
		part("What is measured", fmt.Sprintf("objective: %s (%s)", g.Objective, g.Direction), "metrics: "+strings.Join(g.metrics(), ", "))
	}
	part("Files", more(g.Files, tellFiles)...)
	var open, found []string
	for _, it := range i.backlog.Items {
		if it.Status == Pending || it.Status == Running {
			open = append(open, fmt.Sprintf("t%d %s", it.ID, it.Title))
		}
	}
	part("Open tasks of the backlog", more(open, tellOpen)...)
	for _, f := range g.Findings {
		found = append(found, f.String())
	}
	part("What the auditor finds", more(found, tellFindings)...)
	return strings.TrimSpace(b.String())
}

// metrics are the names that a condition may have.
func (g *Ground) metrics() []string {
	names := slices.Clone(g.Metrics)
	if g.Objective != "" && !slices.Contains(names, g.Objective) {
		names = append([]string{g.Objective}, names...)
	}
	return names
}

// more is a list of at most so many lines, the last telling how many are left out.
func more(lines []string, most int) []string {
	if len(lines) <= most {
		return lines
	}
	return append(slices.Clone(lines[:most]), fmt.Sprintf("and %d more", len(lines)-most))
}

func clip(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + " ..."
}

// Listed reports whether a text lists its tasks, so that [MapEpic] reads it without a
// planner.
func Listed(text string) bool {
	_, _, err := MapEpic(text, 1)
	return !errors.Is(err, errNoList)
}

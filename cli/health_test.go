package cli_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"atoll/config/suitetest"
)

// judged is what must hold of a candidate of a search with bounds of health.
type judged struct {
	ID                     int
	Commit, Status, Reason string
	Objective              *float64
	Metrics                map[string]float64
}

// healthyYAML is a search over a small Python program, in which more code is better for the
// objective: only the bounds of health are against it.
const healthyYAML = `goal: grow
order: strict
seed: 3
evaluator: {command: ["wc -c < words.py | sed 's/^/n=/'"], output: name=value, objective: n}
gate: {scope: [words.py]}
map: {axes: [{metric: health.complexity, min: 0, max: 20, bins: 10}]}
health: {no_worse: [%s]}
budget: {jobs: 40}
`

const wordsPython = `def grade(n):
    total = 0
    for i in range(3):
        if n > 10 and i > 0:
            total = total + n
        elif n > 5:
            total = total + 2
        else:
            total = total - 1
    if total > 100:
        return "large"
    while total > 20:
        total = total - 7
    return "small" if total < 5 else "middle"


def sum_of(list_of):
    out = 0
    for n in list_of:
        if n < 0:
            continue
        out = out + n
    return out
`

func candidatesOf(t *testing.T, bounds string, workers int) []judged {
	t.Helper()
	dir := newRepository(t, map[string]string{"words.py": wordsPython, "atoll.yaml": fmt.Sprintf(healthyYAML, bounds)})
	must(t, dir, "run", "--headless", "--set", fmt.Sprintf("workers=%d", workers))
	var list []judged
	for lines := json.NewDecoder(strings.NewReader(must(t, dir, "candidates", "--json"))); lines.More(); {
		var j judged
		if err := lines.Decode(&j); err != nil {
			t.Fatal(err)
		}
		list = append(list, j)
	}
	return list
}

func TestNoCandidateMakesTheHealthOfTheSourceWorse(t *testing.T) {
	t.Parallel()
	list := candidatesOf(t, "complexity, lines", 1)
	root := list[0].Metrics
	if root["health.lines"] != 21 {
		t.Fatalf("the root has %v lines, want 21: %+v", root["health.lines"], list[0])
	}
	refused := 0
	for _, c := range list {
		if c.Metrics["health.lines"] > root["health.lines"] || c.Metrics["health.complexity"] > root["health.complexity"] {
			t.Errorf("c%d was measured with %v", c.ID, c.Metrics)
		}
		if strings.Contains(c.Reason, "the health of the source grew worse: ") {
			refused++
			if c.Status != "rejected" || c.Objective != nil || !strings.Contains(c.Reason, "the root has ") {
				t.Errorf("c%d is %s: %s", c.ID, c.Status, c.Reason)
			}
		}
	}
	if refused == 0 {
		t.Error("no candidate was refused for its health")
	}
}

func TestTheFiguresOfHealthAreTheSameForAnyNumberOfWorkers(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "the same run several times; TestNoCandidateMakesTheHealthOfTheSourceWorse stands for it")
	one, three := candidatesOf(t, "lines 10%", 1), candidatesOf(t, "lines 10%", 3)
	if len(one) != len(three) || len(one) < 10 {
		t.Fatalf("%d candidates with one worker, %d with three", len(one), len(three))
	}
	for i := range one {
		if a, b := fmt.Sprint(one[i].ID, one[i].Commit, one[i].Status, one[i].Reason, one[i].Metrics), fmt.Sprint(three[i].ID, three[i].Commit, three[i].Status, three[i].Reason, three[i].Metrics); a != b {
			t.Errorf("with one worker %s\nwith three    %s", a, b)
		}
	}
}

func TestACandidateThatMakesTheHealthWorseCanWaitForAPerson(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "one more run; TestNoCandidateMakesTheHealthOfTheSourceWorse stands for it")
	yaml := strings.Replace(fmt.Sprintf(healthyYAML, "lines"), "jobs: 40", "jobs: 1", 1) + "search: {only_injected: true}\n"
	dir := newRepository(t, map[string]string{"words.py": wordsPython, "atoll.yaml": strings.Replace(yaml, "]}\nbudget", "], worse: hold}\nbudget", 1)})
	must(t, dir, "run", "--headless", "--once")
	put(t, dir, map[string]string{"words.py": wordsPython + "\n\ndef more():\n    return 1\n"})
	git(t, dir, "commit", "--quiet", "--all", "--message", "more")
	must(t, dir, "inject", "HEAD")
	must(t, dir, "run", "--headless")
	if list := must(t, dir, "candidates", "--status", "held"); !strings.Contains(list, "c1") {
		t.Fatalf("nothing is held:\n%s", must(t, dir, "candidates"))
	}
	if shown := must(t, dir, "show", "c1"); !strings.Contains(shown, "the number of lines of code is 23, the root has 21") {
		t.Errorf("it does not say why:\n%s", shown)
	}
	must(t, dir, "approve", "c1")
	must(t, dir, "run", "--headless")
	if list := must(t, dir, "candidates", "--status", "elite"); !strings.Contains(list, "c1") {
		t.Errorf("what a person approved was not measured:\n%s", must(t, dir, "candidates"))
	}
}

func TestFiguresThatCannotBeMeasuredAreRefusedBeforeAnythingIsRun(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, set, says string }{
		{"a figure that nobody knows", "health.no_worse=[beauty]", `no figure "beauty" of health`},
		{"a share that is no percentage", "health.no_worse=[lines 3]", "such as lines 10%"},
		{"a figure of Go where there is none", "health.no_worse=[cognitive]", "no Go file"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := newRepository(t, map[string]string{"words.py": wordsPython, "atoll.yaml": fmt.Sprintf(healthyYAML, "lines")})
			got := atoll(t, dir, "run", "--headless", "--set", c.set)
			if got.code != 2 || !strings.Contains(got.err, c.says) {
				t.Errorf("exit %d: %s", got.code, got.err)
			}
		})
	}
}

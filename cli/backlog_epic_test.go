package cli_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"atoll/config/suitetest"
)

// planOf is an answer of a planner that can be used for the plot.
const planOf = "Here it is:\n```json\n" + `{"epic": "A larger number", "tasks": [
 {"title": "Make it larger", "accept": ["gain >= 100%"], "scope": ["value.txt"], "value": 8, "jobs": 12},
 {"title": "And larger still", "after": [1], "accept": ["score >= 3"], "scope": ["value.txt"], "jobs": 12, "best": true}]}` + "\n```\n"

// words writes an epic in words.
func words(t *testing.T, dir string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, "epic.txt"), []byte("The number shall become much larger, and then larger still."), 0o644); err != nil {
		t.Fatal(err)
	}
}

// spentUSD is what the campaign says that it cost.
func spentUSD(t *testing.T, dir string) float64 {
	t.Helper()
	var s struct{ Spent struct{ USD float64 } }
	if err := json.Unmarshal([]byte(must(t, dir, "campaign", "status", "--json")), &s); err != nil {
		t.Fatal(err)
	}
	return s.Spent.USD
}

func TestAnEpicInWordsIsPlannedByAModelAndToldFromTheWordsToTheCommit(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "a whole campaign; engine/campaign maps epics, TestACampaignEndsItsTasksAndLeavesTheirCommits runs one")
	m := newModel(t)
	m.says = []string{`{"epic": "A larger number", "tasks": [{"title": "Make it larger", "accept": ["beauty >= 3"]}]}`, planOf}
	dir := plot(t, m.agentsYAML("  - {name: editor, kind: offline, weight: 1}", "roles: {planner: writer}"))
	words(t, dir)
	if c := keyed(t, dir, cliKey, "backlog", "epic", "epic.txt"); c.code != 2 || !strings.Contains(c.err, "--yes") || m.requests() != 0 {
		t.Fatalf("without an agreement: exit %d after %d requests\n%s", c.code, m.requests(), c.err)
	}
	c := keyed(t, dir, cliKey, "backlog", "epic", "epic.txt", "--yes")
	if c.code != 0 || m.requests() != 2 || !strings.Contains(c.out, "t2 And larger still: pending (waits for t1)") {
		t.Fatalf("exit %d after %d requests\n%s%s", c.code, m.requests(), c.out, c.err)
	}
	if !strings.Contains(m.asked[1], "not known to report beauty; there are: score, place") {
		t.Errorf("the second question does not say what was wrong:\n%s", m.asked[1])
	}
	if got, want := spentUSD(t, dir), 2*(900*1+100*2)/1e6; got < want*0.999 || got > want*1.001 {
		t.Errorf("two answers cost $%v, want $%v", got, want)
	}
	if strings.Contains(c.out+c.err, cliKey) {
		t.Error("the key is told")
	}
	if c := keyed(t, dir, cliKey, "campaign", "run", "--headless"); c.code != 2 || !strings.Contains(c.err, "writer will work on the tasks, and may cost money: with no limit") || m.requests() != 2 {
		t.Errorf("a campaign that costs money begins unasked: exit %d, %s", c.code, c.err)
	}
	must(t, dir, "campaign", "run", "--headless", "--no-audit", "--set", "agents=[{name: editor, kind: offline, weight: 1}]", "--set", "roles.planner=")
	var tasks []struct{ Status, Commit string }
	if err := json.Unmarshal([]byte(must(t, dir, "backlog", "--json")), &tasks); err != nil || len(tasks) != 2 || tasks[0].Status != "done" || tasks[1].Status != "done" {
		t.Fatalf("the tasks are %+v (%v)", tasks, err)
	}
	story := must(t, dir, "why", "t2")
	for _, want := range []string{
		`epic "A larger number", told by `, ", planned by writer: 2 tasks", `task "And larger still"; after t1; accepted when score >= 3`, "attempt 1, chosen by the formula",
		"the root of experiment campaign-t2-2", "c0      the root:", "score >= 3: holds", "made of c", "it is the head",
	} {
		if !strings.Contains(story, want) {
			t.Errorf("why t2 does not say %q:\n%s", want, story)
		}
	}
	if by := must(t, dir, "why", tasks[1].Commit[:10]); by != story {
		t.Errorf("why by the commit is\n%s\nby the task\n%s", by, story)
	}
	var kinds []string
	for _, line := range strings.Split(strings.TrimSpace(must(t, dir, "why", "t1", "--json")), "\n") {
		var l struct{ What, Experiment, Commit string }
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			t.Fatal(err)
		}
		if l.What == "commit" && (l.Commit != tasks[0].Commit || l.Commit != storeGit(t, dir, "rev-parse", "campaign~1")) {
			t.Errorf("the commit is told as %s, the task has %s", l.Commit, tasks[0].Commit)
		}
		kinds = append(kinds, l.What)
	}
	if got := strings.Join(slices.Compact(kinds), " "); !strings.HasPrefix(got, "epic task plan experiment step") || !strings.HasSuffix(got, "accepted end commit") {
		t.Errorf("why --json tells %s", got)
	}
	if c := atoll(t, dir, "why", "abcdef0123"); c.code != 2 || !strings.Contains(c.err, "no task of the campaign left a commit") {
		t.Errorf("a commit that is none: exit %d, %s", c.code, c.err)
	}
}

func TestAPlannerThatAnswersBadlyTwiceIsRefusedAndWhatItCostCounts(t *testing.T) {
	t.Parallel()
	m := newModel(t)
	m.says = []string{"I would rather not.", `{"epic": "x", "tasks": [{"title": "Delete it", "run": "rm -rf ."}]}`}
	dir := plot(t, m.agentsYAML())
	words(t, dir)
	c := keyed(t, dir, cliKey, "backlog", "epic", "epic.txt", "--agent", "writer", "--yes")
	if c.code != 1 || m.requests() != 2 || !strings.Contains(c.err, "no JSON object with tasks; then") || !strings.Contains(c.err, `unknown field "run"`) {
		t.Errorf("exit %d after %d requests\n%s", c.code, m.requests(), c.err)
	}
	if out := must(t, dir, "backlog", "--json"); strings.TrimSpace(out) != "[]" || spentUSD(t, dir) == 0 {
		t.Errorf("the backlog is %s, and $%v were spent", out, spentUSD(t, dir))
	}
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"nobody who plans":     {nil, "roles.planner in atoll.yaml, or --agent"},
		"an agent that is not": {[]string{"--agent", "nobody"}, `no agent "nobody"`},
	} {
		if got := keyed(t, dir, cliKey, append([]string{"backlog", "epic", "epic.txt"}, c.args...)...); got.code != 2 || !strings.Contains(got.err, c.want) || m.requests() != 2 {
			t.Errorf("%s: exit %d, %s", name, got.code, got.err)
		}
	}
}

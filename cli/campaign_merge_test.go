package cli_test

import (
	"bufio"
	"encoding/json"
	"strings"
	"testing"

	"atoll/config/suitetest"
)

// mergeYAML is a search whose first better candidate is soon found: the objective counts the
// letters of a file.
const mergeYAML = `goal: grow
order: strict
workers: 1
evaluator: {command: ["wc -c < words.py | sed 's/^/n=/'"], output: name=value, objective: n}
gate: {scope: [words.py]}
`

// takenWhile runs a campaign of one task with this acceptance, ends the program as soon as the task has begun,
// takes a commit with these files into the campaign, and lets it go on. It returns what the
// campaign said then, and the task.
func takenWhile(t *testing.T, accept string, files map[string]string) (dir, said string, task struct{ Status, Reason, Commit string }) {
	t.Helper()
	dir = newRepository(t, map[string]string{"words.py": wordsPython, "atoll.yaml": mergeYAML})
	must(t, dir, "backlog", "add", "Grow", "--accept", accept, "--best", "--jobs", "30")
	cmd := command(t, dir, "campaign", "run", "--headless", "--no-audit")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if strings.Contains(lines.Text(), "begins") { // which is told once its row is written
			_ = cmd.Process.Kill()
		}
	}
	_ = cmd.Wait() // it was killed
	backlog := func() {
		t.Helper()
		var tasks []struct{ Status, Reason, Commit string }
		if err := json.Unmarshal([]byte(must(t, dir, "backlog", "--json")), &tasks); err != nil {
			t.Fatal(err)
		}
		task = tasks[0]
	}
	if backlog(); task.Status != "running" {
		t.Fatalf("the task is %s: %s", task.Status, task.Reason)
	}
	put(t, dir, files)
	git(t, dir, "add", "--all")
	git(t, dir, "commit", "--quiet", "--message", "Mine")
	must(t, dir, "campaign", "take")
	said = must(t, dir, "campaign", "run", "--headless", "--no-audit")
	backlog()
	return dir, said, task
}

func TestAWinnerIsMergedWithAPersonsCommitsAndMeasuredAgain(t *testing.T) {
	suitetest.Full(t, "a campaign with a person beside it; TestWhatIsTakenIsOnTheBranchWhenATaskEndsAndAtOnceWhereNobodyRuns stands for it")
	t.Parallel()
	dir, said, task := takenWhile(t, "gain >= 0.1%", map[string]string{"NOTE.md": "mine\n"})
	if task.Status != "done" || !strings.Contains(task.Reason, "measured again: ") || !strings.Contains(said, "the branch moved from ") {
		t.Fatalf("the task is %s: %s\n%s", task.Status, task.Reason, said)
	}
	if got := storeGit(t, dir, "show", "campaign:NOTE.md"); got != "mine" {
		t.Errorf("the branch has %q of the person's commit", got)
	}
	if got := storeGit(t, dir, "show", "campaign:words.py"); len(got) <= len(strings.TrimSpace(wordsPython)) {
		t.Errorf("the branch has not what the task found:\n%s", got)
	}
	if subjects := storeGit(t, dir, "log", "--format=%s", "campaign"); subjects != "Grow\nMine\nstart" {
		t.Errorf("the branch has %q", subjects)
	}
	if again := must(t, dir, "campaign", "take"); !strings.Contains(again, "has") || !strings.Contains(again, "already") {
		t.Errorf("taken once more: %s", again)
	}
}

func TestAMergeThatConflictsFailsTheTaskAndKeepsItsWinner(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "one more campaign; TestAWinnerIsMergedWithAPersonsCommitsAndMeasuredAgain stands for it")
	lines := strings.Split(wordsPython, "\n")
	for i := range lines {
		if lines[i] != "" {
			lines[i] += "  # mine"
		}
	}
	mine := strings.Join(lines, "\n")
	dir, said, task := takenWhile(t, "gain >= 0.1%", map[string]string{"words.py": mine})
	if task.Status != "failed" || !strings.Contains(task.Reason, "both changed the same lines of words.py") {
		t.Fatalf("the task is %s: %s\n%s", task.Status, task.Reason, said)
	}
	if got := storeGit(t, dir, "show", "campaign:words.py"); got != strings.TrimSpace(mine) {
		t.Errorf("the branch has\n%s", got)
	}
	_, kept, ok := strings.Cut(task.Reason, "is commit ")
	if !ok {
		t.Fatalf("no commit is named: %s", task.Reason)
	}
	commit, _, _ := strings.Cut(kept, ",")
	storeGit(t, dir, "gc", "--quiet", "--prune=now")
	if got := storeGit(t, dir, "log", "-1", "--format=%s", commit); got != "Grow" {
		t.Errorf("the winner is %q", got)
	}
}

func TestWhatIsTakenIsOnTheBranchWhenATaskEndsAndAtOnceWhereNobodyRuns(t *testing.T) {
	t.Parallel()
	dir, said, task := takenWhile(t, "n >= 1000000", map[string]string{"NOTE.md": "mine\n"})
	if task.Status != "failed" {
		t.Fatalf("the task is %s: %s\n%s", task.Status, task.Reason, said)
	}
	if subjects := storeGit(t, dir, "log", "--format=%s", "campaign"); subjects != "Mine\nstart" {
		t.Errorf("after the task the branch has %q", subjects)
	}
	put(t, dir, map[string]string{"NOTE.md": "more\n"})
	git(t, dir, "commit", "--quiet", "--all", "--message", "More")
	must(t, dir, "campaign", "take")
	if subjects := storeGit(t, dir, "log", "--format=%s", "campaign"); subjects != "More\nMine\nstart" {
		t.Errorf("after the take the branch has %q", subjects)
	}
}

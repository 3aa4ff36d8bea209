package cli_test

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"atoll/config/suitetest"
)

// campaigned is what must not depend on kills in `campaign status --json`.
type campaigned struct {
	Head  string
	Tasks map[string]int
	Spent struct{ Tasks, Jobs int }
	Plans []struct{ Task, Attempt int }
}

func campaignStatus(t *testing.T, dir string) (c campaigned) {
	t.Helper()
	if err := json.Unmarshal([]byte(must(t, dir, "campaign", "status", "--json")), &c); err != nil {
		t.Fatal(err)
	}
	return c
}

// storeGit runs git on atoll's own store.
func storeGit(t *testing.T, dir string, args ...string) string {
	t.Helper()
	out, err := exec.Command("git", append([]string{"--git-dir", filepath.Join(dir, ".git", "atoll", "store.git")}, args...)...).CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func TestACampaignEndsItsTasksAndLeavesTheirCommits(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "plant")
	out := must(t, t.TempDir(), "campaign", "demo", "--dir", dir, "--headless", "--set", "workers=1")
	for _, want := range []string{
		"t1   done", "t2   done", "t3   done", "t4   failed", "t5   done", "t6   done", "t7   done", "t8   done", "t9   done", "t10  done", "tools/words.py has things to do", "the root meets the acceptance already",
		"complexity 19 -> 4", "findings 3 -> 0", "it would have taken the same task in", `does not meet "gain >= 100000%"`, "drop t4",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("it does not say %q:\n%s", want, out)
		}
	}
	s := campaignStatus(t, dir)
	if s.Tasks["done"] != 9 || s.Tasks["failed"] != 1 || s.Spent.Jobs != 41 {
		t.Errorf("the status is %+v, want 9 done, 1 failed and 41 jobs", s)
	}
	subjects := strings.Split(storeGit(t, dir, "log", "--format=%s", "campaign"), "\n")
	if want := []string{"Gain once more", "Say how well it runs", "Find better parameters", "Advise by a loop", "Grade by arithmetic", "Note the start", "Start of the example deceptive"}; strings.Join(subjects, "|") != strings.Join(want, "|") {
		t.Errorf("the branch has %q, want %q", subjects, want)
	}
	if got := storeGit(t, dir, "show", "campaign:CAMPAIGN.md"); got != "The campaign began here." {
		t.Errorf("the chore left %q", got)
	}
	if out := must(t, dir, "audit", "campaign"); !strings.Contains(out, s.Head[:7]) {
		t.Errorf("the audit of the branch %q says\n%s", "campaign", out)
	}
	if got := atoll(t, dir, "backlog", "edit", "t1", "--value", "2"); got.code != 2 || !strings.Contains(got.err, "t1 is done") || strings.Contains(got.err, "reopen") {
		t.Errorf("a done task is edited: exit %d, %s", got.code, got.err)
	}
	must(t, dir, "campaign", "promote", "--branch", "better")
	if got := git(t, dir, "rev-parse", "better"); strings.TrimSpace(got) != s.Head {
		t.Errorf("the promoted branch is at %s, want %s", got, s.Head)
	}
	// Each done task's bound holds when it is measured alone: the value of a commit
	// is what the evaluator says of its tree.
	lines := must(t, dir, "backlog", "--json")
	var tasks []struct {
		ID     int
		Status string
		Checks []struct{ Holds bool }
		Commit string
	}
	if err := json.Unmarshal([]byte(lines), &tasks); err != nil {
		t.Fatal(err)
	}
	for _, k := range tasks {
		for _, c := range k.Checks {
			if c.Holds != (k.Status == "done") {
				t.Errorf("t%d is %s and its checks say %v", k.ID, k.Status, c.Holds)
			}
		}
	}
	if again := must(t, dir, "campaign", "run"); !strings.Contains(again, "no task is ready") {
		t.Errorf("a second run does something: %s", again)
	}
}

// TestACampaignThatIsKilledDoesNothingTwice kills the program at random moments; what
// comes of it is what comes of a run that nobody disturbs, with another number of workers.
func TestACampaignThatIsKilledDoesNothingTwice(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "a campaign that is killed many times; TestACampaignEndsItsTasksAndLeavesTheirCommits runs one, engine/campaign has TestAKillAtAnyWriteLosesNothingAndDoesNothingTwice")
	whole := filepath.Join(t.TempDir(), "plant")
	must(t, t.TempDir(), "campaign", "demo", "--dir", whole, "--headless", "--set", "order=strict", "--set", "workers=1")
	want := campaignStatus(t, whole)
	dir := filepath.Join(t.TempDir(), "plant")
	rng := rand.New(rand.NewPCG(5, 5))
	kills := 0
	for kills < suitetest.Pick(6, 20, 20) {
		cmd := command(t, t.TempDir(), "campaign", "demo", "--dir", dir, "--headless", "--set", "order=strict", "--set", "workers=3")
		var said bytes.Buffer
		cmd.Stderr = &said
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		select {
		case err := <-ended:
			if err != nil {
				t.Fatalf("after %d kills: %v\n%s", kills, err, said.String())
			}
			t.Logf("ended after %d kills", kills)
			kills = 1 << 30
		case <-time.After(time.Duration(100+rng.IntN(1400)) * time.Millisecond):
			_ = cmd.Process.Kill()
			<-ended
			kills++
		}
	}
	must(t, t.TempDir(), "campaign", "demo", "--dir", dir, "--headless", "--set", "order=strict", "--set", "workers=3")
	got := campaignStatus(t, dir)
	a, _ := json.Marshal(got)
	b, _ := json.Marshal(want)
	if string(a) != string(b) {
		t.Errorf("after kills the campaign is\n%s\nand undisturbed\n%s", a, b)
	}
	must(t, dir, "doctor", "--deep")
}

func TestATaskEndsWhenItsAcceptanceWasMeasuredToHold(t *testing.T) {
	t.Parallel()
	dir := newSmall(t) // its numbers add up to 32
	must(t, dir, "backlog", "add", "It is so already", "--accept", "total >= 30", "--jobs", "9")
	must(t, dir, "backlog", "add", "A little more", "--accept", "gain >= 1%", "--jobs", "300", "--after", "t1")
	must(t, dir, "backlog", "add", "As much as can be", "--accept", "gain >= 1%", "--best", "--jobs", "9", "--after", "t2")
	must(t, dir, "campaign", "run", "--headless", "--set", "workers=1")
	var tasks []struct {
		Status, Reason string
		UsedJobs       int `json:"used_jobs"`
	}
	if err := json.Unmarshal([]byte(must(t, dir, "backlog", "--json")), &tasks); err != nil {
		t.Fatal(err)
	}
	for i, want := range []struct {
		least, most int
		reason      string
	}{{0, 0, "the root meets the acceptance already"}, {1, 60, "meets the acceptance: +"}, {9, 9, "meets the acceptance: +"}} {
		if k := tasks[i]; k.Status != "done" || k.UsedJobs < want.least || k.UsedJobs > want.most || !strings.Contains(k.Reason, want.reason) {
			t.Errorf("t%d is %s after %d jobs (%s), want %d to %d and %q", i+1, k.Status, k.UsedJobs, k.Reason, want.least, want.most, want.reason)
		}
	}
}

func TestATaskThatMayChangeNothingIsRefusedOrEndsSoon(t *testing.T) {
	t.Parallel()
	dir := newSmall(t)
	put(t, dir, map[string]string{
		"tasks.yml": "- {id: 1, title: From a file, scope: [eval.sh]}\n", "epic.md": "# Epic\n\n- From an epic\n  scope: eval.sh\n",
	})
	must(t, dir, "backlog", "add", "Second", "--scope", "numbers.conf")
	for _, args := range [][]string{
		{"add", "First", "--scope", "eval.sh"}, {"edit", "t1", "--scope", "*.sh"}, {"import", "tasks.yml"}, {"epic", "epic.md"},
	} {
		got := atoll(t, dir, append([]string{"backlog"}, args...)...)
		if got.code != 2 || !strings.Contains(got.err, "lies wholly outside gate.scope of atoll.yaml (*.conf)") {
			t.Errorf("%v: exit %d, %q", args, got.code, got.err)
		}
	}
	must(t, dir, "backlog", "drop", "t1")
	got := atoll(t, dir, "backlog", "add", "New files", "--scope", "new/**", "--jobs", "60")
	if got.code != 0 || !strings.Contains(got.err, `the scope new/** of "New files" matches no file of the tree`) {
		t.Errorf("a scope of new files: exit %d, %q", got.code, got.err)
	}
	atoll(t, dir, "campaign", "run", "--headless", "--no-audit", "--set", "workers=1")
	var tasks []struct {
		Title, Status, Reason string
		UsedJobs              int `json:"used_jobs"`
	}
	if err := json.Unmarshal([]byte(must(t, dir, "backlog", "--json")), &tasks); err != nil {
		t.Fatal(err)
	}
	for _, k := range tasks {
		if k.Title == "New files" && (k.Status != "failed" || k.UsedJobs < 20 || k.UsedJobs > 25 || !strings.Contains(k.Reason, "none of its")) {
			t.Errorf("it is %s after %d jobs: %s", k.Status, k.UsedJobs, k.Reason)
		}
	}
}

func TestAChoreTellsItsDeadlineAndItsLog(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "it waits for deadlines; TestACampaignEndsItsTasksAndLeavesTheirCommits has a chore")
	dir := newSmall(t)
	must(t, dir, "backlog", "add", "Slow", "--run", "sleep 600", "--deadline", "2s")
	must(t, dir, "backlog", "add", "Loud", "--run", "seq 1 50; echo trouble >&2; exit 3")
	must(t, dir, "backlog", "add", "Search", "--accept", "gain >= 100000%", "--deadline", "1s", "--jobs", "100000")
	must(t, dir, "campaign", "run", "--headless", "--no-audit")
	for task, want := range map[string][]string{
		"t1": {"t1 Slow: failed", "the deadline of the task (2s) passed", "run         sleep 600", "experiment  campaign-t1-1"},
		"t2": {"t2 Loud: failed", "exit code 3", "log\n  32\n", "  50\n  trouble\n", "the whole of it: "},
		"t3": {"t3 Search: failed", "the deadline of the task (1s) passed; ", "gain >= 100000%"},
	} {
		out := must(t, dir, "backlog", "show", task)
		for _, w := range want {
			if !strings.Contains(out, w) {
				t.Errorf("backlog show %s has no %q:\n%s", task, w, out)
			}
		}
		if strings.Contains(out, "another model") || strings.Contains(out, "agent's timeout") {
			t.Errorf("backlog show %s advises about agents:\n%s", task, out)
		}
	}
	if out := must(t, dir, "backlog", "show", "t2", "--log"); !strings.HasPrefix(out, "1\n2\n") || !strings.HasSuffix(out, "50\ntrouble\n") {
		t.Errorf("the log is\n%s", out)
	}
	var shown struct{ Status, Log string }
	if err := json.Unmarshal([]byte(must(t, dir, "backlog", "show", "t2", "--json")), &shown); err != nil || shown.Status != "failed" || !strings.HasSuffix(shown.Log, "50\ntrouble") {
		t.Errorf("as JSON it is %+v (%v)", shown, err)
	}
}

// branchyPython is a Python file with a function of complexity 21.
var branchyPython = "def parse(a):\n" + strings.Repeat("    if a > 1:\n        a += 1\n", 20) + "    return a\n"

func TestWhatTheAuditorAsksForIsMeasuredAgainstTheRoot(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "a whole campaign; TestNoCandidateMakesTheHealthOfTheSourceWorse stands for it")
	dir := newSmall(t)
	put(t, dir, map[string]string{"lib/parse.py": branchyPython})
	git(t, dir, "add", "--all")
	git(t, dir, "commit", "--quiet", "--message", "A library")
	const condition = "audit complexity lib/parse.py:parse <= 15"
	for _, c := range []struct{ accept, want string }{
		{"audit complexity nofile.py:nope <= 3", "measures no file nofile.py; it measures "},
		{"audit complexity lib/parse.py:pars <= 3", "lib/parse.py has no function pars; it has parse"},
		{"audit todo/todo lib/parse.py <= 0", "plugins.auditors of atoll.yaml has no plug-in todo"},
	} {
		if got := atoll(t, dir, "backlog", "add", "x", "--accept", c.accept); got.code != 2 || !strings.Contains(got.err, c.want) {
			t.Errorf("%s: exit %d, %s; want 2 and %q", c.accept, got.code, got.err, c.want)
		}
	}
	for _, chore := range []struct{ title, run string }{
		{"rename", "sed -i s/parse/parse2/ lib/parse.py"},
		{"generated", "sed -i '1i # Code generated by hand. DO NOT EDIT.' lib/parse.py"},
		{"wrap", `sed -i 's/def parse(a):/def parse(a):\n    return inner(a)\n\n\ndef inner(a):/' lib/parse.py`},
		{"split", `sed -i '21i \    return rest(a)\n\n\ndef rest(a):' lib/parse.py`},
	} {
		must(t, dir, "backlog", "add", chore.title, "--run", chore.run, "--accept", condition)
	}
	if got := atoll(t, dir, "backlog", "add", "later", "--run", "true", "--accept", "audit complexity lib/new.py:f <= 3", "--after", "t4"); got.code != 0 || !strings.Contains(got.err, "as long as that is so") {
		t.Errorf("a place that a task before may make: exit %d, %s", got.code, got.err)
	}
	must(t, dir, "campaign", "run", "--headless", "--no-audit")
	for task, want := range map[string]string{
		"t1": "lib/parse.py:parse is gone, but lib/parse.py:parse2, which is new, has 21", "t2": "parse is 21", "t3": "lib/parse.py:inner, which is new, has 21",
		"t4": "t4 split: done", "t5": "measures no file lib/new.py",
	} {
		out := must(t, dir, "backlog", "show", task)
		if !strings.Contains(out, want) || strings.Contains(out, ": done\n") != (task == "t4") {
			t.Errorf("%s is not as it should be (%s):\n%s", task, want, out)
		}
	}
}

func TestACampaignIsPromotedAgainToTheSameBranch(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "a campaign twice; TestAWinnerIsMergedWithAPersonsCommitsAndMeasuredAgain stands for it")
	dir := newSmall(t)
	work := func(name string) string {
		must(t, dir, "backlog", "add", name, "--run", "echo "+name+" > "+name+".txt")
		must(t, dir, "campaign", "run", "--headless", "--no-audit")
		must(t, dir, "campaign", "promote")
		return strings.TrimSpace(git(t, dir, "log", "-1", "--format=%s", "atoll/campaign"))
	}
	for _, name := range []string{"one", "two"} {
		if got := work(name); got != name {
			t.Errorf("after %s the branch is at %q, want that", name, got)
		}
	}
	must(t, dir, "campaign", "promote") // nothing new
	git(t, dir, "checkout", "--quiet", "atoll/campaign")
	must(t, dir, "backlog", "add", "three", "--run", "echo three > three.txt")
	must(t, dir, "campaign", "run", "--headless", "--no-audit")
	if c := atoll(t, dir, "campaign", "promote"); c.code != 2 || !strings.Contains(c.err, "checked out") {
		t.Errorf("a branch that is checked out: exit %d, %s", c.code, c.err)
	}
	git(t, dir, "commit", "--quiet", "--allow-empty", "--message", "my own")
	git(t, dir, "checkout", "--quiet", "main")
	if c := atoll(t, dir, "campaign", "promote"); c.code != 2 || !strings.Contains(c.err, "has commits that") {
		t.Errorf("a branch with commits of its own: exit %d, %s", c.code, c.err)
	}
}

func TestACampaignWhoseSearchesCannotBeginIsRefusedAndNoTaskFails(t *testing.T) {
	t.Parallel()
	dir := newSmall(t)
	must(t, dir, "backlog", "add", "A larger total", "--jobs", "4")
	put(t, dir, map[string]string{"atoll.yaml": strings.Replace(smallYAML, "*.conf", "nothing/**", 1)})
	git(t, dir, "commit", "--quiet", "--all", "--message", "a scope of nothing")
	refused(t, atoll(t, dir, "campaign", "run", "--headless", "--no-audit"), "gate.scope", "nothing/**")
	if s := campaignStatus(t, dir); s.Tasks["failed"] != 0 || s.Spent.Tasks != 0 {
		t.Errorf("the task paid for it: %+v", s)
	}
	must(t, dir, "backlog", "drop", "t1")
	must(t, dir, "backlog", "add", "A chore", "--run", "true")
	if c := atoll(t, dir, "campaign", "run", "--headless", "--no-audit"); strings.Contains(c.err, "gate.scope") {
		t.Errorf("a campaign of chores alone asks for what searches need: %s", c.err)
	}
}

func TestARepositoryWithoutTasksHasAnEmptyBacklog(t *testing.T) {
	t.Parallel()
	dir := newSmall(t)
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"backlog"}, "the backlog is empty"},
		{[]string{"backlog", "--json"}, "[]\n"},
		{[]string{"backlog", "export"}, "[]\n"},
		{[]string{"backlog", "export", "--json"}, "[]\n"},
		{[]string{"campaign", "status"}, "0 done"},
	} {
		if out := must(t, dir, c.args...); !strings.HasPrefix(out, c.want) && !strings.Contains(out, c.want) {
			t.Errorf("atoll %v prints %q, want %q", c.args, out, c.want)
		}
	}
	for _, args := range [][]string{{"backlog", "show", "t1"}, {"backlog", "drop", "t1"}, {"campaign", "accept", "3"}, {"campaign", "promote"}} {
		if c := atoll(t, dir, args...); c.code != 2 || strings.Contains(c.err, "no experiment") {
			t.Errorf("atoll %v: exit %d, %s", args, c.code, c.err)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, ".git", "atoll", "atoll.db")); err == nil {
		t.Error("looking at the backlog made a state")
	}
}

func TestABacklogIsEditedByVerbsAndRefusesCircles(t *testing.T) {
	t.Parallel()
	dir := newSmall(t)
	must(t, dir, "backlog", "add", "First", "--value", "3")
	must(t, dir, "backlog", "add", "Second", "--after", "t1", "--accept", "gain >= 2%", "--accept", "run: true")
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"backlog", "edit", "t1", "--after", "t2"}, "t1 -> t2 -> t1"},
		{[]string{"backlog", "add", "second"}, "the same as t2"},
		{[]string{"backlog", "add", "x", "--accept", "good"}, `acceptance "good"`},
		{[]string{"backlog", "edit", "t9", "--priority", "1"}, "there is no task t9"},
		{[]string{"backlog", "reopen", "t1"}, "only a failed or dropped task"},
		{[]string{"backlog", "import", "nothing.yml"}, "nothing.yml"},
		{[]string{"campaign", "accept", "4"}, "there is no proposal 4"},
		{[]string{"audit", "campaign"}, "campaign"}, // it has none yet
		{[]string{"audit", "--fail-over", "9"}, "--fail-over 9 is not between 1 and 5"},
		{[]string{"audit", "--fail-over", "-1"}, "--fail-over -1 is not between 1 and 5"},
		{[]string{"audit", "--complexity", "0"}, "--complexity 0 is not 1 or more"},
		{[]string{"audit", "--function-lines", "-3"}, "--function-lines -3 is not 1 or more"},
		{[]string{"audit", "--file-lines", "0"}, "--file-lines 0 is not 1 or more"},
		{[]string{"audit", "--duplicated", "0"}, "--duplicated 0 is not 1 or more"},
		{[]string{"audit", "--maintainability", "0"}, "--maintainability 0 is not above 0"},
		{[]string{"audit", "--maintainability", "NaN"}, "--maintainability NaN is not above 0"},
		{[]string{"campaign", "run", "--covered", "-1"}, "--covered -1 is not between 0 and 100"},
		{[]string{"audit", "--covered", "101"}, "--covered 101 is not between 0 and 100"},
		{[]string{"backlog", "add", "x", "--size", "0"}, "size: 0 is not above 0 and at most 1,000,000"},
		{[]string{"backlog", "edit", "t1", "--size", "-1"}, "size: -1 is not above 0 and at most 1,000,000"},
		{[]string{"campaign", "set", "--authority", "2"}, "between 0 and 1"},
	} {
		if got := atoll(t, dir, c.args...); got.code != 2 || !strings.Contains(got.err, c.want) {
			t.Errorf("%v: exit %d, %q; want 2 and %q", c.args, got.code, got.err, c.want)
		}
	}
	if out := must(t, dir, "backlog"); !strings.Contains(out, "1. WSJF 3") || !strings.Contains(out, "waits for t1") {
		t.Errorf("the list is\n%s", out)
	}
	if out := must(t, dir, "audit"); !strings.Contains(out, "0 findings") {
		t.Errorf("the audit says\n%s", out)
	}
}

// TestADemoThatWasKilledWhileItWasMadeIsMadeAnew begins in folders as a kill leaves them.
func TestADemoThatWasKilledWhileItWasMadeIsMadeAnew(t *testing.T) {
	suitetest.Full(t, "a demo for each moment; kills of engine stand for it")
	t.Parallel()
	whole := filepath.Join(t.TempDir(), "plant")
	must(t, t.TempDir(), "campaign", "demo", "--dir", whole, "--headless", "--tasks", "1")
	want := git(t, whole, "rev-parse", "HEAD")
	script, err := os.ReadFile(filepath.Join(whole, "evaluator", "evaluate.sh"))
	if err != nil {
		t.Fatal(err)
	}
	for name, left := range map[string][]string{
		"before the first file":      {".atoll-half-made-1/"},
		"while git wrote the commit": {".atoll-half-made-1/.git/index.lock", ".atoll-half-made-1/atoll.yaml"},
		"while it was moved in":      {".atoll-half-made-1/.git/HEAD", "modules/", "evaluator/evaluate.sh"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "plant")
			for _, path := range left {
				at := filepath.Join(dir, path)
				if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
					t.Fatal(err)
				}
				if strings.HasSuffix(path, "/") {
					continue
				}
				if err := os.WriteFile(at, script, 0o755); err != nil {
					t.Fatal(err)
				}
			}
			must(t, t.TempDir(), "campaign", "demo", "--dir", dir, "--headless", "--tasks", "1")
			if got := git(t, dir, "rev-parse", "HEAD"); got != want {
				t.Errorf("the repository begins at %s, undisturbed at %s", got, want)
			}
			if got := git(t, dir, "status", "--porcelain"); got != "" {
				t.Errorf("files are left over: %s", got)
			}
		})
	}
}

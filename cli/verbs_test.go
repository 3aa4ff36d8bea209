package cli_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"atoll/config/suitetest"
)

// once is a repository that several tests copy, made by the first that asks for it.
type once struct {
	sync.Once
	dir string
}

// ended has the experiment of [finished], searched that of [searchedSmall].
var ended, searched once

// copy returns a copy of the repository, which fill puts into a new folder of that name.
func (o *once) copy(t *testing.T, name string, fill func(dir string)) string {
	t.Helper()
	dir := filepath.Join(filepath.Dir(program(t)), name) // lives as long as the tests of the package
	o.Do(func() {
		fill(dir)
		o.dir = dir
	})
	if o.dir == "" {
		t.Fatalf("%s could not be made by the test that asked for it first", name)
	}
	return copied(t, o.dir)
}

// finished returns a repository whose experiment of 40 jobs ended.
func finished(t *testing.T) string {
	t.Helper()
	return ended.copy(t, "plant", func(dir string) {
		must(t, filepath.Dir(dir), "demo", "deceptive", "--dir", dir, "--headless", "--seed", "2", "--max-jobs", "40")
	})
}

// copied returns a copy of a repository and the experiments in it, where no engine runs.
func copied(t *testing.T, repo string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), filepath.Base(repo))
	if out, err := exec.Command("cp", "-a", repo, dir).CombinedOutput(); err != nil {
		t.Fatalf("copy %s: %v\n%s", repo, err, out)
	}
	return dir
}

func TestEveryVerbThatLooksPrintsTextAndJSON(t *testing.T) {
	t.Parallel()
	dir := finished(t)
	cases := []struct {
		args []string
		text string // among what it prints for people
		keys string // of each JSON object
	}{
		{[]string{"status"}, "40/40 ended", "experiment state seed rung root best niches coverage qd_score jobs evaluations usage budget"},
		{[]string{"candidates"}, "VALUE", "id job commit tree parents operator agent status reason objective metrics measures niche created"},
		{[]string{"candidates", "--status", "elite"}, "elite", "id niche"},
		{[]string{"niches"}, "axes: pump x valve", "niche elite"},
		{[]string{"front", "--by", "pump:minimize:0.5", "--cases", "v*"}, "on the front of", "id commit objective value values on_front leads niche holds"},
		{[]string{"jobs", "--limit", "3"}, "#40", "id kind state"},
		{[]string{"events", "--tail", "3"}, "job", "seq kind"},
		{[]string{"best"}, "objective", "id commit objective"},
		{[]string{"show", "c0"}, "root", "id commit objective"},
		{[]string{"show", "#1"}, "#1  make", "id kind state"},
		{[]string{"why", "best"}, "the root", "at candidate what text"},
		{[]string{"compare", "1", "1"}, "Their configurations are the same.", "experiments effort differences comparable race map"},
		{[]string{"report"}, "## How it came about", ""},
		{[]string{"diff", "best"}, "diff --git a/modules/", ""},
		{[]string{"config", "explain", "evaluator.timeout"}, "atoll.yaml:", ""},
		{[]string{"config", "check"}, "ok", ""},
		{[]string{"doctor"}, "the archive is the fold of the log", ""},
		{[]string{"demo", "--list"}, "circle-packing", ""},
		{[]string{"--version"}, "atoll dev (commit ", "version commit date go platform"},
		{[]string{"version"}, "atoll dev (commit ", "version commit date go platform"},
	}
	for _, c := range cases {
		t.Run(strings.Join(c.args, " "), func(t *testing.T) {
			t.Parallel()
			if out := must(t, dir, c.args...); !strings.Contains(out, c.text) {
				t.Errorf("prints no %q:\n%s", c.text, out)
			}
			if c.keys == "" {
				return
			}
			dec := json.NewDecoder(strings.NewReader(must(t, dir, append(c.args, "--json")...)))
			n := 0
			for ; dec.More(); n++ {
				var m map[string]any
				if err := dec.Decode(&m); err != nil {
					t.Fatal(err)
				}
				for _, k := range strings.Fields(c.keys) {
					if _, ok := m[k]; !ok {
						t.Errorf("object %d has no %q: %v", n, k, m)
					}
				}
			}
			if n == 0 {
				t.Error("prints no object")
			}
		})
	}
}

// status is one field of `status --json`, by a path such as "jobs.queued".
func status(t *testing.T, dir, path string) any {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(must(t, dir, "status", "--json")), &v); err != nil {
		t.Fatal(err)
	}
	for _, key := range strings.Split(path, ".") {
		m, ok := v.(map[string]any)
		if !ok {
			t.Fatalf("status has no %s", path)
		}
		v = m[key]
	}
	return v
}

// one is a candidate as `show --json` tells it.
func one(t *testing.T, dir, id string) (m made) {
	t.Helper()
	if err := json.Unmarshal([]byte(must(t, dir, "show", id, "--json")), &m); err != nil {
		t.Fatal(err)
	}
	return m
}

func TestDecisionsWithoutAnEngineWaitForTheNextRun(t *testing.T) {
	t.Parallel()
	dir := finished(t)
	was := best(t, dir)
	id := was.ID.String()
	must(t, dir, "reject", id, "--reason", "cheats")
	if got := best(t, dir); got.ID == was.ID || *got.Objective > *was.Objective {
		t.Errorf("after its rejection %s is still the best, or %s with %v", id, got.ID, *got.Objective)
	}
	if got := one(t, dir, id); got.Status != "rejected" || !strings.Contains(got.Reason, "cheats") {
		t.Errorf("%s is %s: %s", id, got.Status, got.Reason)
	}
	must(t, dir, "undo")
	if got := best(t, dir); got.ID != was.ID {
		t.Errorf("after undo the best is %s; want %s", got.ID, was.ID)
	}
	must(t, dir, "redo")
	if got := best(t, dir); got.ID == was.ID {
		t.Error("redo did not reject it again")
	}
	must(t, dir, "restore", id)
	must(t, dir, "freeze", id)
	must(t, dir, "boost", id, "--by", "5")
	if out := must(t, dir, "niches"); !strings.Contains(out, "frozen boost x5") {
		t.Errorf("niches does not tell the marks:\n%s", out)
	}
	must(t, dir, "release", id)
	if out := must(t, dir, "niches"); strings.Contains(out, "frozen") || strings.Contains(out, "boost") {
		t.Errorf("niches tells marks that were released:\n%s", out)
	}
	must(t, dir, "set", "budget.jobs", "44")
	must(t, dir, "start", "--parent", id, "--operator", "tune")
	must(t, dir, "run", "--headless")
	if got := status(t, dir, "budget.jobs"); got != 44.0 {
		t.Errorf("the budget is %v", got)
	}
	if out := must(t, dir, "jobs", "--json", "--limit", "1"); !strings.Contains(out, `"id":44`) {
		t.Errorf("the raised budget was not used: %s", out)
	}
	if started := must(t, dir, "jobs", "--json", "--limit", "10"); !strings.Contains(started, `"parent":`+strings.TrimPrefix(id, "c")) {
		t.Errorf("no job edits %s:\n%s", id, started)
	}
	must(t, dir, "doctor")
}

func TestAnInjectedCommitBecomesACandidate(t *testing.T) {
	suitetest.Full(t, "two whole runs; TestWhatIsInjectedBeforeTheFirstRunIsMeasuredAfterTheRoot of engine stands for it")
	t.Parallel()
	dir := finished(t)
	put(t, dir, map[string]string{"modules/pump.conf": "speed = 9\nstroke = 9\nseal = 9\ncooling = 9\n"})
	git(t, dir, "commit", "--quiet", "--all", "--message", "by hand")
	must(t, dir, "set", "budget.jobs", "42")
	must(t, dir, "inject", "HEAD")
	must(t, dir, "run", "--headless")
	for line := range strings.Lines(must(t, dir, "candidates", "--json")) {
		if strings.Contains(line, `"operator":"manual"`) {
			return
		}
	}
	t.Errorf("no candidate was injected:\n%s", must(t, dir, "jobs"))
}

func TestInjectedCommitsThatWaitAreNoLoss(t *testing.T) {
	t.Parallel()
	dir := newRepository(t, map[string]string{"m.py": "print(1)\n", "atoll.yaml": "name: waiting\nevaluator: {command: [python3, m.py], output: last-number, objective: score, direction: maximize}\ngate: {scope: [m.py]}\nsearch: {only_injected: true}\nbudget: {jobs: 9}\n"})
	must(t, dir, "run", "--headless", "--once")
	for i := range 4 {
		put(t, dir, map[string]string{"m.py": fmt.Sprintf("print(%d)\n", 2+i)})
		git(t, dir, "commit", "--quiet", "--all", "--message", "by hand")
		must(t, dir, "inject", "HEAD")
	}
	must(t, dir, "run", "--headless", "--for", "1ms")
	if waiting := strings.Count(must(t, dir, "jobs", "--status", "queued"), "manual"); waiting < 3 {
		t.Fatalf("%d injected commits wait:\n%s", waiting, must(t, dir, "jobs"))
	}
	if said := must(t, dir, "doctor"); !strings.Contains(said, "the database is not behind the object store") {
		t.Errorf("doctor says\n%s", said)
	}
}

func TestWhereNothingCountsBesideTheObjectiveTheFrontIsEmptyAndSaysWhy(t *testing.T) {
	suitetest.Full(t, "runs an experiment for one verb; TestWhatVerbsPrintFitsTheSchema stands for it")
	t.Parallel()
	dir := finished(t)
	for _, c := range []struct {
		args     []string
		out, err string
	}{
		{[]string{"front"}, "Nothing counts beside the objective", ""},
		{[]string{"front", "--json"}, "", "Nothing counts beside the objective"},
	} {
		got := atoll(t, dir, c.args...)
		if got.code != 0 || !strings.HasPrefix(got.out, c.out) || c.out == "" && got.out != "" || !strings.Contains(got.err, c.err) {
			t.Errorf("%v: exit %d, %q, %q", c.args, got.code, got.out, got.err)
		}
	}
}

func TestWhatCannotBeDoneIsRefusedWithTheReason(t *testing.T) {
	t.Parallel()
	dir := finished(t)
	must(t, dir, "reject", "c2")
	cases := []struct {
		args string
		want string
	}{
		{"approve c3", "does not wait for review"},
		{"approve c2", "does not wait for review: "},
		{"approve c2", "rejected it; `"},
		{"approve c2", "restore c2` takes that back"},
		{"cancel 3", "#3 has ended"},
		{"prioritise 3", "#3 has ended"},
		{"cancel 4000", "no job #4000"},
		{"stop", "no engine runs here"},
		{"refit", "named axes"},
		{"freeze 9,9", "outside the map"},
		{"freeze 1", ""},
		{"set nope 3", `"nope" is no setting; the settings are acceptance, budget.cost_usd`},
		{"set budgt.jobs 3", "did you mean budget.jobs?\n"},
		{"set jbs 3", `"jbs" is no setting; did you mean budget.jobs?`},
		{"set search 3", "did you mean search.inspirations or search.operators?"},
		{"set seed 3", `"seed" is fixed when an experiment starts: `},
		{"undo 99", "undo takes no argument, and was given \"99\"; see `"},
		{"cancel 9999", "atoll: there is no job #9999; `"},
		{"freeze abc", "neither a candidate nor a niche nor a target"},
		{"freeze target:nosuch", "atoll targets` lists them"},
		{"approve c0", "candidates --status held"},
		{"restore c0", "candidates --status rejected"},
		{"steer", "did you mean approve or boost or pause or set?"},
		{"set workers many", "workers"},
		{"show c999", "no candidate c999"},
		{"diff zzz", "no candidate"},
		{"promote c1 --branch bad..name", "bad..name"},
		{"promote c0 --branch own", "it is in your branch already"},
		{"candidates --status good", "made, held"},
		{"jobs --status good", "queued, editing"},
		{"statsu", "did you mean status?"},
		{"bogus", "atoll --help"},
		{"status --jsno", "atoll status --help"},
		{"show", "atoll show --help"},
		{"demo nothing", "circle-packing"},
		{"demo circle-packing --dir " + dir, dir},
		{"--experiment other status", "other"},
		{"config explain evaluator.timeot", "evaluator.timeout"},
		{"import openevolve nowhere", "nowhere"},
	}
	for _, c := range cases {
		t.Run(c.args, func(t *testing.T) {
			t.Parallel()
			got := atoll(t, dir, strings.Fields(c.args)...)
			if c.want == "" { // one that can be done, for the comparison
				if got.code != 0 {
					t.Errorf("exit %d: %s", got.code, got.err)
				}
				return
			}
			if got.code != 2 || !strings.Contains(got.err, c.want) || got.out != "" {
				t.Errorf("exit %d, %q; want 2 and %q\n%s", got.code, got.err, c.want, got.out)
			}
		})
	}
}

func TestInitWritesAnExperimentThatRuns(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	put(t, dir, map[string]string{
		"go.mod": "module sum\n\ngo 1.24\n",
		"sum.go": "package sum\n\n// Sum adds.\nfunc Sum(x []int) (s int) {\n\tfor _, v := range x {\n\t\ts += v * 1\n\t}\n\treturn s\n}\n",
		"sum_test.go": "package sum\n\nimport \"testing\"\n\nfunc TestSum(t *testing.T) {\n\tif Sum([]int{1, 2}) != 3 {\n\t\tt.Fail()\n\t}\n}\n\n" +
			"func BenchmarkSum(b *testing.B) {\n\tx := make([]int, 1000)\n\tfor b.Loop() {\n\t\tSum(x)\n\t}\n}\n",
	})
	git(t, dir, "init", "--quiet")
	git(t, dir, "add", "--all")
	git(t, dir, "commit", "--quiet", "--message", "start")
	// What is measured of the root is every day tested with the survey (engine/survey).
	out := must(t, dir, suitetest.Pick([]string{"init", "--no-measure"}, []string{"init"}, []string{"init"})...)
	data, err := os.ReadFile(filepath.Join(dir, "atoll.yaml"))
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if !strings.Contains(string(data), "go") || !strings.Contains(string(data), "#") {
		t.Errorf("the file is not written for a Go module with comments:\n%s", data)
	}
	refused(t, atoll(t, dir, "init"), "atoll.yaml")
	must(t, dir, "config", "check")
	if c := atoll(t, dir, "run", "--headless", "--max-jobs", suitetest.Pick("1", "2", "2"), "--set", `evaluator.command=[go, test, "-run=^$", "-bench=.", "-benchtime=10x", ./...]`); c.code != 0 {
		t.Errorf("the experiment does not run: exit %d\n%s%s\n%s", c.code, c.out, c.err, data)
	}
}

func TestOnceAndMaxJobsCountTheWholeExperiment(t *testing.T) {
	t.Parallel()
	dir := newSmall(t)
	must(t, dir, "run", "--headless", "--once", "--workers", "2")
	first := status(t, dir, "jobs.scored").(float64) + status(t, dir, "jobs.placed").(float64) + status(t, dir, "jobs.duplicate").(float64)
	if first < 1 || first > 2 {
		t.Errorf("--once with two workers ended %v jobs", first)
	}
	must(t, dir, "run", "--headless", "--max-jobs", "6")
	if out := must(t, dir, "jobs", "--json", "--limit", "1"); !strings.Contains(out, `"id":6`) {
		t.Errorf("--max-jobs 6 ended with %s", out)
	}
	before := must(t, dir, "candidates", "--json")
	must(t, dir, "run", "--headless", "--max-jobs", "6")
	if after := must(t, dir, "candidates", "--json"); after != before {
		t.Error("a run to the same total made more candidates")
	}
	must(t, dir, "run", "--headless", "--new", "--max-jobs", "3", "--seed", "9")
	if got := status(t, dir, "seed"); got != 9.0 {
		t.Errorf("--new --seed 9 has seed %v", got)
	}
	if out := must(t, dir, "--experiment", "1", "candidates", "--json"); out != before {
		t.Error("the first experiment changed")
	}
}

func TestExperimentsAreListedAndCompared(t *testing.T) {
	t.Parallel()
	dir := newSmall(t)
	must(t, dir, "run", "--headless", "--max-jobs", "2")
	must(t, dir, "run", "--headless", "--new", "--max-jobs", "3", "--seed", "9")
	if out := must(t, dir, "experiments"); strings.Count(out, "\n") != 3 || !strings.Contains(out, "GAIN") {
		t.Errorf("list:\n%s", out)
	}
	var c struct {
		Experiments []struct {
			ID        int  `json:"id"`
			Ended     int  `json:"jobs_ended"`
			Confirmed bool `json:"confirmed"`
		}
		Differences []struct{ Key, First, Second string }
		Comparable  bool
	}
	if err := json.Unmarshal([]byte(must(t, dir, "experiments", "1", "2", "--json")), &c); err != nil {
		t.Fatal(err)
	}
	keys := ""
	for _, d := range c.Differences {
		keys += d.Key + "=" + d.First + "/" + d.Second + " "
	}
	if len(c.Experiments) != 2 || c.Experiments[1].Ended < 2 || !c.Comparable || !strings.Contains(keys, "seed=") || !strings.Contains(keys, "budget.jobs=2/3") {
		t.Errorf("%+v; %s", c, keys)
	}
	refused(t, atoll(t, dir, "experiments", "1"), "two experiments")
}

func TestAHeadlessRunEndsWithAResultAndAVerdict(t *testing.T) {
	t.Parallel()
	dir := newSmall(t)
	c := atoll(t, dir, "run", "--headless", "--max-jobs", "4", "--json", "--fail-under", "1e9%")
	if c.code != 1 || !strings.Contains(c.err, "--fail-under") {
		t.Errorf("exit %d: %s", c.code, c.err)
	}
	lines := strings.Split(strings.TrimSpace(c.out), "\n")
	for i, line := range lines {
		var o map[string]any
		if err := json.Unmarshal([]byte(line), &o); err != nil {
			t.Fatalf("line %d: %v: %s", i, err, line)
		}
		last := i == len(lines)-1
		if (o["type"] == "result") != last {
			t.Errorf("line %d of %d is a %v", i, len(lines), o["type"])
		}
		if last && (o["gain_pct"] == nil || o["best"] == nil || o["state"] != "done" || o["confirmed"] == nil) {
			t.Errorf("result %s", line)
		}
	}
	if c := atoll(t, dir, "run", "--headless", "--max-jobs", "4", "--fail-under", "-1000"); c.code != 0 {
		t.Errorf("exit %d: %s", c.code, c.err)
	}
	for _, args := range [][]string{{"--for", "-5m"}, {"--for", "0s"}, {"--fail-under", "much"}, {"--workers", "-1"}, {"--set", "search.operators.foo=1"}, {"--set", "evaluator.timeout=-5s"}, {"--read-only"}} {
		if c := atoll(t, dir, append([]string{"run", "--headless"}, args...)...); c.code != 2 {
			t.Errorf("%v: exit %d, %s", args, c.code, c.err)
		}
	}
}

func TestACommitThatMovedAndAScriptThatIsNotCommittedAreNamed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	put(t, dir, map[string]string{
		"a.py": "1\n", "atoll.yaml": "evaluator:\n  command: [sh, measure.sh]\n  output: last-number\n  protected: [measure.sh]\nbudget: {jobs: 2}\n",
	})
	git(t, dir, "init", "--quiet")
	git(t, dir, "add", "--all")
	git(t, dir, "commit", "--quiet", "--message", "start")
	put(t, dir, map[string]string{"measure.sh": "cat a.py\n"})
	refused(t, atoll(t, dir, "run", "--headless"), "measure.sh of the evaluator's command is not committed", "git add measure.sh")
	if c := atoll(t, dir, "doctor"); c.code == 0 || !strings.Contains(c.out, "measure.sh is not committed") {
		t.Errorf("doctor, exit %d:\n%s", c.code, c.out)
	}
	put(t, dir, map[string]string{"line.yaml": "evaluator:\n  command: sh measure.sh | cat\n  output: last-number\nbudget: {jobs: 2}\n"})
	refused(t, atoll(t, dir, "run", "--headless", "--config", "line.yaml"), "measure.sh of the evaluator's command is not committed", "git add measure.sh")
	if err := os.Remove(filepath.Join(dir, "line.yaml")); err != nil {
		t.Fatal(err)
	}
	git(t, dir, "add", "--all")
	git(t, dir, "commit", "--quiet", "--message", "evaluator")
	if out := must(t, dir, "run", "--headless"); strings.Contains(out, "HEAD is at") {
		t.Errorf("nothing moved:\n%s", out)
	}
	put(t, dir, map[string]string{"a.py": "2\n"})
	git(t, dir, "commit", "--quiet", "--all", "--message", "more")
	if out := must(t, dir, "run", "--headless", "--max-jobs", "3"); !strings.Contains(out, "HEAD is at "+git(t, dir, "rev-parse", "--short=7", "HEAD")) || !strings.Contains(out, "run --new`") {
		t.Errorf("the commit that moved is not told:\n%s", out)
	}
}

func TestUndoTakesBackAnApprovalOfSeveralAtOnce(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "several runs; engine has TestAnUndoTakesBackWhatItsPersonSawOrNothing")
	dir := finished(t)
	must(t, dir, "set", "review.measure", "all")
	must(t, dir, "set", "budget.jobs", "44")
	must(t, dir, "run", "--headless")
	var held []string
	for n := 40; n <= 44 && len(held) < 2; n++ {
		id := fmt.Sprintf("c%d", n)
		if c := atoll(t, dir, "show", id, "--json"); strings.Contains(c.out, `"held"`) {
			held = append(held, id)
		}
	}
	if len(held) < 2 {
		t.Fatalf("%v wait: too few", held)
	}
	must(t, dir, "approve", held[0], held[1])
	must(t, dir, "run", "--headless")
	if got := one(t, dir, held[0]); got.Status == "held" {
		t.Fatalf("%s is %s after its approval", held[0], got.Status)
	}
	if out, want := must(t, dir, "undo"), held[0]+", "+held[1]+" wait again"; !strings.Contains(out, want) {
		t.Errorf("undo says %q; want %q", out, want)
	}
	must(t, dir, "run", "--headless")
	for _, id := range held {
		if got := one(t, dir, id); got.Status != "held" {
			t.Errorf("%s is %s after undo", id, got.Status)
		}
	}
}

func TestARunInWhichEveryJobFailedSaysWhy(t *testing.T) {
	t.Parallel()
	dir := newSmall(t)
	put(t, dir, map[string]string{"atoll.yaml": smallYAML + "agents:\n  - {name: idle, kind: command, command: [\"true\"], weight: 1}\n"})
	git(t, dir, "commit", "--quiet", "--all", "--message", "idle")
	if out := must(t, dir, "run", "--headless", "--max-jobs", "4"); !strings.Contains(out, "every job failed; 4 of 4: idle ended without changing a file: the agent changed nothing; look whether gate.scope") {
		t.Errorf("it ends with\n%s", out)
	}
}

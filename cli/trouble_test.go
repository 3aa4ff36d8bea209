package cli_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"atoll/config/suitetest"
)

// another returns a small repository in which one committed file differs.
func another(t *testing.T, name, text string) string {
	t.Helper()
	dir := newSmall(t)
	put(t, dir, map[string]string{name: text})
	git(t, dir, "commit", "--quiet", "--all", "--message", "other")
	return dir
}

func TestABadExperimentIsRefusedBeforeAnythingIsSpent(t *testing.T) {
	edit := func(from, to string) func(*testing.T) string {
		return func(t *testing.T) string {
			if !strings.Contains(smallYAML, from) {
				t.Fatalf("the file has no %q", from)
			}
			return another(t, "atoll.yaml", strings.Replace(smallYAML, from, to, 1))
		}
	}
	eval := func(text string) func(*testing.T) string {
		return func(t *testing.T) string { return another(t, "eval.sh", text) }
	}
	cases := []struct {
		name string
		at   func(t *testing.T) string
		code int
		want []string
	}{
		{"a key with a typing error", edit("scope:", "scoop:"), 2, []string{"atoll.yaml:11", "scoop", "scope"}},
		{"a value of the wrong kind", edit("jobs: 12", "jobs: dozen"), 2, []string{"atoll.yaml:15", "dozen"}},
		{"a value that is none of those allowed", edit("output: name=value", "output: xml"), 2, []string{"atoll.yaml:4", "xml", "json"}},
		{"a root that is no commit", edit("goal:", "root: nosuch\ngoal:"), 2, []string{"atoll.yaml:1", `"nosuch" names no commit`}},
		{"a scope that matches no file", edit("*.conf", "nomatch/**"), 2, []string{"gate.scope", "no file may be changed", "nomatch"}},
		{"a scope of protected files alone", edit("*.conf", "eval.sh"), 2, []string{"gate.scope", "protected"}},
		{"a target that matches no file", edit("budget:", "targets: [{name: t, files: [gone.conf]}]\nbudget:"), 2, []string{"targets[0].files", "gone.conf"}},
		{"a target whose function is nowhere", edit("budget:", "targets: [{name: t, files: [numbers.conf], symbol: f}, {name: u, files: [numbers.conf], symbol: b}]\nbudget:"), 2, []string{"targets[0].symbol", "there is no f in"}},
		{"an option that no adapter has", edit("  output: name=value", "  adapter: hyperfine\n  adapter_options: {rums: 3}"), 2, []string{"adapter_options.rums", "did you mean runs?"}},
		{"options without an adapter", edit("  output: name=value", "  adapter_options: {runs: 3}"), 2, []string{"evaluator.adapter is empty"}},
		{"an action of the console that there is not", edit("budget:", "console: {keys: {foo: bar}}\nbudget:"), 2, []string{"console.keys", "foo"}},
		{"news that there is not", edit("budget:", "console: {news: [bets], notify: [bel]}\nbudget:"), 2, []string{"console.news", "best", "console.notify", "bell"}},
		{"a colour that there is not", edit("budget:", "console: {colours: {acent: '#123456'}}\nbudget:"), 2, []string{"console.colours.acent", "accent"}},
		{"a client that is not installed", edit("budget:", "agents: [{kind: command, command: [my-coder, --fast]}]\nbudget:"), 2, []string{"agents[0].command", "my-coder"}},
		{"a known client that is not installed", edit("budget:", "agents: [{kind: command, preset: aider, own_credentials: true}]\nbudget:"), 2, []string{"agents[0].preset", "aider"}},
		{"a recording that is not there", edit("budget:", "agents: [{kind: replay, recording: gone}]\nbudget:"), 2, []string{"agents[0].recording", "gone"}},
		{"a plug-in that is not there", edit("budget:", "agents: [{kind: plugin, plugin: gone}]\nbudget:"), 2, []string{"agents[0].plugin", "gone"}},
		{"prompts that are not there", edit("budget:", "prompts: gone\nbudget:"), 2, []string{"prompts", "gone"}},
		{"a key that is not set", edit("budget:", "agents: [{kind: offline}, {name: w, kind: chat, weight: 0, base_url: 'http://h/v1', key_env: NO_KEY, model: m}]\nroles: {reviewer: w}\nbudget:"), 2, []string{"NO_KEY", "roles.reviewer"}},
		{"no YAML", edit("goal: make", "goal: [make"), 2, []string{"atoll.yaml:"}},
		{"no evaluator", edit("  command: [sh, eval.sh]\n", ""), 2, []string{"evaluator"}},
		{"an evaluator that is not installed", edit("[sh, eval.sh]", "[no-such-program, eval.sh]"), 1, []string{"no-such-program"}},
		{"an evaluator that prints nothing", eval("true\n"), 1, []string{"no line of stdout"}},
		{"an evaluator that fails", eval("echo it broke >&2; exit 3\n"), 1, []string{"it broke"}},
		{"an evaluator that prints NaN", eval("echo total=NaN\n"), 1, []string{"total", "NaN"}},
		{"an evaluator that prints infinity", eval("echo total=1e999\n"), 1, []string{"total"}},
		{"an evaluator without the objective", eval("echo other=3\n"), 1, []string{"total", "other"}},
		{"an axis that the evaluator does not report", edit("metric: total", "metric: nosuch"), 1, []string{`no metric "nosuch"`, "axis"}},
		{"an evaluator that prints 10 MB", eval("head -c 10000000 /dev/zero | tr '\\0' x\n"), 1, []string{"more than", "MiB"}},
		{"an evaluator that never ends", func(t *testing.T) string {
			dir := another(t, "eval.sh", "sleep 600\n")
			put(t, dir, map[string]string{"atoll.yaml": strings.Replace(smallYAML, "  output:", "  timeout: 500ms\n  output:", 1)})
			return dir
		}, 1, []string{"500ms"}},
	}
	for _, c := range suitetest.Every(5, cases) { // what package config refuses is tested there
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := c.at(t)
			got := atoll(t, dir, "run", "--headless")
			refused(t, got, c.want...)
			if got.code != c.code {
				t.Errorf("exit %d; want %d\n%s", got.code, c.code, got.err)
			}
			if strings.Contains(got.out, "c0 :") {
				t.Errorf("an empty end is told:\n%s", got.out)
			}
			if out := atoll(t, dir, "candidates", "--json").out; strings.Count(out, "\n") > 1 {
				t.Errorf("candidates were made:\n%s", out)
			}
			if c.code != 2 {
				return
			}
			if left, err := os.ReadDir(filepath.Join(dir, ".git/atoll")); len(left) > 0 {
				t.Errorf("what was refused left %v, %v", left, err)
			}
			if doctor := atoll(t, dir, "doctor"); doctor.code != 1 || strings.Contains(doctor.out, "not committed, so") {
				t.Errorf("the check passes it, or blames something else: exit %d\n%s", doctor.code, doctor.out)
			}
		})
	}
}

func TestWhatIsHardlyMeantIsSaidAndRuns(t *testing.T) {
	t.Parallel()
	dir := another(t, "atoll.yaml", strings.Replace(smallYAML, "[eval.sh]", "[eval.sh, gone.sh]\n  hidden: [none/**]\n  env: [NOPE]", 1))
	want := []string{`evaluator.protected: "gone.sh" matches no file`, `evaluator.hidden: "none/**" matches no file`, "evaluator.env: NOPE is not set"}
	fresh := another(t, "atoll.yaml", strings.Replace(smallYAML, "*.conf", "new/**", 1)+"agents: [{kind: human}]\n")
	if c := atoll(t, fresh, "doctor"); c.code != 0 || !strings.Contains(c.out, "candidates can only make new ones") {
		t.Errorf("a scope of files that are to be made: exit %d\n%s%s", c.code, c.out, c.err)
	}
	doctor, run := atoll(t, dir, "doctor"), atoll(t, dir, "run", "--headless", "--max-jobs", "1")
	for _, c := range []call{doctor, run} {
		for _, text := range want {
			if c.code != 0 || !strings.Contains(c.out+c.err, text) {
				t.Errorf("exit %d, want %s:\n%s%s", c.code, text, c.out, c.err)
			}
		}
	}
	refused(t, atoll(t, dir, "run", "--headless", "--max-jobs", "3", "--set", "budget.jobs=7"), "--max-jobs 3", "budget.jobs=7", "one of them")
}

func TestASecondEngineIsRefusedAndTheFirstGoesOn(t *testing.T) {
	t.Parallel()
	dir := another(t, "eval.sh", "sleep 0.1\n"+smallEval)
	first := command(t, dir, "run", "--headless")
	var out bytes.Buffer
	first.Stdout, first.Stderr = &out, &out
	if err := first.Start(); err != nil {
		t.Fatal(err)
	}
	until(t, "the first engine measures", func() bool { return atoll(t, dir, "status", "--json").code == 0 })
	refused(t, atoll(t, dir, "run", "--headless"), "another atoll", "process")
	if err := first.Wait(); err != nil {
		t.Fatalf("the first engine: %v\n%s", err, out.String())
	}
	if s := must(t, dir, "status"); !strings.Contains(s, "12/12") {
		t.Errorf("the first engine did not go on:\n%s", s)
	}
}

func TestOfSeveralJobsNoneIsDecidedWhereOneIsNotThere(t *testing.T) {
	t.Parallel()
	dir := another(t, "eval.sh", "true\n"+smallEval)
	must(t, dir, "run", "--headless", "--max-jobs", "1")
	before := must(t, dir, "events", "--json")
	refused(t, atoll(t, dir, "retry", "1", "100"), "there is no job #100")
	if after := must(t, dir, "events", "--json"); after != before {
		t.Errorf("a verb that was refused decided something:\n%s", after)
	}
}

func TestTheNumberOfBrokenProgramsMayBeLeftOut(t *testing.T) {
	t.Parallel()
	dir := t.TempDir() // no repository: it is that which is wrong, not the words
	for _, words := range [][]string{{"--mutants"}, {"--mutants", "40"}, {"--mutants=40"}} {
		if c := atoll(t, dir, append([]string{"doctor"}, words...)...); c.code == 0 || !strings.Contains(c.err, "repository") {
			t.Errorf("%v: exit %d\n%s%s", words, c.code, c.out, c.err)
		}
	}
	refused(t, atoll(t, dir, "doctor", "40"), "40")
}

// patience is how long what must come may take on a machine that does a hundred
// other things. Only a test that fails waits for so long.
const patience = 3 * time.Minute

// until waits for a condition and fails when it does not come.
func until(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !ok(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("did not see that %s", what)
		}
	}
}

// mounted runs a shell script in a mount namespace of its own, in which it may
// mount what the machine does not see. $ATOLL is the program.
func mounted(t *testing.T, dir, script string) call {
	t.Helper()
	flags := []string{"--mount"}
	if os.Getuid() != 0 {
		flags = []string{"--user", "--map-root-user", "--mount"}
	}
	if err := exec.Command("unshare", append(flags, "mount", "-t", "tmpfs", "none", t.TempDir())...).Run(); err != nil {
		t.Skipf("this machine lets nobody mount a small disk: %v", err)
	}
	like := command(t, dir) // for its environment
	cmd := exec.CommandContext(t.Context(), "unshare", append(flags, "sh", "-c", script)...)
	cmd.Dir, cmd.Env = dir, append(like.Env, "ATOLL="+program(t))
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return call{out.String(), errs.String(), cmd.ProcessState.ExitCode()}
}

func TestAReadOnlyDiskIsRefusedInWords(t *testing.T) {
	dir := newSmall(t)
	c := mounted(t, dir, `mount --bind . . && mount -o remount,bind,ro . && cd "$PWD" && "$ATOLL" run --headless`)
	refused(t, c, "read-only", "--state")
	state := filepath.Join(t.TempDir(), "state")
	c = mounted(t, dir, `mount --bind . . && mount -o remount,bind,ro . && cd "$PWD" && "$ATOLL" run --headless --state `+state)
	if c.code != 0 {
		t.Errorf("with the state elsewhere: exit %d\n%s%s", c.code, c.out, c.err)
	}
}

// TestReadingWorksOnAStateThatCannotBeWritten mounts the state read-only, which holds
// for the administrator, too.
func TestReadingWorksOnAStateThatCannotBeWritten(t *testing.T) {
	dir := searchedSmall(t)
	for _, c := range suitetest.Every(2, []struct {
		name, args string
		refused    string // what it says, "" where it works
	}{
		{"status", "status", ""},
		{"lists", "candidates --json", ""},
		{"the best", "show best", ""},
		{"its difference", "diff best", ""},
		{"the report", "report", ""},
		{"the log", "events --tail 3", ""},
		{"a patch elsewhere", "promote best --patch " + filepath.Join(t.TempDir(), "best.patch"), ""},
		{"a bundle elsewhere", "promote best --bundle " + filepath.Join(t.TempDir(), "best.bundle"), ""},
		{"a backup elsewhere", "backup " + filepath.Join(t.TempDir(), "all.backup"), ""},
		{"a deep check checks all, and says that no run would start", "doctor --deep", "cannot be written"},
		{"a coding agent's server", "mcp </dev/null", ""},
		{"the page", `serve --http 127.0.0.1:0 2>said & until grep -q 'the page is at' said || ! kill -0 $!; do sleep 0.05; done; kill -INT $!; wait $!`, ""},
		{"a decision says why not", "pin best", "can only be read"},
		{"a run says why not", "run --headless", "can only be read"},
		{"a verified promotion says why not before it measures", "promote best --verify", "write the branch: the store can only be read"},
	}) {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := mounted(t, dir, `mount --bind .git .git && mount -o remount,bind,ro .git && "$ATOLL" `+c.args)
			if (got.code == 0) != (c.refused == "") || !strings.Contains(got.out+got.err, c.refused) {
				t.Errorf("exit %d\n%s%s", got.code, got.out, got.err)
			}
		})
	}
}

func TestAFullDiskPausesTheRunAndLosesNothing(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "a run on a small disk of its own; TestAReadOnlyDiskIsRefusedInWords stands for it")
	dir := another(t, "eval.sh", "sleep 0.2\n"+smallEval)
	small, said := t.TempDir(), filepath.Join(t.TempDir(), "said")
	c := mounted(t, dir, `
mount -t tmpfs -o size=6m none `+small+`
run() { "$ATOLL" --state `+small+`/state "$@"; }
run run --headless --max-jobs 4 --set seed=2 >/dev/null || exit 90
run candidates --json
run run --headless --max-jobs 12 > `+said+` 2>&1 & pid=$!
until grep -q 'scored\|opens\|takes' `+said+` || ! kill -0 $pid; do sleep 0.05; done
head -c 50M /dev/zero > `+small+`/ballast 2>/dev/null
until grep -q 'is full' `+said+` || ! kill -0 $pid; do sleep 0.1; done
rm `+small+`/ballast
wait $pid; echo "exit $?"
echo --
run candidates --json
run doctor >&2 || exit 92`)
	text, err := os.ReadFile(said)
	if err != nil || c.code != 0 {
		t.Fatalf("exit %d, %v\n%s%s%s", c.code, err, text, c.out, c.err)
	}
	full, after, _ := strings.Cut(c.out, "--\n")
	if !strings.Contains(full, "exit 0") {
		t.Errorf("the run did not go on:\n%s%s", full, text)
	}
	for _, want := range []string{"paused: the disk of ", "there is room on the disk again"} {
		if !strings.Contains(string(text), want) || strings.Contains(string(text), "goroutine ") {
			t.Errorf("it does not say %q:\n%s", want, text)
		}
	}
	was, is := listed(t, full), listed(t, after)
	if len(was) < 4 || len(is) != 13 {
		t.Errorf("%d candidates before the disk was full and %d in the end; want at least 4 and 13", len(was), len(is))
	}
	for id, m := range was {
		if is[id] != m {
			t.Errorf("c%d was %s and is %s", id, m, is[id])
		}
	}
}

// listed reads the candidates among some lines.
func listed(t *testing.T, text string) map[int]string {
	t.Helper()
	out := map[int]string{}
	for line := range strings.Lines(text) {
		var m made
		if strings.HasPrefix(line, "{") {
			if err := json.Unmarshal([]byte(line), &m); err != nil {
				t.Fatal(err)
			}
			out[int(m.ID)] = m.Commit + " " + m.Tree
		}
	}
	return out
}

func TestDoctorNamesLinesOfAnEvaluatorThatLendItsRights(t *testing.T) {
	t.Parallel()
	bad := another(t, "eval.sh", "set -e\ncc -O2 -o sum sum.c\nprintf '{\"metrics\": {\"total\": %s}}' \"$(cat numbers.conf)\" > \"$ATOLL_RESULT\"\n")
	if c := atoll(t, bad, "doctor"); !strings.Contains(c.out, "eval.sh:2: cc compiles sum.c") || !strings.Contains(c.out, "ATOLL_RUN") {
		t.Errorf("exit %d\n%s%s", c.code, c.out, c.err)
	}
	inline := another(t, "atoll.yaml", strings.Replace(smallYAML, "  command: [sh, eval.sh]", "  command: cc sum.c && ./a.out\n  stages: [{name: build, command: [make, all], output: none}, {name: full}]", 1))
	if c := atoll(t, inline, "doctor"); !strings.Contains(c.out, "evaluator.command: cc compiles sum.c") || !strings.Contains(c.out, "the command of stage build: make runs") {
		t.Errorf("exit %d\n%s%s", c.code, c.out, c.err)
	}
	good := another(t, "eval.sh", "# measures\n"+smallEval)
	if c := atoll(t, good, "doctor"); c.code != 0 || strings.Contains(c.out, "eval.sh") {
		t.Errorf("exit %d\n%s%s", c.code, c.out, c.err)
	}
}

func TestDoctorWarnsOfNoScriptThatAnotherStartsWithFewerRights(t *testing.T) {
	t.Parallel()
	dir := another(t, "atoll.yaml", strings.Replace(smallYAML, "  command: [sh, eval.sh]", "  command: [python3, '{dir}/measure.py']\n  dir: bench", 1))
	put(t, dir, map[string]string{
		"bench/work.py":    "print(eval(input()))\n",
		"bench/measure.py": "import os, subprocess\nhere = os.environ['ATOLL_EVAL_DIR']\nsubprocess.run([os.environ['ATOLL_RUN'], 'python3', '-c', open(here + '/work.py').read()])\n",
	})
	if c := atoll(t, dir, "doctor"); strings.Contains(c.out, "work.py") {
		t.Errorf("it has no rights to lend:\n%s", c.out)
	}
	put(t, dir, map[string]string{"bench/measure.py": "import work  # which ATOLL_RUN could start: work.py\n"})
	if c := atoll(t, dir, "doctor"); !strings.Contains(c.out, "work.py:1: eval loads code") {
		t.Errorf("it has the rights of the evaluator:\n%s", c.out)
	}
}

func TestInitTakesItsOwnEvaluatorForNoneOfTheProject(t *testing.T) {
	t.Parallel()
	dir := newSmall(t)
	put(t, dir, map[string]string{"atoll-evaluator/measure.py": "print(1)\n"})
	if c := atoll(t, dir, "init", "--yes", "--force"); c.code != 0 || strings.Contains(c.out+c.err, "not committed") {
		t.Errorf("exit %d\n%s%s", c.code, c.out, c.err)
	}
}

func TestWhatInitWroteIsNoChangeThatCouldBeForgotten(t *testing.T) {
	t.Parallel()
	dir := newSmall(t)
	put(t, dir, map[string]string{"atoll.yaml": smallYAML + "# looked at\n"})
	if c := atoll(t, dir, "doctor"); strings.Contains(c.out, "changes that are not committed") {
		t.Errorf("its own file is told as one:\n%s", c.out)
	}
	git(t, dir, "config", "status.showUntrackedFiles", "all") // git names the files of new folders
	put(t, dir, map[string]string{"atoll-evaluator/time.sh": "echo 1\n"})
	if c := atoll(t, dir, "doctor"); strings.Contains(c.out, "changes that are not committed") {
		t.Errorf("its own folder is told as one:\n%s", c.out)
	}
	put(t, dir, map[string]string{"more.conf": "1\n"})
	if c := atoll(t, dir, "doctor"); !strings.Contains(c.out, "changes that are not committed") {
		t.Errorf("a change is not told:\n%s", c.out)
	}
}

func TestTheRootGainsNothingOnItself(t *testing.T) {
	suitetest.Full(t, "runs an experiment; TestAHeadlessRunEndsWithAResultAndAVerdict stands for it")
	t.Parallel()
	dir := another(t, "atoll.yaml", strings.Replace(smallYAML, "objective:", "repeats: 3\n  objective:", 1))
	put(t, dir, map[string]string{"eval.sh": "echo total=$(od -An -N2 -tu2 /dev/urandom)\n"})
	git(t, dir, "commit", "--quiet", "--all", "--message", "varies")
	atoll(t, dir, "run", "--headless", "--max-jobs", "1")
	if out := must(t, dir, "show", "root"); strings.Contains(out, "\ngain ") || !strings.Contains(out, "decided by") {
		t.Errorf("the root is told with a gain:\n%s", out)
	}
}

func TestARunThatGoesOnDoesNotTellAgainWhatTheLastOneTold(t *testing.T) {
	suitetest.Full(t, "runs an experiment twice; TestOnceAndMaxJobsCountTheWholeExperiment stands for it")
	t.Parallel()
	dir := newSmall(t)
	first := must(t, dir, "run", "--headless", "--max-jobs", "3")
	if !strings.Contains(first, "c0 opens") {
		t.Fatalf("the first run does not tell of the root:\n%s", first)
	}
	for _, args := range [][]string{{"--max-jobs", "6"}, {"--max-jobs", "8", "--json"}} {
		if out := must(t, dir, append([]string{"run", "--headless"}, args...)...); strings.Contains(out, "c0 opens") || !strings.Contains(out, "budget.jobs is") {
			t.Errorf("%q:\n%s", args, out)
		}
	}
}

package cli_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"atoll/config/suitetest"
	"atoll/store/record"
)

// verified is what these tests read of `promote --verify --json`.
type verified struct {
	Refused, Commit, Branch string
	Moved                   bool
	Conflicts               []string
	Figures                 struct {
		Before, After []float64
		Word          string
	}
}

func verifiedOf(t *testing.T, c call) (v verified) {
	t.Helper()
	if err := json.Unmarshal([]byte(c.out), &v); err != nil {
		t.Fatalf("%v: %s%s", err, c.out, c.err)
	}
	return v
}

func TestAVerifiedPromotionStandsOnTheBranchAsItIsNow(t *testing.T) {
	t.Parallel()
	dir := searchedSmall(t)
	id := best(t, dir).ID.String()
	// The branch goes on meanwhile, and the work tree holds what is not committed.
	put(t, dir, map[string]string{"NOTES": "mine\n"})
	git(t, dir, "add", "--all")
	git(t, dir, "commit", "--quiet", "--message", "notes")
	put(t, dir, map[string]string{"numbers.conf": "a = 1\n", "staged": "yes\n"})
	git(t, dir, "add", "staged")
	state := func() string {
		return git(t, dir, "status", "--porcelain") + git(t, dir, "rev-parse", "HEAD") + git(t, dir, "symbolic-ref", "HEAD")
	}
	was := state()

	out := must(t, dir, "promote", id, "--verify", "--squash", "--branch", "won", "--json")
	v := verifiedOf(t, call{out: out})
	if v.Refused != "" || !v.Moved || v.Branch != "won" || v.Figures.Word != "exact" || len(v.Figures.Before) != 2 {
		t.Errorf("it says %s", out)
	}
	if got := state(); got != was {
		t.Errorf("the work tree, index or HEAD changed: %s; was %s", got, was)
	}
	if n := strings.TrimSpace(git(t, dir, "rev-list", "--count", "main..won")); n != "1" {
		t.Errorf("squashed, it is %s commits on top of main", n)
	}
	if files := strings.TrimSpace(git(t, dir, "diff", "--name-only", "main", "won")); files != "numbers.conf" {
		t.Errorf("against main it changes %q", files)
	}
	for _, want := range []string{"Candidate " + id, "total: 32 before", "exact: 2 rounds agree", "core", "rung", "Evaluator: sh eval.sh", "Reproduce: atoll promote " + id + " --verify"} {
		if message := git(t, dir, "log", "-1", "--format=%B", "won"); !strings.Contains(message, want) {
			t.Errorf("the message has no %q:\n%s", want, message)
		}
	}
	for verb, want := range map[string]string{"status": "; verified by promote on main at ", "show " + id: "branch     won, verified by promote on main at "} {
		if out := must(t, dir, strings.Fields(verb)...); !strings.Contains(out, want) {
			t.Errorf("%s does not say that it was verified:\n%s", verb, out)
		}
	}
	must(t, dir, "promote", id, "--verify", "--branch", "whole")
	if parents := strings.Fields(git(t, dir, "log", "-1", "--format=%P", "whole")); len(parents) != 2 || parents[0] != strings.TrimSpace(git(t, dir, "rev-parse", "main")) {
		t.Errorf("with its history its parents are %v", parents)
	}
	if c := atoll(t, dir, "promote", id, "--verify", "--branch", "won"); c.code != 2 || !strings.Contains(c.err, "it exists") {
		t.Errorf("a branch that is taken: exit %d: %s", c.code, c.err)
	}
	if c := atoll(t, dir, "promote", id, "--verify", "--patch", "-"); c.code != 2 {
		t.Errorf("--verify with --patch: exit %d: %s", c.code, c.err)
	}
}

func TestAChangeThatNoLongerAppliesOrPaysIsRefused(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		now  map[string]string // the branch meanwhile
		want string
	}{
		"both changed the same lines":       {map[string]string{"numbers.conf": "a = 77\nb = 77\nc = 77\n"}, "numbers.conf"},
		"the gain went away with the floor": {map[string]string{"eval.sh": "echo total=5000\n"}, "the gain does not hold"},
		"the branch fails its evaluator":    {map[string]string{"eval.sh": "exit 3\n"}, "fails the evaluator"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := searchedSmall(t)
			put(t, dir, c.now)
			git(t, dir, "commit", "--quiet", "--all", "--message", "meanwhile")
			got := atoll(t, dir, "promote", "best", "--verify")
			if got.code != 1 || !strings.Contains(got.err, c.want) {
				t.Errorf("exit %d: %s%s", got.code, got.out, got.err)
			}
			if refs := git(t, dir, "for-each-ref", "--format=%(refname)"); strings.TrimSpace(refs) != "refs/heads/main" {
				t.Errorf("it wrote %s", refs)
			}
		})
	}
}

// noisyEval measures a value that varies by up to NOISE, and adds EDGE to every
// version of numbers.conf that is not the first.
const noisyEval = `edge=0
cmp -s numbers.conf numbers.base || edge=EDGE
od -An -N2 -tu2 /dev/urandom | awk -v e=$edge '{print "total=" 100 + e + NOISE * $1 / 65536}'
`

func TestOfNoisyGainsOnlyATrueOneIsPromoted(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		edge, noise string
		code        int
		word        string
	}{
		"a true gain":                       {"5", "1", 0, "confirmed"},
		"luck that hides a loss is refused": {"-3", "10", 1, "within noise"},
	} {
		t.Run(name, func(t *testing.T) {
			if c.code == 0 {
				suitetest.Full(t, "a second noisy search; luck that is refused stands for it")
			}
			t.Parallel()
			dir := newNoisy(t, c.edge, c.noise)
			must(t, dir, "run", "--headless")
			got := atoll(t, dir, "promote", luckiest(t, dir), "--verify", "--json")
			v := verifiedOf(t, got)
			if got.code != c.code || v.Figures.Word != c.word || len(v.Figures.Before) < 8 || (v.Refused == "") != (c.code == 0) {
				t.Errorf("exit %d: %s%s", got.code, got.out, got.err)
			}
			_, err := os.Stat(filepath.Join(dir, ".git", "refs", "heads", "atoll"))
			if there := err == nil; there != (c.code == 0) {
				t.Errorf("a branch was written: %v", there)
			}
		})
	}
}

// luckiest is the candidate, the root aside, with the highest value of those that
// decided.
func luckiest(t *testing.T, dir string) string {
	t.Helper()
	name, most := "", 0.0
	for _, line := range strings.Split(strings.TrimSpace(must(t, dir, "candidates", "--json")), "\n") {
		var c struct {
			ID        json.RawMessage `json:"id"`
			Objective *float64        `json:"objective"`
		}
		if err := json.Unmarshal([]byte(line), &c); err != nil {
			t.Fatal(err)
		}
		id := strings.Trim(string(c.ID), `"`)
		if c.Objective != nil && id != "0" && id != "c0" && *c.Objective > most {
			name, most = id, *c.Objective
		}
	}
	if name == "" {
		t.Fatal("no candidate was measured")
	}
	return name
}

// injectMine commits files on the branch mine, which is checked out, and has a run measure them.
func injectMine(t *testing.T, dir, message string, files map[string]string, jobs string) {
	t.Helper()
	put(t, dir, files)
	git(t, dir, "commit", "--quiet", "--all", "--message", message)
	git(t, dir, "checkout", "--quiet", "main")
	must(t, dir, "inject", "mine")
	must(t, dir, "run", "--headless", "--max-jobs", jobs)
}

func TestAMinimisedWinnerLeavesOutWhatBringsNothing(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "one more verified run; TestAVerifiedPromotionStandsOnTheBranchAsItIsNow stands for it")
	dir := newSmall(t)
	put(t, dir, map[string]string{"notes.conf": "x = 1\n"})
	git(t, dir, "add", "--all")
	git(t, dir, "commit", "--quiet", "--message", "notes")
	must(t, dir, "run", "--headless", "--max-jobs", "1")
	// A person's commit: the first number is better, and nothing measures the other file.
	git(t, dir, "checkout", "--quiet", "-b", "mine")
	injectMine(t, dir, "two files", map[string]string{"numbers.conf": strings.Replace(smallNumbers, "a = ", "a = 9", 1), "notes.conf": "x = 2\n"}, "2")
	got := must(t, dir, "promote", "best", "--verify", "--minimise", "--squash", "--branch", "small")
	if !strings.Contains(got, "left out   notes.conf:1") {
		t.Errorf("it says\n%s", got)
	}
	if files := strings.TrimSpace(git(t, dir, "diff", "--name-only", "main", "small")); files != "numbers.conf" {
		t.Errorf("against main it changes %q", files)
	}
	// One more on top of it, which brings nothing at all.
	first := best(t, dir).ID
	git(t, dir, "checkout", "--quiet", "mine")
	injectMine(t, dir, "one more note", map[string]string{"notes.conf": "x = 2\ny = 1\n"}, "3")
	lines := strings.Split(strings.TrimSpace(must(t, dir, "candidates", "--json")), "\n")
	var last struct {
		ID      record.CandidateID
		Parents []struct{ ID record.CandidateID }
	}
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &last); err != nil {
		t.Fatal(err)
	}
	if len(last.Parents) == 0 || last.Parents[0].ID != first {
		t.Fatalf("the parents of %s are %v, want %s", last.ID, last.Parents, first)
	}
	got = must(t, dir, "promote", last.ID.String(), "--verify", "--minimise", "--squash", "--branch", "smaller")
	if want := "left out   the edit of " + last.ID.String() + ", notes.conf:1"; !strings.Contains(got, want) {
		t.Errorf("it does not say %q:\n%s", want, got)
	}
	if files := strings.TrimSpace(git(t, dir, "diff", "--name-only", "small", "smaller")); files != "" {
		t.Errorf("without the last edit it is another change: %q", files)
	}
	// What is written is the first one, and so it is called.
	got = must(t, dir, "promote", last.ID.String(), "--verify", "--minimise")
	if want := "-" + first.String() + " is " + first.String() + " (from " + last.ID.String() + " without its last 1 edit) ("; !strings.Contains(got, want) {
		t.Errorf("it does not say %q:\n%s", want, got)
	}
	if out := must(t, dir, "show", last.ID.String()); !strings.Contains(out, "verified by promote as "+first.String()+", without its last 1 edit, on main at ") {
		t.Errorf("show says\n%s", out)
	}
	if c := atoll(t, dir, "promote", "best", "--minimise"); c.code != 2 {
		t.Errorf("--minimise alone: exit %d: %s", c.code, c.err)
	}
}

// guardedRun is a run of six jobs with the guard on, and its luckiest candidate; more is
// what else its file says.
func guardedRun(t *testing.T, more string) (dir, yaml, id string) {
	t.Helper()
	dir = newSmall(t)
	yaml = strings.Replace(smallYAML, "jobs: 12", "jobs: 6", 1) + "guard: on\n" + more
	put(t, dir, map[string]string{"atoll.yaml": yaml})
	must(t, dir, "run", "--headless")
	return dir, yaml, luckiest(t, dir)
}

func TestABehaviourThatTheFileAcceptsNowDoesNotStopAPromotion(t *testing.T) {
	suitetest.Full(t, "compares behaviour in an experiment; TestAVerifiedPromotionStandsOnTheBranchAsItIsNow stands for it")
	t.Parallel()
	dir, yaml, id := guardedRun(t, "guard_commands: [{command: [cat, numbers.conf]}]\n")
	if c := atoll(t, dir, "promote", id, "--verify"); c.code != 1 || !strings.Contains(c.err, "behaves in another way") {
		t.Fatalf("what nobody accepted: exit %d: %s%s", c.code, c.out, c.err)
	}
	must(t, dir, "promote", id, "--verify", "--branch", "said", "--set", "guard_accept=[cat numbers.conf]")
	put(t, dir, map[string]string{"atoll.yaml": yaml + "guard_accept: [cat numbers.conf]\n"})
	must(t, dir, "promote", id, "--verify", "--branch", "written")
}

func TestADifferenceThatWasAcceptedIsNotWhenTheCandidateIsRejected(t *testing.T) {
	suitetest.Full(t, "compares behaviour in an experiment; TestAVerifiedPromotionStandsOnTheBranchAsItIsNow stands for it")
	t.Parallel()
	dir, _, _ := guardedRun(t, "guard_commands: [{command: [cat, numbers.conf]}]\n")
	var held struct {
		ID record.CandidateID `json:"id"`
	}
	line, _, _ := strings.Cut(must(t, dir, "candidates", "--status", "held", "--json"), "\n")
	if err := json.Unmarshal([]byte(line), &held); err != nil {
		t.Fatalf("%v: %s", err, line)
	}
	id := held.ID.String()
	for _, verb := range []string{"approve", "reject", "restore"} {
		must(t, dir, verb, id)
		must(t, dir, "run", "--headless")
		c := atoll(t, dir, "promote", id, "--verify", "--branch", verb)
		refused := strings.Contains(c.err, "behaves in another way") && !strings.Contains(c.err, "that was approved")
		if refused != (verb == "reject") || refused != (c.code != 0) {
			t.Errorf("after %s: exit %d: %s%s", verb, c.code, c.out, c.err)
		}
		if out := must(t, dir, "show", id); strings.Contains(out, "restore "+id) != (verb == "reject") {
			t.Errorf("after %s show says\n%s", verb, out)
		}
	}
}

func TestALesserTimeThatNothingVouchesForNeedsAPerson(t *testing.T) {
	suitetest.Full(t, "runs an experiment; TestAVerifiedPromotionStandsOnTheBranchAsItIsNow stands for it")
	t.Parallel()
	dir := newSmall(t)
	yaml := strings.NewReplacer("jobs: 12", "jobs: 6", "total", "time_ms", "  output:", "  direction: minimize\n  output:").Replace(smallYAML)
	put(t, dir, map[string]string{"atoll.yaml": yaml, "eval.sh": strings.Replace(smallEval, "total", "time_ms", 1)})
	git(t, dir, "commit", "--quiet", "--all", "--message", "a time")
	must(t, dir, "run", "--headless")
	if c := atoll(t, dir, "promote", "best", "--verify"); c.code != 1 || !strings.Contains(c.err, "nothing looked whether it still does the same: the evaluator has no stage of tests") {
		t.Errorf("nothing compared them: exit %d: %s%s", c.code, c.out, c.err)
	}
	must(t, dir, "promote", "best", "--verify", "--branch", "looked", "--believe")
	tested := yaml + "guard_commands: [{command: [echo, same]}]\n"
	put(t, dir, map[string]string{"atoll.yaml": tested})
	must(t, dir, "promote", "best", "--verify", "--branch", "compared")
}

func TestWhatNothingVouchesForIsRefusedBeforeItsPartsAreMeasured(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "four verified runs; TestALesserTimeThatNothingVouchesForNeedsAPerson stands for it every day")
	dir := newSmall(t)
	yaml := strings.NewReplacer("total", "time_ms", "  output:", "  direction: minimize\n  output:").Replace(smallYAML)
	put(t, dir, map[string]string{"atoll.yaml": yaml, "eval.sh": strings.Replace(smallEval, "total", "time_ms", 1), "notes.conf": "x = 1\n"})
	git(t, dir, "add", "--all")
	git(t, dir, "commit", "--quiet", "--message", "a time")
	must(t, dir, "run", "--headless", "--max-jobs", "1")
	git(t, dir, "checkout", "--quiet", "-b", "mine")
	injectMine(t, dir, "two files", map[string]string{"numbers.conf": strings.Replace(smallNumbers, "c = 15", "c = 5", 1), "notes.conf": "x = 2\n"}, "2")
	const parts = "stretches bring nothing and are left out"
	c := atoll(t, dir, "promote", "best", "--verify", "--minimise")
	if c.code != 1 || !strings.Contains(c.err, "nothing looked whether it still does the same") || strings.Contains(c.err, parts) {
		t.Errorf("it says\n%s%s", c.out, c.err)
	}
	if c := atoll(t, dir, "promote", "best", "--verify", "--minimise", "--believe"); c.code != 0 || !strings.Contains(c.err, parts) {
		t.Errorf("believed, exit %d:\n%s%s", c.code, c.out, c.err)
	}
	put(t, dir, map[string]string{"atoll.yaml": yaml + "guard_commands: [{command: [echo, same]}]\n"})
	c = atoll(t, dir, "promote", "best", "--verify", "--minimise", "--branch", "compared")
	if told := strings.Count(c.err, "\ncompared 1 input of 1 function where "); c.code != 0 || told != 2 {
		t.Errorf("compared, exit %d, told %d times:\n%s%s", c.code, told, c.out, c.err)
	}
}

func TestCommandsToCompareAreTakenFromTheFileAsItIsNow(t *testing.T) {
	suitetest.Full(t, "compares behaviour in an experiment; TestAVerifiedPromotionStandsOnTheBranchAsItIsNow stands for it")
	t.Parallel()
	dir, yaml, id := guardedRun(t, "")
	if out := must(t, dir, "promote", id, "--verify", "--branch", "blind"); !strings.Contains(out, "take care  nothing but the evaluator looked whether it still does the same") {
		t.Errorf("what nothing compared is not told:\n%s", out)
	}
	put(t, dir, map[string]string{"atoll.yaml": yaml + "guard_commands: [{command: [cat, numbers.conf]}]\n"})
	if c := atoll(t, dir, "promote", id, "--verify"); c.code != 1 || !strings.Contains(c.err, "behaves in another way") {
		t.Errorf("a command of the file as it is now: exit %d: %s%s", c.code, c.out, c.err)
	}
	if out := must(t, dir, "show", id); !strings.Contains(out, "  rejected\n") || best(t, dir).ID.String() == id {
		t.Errorf("%s is not rejected for that, the best is %s:\n%s", id, best(t, dir).ID, out)
	}
}

func TestAComparisonThatFailedNeedsAPersonWhateverTestsPass(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "three runs; TestAComparisonThatFailedIsRefusedWhateverTestsThereAre stands for it every day")
	dir := newSmall(t)
	yaml := strings.NewReplacer("  output:", "  stages: [{name: tests, command: [\"true\"], output: none}, {name: measure}]\n  output:", `["*.conf"]`, `["*.conf", "*.py"]`).Replace(smallYAML) + "guard: on\n"
	put(t, dir, map[string]string{
		"atoll.yaml": yaml, "kit.py": "def f(text):\n    return text.decode()\n",
		"test_kit.py": "import os\nimport signal\nimport unittest\nimport kit\n\n\nclass Test(unittest.TestCase):\n    def test_f(self):\n        os.kill(os.getpid(), signal.SIGKILL)\n",
	})
	git(t, dir, "add", "--all")
	git(t, dir, "commit", "--quiet", "--message", "a module whose calls cannot be recorded")
	must(t, dir, "run", "--headless", "--max-jobs", "1")
	git(t, dir, "checkout", "--quiet", "-b", "mine")
	injectMine(t, dir, "worse and better", map[string]string{"kit.py": "def f(text):\n    return ()\n", "numbers.conf": strings.Replace(smallNumbers, "a = ", "a = 9", 1)}, "2")
	if out := must(t, dir, "status"); !strings.Contains(out, "; its behaviour was not compared") {
		t.Errorf("status says\n%s", out)
	}
	c := atoll(t, dir, "promote", "best", "--verify")
	if c.code != 1 || !strings.Contains(c.err, "could not compare whether it still does the same: the Python code was not compared") || strings.Contains(c.err, "round 1") {
		t.Errorf("exit %d: %s%s", c.code, c.out, c.err)
	}
	if refs := git(t, dir, "for-each-ref", "--format=%(refname)", "refs/heads/atoll"); refs != "" {
		t.Errorf("it wrote %s", refs)
	}
	must(t, dir, "promote", "best", "--verify", "--believe", "--branch", "looked")
	if out := must(t, dir, "promote", "best", "--patch", "-"); !strings.Contains(out, "Its behaviour was not compared with the root's.") {
		t.Errorf("the patch does not say that nothing compared it:\n%s", out)
	}
}

func TestWhatNothingComparedIsPromotedWithAWord(t *testing.T) {
	suitetest.Full(t, "runs an experiment; TestAVerifiedPromotionStandsOnTheBranchAsItIsNow stands for it")
	t.Parallel()
	dir := newSmall(t)
	put(t, dir, map[string]string{"atoll.yaml": smallYAML + "guard: on\n"})
	git(t, dir, "commit", "--quiet", "--all", "--message", "the guard is on")
	must(t, dir, "run", "--headless", "--max-jobs", "1")
	git(t, dir, "checkout", "--quiet", "-b", "mine")
	injectMine(t, dir, "worse, so that it never leads", map[string]string{"numbers.conf": strings.Replace(smallNumbers, "a = 3", "a = 0", 1)}, "2")
	id := injectedID(t, dir)
	out := must(t, dir, "promote", id, "--branch", "plain")
	if !strings.Contains(out, "behaviour  was not compared with the root's, and the evaluator has no tests: look at `") || !strings.Contains(out, " diff "+id+"`") {
		t.Errorf("it says\n%s", out)
	}
	if text := git(t, dir, "log", "-1", "--format=%B", "plain"); !strings.Contains(text, "Its behaviour was not compared with the root's.") {
		t.Errorf("the commit says\n%s", text)
	}
}

// injectedID is the candidate of a person's commit.
func injectedID(t *testing.T, dir string) string {
	t.Helper()
	for _, l := range strings.Split(must(t, dir, "candidates"), "\n") {
		if strings.Contains(l, " manual ") {
			return strings.Fields(l)[0]
		}
	}
	t.Fatalf("no commit of a person among\n%s", must(t, dir, "candidates"))
	return ""
}

package cli_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"atoll/config/suitetest"
)

// workbench is a repository whose program is a script that the evaluator tests
// and asks for its value.
func workbench(t *testing.T, yaml string) *site {
	t.Helper()
	s := &site{t: t, dir: t.TempDir()}
	s.put("program.sh", steady)
	s.put("evaluator/test.sh", "said=$(\"$ATOLL_RUN\" sh program.sh test) || exit $?\n[ \"$said\" = ok ] || { echo \"test failed: the program said '$said', not ok\" >&2; exit 1; }\n")
	s.put("evaluator/value.sh", `beside() { grep -q '"measures": *"root"' "$ATOLL_CONTEXT"; }
root() { grep -q '"root": *true' "$ATOLL_CONTEXT"; }
sick=$(cat "$1/sick" 2>/dev/null)
if beside && { [ "$sick" = always ] || { [ "$sick" = later ] && ! root; }; }; then echo "the scales are broken" >&2; exit 1; fi
value=$("$ATOLL_RUN" sh program.sh value) || exit $?
printf '{"metrics": [{"name": "score", "value": %s}]}' "$value" > "$ATOLL_RESULT"
`)
	s.put("atoll.yaml", "goal: run\nseed: 2\nworkers: 1\nsearch: {operators: {tune: 1}}\n"+yaml)
	git(t, s.dir, "init", "-q", "-b", "main")
	git(t, s.dir, "add", "-A")
	git(t, s.dir, "commit", "-q", "-m", "start")
	return s
}

const steady = "case $1 in\ntest) echo ok ;;\nvalue) echo 1.5 ;;\nesac\n"

// branch makes a commit on a branch of its own and returns to main.
func (s *site) branch(name, file, text string) {
	s.t.Helper()
	git(s.t, s.dir, "checkout", "-q", "-b", name)
	s.put(file, text)
	git(s.t, s.dir, "add", "-A")
	git(s.t, s.dir, "commit", "-q", "-m", name)
	git(s.t, s.dir, "checkout", "-q", "main")
}

func TestEveryClassOfFailureKeepsItsEvidenceAndIsCounted(t *testing.T) {
	s := workbench(t, `evaluator:
  dir: evaluator
  objective: score
  timeout: 2m
  root_repeats: 1
  command: [sh, "{dir}/value.sh", "{dir}"]
  stages:
    - {name: build, command: [sh, -n, program.sh], output: none}
    - {name: wait, command: [sh, program.sh, wait], output: none, timeout: 5s}
    - {name: setup, command: [sh, program.sh, setup], output: none}
    - {name: test, command: [sh, "{dir}/test.sh"], output: none}
    - {name: value}
gate: {scope: [program.sh]}
limits: {memory: 96MiB}
`)
	cases := []struct {
		class, file, program string
		state                string // of the job
		reason, evidence     string // what the reason and the kept texts hold
	}{
		{"build", "program.sh", "if true\n", "failed", "yntax error", "yntax error"},
		{"test", "program.sh", "case $1 in test) echo no ;; esac\n", "failed", "said 'no'", "said 'no'"},
		{"timeout", "program.sh", "case $1 in wait) echo begun >&2; sleep 300 ;; esac\n", "failed", "timed out after 5s", "begun"},
		{"memory", "program.sh", "case $1 in setup) awk 'BEGIN { while (1) hoard[n++] = sprintf(\"%1000s\", n) }' ;; esac\n", "failed", "memory", "evaluation"},
		{"output", "program.sh", "case $1 in value) yes full >&2 ;; *) echo ok ;; esac\n", "failed", "output", "full"},
		{"crash", "program.sh", "kill -SEGV $$\n", "failed", "SIGSEGV", "evaluation"},
		{"metric", "program.sh", "case $1 in test) echo ok ;; value) echo NaN ;; esac\n", "failed", "NaN", "NaN"},
		{"gate", "evaluator/value.sh", "echo 100\n", "rejected", "evaluator/value.sh", "evaluator/value.sh"},
		{"sandbox", "program.sh", "case $1 in setup) setsid sleep 60 >/dev/null 2>&1 & exit 3 ;; esac\n", "failed", "behind", "behind"},
	}
	must(t, s.dir, "run", "--headless", "--max-jobs", "1")
	for _, c := range cases {
		s.branch(c.class, c.file, c.program)
		must(t, s.dir, "inject", c.class)
	}
	must(t, s.dir, "run", "--headless", "--max-jobs", fmt.Sprint(len(cases)+1))
	var jobs []struct {
		ID                   int
		State, Class, Reason string
		Agent                string
	}
	for line := range strings.Lines(must(t, s.dir, "jobs", "--json")) {
		var j struct {
			ID                   int
			State, Class, Reason string
			Agent                string
		}
		if err := json.Unmarshal([]byte(line), &j); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		jobs = append(jobs, j)
	}
	var status struct{ Failures map[string]int }
	if err := json.Unmarshal([]byte(must(t, s.dir, "status", "--json")), &status); err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		found := false
		for _, j := range jobs {
			if j.Agent != "human" || j.Class != c.class {
				continue
			}
			found = true
			if j.State != c.state || !strings.Contains(j.Reason, c.reason) {
				t.Errorf("%s: job %d is %s: %q; want %s and a word of %q", c.class, j.ID, j.State, j.Reason, c.state, c.reason)
			}
			if kept := must(t, s.dir, "show", fmt.Sprintf("#%d", j.ID)); !strings.Contains(kept, c.evidence) {
				t.Errorf("%s: the evidence has no %q:\n%s", c.class, c.evidence, kept)
			}
		}
		if !found {
			t.Errorf("no job of class %s; there are %+v", c.class, jobs)
		}
		if status.Failures[c.class] < 1 {
			t.Errorf("%s is counted %d times", c.class, status.Failures[c.class])
		}
	}
	gone(t, "")
}

// A root that fails beside the candidate is the evaluator's failure; one that
// fails from the start stops the run.
func TestABrokenEvaluatorIsNotTheCandidatesFault(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "several runs; engine has TestBreakerTripsOnABrokenEvaluator")
	const yaml = `evaluator:
  dir: evaluator
  objective: score
  timeout: 5s
  command: [sh, "{dir}/value.sh", "{dir}"]
  root_repeats: 1
  paired: true
gate: {scope: [program.sh]}
`
	s := workbench(t, yaml)
	s.put("evaluator/sick", "later\n")
	s.put("program.sh", strings.Replace(steady, "1.5", "1.25", 1))
	git(t, s.dir, "commit", "-q", "-a", "-m", "a value to tune")
	must(t, s.dir, "run", "--headless", "--max-jobs", "3")
	var status struct{ Failures map[string]int }
	if err := json.Unmarshal([]byte(must(t, s.dir, "status", "--json")), &status); err != nil {
		t.Fatal(err)
	}
	if status.Failures["evaluator"] == 0 || len(status.Failures) != 1 {
		t.Errorf("failures %v", status.Failures)
	}
	if text := must(t, s.dir, "jobs", "--status", "failed"); !strings.Contains(text, "the root failed beside it") {
		t.Errorf("the reason is not told:\n%s", text)
	}

	s.put("evaluator/sick", "always\n")
	broken := atoll(t, s.dir, "run", "--headless", "--new", "--max-jobs", "2")
	if broken.code == 0 || !strings.Contains(broken.err, "the scales are broken") {
		t.Fatalf("exit %d: %s%s", broken.code, broken.out, broken.err)
	}
	if text := must(t, s.dir, "status"); !strings.Contains(text, "broken") {
		t.Errorf("status says nothing of it:\n%s", text)
	}
}

func TestACommitIsNotSaidToBeQueuedInABrokenExperiment(t *testing.T) {
	t.Parallel()
	s := workbench(t, `evaluator: {output: name=value, objective: n, command: [sh, -c, "echo the data is gone >&2; exit 3"], root_repeats: 1}
`)
	if c := atoll(t, s.dir, "run", "--headless", "--max-jobs", "1"); c.code == 0 {
		t.Fatalf("the run ended well: %s%s", c.out, c.err)
	}
	text := must(t, s.dir, "inject", "HEAD")
	for _, want := range []string{"waits, for the experiment is broken: the evaluator fails on the root commit", "the data is gone", "run --new` begins anew"} {
		if strings.Contains(text, "queued") || !strings.Contains(text, want) {
			t.Errorf("it says %q, want %q", text, want)
		}
	}
}

func TestACommitThatWaitsForMoreJobsIsSaidTo(t *testing.T) {
	t.Parallel()
	dir := plot(t, "budget: {jobs: 1}")
	must(t, dir, "run", "--headless")
	if err := os.WriteFile(filepath.Join(dir, "value.txt"), []byte("7\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	git(t, dir, "commit", "-q", "-a", "-m", "seven")
	text := must(t, dir, "inject", "HEAD")
	for _, want := range []string{"queued", "it waits, for the experiment is done: 1 job done; a run that may make more jobs takes it first", "run --max-jobs 101"} {
		if !strings.Contains(strings.Join(strings.Fields(text), " "), want) {
			t.Errorf("it says %q, want %q", text, want)
		}
	}
}

package eval_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"atoll/config/suitetest"
	"atoll/engine/eval"
	"atoll/engine/eval/output"
	"atoll/engine/sandbox"
	"atoll/store/record"
)

// eachRung runs a test on every rung that works here.
func eachRung(t *testing.T, test func(t *testing.T, box *sandbox.Box)) {
	t.Helper()
	for _, mode := range []sandbox.Mode{sandbox.ModeNamespaces, sandbox.ModeLandlock} {
		t.Run(string(mode), func(t *testing.T) {
			test(t, mustBox(t, mode))
		})
	}
}

// mustBox is a sandbox of a mode; the test is skipped where this machine does not give it.
func mustBox(t *testing.T, mode sandbox.Mode) *sandbox.Box {
	t.Helper()
	box, err := sandbox.New(t.Context(), sandbox.Options{Mode: mode, Scratch: t.TempDir()})
	if errors.Is(err, sandbox.ErrNoRung) {
		t.Skipf("this machine does not give the rung: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := box.Close(); err != nil {
			t.Error(err)
		}
	})
	return box
}

// systemPath keeps programs of this machine's user out: the sandbox does not
// show their folders.
func systemPath(extra ...string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		if name == "PATH" {
			return strings.Join(append(extra, "/usr/local/bin", "/usr/bin", "/bin"), ":"), true
		}
		return os.LookupEnv(name)
	}
}

func shell(lines ...string) []string { return []string{strings.Join(lines, "\n")} }

func TestCandidateCodeCannotReachTheMeasurement(t *testing.T) {
	t.Parallel()
	eachRung(t, func(t *testing.T, box *sandbox.Box) {
		dir := mustTree(t, map[string]string{"answers": "42", "evaluate.sh": "" +
			"said=$(\"$ATOLL_RUN\" sh ./candidate.sh \"$ATOLL_RESULT\" \"$ATOLL_EVAL_DIR\")\n" +
			"printf '{\"summary\":\"%s\",\"metrics\":{\"score\":%s}}' \"$(echo $said)\" \"$(cat \"$ATOLL_EVAL_DIR/answers\")\" > \"$ATOLL_RESULT\"\n"})
		root := mustTree(t, map[string]string{"candidate.sh": "true\n", "tests/case": "protected", "secret/key": "hidden"})
		e := mustNew(t, box, eval.Options{
			Command: []string{"sh", "{dir}/evaluate.sh"}, Dir: dir, Protected: []string{"tests/**"}, Hidden: []string{"secret/**"},
			Timeout: 20 * time.Second, LookupEnv: systemPath(),
		})
		attack := "said() { echo \"$1\"; }\n" + // $1: the result channel, $2: the evaluator directory
			"case $1$2 in /*/*) said knows-names;; esac\n" +
			"echo x > \"$TMPDIR/x\" && said writes-scratch\n" +
			"[ \"$(cat tests/case)\" = protected ] && said reads-tree\n" +
			"echo '{\"metrics\":{\"score\":1e9}}' > \"$1\" 2>/dev/null && said FORGED\n" +
			"cat \"$1\" >/dev/null 2>&1 && said READ-RESULT\n" +
			"cat \"$2/answers\" " + dir + "/answers >/dev/null 2>&1 && said READ-ANSWERS\n" +
			"cat \"$2/answers\" >/dev/null 2>&1 && said READ-ANSWERS\n" +
			"cat secret/key >/dev/null 2>&1 && said READ-HIDDEN\n" +
			"echo x > tests/case 2>/dev/null; [ \"$(cat tests/case)\" = protected ] || said CHANGED-PROTECTED\n" +
			"env | grep -q ATOLL_RESULT && said SEES-CHANNEL\n" +
			"true\n"
		out := mustRun(t, e, eval.Request{Base: root, Trusted: root, Candidate: 1, Delta: []record.Change{
			{Path: "candidate.sh", Mode: record.Regular, Data: []byte(attack)}, {Path: "tests/case", Mode: record.Regular, Data: []byte("mine")},
		}})
		if out.Failed() || out.Objective != 42 {
			t.Fatalf("%s: %s: %g\n%s", out.Class, out.Reason, out.Objective, evidence(out, "stderr"))
		}
		if out.Summary != "knows-names writes-scratch reads-tree" {
			t.Errorf("candidate code said %q, want only what it may do", out.Summary)
		}
	})
}

func TestHiddenFilesAreTheRootsOwn(t *testing.T) {
	t.Parallel()
	eachRung(t, func(t *testing.T, box *sandbox.Box) {
		dir := mustTree(t, map[string]string{"evaluate.sh": "" +
			"printf '{\"metrics\":{\"score\":%s}}' \"$(cat secret/key)\" > \"$ATOLL_RESULT\"\n"})
		root := mustTree(t, map[string]string{"candidate.sh": "true\n", "secret/key": "7"})
		e := mustNew(t, box, eval.Options{
			Command: []string{"sh", "{dir}/evaluate.sh"}, Dir: dir, Hidden: []string{"secret/**"},
			Timeout: 20 * time.Second, LookupEnv: systemPath(),
		})
		out := mustRun(t, e, eval.Request{Base: root, Trusted: root, Candidate: 1, Delta: []record.Change{
			{Path: "secret/key", Mode: record.Regular, Data: []byte("1000")}, {Path: "secret/new", Mode: record.Regular, Data: []byte("x")},
		}})
		if out.Failed() || out.Objective != 7 {
			t.Errorf("%s: %s: %g, want the root's 7\n%s", out.Class, out.Reason, out.Objective, evidence(out, "stderr"))
		}
	})
}

func TestLimitsEndARun(t *testing.T) {
	t.Parallel()
	eachRung(t, func(t *testing.T, box *sandbox.Box) {
		e := mustNew(t, box, eval.Options{Command: shell("echo starting >&2; sleep 30 & sleep 30"), Timeout: 300 * time.Millisecond, LookupEnv: systemPath()})
		begin := time.Now()
		out := mustRun(t, e, eval.Request{})
		if out.Class != record.ClassTimeout || out.Reason != "timed out after 300ms" || time.Since(begin) > suitetest.Stretched(t, 15*time.Second) {
			t.Errorf("%s: %s after %s", out.Class, out.Reason, time.Since(begin))
		}
		if !strings.Contains(evidence(out, "stderr"), "starting") {
			t.Errorf("stderr %q", evidence(out, "stderr"))
		}
		e = mustNew(t, box, eval.Options{Command: shell("kill -SEGV $$"), LookupEnv: systemPath()})
		if out := mustRun(t, e, eval.Request{}); out.Class != record.ClassCrash || out.Reason != "killed by SIGSEGV" {
			t.Errorf("%s: %s", out.Class, out.Reason)
		}
		e = mustNew(t, box, eval.Options{Command: shell(`echo "$PWD/src/a.py is bad, $HOME too" >&2; exit 1`), LookupEnv: systemPath()})
		if out := mustRun(t, e, eval.Request{}); out.Reason != "src/a.py is bad, home too" || !strings.HasPrefix(evidence(out, "stderr"), "/atoll/tree/src/a.py is bad, /atoll/scratch/home too") {
			t.Errorf("%s\n%s", out.Reason, evidence(out, "stderr"))
		}
		e = mustNew(t, box, eval.Options{Command: []string{"no-such-program", "x"}, LookupEnv: systemPath()})
		if out := mustRun(t, e, eval.Request{}); !out.Failed() || !strings.Contains(out.Reason, "evaluator.caches") {
			t.Errorf("%s: %s", out.Class, out.Reason)
		}
	})
}

func TestOutputsComeThroughTheSandbox(t *testing.T) {
	t.Parallel()
	eachRung(t, func(t *testing.T, box *sandbox.Box) {
		for output, command := range map[string]string{
			output.OutputFile:   `printf '{"metrics":[{"name":"score","value":2.5}]}' > "$ATOLL_RESULT"`,
			output.OutputJSON:   `echo noise; echo '{"score": 2.5}'`,
			output.OutputNumber: `echo noise; echo 2.5`,
			output.OutputPairs:  `echo noise; echo "score = 2.5 ms"`,
		} {
			e := mustNew(t, box, eval.Options{Command: shell(command), Output: output, Objective: "score", LookupEnv: systemPath()})
			if out := mustRun(t, e, eval.Request{}); out.Failed() || out.Objective != 2.5 {
				t.Errorf("%s: %s: %s", output, out.Class, out.Reason)
			}
		}
	})
}

func TestContextIsThereForTheEvaluator(t *testing.T) {
	t.Parallel()
	eachRung(t, func(t *testing.T, box *sandbox.Box) {
		e := mustNew(t, box, eval.Options{LookupEnv: systemPath(), Command: shell(
			`scratch=$(sed -n 's/.*"scratch": "\(.*\)",/\1/p' "$ATOLL_CONTEXT")`,
			`echo here > "$scratch/x" && echo home > "$HOME/y" && echo tmp > "$TMPDIR/z" || exit 9`,
			`echo 'echo built; echo data > "$ATOLL_RUN_DIR/answer"' > "$ATOLL_RUN_DIR/prog" && [ "$("$ATOLL_RUN" sh "$ATOLL_RUN_DIR/prog")" = built ] || exit 7`,
			`[ "$(cat "$ATOLL_RUN_DIR/answer")" = data ] || exit 6`,
			`grep -q '"goal": "be quick"' "$ATOLL_CONTEXT" || exit 8`,
			`echo '{"metrics":{"score":1}}' > "$ATOLL_RESULT"`)})
		if out := mustRun(t, e, eval.Request{Goal: "be quick"}); out.Failed() {
			t.Errorf("%s: %s\n%s", out.Class, out.Reason, evidence(out, "stderr"))
		}
	})
}

func TestExamplesRunInTheSandbox(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("/usr/bin/python3"); err != nil {
		t.Skip("/usr/bin/python3 is not there, and the sandbox shows the system's programs only")
	}
	eachRung(t, func(t *testing.T, box *sandbox.Box) {
		for _, tt := range []struct {
			name string
			o    eval.Options
		}{
			{"openevolve", eval.Options{Adapter: "openevolve", Command: []string{"evaluator.py", "program.py"}}},
			{"loreley", eval.Options{Adapter: "loreley", Command: []string{"evaluate:plugin", "."}, Direction: eval.Minimize}},
		} {
			dir, repo := example(t, tt.name)
			tt.o.Dir, tt.o.LookupEnv, tt.o.AdapterOptions = dir, systemPath(), map[string]string{"python": "/usr/bin/python3"}
			e := mustNew(t, box, tt.o)
			out := mustRun(t, e, eval.Request{Base: repo, Trusted: repo, Root: true})
			if out.Failed() || out.Objective <= 0 {
				t.Errorf("%s: %s: %s\n%s", tt.name, out.Class, out.Reason, evidence(out, "stderr"))
			}
		}
	})
}

func TestGoTestsUseTheWarmCache(t *testing.T) {
	t.Parallel()
	goTool, err := exec.LookPath("go")
	if err != nil {
		t.Skip("go is not on the PATH")
	}
	eachRung(t, func(t *testing.T, box *sandbox.Box) {
		if box.Rung() != sandbox.Namespaces {
			t.Skip("on lower rungs a large cache is not copied, and an empty one costs tens of seconds")
		}
		repo := mustTree(t, map[string]string{
			"go.mod": "module m\n\ngo 1.21\n", "a.go": "package m\n\nfunc One() int { return 1 }\n",
			"a_test.go": "package m\n\nimport \"testing\"\n\nfunc TestOne(t *testing.T) {\n\tif One() != 1 {\n\t\tt.Fatal(\"not one\")\n\t}\n}\n",
		})
		e := mustNew(t, box, eval.Options{Adapter: "gotest", Timeout: 2 * time.Minute, LookupEnv: systemPath(filepath.Dir(goTool))})
		out := mustRun(t, e, eval.Request{Base: repo, Trusted: repo})
		checkOutcome(t, out, "", map[string]float64{"pass_rate": 1}, "")
		if out.Wall > time.Minute {
			t.Errorf("one test took %s: was the cache there?", out.Wall)
		}
	})
}

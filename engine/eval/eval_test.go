package eval_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"atoll/engine/eval"
	"atoll/engine/eval/output"
	"atoll/engine/sandbox"
	"atoll/store/record"
)

func result(text string) sandbox.Result {
	return sandbox.Result{Result: []byte(text), HasResult: true, Wall: 20 * time.Millisecond}
}

func score(v string) sandbox.Result { return result(`{"metrics":{"score":` + v + `}}`) }

func threshold(v float64) *float64 { return &v }

func TestStagesRunInOrderAndStopEarly(t *testing.T) {
	t.Parallel()
	stages := []eval.Stage{
		{Name: "build", Command: []string{"make", "all"}, Output: output.OutputNone, Timeout: time.Second},
		{Name: "quick", Command: []string{"quick", "it"}, Metric: "score", Threshold: threshold(0.5)},
		{Name: "full"},
	}
	for _, tt := range []struct {
		name                string
		direction           string
		build, quick, full  sandbox.Result
		runs                int
		stage, class, words string
		objective           float64
	}{
		{"all stages pass", "", sandbox.Result{}, score("0.7"), score("0.9"), 3, "full", "", "", 0.9},
		{"the build fails first", "", sandbox.Result{Exit: 2, Stderr: []byte("cc: no")}, score("0.7"), score("0.9"), 1, "build", "build", "cc: no", 0},
		{"a missed threshold stops", "", sandbox.Result{}, score("0.4"), score("0.9"), 2, "quick", "test", "stage quick: score = 0.4 is below the threshold 0.5", 0},
		{"the threshold itself passes", "", sandbox.Result{}, score("0.5"), score("0.9"), 3, "full", "", "", 0.9},
		{"a threshold when minimizing is the largest value", eval.Minimize, sandbox.Result{}, score("0.7"), score("0.9"), 2, "quick", "test", "is above the threshold 0.5", 0},
		{"the quick stage lacks the metric", "", sandbox.Result{}, result(`{"metrics":{"x":1}}`), score("1"), 2, "quick", "metric", `no metric "score"`, 0},
		{"the full stage lacks the objective, the quick value does not stand in", "", sandbox.Result{}, score("0.7"), sandbox.Result{}, 3, "full", "metric", "wrote no result", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			replies := map[string]sandbox.Result{"make": tt.build, "quick": tt.quick, "sh": tt.full}
			box := &canned{reply: func(s sandbox.Spec) sandbox.Result { return replies[s.Args[0]] }}
			e := mustNew(t, box, eval.Options{Command: []string{"./full"}, Stages: stages, Objective: "score", Direction: tt.direction, Timeout: time.Minute})
			out := mustRun(t, e, eval.Request{Job: 7})
			if out.Runs != tt.runs || out.Stage != tt.stage || string(out.Class) != tt.class || out.Objective != tt.objective {
				t.Errorf("runs %d, stage %s, class %q, objective %g: %s", out.Runs, out.Stage, out.Class, out.Objective, out.Reason)
			}
			if !strings.Contains(out.Reason, tt.words) {
				t.Errorf("reason %q, want it to hold %q", out.Reason, tt.words)
			}
			if len(box.specs) != tt.runs || box.specs[0].Limits.Wall != time.Second {
				t.Errorf("%d runs, first with %s", len(box.specs), box.specs[0].Limits.Wall)
			}
		})
	}
}

func TestSpecOfARun(t *testing.T) {
	t.Parallel()
	root := mustTree(t, map[string]string{"tests/a.py": "1", "tests/deep/b.py": "2", "bench_x.py": "3", "src/main.py": "4", "atoll.yaml": "5", "secret/key": "6"})
	dir := mustTree(t, map[string]string{"evaluate.py": "7"})
	box := &canned{reply: func(sandbox.Spec) sandbox.Result { return score("1") }}
	host := map[string]string{"TOKEN": "from-host", "SECRET": "leak", "PATH": "/bin", "HOME": t.TempDir()}
	e := mustNew(t, box, eval.Options{
		Command: []string{"python3", "{dir}/evaluate.py", "{tree}/src"}, Dir: dir, Objective: "score",
		Protected: []string{"tests/**", "bench_*.py"}, Hidden: []string{"secret", "**/b.py"}, Env: []string{"TOKEN", "FIXED=1", "ABSENT"},
		Limits: sandbox.Limits{Memory: 1 << 30}, LookupEnv: func(n string) (string, bool) { v, ok := host[n]; return v, ok },
	})
	commit := record.Hash{9}
	out := mustRun(t, e, eval.Request{
		Base: root, Trusted: root, Experiment: "x", Job: 12, Candidate: 12, Commit: commit, Goal: "faster", Repeat: 2, Seed: 5,
		Delta: []record.Change{
			{Path: "src/main.py", Mode: record.Regular, Data: []byte("new")},
			{Path: "Tests/a.py", Mode: record.Regular},
			{Path: "tests", Mode: record.Symlink, Data: []byte("/etc")},
			{Path: "bench_y.py", Mode: record.Regular},
			{Path: "bench_x/__init__.py", Mode: record.Regular},
			{Path: "bench_x.cpython-311.so", Mode: record.Regular},
			{Path: "src/__pycache__/main.cpython-311.pyc", Mode: record.Regular},
			{Path: "ATOLL.yaml", Mode: record.Deleted},
			{Path: "lib/b.py", Mode: record.Regular},
		},
	})
	if out.Failed() || len(out.Warnings) != 8 {
		t.Errorf("%s; warnings %q", out.Reason, out.Warnings)
	}
	s := box.specs[0]
	if got := strings.Join(s.Args, " "); got != "python3 /atoll/evaluator/evaluate.py /atoll/tree/src" {
		t.Errorf("args %s", got)
	}
	var kept, seals []string
	for _, c := range s.Delta {
		kept = append(kept, c.Path)
	}
	for _, x := range s.Seal {
		seals = append(seals, x.Path)
		if x.Host != filepath.Join(root, x.Path) {
			t.Errorf("seal %s comes from %s", x.Path, x.Host)
		}
	}
	if strings.Join(kept, " ") != "src/main.py" || strings.Join(seals, " ") != "tests secret atoll.yaml bench_x.py" {
		t.Errorf("kept %v, sealed %v", kept, seals)
	}
	if got := strings.Join(s.Hidden, " "); got != "secret tests/deep/b.py" {
		t.Errorf("hidden %s", got)
	}
	if len(s.Mounts) != 1 || s.Mounts[0] != (sandbox.Mount{Host: dir, At: sandbox.EvaluatorDir, Private: true}) {
		t.Errorf("mounts %+v", s.Mounts)
	}
	for _, want := range []string{"TOKEN=from-host", "FIXED=1", "ATOLL_RESULT=" + sandbox.ResultPath, "ATOLL_EVAL_DIR=" + sandbox.EvaluatorDir, "LC_ALL=C.UTF-8", "HOME=" + sandbox.HomeDir} {
		if !slices.Contains(s.Env, want) {
			t.Errorf("no %s in %v", want, s.Env)
		}
	}
	if strings.Contains(strings.Join(s.Env, " "), "leak") || strings.Contains(strings.Join(s.Env, " "), "ABSENT") {
		t.Errorf("environment %v", s.Env)
	}
	if s.Limits.Memory != 1<<30 || s.Limits.Wall != eval.DefaultTimeout || !s.RunHelper || s.ResultName == "" {
		t.Errorf("limits %+v, launcher %v, result %q", s.Limits, s.RunHelper, s.ResultName)
	}
	var c map[string]any
	if err := json.Unmarshal(s.Files["context.json"], &c); err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]any{"job": 12.0, "candidate": 12.0, "commit": commit.String(), "goal": "faster", "repeat": 2.0, "stage": "measure", "base_commit": "", "scratch": sandbox.ScratchDir, "experiment": "x"} {
		if c[key] != want {
			t.Errorf("context %s = %v, want %v", key, c[key], want)
		}
	}
}

func TestFailuresAreClassedWithOnePlainLine(t *testing.T) {
	t.Parallel()
	const traceback = "Traceback (most recent call last):\n  File \"/atoll/evaluator/e.py\", line 3, in <module>\n    f()\n  File \"/atoll/tree/src/a.py\", line 9, in f\n    raise X\n"
	for _, tt := range []struct {
		name   string
		stage  string
		res    sandbox.Result
		class  record.Class
		reason string
	}{
		{"a Python exception", "", sandbox.Result{Exit: 1, Stderr: []byte(traceback + "ValueError: bad \x1b[31mvalue\x1b[0m\n")}, record.ClassCrash, "ValueError: bad value (a.py:9)"},
		{"an assertion", "", sandbox.Result{Exit: 1, Stderr: []byte(traceback + "AssertionError: 1 != 2\n")}, record.ClassTest, "AssertionError: 1 != 2 (a.py:9)"},
		{"the last of chained exceptions", "", sandbox.Result{Exit: 1, Stderr: []byte(traceback + "KeyError: 'x'\n\nDuring handling of the above exception, another exception occurred:\n\n" + traceback + "RuntimeError: outer\n")}, record.ClassCrash, "RuntimeError: outer (a.py:9)"},
		{"make in a stage of tests", "tests", sandbox.Result{Exit: 2, Stdout: []byte("3c3\n< 170 w0\n---\n> 3 w838\n"), Stderr: []byte("make: *** [Makefile:8: test] Error 1\n")}, record.ClassTest, "> 3 w838"},
		{"make of a program that crashes", "", sandbox.Result{Exit: 2, Stderr: []byte("make[1]: *** [Makefile:2: check] Segmentation fault (core dumped)\nmake: *** [Makefile:9: all] Error 2\n")}, record.ClassCrash, "Segmentation fault"},
		{"make of a shell whose program crashes", "", sandbox.Result{Exit: 2, Stderr: []byte("make: *** [Makefile:2: check] Error 134\n")}, record.ClassCrash, "Error 134"},
		{"make of a compiler that finds an error", "", sandbox.Result{Exit: 2, Stderr: []byte("a.c:3:1: error: expected ';'\nmake: *** [Makefile:2: a.o] Error 1\n")}, record.ClassBuild, "expected ';'"},
		{"make elsewhere", "", sandbox.Result{Exit: 2, Stderr: []byte("make: *** No rule to make target 'x'.  Stop.\n")}, record.ClassBuild, "make: *** No rule"},
		{"an import", "", sandbox.Result{Exit: 1, Stderr: []byte(traceback + "ModuleNotFoundError: No module named 'numpy'\n")}, record.ClassBuild, "ModuleNotFoundError: No module named 'numpy' (a.py:9)"},
		{"a syntax error has no traceback line", "", sandbox.Result{Exit: 1, Stderr: []byte("  File \"/atoll/tree/a.py\", line 2\n    def f(\n         ^\nSyntaxError: '(' was never closed\n")}, record.ClassBuild, "SyntaxError: '(' was never closed (a.py:2)"},
		{"an exception of an unusual name", "", sandbox.Result{Exit: 1, Stderr: []byte(traceback + "pkg.Oops: it broke\n")}, record.ClassCrash, "pkg.Oops: it broke (a.py:9)"},
		{"a Go compile error", "", sandbox.Result{Exit: 1, Stderr: []byte("# m/x\nx/a.go:3:5: undefined: y\nx/b.go:9:1: expected declaration\n")}, record.ClassBuild, "x/a.go:3: undefined: y"},
		{"a C compile error after a warning", "", sandbox.Result{Exit: 1, Stderr: []byte("a.c:1:2: warning: unused\na.c:3:4: error: expected ';'\n")}, record.ClassBuild, "a.c:3: error: expected ';'"},
		{"a Rust compile error", "", sandbox.Result{Exit: 101, Stderr: []byte("   Compiling m v0.1.0\nerror[E0308]: mismatched types\n --> src/main.rs:2:5\n  |\nerror: could not compile `m`\n")}, record.ClassBuild, "src/main.rs:2: error[E0308]: mismatched types"},
		{"a Go test", "", sandbox.Result{Exit: 1, Stdout: []byte("--- FAIL: TestAll (0.00s)\n    --- FAIL: TestAll/sub (0.00s)\n        a_test.go:7: got 1, want 2\nFAIL\nFAIL\tm\t0.1s\n")}, record.ClassTest, "TestAll/sub: a_test.go:7: got 1, want 2"},
		{"a pytest summary", "", sandbox.Result{Exit: 1, Stdout: []byte("...\nFAILED test_a.py::test_x - assert 1 == 2\n1 failed in 0.1s\n")}, record.ClassTest, "FAILED test_a.py::test_x - assert 1 == 2"},
		{"a Go panic", "", sandbox.Result{Exit: 2, Stderr: []byte("panic: index out of range [3]\n\ngoroutine 1 [running]:\nmain.main()\n\t/atoll/tree/a.go:3 +0x1d\nexit status 2\n")}, record.ClassCrash, "panic: index out of range [3]"},
		{"a test that uvu runs", "", sandbox.Result{Exit: 1, Stdout: []byte("   FAIL  Date  \"Dates\"\n    Expected values to be strictly equal:  (is)\n\n  Total:     44\n  Duration:  8.87ms\n")}, record.ClassTest, `FAIL Date "Dates"`},
		{"a test that node runs", "", sandbox.Result{Exit: 1, Stdout: []byte("TAP version 13\nok 1 - adds\nnot ok 2 - adds more\n  ---\n# fail 1\n# duration_ms 61\n")}, record.ClassTest, "not ok 2 - adds more"},
		{"a JavaScript error", "", sandbox.Result{Exit: 1, Stderr: []byte("/atoll/tree/a.js:3\n  x()\n  ^\n\nReferenceError: x is not defined\n    at a.js:3:1\n\nNode.js v20\n")}, record.ClassTest, "ReferenceError: x is not defined"},
		{"a segmentation fault", "", sandbox.Result{Exit: 139, Signal: "segmentation fault"}, record.ClassCrash, "killed by SIGSEGV"},
		{"a child's segmentation fault, as a shell says it", "", sandbox.Result{Exit: 139, Stderr: []byte("Segmentation fault (core dumped)")}, record.ClassCrash, "killed by SIGSEGV: Segmentation fault (core dumped)"},
		{"an abort", "", sandbox.Result{Exit: 134, Signal: "aborted", Stderr: []byte("a: a.c:3: main: Assertion `x' failed.")}, record.ClassCrash, "killed by SIGABRT: a: a.c:3: main: Assertion `x' failed."},
		{"a time limit", "", sandbox.Result{Exit: 137, Signal: "killed", TimedOut: true, Limits: []string{"wall"}}, record.ClassTimeout, "timed out after 3s"},
		{"a processor limit", "", sandbox.Result{Exit: 137, Signal: "killed", Limits: []string{"cpu"}}, record.ClassTimeout, "used more than 2s of CPU time"},
		{"a memory limit", "", sandbox.Result{Exit: 137, Signal: "killed", Limits: []string{"memory"}}, record.ClassMemory, "used more than 512 MiB of memory"},
		{"an allocation that was refused", "", sandbox.Result{Exit: 1, Stderr: []byte(traceback + "MemoryError\n")}, record.ClassMemory, "MemoryError (a.py:9)"},
		{"killed beside the memory limit", "", sandbox.Result{Exit: 137, Signal: "killed", MaxRSS: 500 << 20}, record.ClassMemory, "killed at 500 MiB of memory"},
		{"an output limit", "", sandbox.Result{Exit: 137, Signal: "killed", Limits: []string{"output"}}, record.ClassOutput, "wrote more than 1 MiB of output"},
		{"a test that failed with many words", "", sandbox.Result{Exit: 137, Signal: "killed", Limits: []string{"output"}, Stdout: []byte("--- FAIL: TestRoundTrip (0.10s)\n    a_test.go:12: got 3, want 4\n    a_test.go:12: got 3, want 4\n")}, record.ClassTest, "TestRoundTrip: a_test.go:12: got 3, want 4"},
		{"a disk limit", "", sandbox.Result{Exit: 1, Limits: []string{"disk"}}, record.ClassOutput, "wrote more than 2 MiB to files"},
		{"a process limit", "", sandbox.Result{Exit: 1, Limits: []string{"procs"}}, record.ClassSandbox, "started more than 10 processes"},
		{"a violation", "", sandbox.Result{Exit: 1, Violations: []string{"tried to connect to 10.0.0.1"}}, record.ClassSandbox, "tried what the sandbox forbids: tried to connect to 10.0.0.1"},
		{"a forbidden system call", "", sandbox.Result{Exit: 159, Signal: "bad system call"}, record.ClassSandbox, "called a system call that the sandbox forbids"},
		{"silence", "", sandbox.Result{Exit: 3}, record.ClassTest, "exited with code 3 and wrote nothing"},
		{"the last line when nothing is telling", "", sandbox.Result{Exit: 3, Stderr: []byte("starting\nthe frobnicator is gone\n\n")}, record.ClassTest, "the frobnicator is gone"},
		{"a stage called build", "build", sandbox.Result{Exit: 1, Stderr: []byte("no rule for all\n")}, record.ClassBuild, "no rule for all"},
		{"success without a result", "", sandbox.Result{}, record.ClassMetric, "the evaluator ended well but wrote no result: write JSON to the file named by ATOLL_RESULT, or set evaluator.output"},
		{"a result that cannot be read", "", result(`{"metrics":{"score":NaN}}`), record.ClassMetric, "NaN is no JSON number"},
		{"another metric than the objective", "", result(`{"metrics":{"speed":3}}`), record.ClassMetric, `the evaluator reported no metric "score"; it reported speed`},
		{"a failure that the evaluator reports", "", result(`{"failure":{"class":"build","reason":"does not link"}}`), record.ClassBuild, "does not link"},
		{"a failure that it reports and exits with", "", sandbox.Result{Exit: 1, HasResult: true, Result: []byte(`{"failure":"invalid packing"}`)}, record.ClassTest, "invalid packing"},
		{"metrics do not rescue an exit code", "", sandbox.Result{Exit: 1, HasResult: true, Result: []byte(`{"metrics":{"score":99}}`), Stderr: []byte("no")}, record.ClassTest, "no"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			box := &canned{reply: func(sandbox.Spec) sandbox.Result { return tt.res }}
			e := mustNew(t, box, eval.Options{
				Objective: "score", Stages: []eval.Stage{{Name: tt.stage, Command: []string{"./evaluate", "it"}}}, Timeout: 3 * time.Second,
				Limits: sandbox.Limits{CPU: 2 * time.Second, Memory: 512 << 20, Procs: 10, Output: 1 << 20, Disk: 2 << 20},
			})
			out := mustRun(t, e, eval.Request{Job: 3})
			if out.Class != tt.class || !strings.Contains(out.Reason, tt.reason) {
				t.Errorf("got  %s: %s\nwant %s: %s", out.Class, out.Reason, tt.class, tt.reason)
			}
			if strings.ContainsAny(out.Reason, "\n\x1b") || out.Signature == "" || out.Objective != 0 {
				t.Errorf("reason %q, signature %q, objective %g", out.Reason, out.Signature, out.Objective)
			}
			if len(tt.res.Stderr) > 0 && (evidence(out, "stderr") == "" || strings.ContainsRune(evidence(out, "stderr"), 0x1b)) {
				t.Errorf("stderr kept as %q", evidence(out, "stderr"))
			}
			if !strings.Contains(evidence(out, "evaluation"), `"stage"`) {
				t.Errorf("evidence %q", evidence(out, "evaluation"))
			}
		})
	}
}

func TestAFailureOfTheRootIsTheEvaluatorsOwn(t *testing.T) {
	t.Parallel()
	reply := sandbox.Result{Exit: 1, Stderr: []byte("cannot open /data/set-1.bin at 0x7f00\n")}
	box := &canned{reply: func(sandbox.Spec) sandbox.Result { return reply }}
	e := mustNew(t, box, eval.Options{Command: []string{"x"}, Objective: "score"})
	root := mustRun(t, e, eval.Request{Root: true})
	if root.Class != record.ClassTest {
		t.Errorf("root: %s: %s", root.Class, root.Reason)
	}
	reply.Stderr = []byte("cannot open /data/set-2.bin at 0x7fee\n")
	if out := mustRun(t, e, eval.Request{Candidate: 4}); out.Class != record.ClassEvaluator || !strings.HasPrefix(out.Reason, "as on the root: ") {
		t.Errorf("the same error: %s: %s", out.Class, out.Reason)
	}
	reply.Stderr = []byte("another error\n")
	if out := mustRun(t, e, eval.Request{Candidate: 5}); out.Class != record.ClassTest {
		t.Errorf("another error: %s: %s", out.Class, out.Reason)
	}
	later := mustNew(t, box, eval.Options{Command: []string{"x"}, Objective: "score"})
	later.SetRootFailure(root.Signature)
	reply.Stderr = []byte("cannot open /data/set-9.bin at 0x1\n")
	if out := mustRun(t, later, eval.Request{Candidate: 6}); out.Class != record.ClassEvaluator {
		t.Errorf("after a restart: %s: %s", out.Class, out.Reason)
	}
}

func TestObjectiveDefaultsToTheRootsFirstMetric(t *testing.T) {
	t.Parallel()
	reply := result(`{"metrics":{"speed":3,"size":4}}`)
	box := &canned{reply: func(sandbox.Spec) sandbox.Result { return reply }}
	e := mustNew(t, box, eval.Options{Command: []string{"x"}})
	if out := mustRun(t, e, eval.Request{Root: true}); out.ObjectiveName != "speed" || e.Objective() != "speed" {
		t.Errorf("objective %q, %q", out.ObjectiveName, e.Objective())
	}
	reply = result(`{"metrics":{"size":1,"speed":9}}`)
	if out := mustRun(t, e, eval.Request{Candidate: 1}); out.Objective != 9 {
		t.Errorf("objective %g of %s", out.Objective, out.ObjectiveName)
	}
	reply = result(`{"metrics":[{"name":"speed","value":1,"higher_is_better":false}]}`)
	if out := mustRun(t, e, eval.Request{Candidate: 2}); len(out.Warnings) != 1 || !strings.Contains(out.Warnings[0], "change one of the two") {
		t.Errorf("warnings %q", out.Warnings)
	}
}

func TestPairedReportsTheRatio(t *testing.T) {
	t.Parallel()
	root := mustTree(t, map[string]string{"a": "1"})
	var order []string
	values := map[string]string{"root": "4", "candidate": "3"}
	box := &canned{}
	box.reply = func(s sandbox.Spec) sandbox.Result {
		var c struct{ Measures string }
		if err := json.Unmarshal(s.Files["context.json"], &c); err != nil {
			t.Fatal(err)
		}
		order = append(order, c.Measures)
		if (c.Measures == "root") != (len(s.Delta) == 0) || s.Base != root {
			t.Errorf("%s with %d changes over %s", c.Measures, len(s.Delta), s.Base)
		}
		return score(values[c.Measures])
	}
	e := mustNew(t, box, eval.Options{Command: []string{"x"}, Objective: "score", Paired: true, Direction: eval.Minimize})
	q := eval.Request{Base: root, Trusted: root, Delta: []record.Change{{Path: "b", Mode: record.Regular}}}
	out := mustRun(t, e, q)
	if out.Objective != 0.75 || out.ObjectiveName != "score.ratio" || out.Runs != 2 || value(t, out, "score.root") != 4 || value(t, out, "score") != 3 {
		t.Errorf("%s = %g in %d runs: %v", out.ObjectiveName, out.Objective, out.Runs, out.Metrics)
	}
	q.Repeat = 1
	mustRun(t, e, q)
	if got := strings.Join(order, " "); got != "root candidate candidate root" {
		t.Errorf("order %s", got)
	}
	values["root"] = "0"
	if out := mustRun(t, e, q); out.Class != record.ClassEvaluator || !strings.Contains(out.Reason, "above 0") {
		t.Errorf("a root of zero: %s: %s", out.Class, out.Reason)
	}
	if e.MaxRuns() != 2 {
		t.Errorf("at most %d runs", e.MaxRuns())
	}
}

func TestOwnFailuresAreErrors(t *testing.T) {
	t.Parallel()
	broken := errors.New("no space left")
	e := mustNew(t, &canned{err: broken}, eval.Options{Command: []string{"x"}})
	if _, err := e.Run(t.Context(), eval.Request{Base: t.TempDir(), Candidate: 3}); !errors.Is(err, broken) || !strings.Contains(err.Error(), "c3") {
		t.Errorf("error %v", err)
	}
	if _, err := e.Run(t.Context(), eval.Request{Base: "/nowhere/at/all"}); err == nil {
		t.Error("a checkout that is not there passed")
	}
}

func TestASandboxThatACandidateBreaksIsItsOwnFailure(t *testing.T) {
	t.Parallel()
	broken := fmt.Errorf("%w (killed): out of memory", sandbox.ErrEnded)
	e := mustNew(t, &canned{err: broken}, eval.Options{Command: []string{"x"}})
	out := mustRun(t, e, eval.Request{Candidate: 3})
	if out.Class != record.ClassCrash || !strings.Contains(out.Reason, "without a report (killed)") || out.Runs != 1 {
		t.Errorf("%s after %d runs: %s", out.Class, out.Runs, out.Reason)
	}
}

func TestLiveLinesAreClean(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var got []string
	box := &canned{reply: func(s sandbox.Spec) sandbox.Result {
		s.OnLine(1, "50 %\x1b[2K done\r")
		return score("1")
	}}
	e := mustNew(t, box, eval.Options{Command: []string{"x"}})
	mustRun(t, e, eval.Request{Live: func(stage, line string) {
		mu.Lock()
		defer mu.Unlock()
		got = append(got, stage+"|"+line)
	}})
	if strings.Join(got, ",") != "measure|50 % done" {
		t.Errorf("lines %q", got)
	}
}

func TestSealNoticesChanges(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		change func(dir string) error
		want   bool
	}{
		{"nothing", func(string) error { return nil }, false},
		{"new content of the same size and time", func(dir string) error {
			name := filepath.Join(dir, "e.py")
			info, err := os.Stat(name)
			if err != nil {
				return err
			}
			if err := os.WriteFile(name, []byte("xx = 2"), 0o644); err != nil {
				return err
			}
			return os.Chtimes(name, info.ModTime(), info.ModTime().Add(time.Second))
		}, true},
		{"a touched file", func(dir string) error {
			return os.Chtimes(filepath.Join(dir, "e.py"), time.Unix(1, 0), time.Unix(1, 0))
		}, false},
		{"a new file", func(dir string) error { return os.WriteFile(filepath.Join(dir, "json.py"), nil, 0o644) }, true},
		{"a removed file", func(dir string) error { return os.Remove(filepath.Join(dir, "sub", "data")) }, true},
		{"an executable bit", func(dir string) error { return os.Chmod(filepath.Join(dir, "e.py"), 0o755) }, true},
		{"byte code", func(dir string) error {
			return put(filepath.Join(dir, "__pycache__", "e.pyc"), []byte("x"), 0o644)
		}, false},
		{"a folder that is gone", func(dir string) error { return os.RemoveAll(dir) }, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := mustTree(t, map[string]string{"e.py": "xx = 1", "sub/data": "d"})
			e := mustNew(t, &canned{reply: func(sandbox.Spec) sandbox.Result { return score("1") }}, eval.Options{Command: []string{"x"}, Dir: dir})
			before := e.Key()
			if err := tt.change(dir); err != nil {
				t.Fatal(err)
			}
			err := e.Verify()
			if errors.Is(err, eval.ErrChanged) != tt.want || (err != nil) != tt.want {
				t.Errorf("verify: %v", err)
			}
			if _, runErr := e.Run(t.Context(), eval.Request{Base: t.TempDir()}); (runErr != nil) != tt.want {
				t.Errorf("run: %v", runErr)
			}
			if e.Key() != before {
				t.Error("the key of a made evaluator moved")
			}
		})
	}
}

func TestSealNoticesChangesDuringARun(t *testing.T) {
	t.Parallel()
	dir := mustTree(t, map[string]string{"e.py": "1"})
	e := mustNew(t, &canned{reply: func(sandbox.Spec) sandbox.Result {
		if err := os.WriteFile(filepath.Join(dir, "e.py"), []byte("22"), 0o644); err != nil {
			t.Error(err)
		}
		return score("1")
	}}, eval.Options{Command: []string{"x"}, Dir: dir})
	if _, err := e.Run(t.Context(), eval.Request{Base: t.TempDir()}); !errors.Is(err, eval.ErrChanged) {
		t.Errorf("error %v", err)
	}
}

func TestKeyCoversWhatAffectsAMeasurement(t *testing.T) {
	t.Parallel()
	files := map[string]string{"e.py": "1"}
	base := func() eval.Options {
		return eval.Options{Command: []string{"x", "y"}, Dir: mustTree(t, files), Objective: "s", Timeout: time.Minute, LookupEnv: func(string) (string, bool) { return "v", true }}
	}
	key := func(o eval.Options) string { return mustNew(t, &canned{}, o).Key() }
	want := key(base())
	if again := key(base()); again != want {
		t.Error("the same settings and content in another folder give another key")
	}
	for name, change := range map[string]func(o *eval.Options){
		"command":   func(o *eval.Options) { o.Command = []string{"x", "z"} },
		"dir":       func(o *eval.Options) { o.Dir = mustTree(t, map[string]string{"e.py": "2"}) },
		"output":    func(o *eval.Options) { o.Output = output.OutputNumber },
		"objective": func(o *eval.Options) { o.Objective = "t" },
		"direction": func(o *eval.Options) { o.Direction = eval.Minimize },
		"stages":    func(o *eval.Options) { o.Stages = []eval.Stage{{Name: "a"}} },
		"timeout":   func(o *eval.Options) { o.Timeout = time.Second },
		"protected": func(o *eval.Options) { o.Protected = []string{"a"} },
		"hidden":    func(o *eval.Options) { o.Hidden = []string{"a"} },
		"env":       func(o *eval.Options) { o.Env = []string{"A=1"} },
		"limits":    func(o *eval.Options) { o.Limits.Memory = 1 },
		"paired":    func(o *eval.Options) { o.Paired = true },
		"repeats":   func(o *eval.Options) { o.Repeats = 3 },
		"adapter":   func(o *eval.Options) { o.Adapter = "gobench" },
	} {
		o := base()
		change(&o)
		if key(o) == want {
			t.Errorf("%s does not move the key", name)
		}
	}
	o := base()
	o.Limits.Output, o.Caches = 5, []string{"go"}
	if key(o) != want {
		t.Error("settings that do not affect a measurement move the key")
	}
}

func TestNewRefusesWhatCannotWork(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		o    eval.Options
		want string
	}{
		{"no command", eval.Options{}, "evaluator.command is missing"},
		{"an unknown direction", eval.Options{Command: []string{"x"}, Direction: "up"}, "use maximize or minimize"},
		{"an unknown output", eval.Options{Command: []string{"x"}, Output: "none"}, "evaluator.output"},
		{"an unknown adapter", eval.Options{Adapter: "pytst"}, "use one of openevolve"},
		{"a folder that is not there", eval.Options{Command: []string{"x"}, Dir: "/nowhere/at/all"}, "evaluator.dir cannot be read"},
		{"a relative folder", eval.Options{Command: []string{"x"}, Dir: "e"}, "must be made absolute"},
		{"a malformed glob", eval.Options{Command: []string{"x"}, Protected: []string{"[a"}}, "malformed glob"},
		{"a reserved variable", eval.Options{Command: []string{"x"}, Env: []string{"ATOLL_RESULT=/x"}}, "leave ATOLL_ names"},
		{"two stages of one name", eval.Options{Command: []string{"x"}, Stages: []eval.Stage{{Name: "a"}, {Name: "a"}}}, "two stages are called"},
		{"a last stage without output", eval.Options{Command: []string{"x"}, Stages: []eval.Stage{{Name: "a", Output: output.OutputNone}}}, "must report metrics"},
		{"a metric without threshold", eval.Options{Command: []string{"x"}, Stages: []eval.Stage{{Name: "a", Metric: "m"}}}, "has no threshold"},
		{"a threshold without metric", eval.Options{Command: []string{"x"}, Stages: []eval.Stage{{Name: "a", Threshold: threshold(1)}}}, "needs the name of a metric"},
		{"a threshold that is not finite", eval.Options{Command: []string{"x"}, Stages: []eval.Stage{{Name: "a", Metric: "m", Threshold: threshold(math.NaN())}}}, "not finite"},
		{"a plug-in without attribute", eval.Options{Adapter: "loreley", Command: []string{"evaluate"}}, "not module:attribute"},
		{"thresholds that are no numbers", eval.Options{Adapter: "openevolve", AdapterOptions: map[string]string{"thresholds": "high"}}, "thresholds"},
		{"a relative cache", eval.Options{Command: []string{"x"}, Caches: []string{"build"}}, "evaluator.caches"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := eval.New(t.Context(), &canned{}, tt.o)
			if !errors.Is(err, eval.ErrOptions) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want it to hold %q", err, tt.want)
			}
		})
	}
}

func TestGuaranteesNameWhatIsMissing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, tt := range []struct {
		name string
		rung sandbox.Rung
		o    eval.Options
		want []string // beginnings
	}{
		{"nothing is missing", sandbox.Namespaces, eval.Options{Command: []string{"x"}, Dir: dir}, nil},
		{"a score on stdout", sandbox.Namespaces, eval.Options{Command: []string{"x"}, Dir: dir, Output: output.OutputNumber}, []string{"Score on stdout"}},
		{"an adapter that imports the candidate", sandbox.Namespaces, eval.Options{Adapter: "openevolve", Dir: dir}, []string{"Shared process"}},
		{"an evaluator in the tree", sandbox.Namespaces, eval.Options{Command: []string{"x"}}, []string{"Evaluator in the tree: neither"}},
		{"a protected evaluator in the tree", sandbox.Namespaces, eval.Options{Command: []string{"x"}, Protected: []string{"e.py"}}, []string{"Evaluator in the tree: its protected"}},
		{"rung 2", sandbox.Landlock, eval.Options{Command: []string{"x"}, Dir: dir}, []string{"Rung 2"}},
		{"the plain rung and benchmarks", sandbox.Plain, eval.Options{Adapter: "gobench", Dir: dir}, []string{"Score on stdout", "Rung 3"}},
		{"hyperfine keeps the candidate apart", sandbox.Namespaces, eval.Options{Adapter: "hyperfine", Command: []string{"./prog"}, Dir: dir}, nil},
		{"a whole hyperfine command does not", sandbox.Namespaces, eval.Options{Adapter: "hyperfine", Command: []string{"hyperfine", "./prog"}, Dir: dir}, []string{"Shared process"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := mustNew(t, &canned{rung: tt.rung}, tt.o).Guarantees()
			if len(got) != len(tt.want) {
				t.Fatalf("got %q, want %q", got, tt.want)
			}
			for i := range got {
				if !strings.HasPrefix(got[i], tt.want[i]) || !strings.HasSuffix(got[i], ".") {
					t.Errorf("got %q, want %q", got[i], tt.want[i])
				}
			}
		})
	}
}

func TestAdapterFilesInTheTreeAreProtected(t *testing.T) {
	t.Parallel()
	e := mustNew(t, &canned{}, eval.Options{Adapter: "openevolve", Command: []string{"eval/evaluator.py", "p.py"}})
	if !slices.Contains(e.Protected(), "eval/evaluator.py") || !slices.Contains(e.Protected(), "atoll.yaml") {
		t.Errorf("protected %v", e.Protected())
	}
	e = mustNew(t, &canned{}, eval.Options{Adapter: "openevolve", Dir: t.TempDir()})
	if len(e.Protected()) != 1 {
		t.Errorf("protected %v", e.Protected())
	}
}

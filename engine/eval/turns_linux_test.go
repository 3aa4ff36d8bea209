package eval_test

import (
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"atoll/config/suitetest"
	"atoll/engine/eval"
	"atoll/engine/sandbox"
	"atoll/store/record"
)

const (
	slowSum = "package sum\n\nvar sink int\n\n// Sum adds up.\nfunc Sum(n int) int {\n\ts := 0\n\tfor i := 0; i < 40*n; i++ {\n\t\ts += i ^ sink\n\t}\n\treturn s\n}\n"
	sumTest = "package sum\n\nimport \"testing\"\n\nfunc BenchmarkSum(b *testing.B) {\n\tfor i := 0; i < b.N; i++ {\n\t\tsink += Sum(100)\n\t}\n}\n"
)

// Root and candidate run in turns in one sandbox, in processor time and in layouts
// of the linker that are drawn; a candidate that builds the root's program is
// the root.
func TestGoBenchmarksOfBothAreMeasuredInTurns(t *testing.T) {
	suitetest.Full(t, "it builds and runs benchmarks of two trees; TestGoAdaptersRunTheGoTool stands for it")
	t.Parallel()
	if testing.Short() {
		t.Skip("it links four Go programs, and -short was asked for")
	}
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("go is not on the PATH")
	}
	t.Attr("timing", "two programs of which one does a quarter of the work are measured")
	eachRung(t, func(t *testing.T, box *sandbox.Box) {
		if box.Rung() != sandbox.Namespaces {
			t.Skip("a build cache of a person is too large to be copied for the go command, which wants to write it")
		}
		root := mustTree(t, map[string]string{"go.mod": "module example.com/sum\n\ngo 1.24\n", "sum.go": slowSum, "sum_test.go": sumTest})
		warmClock(t, root)
		e := mustNew(t, box, eval.Options{
			Caches:  []string{"go"},
			Command: []string{"go", "test", "-trimpath", "-vet=off", "-run=^$", "-bench=.", "-cpu=1", "-benchtime=20ms"},
			Adapter: "gobench", AdapterOptions: map[string]string{"rounds": "7", "clock": "processor", "layouts": "random"},
			Objective: "ns/op", Direction: eval.Minimize, Paired: true, Timeout: 5 * time.Minute, LookupEnv: os.LookupEnv,
		})
		change := func(old, text string) eval.Request {
			return eval.Request{Base: root, Trusted: root, Candidate: 1, Delta: []record.Change{
				{Path: "sum.go", Mode: record.Regular, Data: []byte(strings.Replace(slowSum, old, text, 1))},
			}}
		}
		out := mustRun(t, e, change("40*n", "10*n"))
		if out.Failed() {
			t.Fatalf("%s: %s\n%s", out.Class, out.Reason, evidence(out, "stderr"))
		}
		// A quarter of the work; the bound is wide for a machine that is busy.
		if out.ObjectiveName != "ns/op.ratio" || out.Objective < 0.1 || out.Objective > 0.7 || out.Of <= 0 || out.Beside <= out.Of {
			t.Errorf("%s = %g of %g and %g", out.ObjectiveName, out.Objective, out.Of, out.Beside)
		}
		if same := mustRun(t, e, change("// Sum adds up.", "// Sum adds, up.")); same.Failed() || same.Twin == nil || *same.Twin != record.Root {
			t.Errorf("a comment makes another program: %+v", same)
		}
		// Two candidates that build one program are one, whatever their texts.
		twin := change("40*n", "10*n")
		twin.Delta[0].Data = append(twin.Delta[0].Data, "// The end.\n"...)
		twin.Candidate, twin.SameProduct = 2, func(sum string) (record.CandidateID, bool) { return 1, sum == out.Product }
		if same := mustRun(t, e, twin); same.Failed() || same.Twin == nil || *same.Twin != 1 {
			t.Errorf("two texts of one program are two candidates: %+v", same)
		}
		if broken := mustRun(t, e, change("s := 0", "s := ")); !broken.Failed() || broken.Class != record.ClassBuild {
			t.Errorf("what does not build ends as %q: %s", broken.Class, broken.Reason)
		}
	})
}

// warmClock has the go command compile what the turns need beside the tree, once for this
// machine: a sandbox cannot write to the build cache, and would compile it in every run.
func warmClock(t *testing.T, tree string) {
	t.Helper()
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	flag, err := eval.GoClock(t.TempDir(), strings.TrimSpace(string(root)))
	if err != nil {
		t.Fatal(err)
	}
	args := []string{"test", "-trimpath", "-vet=off", "-run=^$", "-exec=true"}
	if flag != "" {
		args = append(args, flag)
	}
	cmd := exec.Command("go", args...)
	cmd.Dir, cmd.Env = tree, append(os.Environ(), "GOFLAGS=-buildvcs=false")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

func TestOptionsOfTurns(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		options map[string]string
		want    string
	}{
		{map[string]string{"rounds": "none"}, "rounds"},
		{map[string]string{"rounds": "3", "clock": "sun"}, "clock"},
		{map[string]string{"rounds": "3", "layouts": "all"}, "layouts"},
		{map[string]string{"clock": "processor"}, "need rounds"},
	} {
		_, err := eval.New(t.Context(), nil, eval.Options{Adapter: "gobench", AdapterOptions: tc.options, Paired: true})
		if !errors.Is(err, eval.ErrOptions) || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%v: %v, expected %q", tc.options, err, tc.want)
		}
	}
}

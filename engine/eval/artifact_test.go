package eval_test

import (
	"errors"
	"strings"
	"testing"

	"atoll/engine/eval"
	"atoll/engine/eval/output"
	"atoll/engine/sandbox"
	"atoll/store/record"
)

// build leaves the code without its comments; that is what decides.
var build = []eval.Stage{
	{Name: "build", Command: []string{"mkdir -p out && grep -v '^#' code > out/program"}, Output: output.OutputNone},
	{Name: "full", Command: []string{"grep -v '^#' code | wc -c"}, Output: output.OutputNumber},
}

func TestSameProductIsNotMeasuredFurther(t *testing.T) {
	t.Parallel()
	eachRung(t, func(t *testing.T, box *sandbox.Box) {
		root := mustTree(t, map[string]string{"code": "# one\nprint\n"})
		e := mustNew(t, box, eval.Options{Stages: build, Artifact: "out/program", Objective: "size", LookupEnv: systemPath()})
		first := mustRun(t, e, eval.Request{Base: root, Candidate: 0, Root: true})
		if first.Failed() || first.Product == "" || first.Runs != 2 {
			t.Fatalf("%s %s: product %q, %d runs", first.Class, first.Reason, first.Product, first.Runs)
		}
		known := func(hash string) (record.CandidateID, bool) { return 0, hash == first.Product }
		change := func(code string) []record.Change {
			return []record.Change{{Path: "code", Mode: record.Regular, Data: []byte(code)}}
		}
		same := mustRun(t, e, eval.Request{Base: root, Candidate: 1, Delta: change("# two\nprint\n"), SameProduct: known})
		if same.Failed() || same.Twin == nil || *same.Twin != 0 || same.Runs != 1 {
			t.Errorf("%s %s: twin %v after %d runs, expected c0 after the build alone", same.Class, same.Reason, same.Twin, same.Runs)
		}
		other := mustRun(t, e, eval.Request{Base: root, Candidate: 2, Delta: change("# one\nprint more\n"), SameProduct: known})
		if other.Failed() || other.Twin != nil || other.Runs != 2 || other.Product == first.Product {
			t.Errorf("%s %s: twin %v after %d runs, expected none", other.Class, other.Reason, other.Twin, other.Runs)
		}
	})
}

// What is no plain file of the tree is no product, and never read through a
// symlink.
func TestProductIsAPlainFile(t *testing.T) {
	t.Parallel()
	eachRung(t, func(t *testing.T, box *sandbox.Box) {
		root := mustTree(t, map[string]string{"code": "x\n"})
		for name, script := range map[string]string{
			"nothing":               "true",
			"a symlink":             "mkdir out && ln -s /etc/passwd out/program",
			"a folder by a symlink": "ln -s /etc out && true",
			"a pipe":                "mkdir out && mkfifo out/program",
			"a folder":              "mkdir -p out/program",
		} {
			stages := []eval.Stage{{Name: "build", Command: []string{script}, Output: output.OutputNone}, build[1]}
			e := mustNew(t, box, eval.Options{Stages: stages, Artifact: "out/program", Objective: "size", LookupEnv: systemPath()})
			if out := mustRun(t, e, eval.Request{Base: root}); out.Product != "" || out.Failed() {
				t.Errorf("%s: product %q, %s %s", name, out.Product, out.Class, out.Reason)
			}
		}
	})
}

func TestArtifactOptions(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		artifact string
		stages   []eval.Stage
		want     string
	}{
		{"../out", build, "no path of a file"},
		{"/tmp/out", build, "no path of a file"},
		{"out/", build, "no path of a file"},
		{"out", build[1:], "needs a stage before"},
	} {
		_, err := eval.New(t.Context(), nil, eval.Options{Stages: tc.stages, Artifact: tc.artifact})
		if !errors.Is(err, eval.ErrOptions) || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%q: %v, expected %q", tc.artifact, err, tc.want)
		}
	}
}

package eval_test

import (
	"testing"

	"atoll/engine/eval"
	"atoll/engine/eval/output"
	"atoll/engine/sandbox"
)

// BenchmarkRun is one sample of an evaluator that does nothing: what atoll
// itself adds to a measurement.
func BenchmarkRun(b *testing.B) {
	box, err := sandbox.New(b.Context(), sandbox.Options{})
	if err != nil {
		b.Skipf("no sandbox here: %v", err)
	}
	defer box.Close()
	base := b.TempDir()
	e, err := eval.New(b.Context(), box, eval.Options{Command: []string{"echo 1"}, Output: output.OutputNumber, Dir: b.TempDir(), LookupEnv: systemPath()})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		out, err := e.Run(b.Context(), eval.Request{Base: base, Trusted: base})
		if err != nil || out.Failed() {
			b.Fatal(err, out.Reason)
		}
	}
}

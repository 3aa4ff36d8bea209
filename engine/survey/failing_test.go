package survey

import (
	"testing"

	"atoll/engine/eval"
	"atoll/engine/sandbox"
)

func TestTestsOfGoThatDoNotPassAreToldByNameAndMessage(t *testing.T) {
	t.Parallel()
	event := func(fields string) string { return `{"Time":"2026-01-01T00:00:00Z",` + fields + "}\n" }
	fails := event(`"Action":"output","Package":"x","Test":"TestSum","Output":"=== RUN   TestSum\n"`) +
		event(`"Action":"output","Package":"x","Test":"TestSum/one","Output":"    x_test.go:3: got 1, want 2\n"`) +
		event(`"Action":"output","Package":"x","Test":"TestSum","Output":"--- FAIL: TestSum (0.00s)\n"`) + event(`"Action":"fail","Package":"x","Test":"TestSum"`)
	for _, c := range []struct {
		name   string
		stdout string
		exit   int
		reason string
		want   string
	}{
		{"one fails", fails + event(`"Action":"fail","Package":"x"`), 1, "{}", "TestSum fails: x_test.go:3: got 1, want 2"},
		{"several fail", fails + event(`"Action":"fail","Package":"x","Test":"TestTwo"`) + event(`"Action":"fail","Package":"x"`), 1, "{}", "TestSum fails: x_test.go:3: got 1, want 2; 1 more fail"},
		{
			"none builds", event(`"Action":"build-output","ImportPath":"x","Output":"# x\n"`) + event(`"Action":"build-output","ImportPath":"x","Output":"./x_test.go:3:1: undefined: Sum\n"`) +
				event(`"Action":"output","Package":"x","Output":"FAIL\tx [build failed]\n"`) + event(`"Action":"fail","Package":"x"`), 1, "{}",
			"those of x do not build or end badly: ./x_test.go:3:1: undefined: Sum",
		},
		{"go does not run", "", 1, "go: go.mod requires go >= 9", "go: go.mod requires go >= 9"},
		{"there are none", event(`"Action":"output","Package":"x","Output":"?   \tx\t[no test files]\n"`) + event(`"Action":"skip","Package":"x"`), 0, "the evaluator ended well but wrote no result", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			tests := readTests([]byte(c.stdout))
			if got := tests.whyNone(&Sample{Outcome: eval.Outcome{Reason: c.reason}, Raw: sandbox.Result{Exit: c.exit}}); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

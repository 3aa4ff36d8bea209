package guard_test

import (
	"testing"

	"atoll/engine/guard"
)

func TestASummarySaysWhyNothingWasCompared(t *testing.T) {
	for _, c := range []struct {
		report guard.Report
		want   string
	}{
		{guard.Report{OutOfTime: true}, "behaviour was not compared: the time for it was over before anything was"},
		{guard.Report{Notes: []string{"no go"}}, "behaviour was not compared: no go"},
		{guard.Report{Cases: 3, Functions: 1, OutOfTime: true}, "behaves as the root on 3 inputs of 1 functions"},
	} {
		if got := c.report.Summary(); got != c.want {
			t.Errorf("%+v: %q, want %q", c.report, got, c.want)
		}
	}
}

package guard_test

import (
	"testing"

	"atoll/engine/guard"
)

func TestASummarySaysWhyNothingOrNotAllWasCompared(t *testing.T) {
	for _, c := range []struct {
		report guard.Report
		want   string
	}{
		{guard.Report{OutOfTime: true}, "behaviour was not compared: the time for it was over before anything was; a run with more time has more for it"},
		{guard.Report{Notes: []string{"no go"}}, "behaviour was not compared: no go"},
		{guard.Report{Notes: []string{"no go"}, Failed: "no probe"}, "behaviour was not compared: no probe"},
		{guard.Report{Values: 3}, "the 3 exported constants and variables that can change are the root's; there was no function to compare"},
		{guard.Report{Values: 3, Failed: "no probe"}, "behaviour was not compared: no probe"},
		{guard.Report{Cases: 3, Functions: 2}, "behaves as the root on 3 inputs of 2 functions"},
		{guard.Report{Cases: 3, Functions: 2, OutOfTime: true, Cut: guard.CutTime}, "no difference was found on 3 inputs of 2 functions; the clock ended it before all was compared"},
		{guard.Report{Cases: 3, Functions: 2, OutOfTime: true, Cut: guard.CutTime, Unsure: 1}, "no difference is sure on 3 inputs of 2 functions; the clock ended it before all was compared, and answers differed on 1 input that could not be asked again"},
		{guard.Report{Cases: 3, Functions: 2, OutOfTime: true, Cut: guard.CutWork}, "no difference was found on 3 inputs of 2 functions; its processor time was over before all was compared"},
		{guard.Report{Cases: 3, Functions: 1}, "behaves as the root on 3 inputs of 1 function"},
		{guard.Report{Cases: 1, Functions: 2}, "behaves as the root on 1 input of 2 functions"},
	} {
		if got := c.report.Summary(); got != c.want {
			t.Errorf("%+v: %q, want %q", c.report, got, c.want)
		}
	}
}

func TestADifferenceIsToldInWordsThatFitWhatWasDone(t *testing.T) {
	for want, d := range map[string]guard.Difference{
		"f(1) gave 2 and gives 3":                                         {Input: "f(1)", Root: "2", Candidate: "3"},
		"f(1) raised TypeError and gives 3":                               {Input: "f(1)", Root: "raises TypeError", Candidate: "3"},
		"f(1) yielded [1] and raises KeyError: 'a'":                       {Input: "f(1)", Root: "yields [1]", Candidate: "raises KeyError: 'a'"},
		"f(1) threw Error: a and rejects with Error: b":                   {Input: "f(1)", Root: "throws Error: a", Candidate: "rejects with Error: b"},
		"f(1) gave panic: runtime error and gives 'raises a flag'; it is": {Input: "f(1)", Root: "panic: runtime error", Candidate: "'raises a flag'; it is"},
	} {
		if got := d.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

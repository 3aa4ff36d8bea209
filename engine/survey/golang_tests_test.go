package survey_test

import (
	"slices"
	"strings"
	"testing"

	"atoll/config/suitetest"
)

func TestTestsOfGoAreTimedAsTheyAreBuilt(t *testing.T) {
	suitetest.Full(t, "builds tests of Go in sandboxes; TestCallsOfPythonTestsBecomeABenchmark times tests")
	t.Parallel()
	const (
		module = "module example.com/x\n\ngo 1.22\n"
		source = "package x\n\n// Each calls f, which nothing that is made up can be.\nfunc Each(n int, f func(int)) {\n\tfor i := range n {\n\t\tf(i)\n\t}\n}\n"
		short  = "package x\n\nimport \"testing\"\n\nfunc TestEach(t *testing.T) {\n\ts := 0\n\tEach(10000000, func(i int) { s ^= i*i })\n\tif s < 0 {\n\t\tt.Fatal()\n\t}\n}\n"
		once   = "package x\n\nimport \"testing\"\n\nvar ran int\n\nfunc TestOnce(t *testing.T) {\n\tif ran++; ran > 1 {\n\t\tt.Fatal(\"twice\")\n\t}\n\tEach(1, func(int) {})\n}\n"
	)
	for name, c := range map[string]struct {
		tests  string
		rounds bool
		check  bool // that next to nothing of the program is measured
	}{
		"short tests run in rounds":                          {short, true, false},
		"tests that run but once are told as hardly running": {once, false, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Attr("timing", "what tests take is told from what their start takes")
			t.Parallel()
			r, said, err := surveyed(t, map[string]string{"go.mod": module, "x.go": source, "x_test.go": c.tests, "data/none.go": "package data\n"})
			if err != nil {
				t.Fatalf("%v\n%s", err, said)
			}
			rounds := slices.ContainsFunc(r.Evaluator, func(w string) bool { return strings.HasPrefix(w, "-test.count=") })
			if r.Measured.Objective != "time_ms" || !slices.Contains(r.Evaluator, "{dir}/go-tests.sh") || rounds != c.rounds || len(r.Scaffold) != 2 {
				t.Errorf("%s by %q\n%s", r.Measured.Objective, r.Evaluator, said)
			}
			if check := strings.Contains(said, "CHECK evaluator.command: the tests take ") && strings.Contains(said, "next to nothing of the program"); check != c.check {
				t.Errorf("said\n%s", said)
			}
		})
	}
}

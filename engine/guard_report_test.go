package engine_test

import (
	"context"
	"encoding/json"
	"os/exec"
	"strings"
	"testing"
	"time"

	"atoll/config/suitetest"
	"atoll/engine"
	"atoll/engine/guard"
	"atoll/engine/work"
	"atoll/store/record"
)

// The cost is what the file says when it says one of two numbers, else 5.
const costScript = `#!/bin/sh
case "$(cat cost.txt)" in 0.125|0.0625) cat cost.txt;; *) echo 5;; esac | sed 's/^/time_ms = /'
`

const costYAML = `goal: be quick
workers: 1
evaluator:
  command: [sh, measure.sh]
  output: name=value
  objective: time_ms
  direction: minimize
  protected: [measure.sh]
  root_repeats: 1
map:
  axes:
    - {metric: time_ms, min: 0, max: 8, bins: 4}
budget: {jobs: 1}
`

const double = "package double\n\nfunc Double(x int) int { return x * 2 }\n"

// runFor runs an experiment whose candidates are built and compared.
func (l *lab) runFor(limit time.Duration) {
	l.t.Helper()
	ctx, cancel := context.WithTimeout(l.t.Context(), limit)
	defer cancel()
	if err := engine.New(l.ses, l.exp.ID, engine.Options{Who: "tester", Unattended: true}).Run(ctx); err != nil {
		l.t.Fatalf("run: %v", err)
	}
}

// cheaper injects the files of the repository with another cost, as the last of so many jobs.
func (l *lab) cheaper(jobs int, cost string) {
	l.t.Helper()
	l.raise(jobs)
	write(l.t, l.repo+"/cost.txt", cost+"\n")
	git(l.t, l.repo, "commit", "-q", "-a", "-m", "candidate")
	if _, _, err := engine.Inject(l.t.Context(), l.ses, l.exp.ID, engine.Injection{Revision: "HEAD"}, "tester"); err != nil {
		l.t.Fatal(err)
	}
}

func TestACandidateThatBehavesInAnotherWayWaitsBeforeItLeads(t *testing.T) {
	suitetest.Full(t, "it builds Go programs; engine/guard shows what is a difference, and other reviews who waits")
	t.Parallel()
	if testing.Short() {
		t.Skip("it builds Go programs for a minute, and -short was asked for")
	}
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("go is not on the PATH")
	}
	l := bareLab(t, map[string]string{"go.mod": "module example.com/double\n\ngo 1.21\n", "double.go": double, "cost.txt": "5\n", "measure.sh": costScript})
	l.begin(l.loaded(costYAML))
	l.runFor(time.Minute)
	jobs := 1
	inject := func(code, cost string) {
		jobs++
		write(t, l.repo+"/double.go", code)
		l.cheaper(jobs, cost)
	}
	inject("package double\n\nfunc Double(x int) int {\n\tif x == 3 {\n\t\treturn 7\n\t}\n\treturn x * 2\n}\n", "0.125")
	l.runFor(8 * time.Minute)
	held := l.jobs(record.Held)
	if len(held) != 1 || !strings.Contains(held[0].Reason, "Double(3) gave 6 and gives 7") {
		t.Fatalf("held are %+v", held)
	}
	inject("package double\n\nfunc Double(x int) int {\n\treturn x + x\n}\n", "0.0625")
	l.runFor(8 * time.Minute)
	if again := l.jobs(record.Held); len(again) != 1 {
		t.Fatalf("a refactoring is held too: %+v", again)
	}
	c, err := l.ses.DB.Candidate(t.Context(), l.exp.ID, held[0].Candidate)
	if err != nil {
		t.Fatal(err)
	}
	report, ok, err := engine.GuardReport(t.Context(), l.ses, l.exp.ID, &c)
	if err != nil || !ok || report.Same() || report.Cases == 0 {
		t.Errorf("the evidence is %+v, %t, %v", report, ok, err)
	}
	p, err := l.state().Prepare(about(record.Approve, held[0].Candidate))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.ses.DB.AppendDecision(t.Context(), l.exp.ID, p); err != nil {
		t.Fatal(err)
	}
	l.runFor(8 * time.Minute)
	if c, err = l.ses.DB.Candidate(t.Context(), l.exp.ID, held[0].Candidate); err != nil || c.Status != record.StatusScored && c.Status != record.StatusElite {
		t.Errorf("approved, it is %s: %s, %v", c.Status, c.Reason, err)
	}
}

func TestABestWhoseBehaviourCannotBeComparedIsToldSo(t *testing.T) {
	t.Parallel()
	for _, setting := range []string{"auto", "off"} {
		l := bareLab(t, map[string]string{"cost.txt": "5\n", "measure.sh": costScript})
		l.begin(l.loaded(costYAML, "guard="+setting))
		l.runFor(time.Minute)
		l.cheaper(2, "0.125")
		eng := engine.New(l.ses, l.exp.ID, engine.Options{Who: "tester", Unattended: true})
		if err := eng.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		ran := eng.Feed().Latest()
		later := l.state().Snapshot()
		if err := engine.FillFacts(t.Context(), l.ses.DB, later); err != nil {
			t.Fatal(err)
		}
		if ran.Best.ID <= record.Root || ran.Best.Uncompared != (setting == "auto") || later.Best.Uncompared != ran.Best.Uncompared {
			t.Errorf("guard %s: the run says %t of %s, its log %t", setting, ran.Best.Uncompared, ran.Best.ID, later.Best.Uncompared)
		}
	}
}

func TestABestThatWasNotComparedIsComparedInTheNextRunWhereValuesDoNotVary(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		report guard.Report
		want   int
	}{
		{"the time was over", guard.Report{OutOfTime: true}, 1},
		{"it was compared", guard.Report{Cases: 20}, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			l := bareLab(t, map[string]string{"cost.txt": "5\n", "measure.sh": costScript})
			l.begin(l.loaded(costYAML))
			l.runFor(time.Minute)
			l.cheaper(2, "0.125")
			l.runFor(time.Minute)
			best := l.state().Candidate(l.state().Best)
			text, err := json.Marshal(tt.report)
			if err != nil {
				t.Fatal(err)
			}
			c, err := l.ses.DB.Candidate(t.Context(), l.exp.ID, best.ID())
			if err != nil {
				t.Fatal(err)
			}
			if err := l.ses.DB.PutEvidence(t.Context(), l.exp.ID, []record.Evidence{{Job: c.Job, Attempt: 1, Kind: work.EvidenceGuard, Text: text}}); err != nil {
				t.Fatal(err)
			}
			l.raise(4)
			l.runFor(time.Minute)
			n := 0
			for _, j := range l.jobs(record.Done) {
				if j.Kind == record.Evaluate && j.Candidate == best.ID() {
					n++
				}
			}
			report, ok, err := engine.GuardReport(t.Context(), l.ses, l.exp.ID, &c)
			if err != nil || !ok || n != tt.want || report.Overdue() {
				t.Errorf("%d jobs look at the best again, and %+v is known, %v", n, report, err)
			}
		})
	}
}

func TestTheGuardIsOnWhereTheObjectiveIsACost(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, guard, adapter, objective, unit string
		want                                  bool
	}{
		{"a time by its name", "auto", "", "time_ms", "", true},
		{"a time by its unit", "auto", "", "total", "ns/op", true},
		{"a rate", "auto", "", "ops_per_s", "", true},
		{"memory", "auto", "", "peak_mb", "", true},
		{"a score", "auto", "", "score", "", false},
		{"a sum of radii", "auto", "", "sum_radii", "", false},
		{"benchmarks", "auto", "gobench", "x", "", true},
		{"a score, when it is asked for", "on", "", "score", "", true},
		{"a time, when it is not wanted", "off", "gobench", "time_ms", "", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			cfg := (&lab{t: t}).loaded(labYAML, "guard="+tt.guard)
			cfg.Evaluator.Adapter = tt.adapter
			if got := work.Guards(cfg, tt.objective, []record.Metric{{Name: tt.objective, Unit: tt.unit}}); got != tt.want {
				t.Errorf("got %t, want %t", got, tt.want)
			}
		})
	}
}

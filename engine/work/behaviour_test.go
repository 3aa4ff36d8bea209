package work

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"testing"
	"time"

	"atoll/config"
	"atoll/engine/guard"
	"atoll/store/record"
)

func TestCommandsThatRunTheTestsOfJavaScriptAreKnown(t *testing.T) {
	for _, tt := range []struct {
		name    string
		command []string
		want    []string
	}{
		{"what package.json names", []string{"npm", "test"}, nil},
		{"what package.json names, by its script", []string{"npm run test"}, nil},
		{"one text", []string{"npm run test:unit"}, []string{"npm", "run", "test:unit"}},
		{"the runner of node", []string{"node", "--test"}, []string{"node", "--test"}},
		{"a file of tests", []string{"node", "test/index.js"}, []string{"node", "test/index.js"}},
		{"a runner by its path", []string{"node_modules/.bin/mocha", "-R", "dot"}, []string{"node_modules/.bin/mocha", "-R", "dot"}},
		{"a benchmark", []string{"node", "bench.js"}, nil},
		{"a word that only holds the letters", []string{"node", "latest.js"}, nil},
		{"what needs a shell", []string{"cd sub && npm test"}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var cfg config.Config
			cfg.Evaluator.Stages = []config.Stage{{Command: tt.command}}
			if o := GuardOptions(cfg); !slices.Equal(o.JavaScriptTests, tt.want) {
				t.Errorf("it runs %q", o.JavaScriptTests)
			}
		})
	}
}

func TestCommandsThatRunTheTestsOfPythonAreKnown(t *testing.T) {
	for _, tt := range []struct {
		name, python string
		command      []string
		want         []string
	}{
		{"a module", "python3.11", []string{"python3.11", "-m", "pytest", "-q"}, []string{"-m", "pytest", "-q"}},
		{"one text", "python3", []string{"python3 -m unittest -q"}, []string{"-m", "unittest", "-q"}},
		{"pytest by its name", "", []string{"pytest", "-q", "tests"}, nil},
		{"pytest of an environment, as one text", ".venv/bin/python", []string{".venv/bin/pytest -x"}, []string{"-m", "pytest", "-x"}},
		{"what needs a shell", "", []string{"cd sub && pytest"}, nil},
		{"a module that runs no tests", "", []string{"python3", "-m", "mypy", "kit"}, nil},
		{"another program", "", []string{"make", "-m", "pytest"}, nil},
		{"a script", "", []string{"python3", "bench.py", "10"}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var cfg config.Config
			cfg.Evaluator.Stages = []config.Stage{{Command: tt.command}}
			o := GuardOptions(cfg)
			if o.Python != tt.python || !slices.Equal(o.PythonTests, tt.want) {
				t.Errorf("%q runs %q", o.Python, o.PythonTests)
			}
		})
	}
}

func TestAComparisonMayTakeAPartOfTheTimeThatIsLeft(t *testing.T) {
	now := time.Now()
	for _, tt := range []struct {
		name       string
		left, want time.Duration // left 0: nothing bounds the run
	}{
		{"a run without an end", 0, 0},
		{"ten minutes", 10 * time.Minute, 150 * time.Second},
		{"three minutes", 3 * time.Minute, time.Minute},
		{"a minute and a half", 90 * time.Second, 45 * time.Second},
		{"the end is near", 40 * time.Second, 20 * time.Second},
		{"the time is over", -5 * time.Second, 20 * time.Second},
	} {
		w := &measurer{run: &run{now: func() time.Time { return now }, silence: 20 * time.Second}}
		if tt.left != 0 {
			w.ends = now.Add(tt.left)
		}
		ctx, cancel := w.share(t.Context(), shareOfComparing)
		until, bounded := ctx.Deadline()
		cancel()
		if off := until.Sub(now.Add(tt.want)).Abs(); bounded != (tt.want > 0) || bounded && off > time.Second {
			t.Errorf("%s: until %v, off by %v", tt.name, until, off)
		}
	}
	w := &measurer{run: &run{now: time.Now, ends: now.Add(-time.Hour)}}
	ctx, cancel := w.share(t.Context(), shareOfComparing)
	defer cancel()
	<-ctx.Done()
	if !errors.Is(context.Cause(ctx), guard.ErrShare) {
		t.Errorf("it ends for %v", context.Cause(ctx))
	}
}

func TestWhatWasNotComparedForWantOfTimeIsComparedInTheNextRun(t *testing.T) {
	report := func(r guard.Report) record.Evidence {
		text, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		return record.Evidence{Kind: EvidenceGuard, Text: text}
	}
	late, done := report(guard.Report{OutOfTime: true}), report(guard.Report{Cases: 20, OutOfTime: true, Cut: guard.CutWork})
	cut := report(guard.Report{Cases: 30, OutOfTime: true, Cut: guard.CutTime})
	for _, tt := range []struct {
		name    string
		kept    []record.Evidence
		times   int
		confirm bool
		inputs  int
		want    bool
	}{
		{"nobody looked", []record.Evidence{{Kind: "stdout"}}, 0, false, 0, true},
		{"the time was over before anything was compared", []record.Evidence{late}, 0, false, 0, true},
		{"it was over in this run", []record.Evidence{late}, 1, true, 0, false},
		{"something was compared", []record.Evidence{done}, 0, true, 20, false},
		{"it was compared since", []record.Evidence{late, done}, 0, false, 20, false},
		{"the clock ended it, and it only leads", []record.Evidence{cut}, 0, false, 30, false},
		{"the clock ended it, and it is to be confirmed", []record.Evidence{cut}, 1, true, 30, true},
		{"the clock ended it twice", []record.Evidence{cut}, 2, true, 30, false},
		{"there was nothing to compare", []record.Evidence{report(guard.Report{})}, 0, true, 0, false},
		{"it differs", []record.Evidence{report(guard.Report{OutOfTime: true, Cut: guard.CutTime, Differences: []guard.Difference{{Where: "kit.f"}}})}, 0, true, 0, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if inputs, got, err := stillToCompare(tt.kept, tt.times, tt.confirm); inputs != tt.inputs || got != tt.want || err != nil {
				t.Errorf("it is to be compared: %t, after %d inputs, %v", got, inputs, err)
			}
		})
	}
}

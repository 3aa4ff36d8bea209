package engine_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"atoll/config/suitetest"
	"atoll/engine"
	"atoll/engine/view"
	"atoll/store"
	"atoll/store/record"
)

// flakyMeasure crashes, hangs and prints garbage, each in 5 % of its runs by a
// hash of candidate and repeat; a hang leaves a child that ignores SIGTERM.
const flakyMeasure = `#!/bin/sh
roll=$(cksum < "$ATOLL_CONTEXT"); roll=${roll%% *}; roll=$((roll % 100))
if grep -q '"root": *true' "$ATOLL_CONTEXT"; then roll=99; fi
if [ $roll -lt 5 ]; then kill -SEGV $$; fi
if [ $roll -lt 10 ]; then (trap '' TERM; sleep 3000) & setsid sleep 3000 & sleep 3000; fi
if [ $roll -lt 15 ]; then printf 'score=\001\002 \033[31mNaN\n{{{\n'; exit 0; fi
sleep 0.15
` + "awk '{s+=$3; v[NR]=$3} END {d=s-10; if (d<0) d=-d; printf \"score=%.9f\\nfirst=%.9f\\nsecond=%.9f\\n\", -d, v[1], v[2]}' program.txt\n"

// mark returns a setting that marks every process of the evaluator, and a
// function that counts the marked ones that are alive.
func mark(t *testing.T) (setting string, alive func() int) {
	t.Helper()
	word := fmt.Sprintf("TEST_MARK=%s-%d-%d", strings.ReplaceAll(t.Name(), "/", "-"), os.Getpid(), time.Now().UnixNano())
	return "evaluator.env=[" + word + "]", func() int {
		n := 0
		files, _ := filepath.Glob("/proc/[0-9]*/environ")
		for _, f := range files {
			if env, err := os.ReadFile(f); err == nil && bytes.Contains(env, []byte(word)) {
				n++
			}
		}
		return n
	}
}

// TestFlakyEvaluator lets an evaluator crash, hang and talk nonsense at random.
// At the slow level there are a thousand jobs and the throughput is held.
func TestFlakyEvaluator(t *testing.T) {
	suitetest.Full(t, "a hundred jobs with an evaluator that fails; TestBreakerTripsOnABrokenEvaluator stands for it")
	jobs, wait := suitetest.Pick(100, 100, 1000), 800*time.Millisecond
	setting, alive := mark(t)
	l := scriptLab(t, flakyMeasure, setting, fmt.Sprintf("budget.jobs=%d", jobs), "workers=4", fmt.Sprintf("evaluator.timeout=%s", wait))
	eng := engine.New(l.ses, l.exp.ID, engine.Options{Who: "tester", Unattended: true})
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	began := time.Now()
	if err := eng.Run(ctx); err != nil {
		t.Fatalf("run: %v", err)
	}
	took := time.Since(began)
	if n := alive(); n != 0 {
		t.Errorf("%d processes of the evaluator are left", n)
	}
	list, err := l.ses.DB.Jobs(t.Context(), l.exp.ID, store.JobFilter{Limit: 10 * jobs})
	if err != nil {
		t.Fatal(err)
	}
	made, classes, measuring := 0, map[record.Class]int{}, time.Duration(0)
	for i, j := range list {
		if want := record.JobID(len(list) - 1 - i); j.ID != want {
			t.Fatalf("job %s stands where %s should be", j.ID, want)
		}
		if !j.State.Ended() {
			t.Errorf("%s never ended: %s", j.ID, j.State)
		}
		measuring += time.Duration(j.EvalMS) * time.Millisecond
		if j.Kind != record.Make {
			continue
		}
		made++
		if j.State == record.Failed {
			classes[j.Class]++
			if j.Reason == "" {
				t.Errorf("%s failed without a reason", j.ID)
			}
			if ev, err := l.ses.DB.EvidenceOf(t.Context(), l.exp.ID, j.ID); err != nil || j.Class != record.ClassNoChange && len(ev) == 0 {
				t.Errorf("%s failed as %s without evidence (%v)", j.ID, j.Class, err)
			}
		}
	}
	if made != jobs {
		t.Errorf("%d make jobs, expected %d", made, jobs)
	}
	for _, class := range []record.Class{record.ClassCrash, record.ClassTimeout, record.ClassMetric} {
		if classes[class] < jobs/50 {
			t.Errorf("%d failures of class %s in %d jobs, expected about 5 %%: %v", classes[class], class, jobs, classes)
		}
	}
	if err := l.state().CheckArchive(); err != nil {
		t.Error(err)
	}
	// What the workers spent in the evaluator, in parallel, is what the limits
	// allow; a hang costs its time limit.
	predicted := measuring / 4
	share := predicted.Seconds() / took.Seconds()
	t.Logf("%d jobs in %.1f s: %.0f a minute, %.1f %% of what the limits predict; failures %v", len(list), took.Seconds(), float64(len(list))/took.Minutes(), 100*share, classes)
	if suitetest.IsSlow() && share < 0.9 {
		t.Errorf("throughput is %.1f %% of what the time limits predict, expected 90 %%", 100*share)
	}
}

// brokenLater works for the first runs of the root and fails for ever as soon
// as a candidate comes, the root included: its library was taken away.
func brokenLater(flag string) string {
	return fmt.Sprintf(`#!/bin/sh
if [ "$(cat %s)" = broken ]; then echo "libmeasure.so.$$: cannot open shared object file" >&2; exit 127; fi
`, flag) + strings.TrimPrefix(measure, "#!/bin/sh\n")
}

func TestBreakerTripsOnABrokenEvaluator(t *testing.T) {
	t.Parallel()
	flag := filepath.Join(t.TempDir(), "flag")
	write(t, flag, "fine")
	l := scriptLab(t, brokenLater(flag), "budget.jobs=2000", fmt.Sprintf("evaluator.caches=[%s]", filepath.Dir(flag)))
	eng := engine.New(l.ses, l.exp.ID, engine.Options{Who: "tester", Unattended: true})
	done := make(chan error, 1)
	ctx, cancel := context.WithTimeout(t.Context(), deadline)
	defer cancel()
	go func() { done <- eng.Run(ctx) }()
	l.await(eng, "candidates are measured", func(s *view.Snapshot) bool { return s.Jobs.Placed+s.Jobs.Scored > 2 })
	write(t, flag, "broken")
	err := <-done
	if !errors.Is(err, engine.ErrBroken) || !strings.Contains(err.Error(), "the root fails too") {
		t.Fatalf("run ended with %v, expected a broken evaluator", err)
	}
	failed := 0
	for _, j := range l.jobs(record.Failed) {
		if j.Kind == record.Make {
			failed++
		}
	}
	if failed < 20 || failed > 60 {
		t.Errorf("%d candidates failed before claims paused, expected a few more than 20", failed)
	}
	// Mended, it goes on.
	write(t, flag, "fine")
	again := engine.New(l.ses, l.exp.ID, engine.Options{Who: "tester", Unattended: true})
	go func() { done <- again.Run(ctx) }()
	before := len(l.jobs(record.Scored)) + len(l.jobs(record.Placed))
	l.await(again, "candidates are measured again", func(s *view.Snapshot) bool { return s.Jobs.Placed+s.Jobs.Scored > before+2 })
	again.Drain()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
}

// A candidate that fails is no reason to stop, however many fail alike, as long
// as the root measures well.
func TestBreakerSparesAHardSpot(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "one more run of failures; TestBreakerTripsOnABrokenEvaluator stands for it")
	hard := `#!/bin/sh
if ! grep -q '"root": *true' "$ATOLL_CONTEXT"; then echo "FAIL: case 3" >&2; exit 1; fi
` + strings.TrimPrefix(measure, "#!/bin/sh\n")
	l := scriptLab(t, hard, "budget.jobs=70")
	if snap := l.run(); snap.State != record.ExperimentDone {
		t.Errorf("the run is %s: %s", snap.State, snap.Reason)
	}
	checks := 0
	for _, j := range l.jobs() {
		if j.Kind == record.Evaluate && j.Purpose == record.PurposeChallenge && j.Candidate == record.Root {
			checks++
		}
	}
	if checks != 2 { // after 20, and after 40 more
		t.Errorf("the root was measured again %d times, expected 2", checks)
	}
}

package guard

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"atoll/engine/sandbox"
)

// worker stands for a sandbox in which each process needs so much processor time.
type worker struct {
	needs   time.Duration
	mu      sync.Mutex
	allowed []time.Duration
}

func (w *worker) Run(_ context.Context, s sandbox.Spec) (sandbox.Result, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.allowed = append(w.allowed, s.Limits.CPU)
	if w.needs > s.Limits.CPU {
		return sandbox.Result{CPU: s.Limits.CPU, Limits: []string{"cpu"}}, nil
	}
	return sandbox.Result{CPU: w.needs}, nil
}

func TestProcessesUseUpABudgetTogether(t *testing.T) {
	w := &worker{needs: 4 * time.Second}
	ctx, cancel := context.WithCancelCause(t.Context())
	b := &budget{box: w, left: 10 * time.Second, over: func() { cancel(errOutOfWork) }}
	var spec sandbox.Spec
	within(&spec, 6*time.Second)
	for range 2 {
		if _, err := b.Run(ctx, spec); err != nil || ctx.Err() != nil {
			t.Fatal(err, context.Cause(ctx))
		}
	}
	if _, err := b.Run(ctx, spec); err != nil || !errors.Is(context.Cause(ctx), errOutOfWork) {
		t.Errorf("%v, and the cause is %v", err, context.Cause(ctx))
	}
	if _, err := b.Run(ctx, spec); err != nil || !slices.Equal(w.allowed, []time.Duration{6 * time.Second, 6 * time.Second, 2 * time.Second}) {
		t.Errorf("%v, and processes were allowed %v", err, w.allowed)
	}
}

func TestAPartOfABudgetEndsByItselfAndCountsForTheWhole(t *testing.T) {
	w := &worker{needs: time.Second}
	whole, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	b := &budget{box: w, left: 9 * time.Second, over: func() { cancel(errOutOfWork) }}
	part, own, done := b.part(whole, 3)
	defer done()
	for part.Err() == nil {
		if _, err := own.Run(part, sandbox.Spec{}); err != nil || len(w.allowed) > 9 {
			t.Fatal(err, w.allowed)
		}
	}
	if !errors.Is(context.Cause(part), errEnough) || whole.Err() != nil || b.rest() != 6*time.Second {
		t.Errorf("the part: %v, the whole: %v, left is %v", context.Cause(part), context.Cause(whole), b.rest())
	}
}

func TestAReportSaysWhatEndedTheComparison(t *testing.T) {
	for _, tt := range []struct {
		cause     error
		cut, note string
	}{
		{errOutOfWork, CutWork, "5m0s of processor time"},
		{errOutOfTime, CutTime, "by the clock, after 20m0s"},
		{ErrShare, CutTime, "a part of the time that the run has left"},
		{context.Canceled, "", ""},
	} {
		g, err := New(&worker{}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		c := &check{g: g}
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(tt.cause)
		if ended := c.cut(ctx); ended != (tt.cut != "") || c.report.Cut != tt.cut || c.report.OutOfTime != ended || !strings.Contains(strings.Join(c.report.Notes, ""), tt.note) {
			t.Errorf("%v: ended %t, %+v", tt.cause, ended, c.report)
		}
	}
}

func TestAReportSaysWhetherItsComparisonFailed(t *testing.T) {
	for _, tt := range []struct {
		name   string
		cases  int
		late   bool
		failed bool
		want   string
	}{
		{"all was compared", 9, false, false, ""},
		{"the time was over before all was compared", 9, true, false, ""},
		{"the time was over before anything was compared", 0, true, false, overdue},
		{"a part could not be compared", 9, false, true, ""},
		{"nothing could be compared", 0, false, true, "kit: no probe"},
		{"there was nothing to compare", 0, false, false, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := Report{Cases: tt.cases, OutOfTime: tt.late}
			if tt.failed {
				r.fail("%s: %s", "kit", "no probe")
			}
			if r.settle(); r.Failed != tt.want || r.Compared() != (tt.cases > 0) {
				t.Errorf("failed %q, want %q; compared %t", r.Failed, tt.want, r.Compared())
			}
		})
	}
}

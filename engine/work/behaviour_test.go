package work

import (
	"context"
	"errors"
	"testing"
	"time"

	"atoll/engine/guard"
)

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
		ctx, cancel := w.share(t.Context())
		until, bounded := ctx.Deadline()
		cancel()
		if off := until.Sub(now.Add(tt.want)).Abs(); bounded != (tt.want > 0) || bounded && off > time.Second {
			t.Errorf("%s: until %v, off by %v", tt.name, until, off)
		}
	}
	w := &measurer{run: &run{now: time.Now, ends: now.Add(-time.Hour)}}
	ctx, cancel := w.share(t.Context())
	defer cancel()
	<-ctx.Done()
	if !errors.Is(context.Cause(ctx), guard.ErrShare) {
		t.Errorf("it ends for %v", context.Cause(ctx))
	}
}

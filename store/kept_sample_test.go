package store_test

import (
	"slices"
	"testing"

	"atoll/store"
	"atoll/store/record"
)

func TestWhatAnAttemptMeasuredIsKeptUntilItsJobEnds(t *testing.T) {
	end := func(w *world, l record.Lease) {
		w.finish(l, store.Outcome{State: record.Failed, Class: record.ClassTest})
	}
	for _, c := range []struct {
		name string
		end  func(w *world, l record.Lease)
	}{
		{"an end", end},
		{"a hold before its niche", func(w *world, l record.Lease) { w.ok(w.db.Hold(w.ctx, l, record.Evaluating, "why", store.Outcome{})) }},
		{"a cancellation while it waits", func(w *world, l record.Lease) {
			_, err := w.db.Requeue(w.ctx, w.exp)
			w.ok(err)
			if done, err := w.db.CancelQueued(w.ctx, w.exp, l.Job.ID, "enough"); !done || err != nil {
				w.t.Fatal(done, err)
			}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := open(t, record.Settings{})
			w.addMakes(1, 12)
			kept := func(job record.JobID) []string {
				texts, err := w.db.KeptSamples(w.ctx, w.exp, job)
				w.ok(err)
				slices.Sort(texts)
				return texts
			}
			l := w.lease()
			w.made(l, 100)
			w.ok(w.db.Evaluate(w.ctx, l, record.Committed, 1))
			w.ok(w.db.KeepSample(w.ctx, l, 0, "first"))
			w.ok(w.db.KeepSample(w.ctx, l, 1, "second"))
			w.ok(w.db.KeepSample(w.ctx, l, 1, "second again"))
			old := l
			_, err := w.db.Requeue(w.ctx, w.exp)
			w.ok(err)
			wants(t, w.db.KeepSample(w.ctx, old, 2, "of a dead attempt"), store.ErrLost)
			l = w.lease()
			if l.Job.ID != 1 {
				t.Fatalf("got %s", l.Job.ID)
			}
			if got := kept(1); !slices.Equal(got, []string{"first", "second again"}) {
				t.Errorf("got %q", got)
			}
			for _, other := range []record.JobID{0, 10, 11, 12} {
				if got := kept(other); got != nil {
					t.Errorf("job %s has %q", other, got)
				}
			}
			c.end(w, l)
			if got := kept(1); got != nil {
				t.Errorf("left behind: %q", got)
			}
		})
	}
}

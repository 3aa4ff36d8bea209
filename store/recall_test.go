package store_test

import (
	"testing"

	"atoll/store"
	"atoll/store/record"
)

func TestAnApprovalTakenBackHoldsTheJobAgain(t *testing.T) {
	for _, c := range []struct {
		name     string
		between  func(w *world)
		at       record.JobState
		measured bool
	}{
		{"in the queue", func(w *world) { w.ok(w.db.Recall(w.ctx, w.exp, 1)) }, record.Gated, false},
		{"while it is measured, when the result comes", func(w *world) {
			l := w.lease()
			w.ok(w.db.Recall(w.ctx, w.exp, 1))
			w.ok(w.db.Stage(w.ctx, l, record.Gated, record.Evaluating))
			w.finish(l, scored(3))
		}, record.Evaluating, true},
		{"while it runs, when the engine is started anew", func(w *world) {
			w.lease()
			w.ok(w.db.Recall(w.ctx, w.exp, 1))
			_, err := w.db.Requeue(w.ctx, w.exp)
			w.ok(err)
		}, record.Gated, false},
		{"after it took a niche", func(w *world) {
			l := w.lease()
			w.ok(w.db.Stage(w.ctx, l, record.Gated, record.Evaluating))
			w.finish(l, scored(3))
			w.ok(w.db.Place(w.ctx, w.exp, 1))
			w.ok(w.db.Recall(w.ctx, w.exp, 1))
		}, record.Evaluating, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := open(t, record.Settings{})
			w.addMakes(1, 1)
			l := w.lease()
			w.made(l, 100)
			w.ok(w.db.Stage(w.ctx, l, record.Committed, record.Gated))
			w.ok(w.db.Hold(w.ctx, l, record.Gated, "touches the build"))
			w.ok(w.db.Release(w.ctx, w.exp, 1))
			c.between(w)
			if j := w.job(1); j.State != record.Held || j.HeldAt != c.at || j.Approved || j.Reason != "touches the build" {
				t.Errorf("the job is %+v", j)
			}
			if m := w.candidate(1); m.Status != record.StatusHeld || m.Reason != "touches the build" || (m.Objective != nil) != c.measured {
				t.Errorf("the candidate is %+v", m)
			}
			wants(t, w.db.Recall(w.ctx, w.exp, 1), store.ErrLost)
			w.ok(w.db.EndHeld(w.ctx, w.exp, 1, record.Rejected, record.ClassReview, "no"))
			w.ok(w.db.Reopen(w.ctx, w.exp, 1))
			if j := w.job(1); j.State != record.Held || j.Reason != "touches the build" {
				t.Errorf("after a rejection taken back the job is %+v", j)
			}
			w.ok(w.db.Release(w.ctx, w.exp, 1))
			if j := w.job(1); j.State == record.Held {
				t.Error("it cannot be approved again")
			}
			w.ok(w.db.Integrity(w.ctx))
		})
	}
}

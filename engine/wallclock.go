package engine

import (
	"context"
	"time"

	"atoll/store"
	"atoll/store/record"
)

// wallClock counts how long an experiment runs. What was counted is in the store, but
// for the time since the last call of add. It belongs to the loop.
type wallClock struct {
	db   *store.DB
	exp  record.ExperimentID
	now  func() time.Time
	from time.Time // the store has what was before
}

// start counts from now on.
func (w *wallClock) start() { w.from = w.now() }

// due reports whether there is something worth a write.
func (w *wallClock) due() bool { return w.now().Sub(w.from) >= time.Second }

// add brings the store up to date.
func (w *wallClock) add(ctx context.Context) error {
	until := w.now()
	ms := until.Sub(w.from).Milliseconds()
	if ms <= 0 {
		return nil
	}
	w.from = until
	return w.db.AddWall(ctx, w.exp, ms)
}

// bounds are when a run that has so much time left, 0 = any, in an experiment that may
// take so many milliseconds in all, 0 = any, begins to confirm its best: after three
// quarters; and when its time is over. They are zero where nothing bounds it.
func (w *wallClock) bounds(ctx context.Context, left time.Duration, most int64) (closing, ends time.Time, err error) {
	if most > 0 {
		c, err := w.db.Counters(ctx, w.exp)
		if err != nil {
			return closing, ends, err
		}
		if rest := time.Duration(most-c.WallMS) * time.Millisecond; left <= 0 || rest < left {
			left = max(rest, 0)
		}
	}
	if left <= 0 {
		return closing, ends, nil
	}
	return w.now().Add(left * 3 / 4), w.now().Add(left), nil
}

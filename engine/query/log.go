package query

import (
	"context"

	"atoll/engine/fold"
	"atoll/store"
	"atoll/store/record"
)

// Log returns rows of the experiment's log behind a position, oldest first.
func (r *Reader) Log(ctx context.Context, after record.Seq, limit int) ([]record.LogRow, error) {
	return r.db.Log(ctx, r.exp, after, limit)
}

// LogTail returns the last n rows of the log, oldest first.
func (r *Reader) LogTail(ctx context.Context, n int) ([]record.LogRow, error) {
	return r.db.Tail(ctx, r.exp, n)
}

// Experiments returns the experiments beside this one, oldest first, and itself.
func (r *Reader) Experiments(ctx context.Context) ([]record.Experiment, error) {
	return r.db.Experiments(ctx)
}

// Counters returns the totals of the store.
func (r *Reader) Counters(ctx context.Context) (store.Counters, error) {
	return r.db.Counters(ctx, r.exp)
}

// Cell returns the flat index of the niche with these cells on each axis.
func (r *Reader) Cell(ctx context.Context, coords []int) (cell int, err error) {
	if askErr := r.asker.Ask(ctx, func(s *fold.State) { cell, err = s.Cell(coords) }); askErr != nil {
		return -1, askErr
	}
	return cell, err
}

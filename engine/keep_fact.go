package engine

import (
	"context"
	"errors"

	"atoll/store"
	"atoll/store/record"
)

// keepTries is how often a fact is written that others write as well.
const keepTries = 100

// errBusy: others changed a fact again and again.
var errBusy = errors.New("others write the same fact all the time; try again")

// Keep changes a fact of the experiment that several processes may change: fn gets
// it as it is now, "" where there is none, and returns what it becomes and further
// facts to write with it. fn may be called again. What fn returns as an error is
// returned, and nothing is written.
func (e *Engine) Keep(ctx context.Context, key string, fn func(now string) (next string, more map[string]string, err error)) error {
	for range keepTries {
		now, _, err := e.db.Meta(ctx, e.exp, key)
		if err != nil {
			return err
		}
		next, more, err := fn(now)
		if err != nil || next == now && len(more) == 0 {
			return err
		}
		done, err := e.db.SwapMeta(ctx, e.exp, key, now, next, more)
		if done || err != nil {
			return err
		}
	}
	return errBusy
}

// Fact returns what [Engine.Keep] keeps, "" where there is none.
func (e *Engine) Fact(ctx context.Context, key string) (string, error) {
	value, _, err := e.db.Meta(ctx, e.exp, key)
	return value, err
}

// Latency tells how long the transactions took that this process wrote.
func (e *Engine) Latency() store.Latency { return e.db.Latency() }

// Witness keeps a text beside a job, which is shown with it.
func (e *Engine) Witness(ctx context.Context, job record.Job, kind, text string) error {
	return e.db.PutEvidence(ctx, e.exp, []record.Evidence{{Job: job.ID, Attempt: job.Attempt, Kind: kind, Text: []byte(text)}})
}

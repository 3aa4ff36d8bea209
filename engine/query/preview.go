package query

import (
	"context"

	"atoll/engine/fold"
	"atoll/engine/work"
	"atoll/store/record"
)

// Preview renders what an agent would be told now for a job that waits, where no
// loop runs: this goroutine owns st, and answers what w asks of it through
// questions. The error is [work.ErrNoPreview] when the job began already, or when
// its agent reads no prompt.
func Preview(ctx context.Context, st *fold.State, questions Questions, w *work.Runner, job record.Job) (record.Evidence, error) {
	var prompt record.Evidence
	var err error
	done := make(chan struct{})
	go func() {
		defer close(done)
		prompt, err = w.Preview(ctx, job)
	}()
	for {
		select {
		case question := <-questions:
			question(st)
		case <-done:
			return prompt, err
		}
	}
}

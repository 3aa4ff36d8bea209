package query

import (
	"context"

	"atoll/engine/fold"
)

// Asker runs a function on the goroutine that owns the state, and waits for it.
// The function only reads and keeps nothing of the state. The error is that of
// ctx: then the function never runs. It is safe for concurrent use.
type Asker interface {
	Ask(ctx context.Context, fn func(*fold.State)) error
}

// Questions is the [Asker] of a goroutine that owns a state: that goroutine
// receives from it and calls what it receives with its state, at once and always.
type Questions chan func(*fold.State)

// Ask implements [Asker]. A question that was taken is waited for, whatever becomes
// of ctx: it writes what belongs to the one who asks.
func (q Questions) Ask(ctx context.Context, fn func(*fold.State)) error {
	done := make(chan struct{})
	question := func(s *fold.State) { fn(s); close(done) }
	select {
	case q <- question:
	case <-ctx.Done():
		return ctx.Err()
	}
	<-done
	return nil
}

// askEach asks for each of n rows, some at a time, so that the goroutine that
// owns the state has other things to do in between.
func askEach(ctx context.Context, a Asker, n int, fn func(s *fold.State, i int)) error {
	const some = 1000
	for from := 0; from < n; from += some {
		if err := a.Ask(ctx, func(s *fold.State) {
			for i := from; i < min(n, from+some); i++ {
				fn(s, i)
			}
		}); err != nil {
			return err
		}
	}
	return nil
}

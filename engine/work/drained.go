package work

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// A run that ends lets those finish who are heard of. Who is silent for long is waited
// for no longer: the job goes back to the queue. It is paid for again then, and models
// think and programs run tools without a word: who is in a hurry ends them.
const (
	DefaultSilence = 20 * time.Second
	lookout        = 100 * time.Millisecond
)

// whileHeard returns a context that ends with [ErrDrained] when the run drains and
// nothing is heard of who works for the job. One who is elsewhere may take days, and
// is not waited for at all. done must be called, by the goroutine of the attempt.
func (r *attempt) whileHeard(ctx context.Context, elsewhere bool) (_ context.Context, done func()) {
	return r.untilDrained(ctx, func() bool { return elsewhere || r.silent() })
}

// untilDrained returns a context that ends with [ErrDrained] as soon as the run drains and over says so, which is
// asked from another goroutine. done must be called, by the goroutine of the attempt.
func (r *attempt) untilDrained(ctx context.Context, over func() bool) (_ context.Context, done func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	stop := make(chan struct{})
	var watch sync.WaitGroup
	watch.Go(func() {
		select {
		case <-r.drain:
		case <-stop:
			return
		}
		tick := time.NewTicker(lookout)
		defer tick.Stop()
		for !over() {
			select {
			case <-tick.C:
			case <-stop:
				return
			}
		}
		cancel(ErrDrained)
	})
	return ctx, func() { close(stop); watch.Wait(); cancel(nil) }
}

// silent reports whether nothing came for so long that a run that ends does not wait.
// While a model is asked its words count, and not what the one who asks says meanwhile.
func (r *attempt) silent() bool {
	job := r.lease.Job.ID
	last := r.live.heard(job)
	if word, asking := r.money.Heard(job); asking || word.After(last) {
		last = word
	}
	return r.now().Sub(last) >= r.silence
}

// drained makes of an error that the end of the run brought about an [ErrDrained].
func drained(ctx context.Context, err error) error {
	if err == nil || errors.Is(err, ErrDrained) || !errors.Is(context.Cause(ctx), ErrDrained) {
		return err
	}
	return fmt.Errorf("%w: %w", ErrDrained, err)
}

package work

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// A run that ends lets those finish who are heard of. Who is silent is waited for no
// longer: the job goes back to the queue.
const (
	silence = 3 * time.Second // of whoever a request waits for
	quiet   = 5 * time.Second // of a program that asks no model now: it may run a tool
	lookout = 100 * time.Millisecond
)

// whileHeard returns a context that ends with [ErrDrained] when the run drains and
// nothing is heard of who works for the job. One who is elsewhere may take days, and
// is not waited for at all. done must be called, by the goroutine of the attempt.
func (r *attempt) whileHeard(ctx context.Context, elsewhere bool) (_ context.Context, done func()) {
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
		for !elsewhere && !r.silent() {
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
	last, most := r.live.heard(job), silence
	word, asking := r.money.Heard(job)
	switch {
	case asking || word.After(last):
		last = word
	case r.roster.Programs[r.lease.Job.Agent]:
		most = quiet
	}
	return r.now().Sub(last) >= most
}

// drained makes of an error that the end of the run brought about an [ErrDrained].
func drained(ctx context.Context, err error) error {
	if err == nil || errors.Is(err, ErrDrained) || !errors.Is(context.Cause(ctx), ErrDrained) {
		return err
	}
	return fmt.Errorf("%w: %w", ErrDrained, err)
}

package engine

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"atoll/engine/work"
)

// signals are how other goroutines reach the loop and its workers without
// waiting for them.
type signals struct {
	woken   chan struct{} // there is something for the loop to do
	more    chan struct{} // jobs for the workers
	drain   chan struct{}
	drained sync.Once
	asleep  atomic.Bool
}

func newSignals() *signals {
	return &signals{woken: make(chan struct{}, 1), more: make(chan struct{}, 1024), drain: make(chan struct{})}
}

// Drain asks the engine to finish what runs, claim nothing new and return from
// Run. It may be called more than once and from any goroutine.
func (s *signals) Drain() {
	s.drained.Do(func() { close(s.drain) })
	s.wake()
}

// patience waits before something is tried again, but for a run that drains:
// there it is [work.ErrDrained], and nothing is tried again.
func (s *signals) patience(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-s.drain:
		return work.ErrDrained
	}
}

func (s *signals) draining() bool {
	select {
	case <-s.drain:
		return true
	default:
		return false
	}
}

// Hibernate tells the engine that the whole process group is about to be
// stopped (true) or goes on again (false): no job is claimed in between.
func (s *signals) Hibernate(asleep bool) { s.asleep.Store(asleep); s.wake() }

// wake has the loop look what there is to do; it never waits.
func (s *signals) wake() {
	select {
	case s.woken <- struct{}{}:
	default:
	}
}

// offer tells workers that there are n jobs to lease.
func (s *signals) offer(n int) {
	for range n {
		select {
		case s.more <- struct{}{}:
		default:
			return
		}
	}
}

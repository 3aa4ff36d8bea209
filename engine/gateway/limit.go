package gateway

import (
	"context"
	"sync"
	"time"
)

// limiter holds the requests of one provider apart: at most rpm in any minute,
// and at most parallel at a time. Zero is no limit.
type limiter struct {
	slots chan struct{} // nil = no limit
	now   func() time.Time
	sleep func(context.Context, time.Duration) error

	mu   sync.Mutex
	sent []time.Time // ring of the last rpm starts
	at   int
}

func newLimiter(rpm, parallel int, now func() time.Time, sleep func(context.Context, time.Duration) error) *limiter {
	l := &limiter{now: now, sleep: sleep, sent: make([]time.Time, max(0, rpm))}
	if parallel > 0 {
		l.slots = make(chan struct{}, parallel)
	}
	return l
}

// enter waits for a slot and for the minute; leave gives the slot back.
func (l *limiter) enter(ctx context.Context) (leave func(), err error) {
	leave = func() {}
	if l.slots != nil {
		select {
		case l.slots <- struct{}{}:
			leave = func() { <-l.slots }
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
	for {
		wait := l.take()
		if wait <= 0 {
			return leave, nil
		}
		if err := l.sleep(ctx, wait); err != nil {
			leave()
			return nil, err
		}
	}
}

// take books a start now, or says how long to wait.
func (l *limiter) take() time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.sent) == 0 {
		return 0
	}
	now := l.now()
	oldest := l.sent[l.at]
	if !oldest.IsZero() {
		if wait := oldest.Add(time.Minute).Sub(now); wait > 0 {
			return wait
		}
	}
	l.sent[l.at] = now
	l.at = (l.at + 1) % len(l.sent)
	return 0
}

// breaker leaves a provider alone after it failed often in a row, for a time
// that doubles; then one request tries.
type breaker struct {
	limit int
	cool  time.Duration
	now   func() time.Time

	mu      sync.Mutex
	failed  int
	opens   int // times in a row that it opened
	until   time.Time
	probing bool
}

const maxCool = 5 * time.Minute

// allow returns 0 when a request may go, else how long to wait.
func (b *breaker) allow() time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.failed < b.limit {
		return 0
	}
	if wait := b.until.Sub(b.now()); wait > 0 {
		return wait
	}
	if b.probing {
		return b.cool
	}
	b.probing = true
	return 0
}

// result reports how a request that was allowed ended.
func (b *breaker) result(ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if ok {
		b.failed, b.opens, b.probing, b.until = 0, 0, false, time.Time{}
		return
	}
	b.failed++
	if b.failed >= b.limit && (b.probing || b.until.IsZero() || b.now().After(b.until)) {
		d := min(b.cool<<min(b.opens, 10), maxCool)
		b.opens++
		b.until = b.now().Add(d)
	}
	b.probing = false
}

// undecided takes back a request that says nothing about the provider.
func (b *breaker) undecided() {
	b.mu.Lock()
	b.probing = false
	b.mu.Unlock()
}

// open reports whether requests are held back now.
func (b *breaker) open() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.failed >= b.limit && b.until.After(b.now())
}

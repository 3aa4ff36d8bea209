package gateway

import (
	"context"
	"slices"
	"sync"
	"time"
)

// limiter holds the requests of one provider apart: at most rpm of them and tpm
// tokens in any minute, and at most parallel at a time. Zero is no limit. A
// request counts with the most tokens it can use until it is known what it used.
type limiter struct {
	slots chan struct{} // nil = no limit
	rpm   int
	tpm   int64
	now   func() time.Time
	sleep func(context.Context, time.Duration) error

	mu   sync.Mutex
	sent []*turn // of the last minute, oldest first; those that run stay
}

// turn is one request as the limiter counts it.
type turn struct {
	at     time.Time
	tokens int64
	runs   bool
}

func newLimiter(rpm int, tpm int64, parallel int, now func() time.Time, sleep func(context.Context, time.Duration) error) *limiter {
	l := &limiter{now: now, sleep: sleep, rpm: max(0, rpm), tpm: max(0, tpm)}
	if parallel > 0 {
		l.slots = make(chan struct{}, parallel)
	}
	return l
}

// enter waits for a slot and for the minute. most is what the request can use;
// leave gives the slot back, and says what it used where that is known (-1: it
// is not).
func (l *limiter) enter(ctx context.Context, most int64) (leave func(used int64), err error) {
	release := func() {}
	if l.slots != nil {
		select {
		case l.slots <- struct{}{}:
			release = func() { <-l.slots }
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
	for {
		t, wait := l.take(most)
		if wait <= 0 {
			return func(used int64) { l.settle(t, used); release() }, nil
		}
		if err := l.sleep(ctx, wait); err != nil {
			release()
			return nil, err
		}
	}
}

// take books a start now, or says how long to wait. A request that can use more
// than a minute's tokens goes when no other counts.
func (l *limiter) take(most int64) (*turn, time.Duration) {
	if l.rpm == 0 && l.tpm == 0 {
		return nil, 0
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	used := int64(0)
	l.sent = slices.DeleteFunc(l.sent, func(t *turn) bool { return !t.runs && now.Sub(t.at) >= time.Minute })
	starts := 0
	for _, t := range l.sent {
		used += t.tokens
		if now.Sub(t.at) < time.Minute {
			starts++
		}
	}
	crowded := l.rpm > 0 && starts >= l.rpm
	dear := l.tpm > 0 && len(l.sent) > 0 && used+most > l.tpm
	if !crowded && !dear {
		t := &turn{at: now, tokens: most, runs: true}
		l.sent = append(l.sent, t)
		return t, 0
	}
	// Until the oldest one leaves the minute; one that runs longer is asked for
	// again after a moment.
	for _, t := range l.sent {
		if wait := t.at.Add(time.Minute).Sub(now); wait > 0 {
			if dear && !crowded {
				wait = min(wait, settleWait)
			}
			return nil, wait
		}
	}
	return nil, settleWait
}

// settleWait is how soon a request that waits for tokens looks again: those
// before it may have used less than they could.
const settleWait = 250 * time.Millisecond

// settle counts what a request used in place of what it could use.
func (l *limiter) settle(t *turn, used int64) {
	if t == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	t.runs = false
	if used >= 0 {
		t.tokens = used
	}
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

package view

import (
	"context"
	"sync"
	"time"
)

// Feed is a mailbox that holds the latest snapshot of an experiment for any
// number of readers. Publishing never waits: a reader that sleeps misses
// states in between and sees the newest when it wakes.
type Feed struct {
	mu      sync.Mutex
	latest  *Snapshot
	changed chan struct{} // closed and replaced at each publication
}

// NewFeed returns a feed whose first snapshot says that nothing is loaded.
func NewFeed() *Feed {
	return &Feed{latest: &Snapshot{Loading: true}, changed: make(chan struct{})}
}

// Latest returns the newest snapshot, never nil. It is shared: do not write.
func (f *Feed) Latest() *Snapshot {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.latest
}

// Wait returns the newest snapshot whose version is above after, waiting for
// one if need be, or the context's error.
func (f *Feed) Wait(ctx context.Context, after uint64) (*Snapshot, error) {
	for {
		f.mu.Lock()
		s, changed := f.latest, f.changed
		f.mu.Unlock()
		if s.Version > after {
			return s, nil
		}
		select {
		case <-ctx.Done():
			return s, ctx.Err()
		case <-changed:
		}
	}
}

// Publish makes s the latest snapshot and numbers it. The caller gives s away.
func (f *Feed) Publish(s *Snapshot) {
	f.mu.Lock()
	defer f.mu.Unlock()
	s.Version = f.latest.Version + 1
	f.latest = s
	close(f.changed)
	f.changed = make(chan struct{})
}

// Doing tells readers what is made ready while there is nothing else to show.
func (f *Feed) Doing(what string, now time.Time) {
	if s := *f.Latest(); s.Loading {
		s.Doing, s.At = what, now
		f.Publish(&s)
	}
}

package view

import (
	"context"
	"errors"
	"testing"
)

func TestAFeedBeginsBeforeAnythingIsLoaded(t *testing.T) {
	s := NewFeed().Latest()
	if s == nil || !s.Loading || s.Version != 0 {
		t.Errorf("it begins with %+v", s)
	}
}

func TestAReaderThatSleptSeesTheNewestSnapshotAlone(t *testing.T) {
	f := NewFeed()
	for jobs := 1; jobs <= 3; jobs++ {
		f.Publish(&Snapshot{Jobs: Counts{Queued: jobs}})
	}
	s, err := f.Wait(t.Context(), 0)
	if err != nil || s.Version != 3 || s.Jobs.Queued != 3 {
		t.Errorf("version %d with %d jobs, %v", s.Version, s.Jobs.Queued, err)
	}
}

func TestEveryReaderThatWaitsIsWoken(t *testing.T) {
	f := NewFeed()
	got := make(chan uint64)
	for range 3 {
		go func() {
			s, err := f.Wait(t.Context(), 0)
			if err != nil {
				t.Error(err)
			}
			got <- s.Version
		}()
	}
	f.Publish(&Snapshot{})
	for range 3 {
		if v := <-got; v != 1 {
			t.Errorf("a reader was woken with version %d", v)
		}
	}
}

func TestAReaderThatWaitsEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	f := NewFeed()
	f.Publish(&Snapshot{})
	s, err := f.Wait(ctx, 1)
	if !errors.Is(err, context.Canceled) || s == nil || s.Version != 1 {
		t.Errorf("got %+v, %v; want what was there and the reason", s, err)
	}
}

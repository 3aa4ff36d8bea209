package work

import (
	"testing"
)

// at is the place of a job that worker n of a pool works on.
func (p *Pool) at(n int) *place {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.alive[n] = true
	p.working++
	return &place{pool: p, worker: n}
}

func TestAJobThatWaitsForSomebodyGivesItsPlaceAwayAndTakesOneAgain(t *testing.T) {
	s := newWorkers(t)
	p := s.w.NewPool(t.Context(), PoolOptions{More: s.more})
	p.goal = 1
	waits := p.at(0)
	back := waits.leave()
	if p.Busy() != 1 || !p.mayClaim(0) {
		t.Fatalf("%d jobs are under way, and no other may be claimed", p.Busy())
	}
	other := make(chan struct{})
	go func() { back(); close(other) }()
	s.until("it waits for a place", func() bool { p.mu.Lock(); defer p.mu.Unlock(); return p.coming == 1 })
	if p.mayClaim(0) {
		t.Error("another job was claimed before the one that waits for a place")
	}
	select {
	case <-other:
		t.Error("two jobs have the place of one")
	default:
	}
	p.free(true)
	<-other
	if p.mayClaim(0) || p.Busy() != 1 {
		t.Errorf("%d jobs are under way at one place", p.Busy())
	}
	p.free(true)
	waits.end()
	s.queue(2)
	p.Resize(1)
	s.until("the next jobs end", func() bool { return s.ended() == 2 })
	p.Wait(idle)
}

func TestAJobThatComesBackWhenTheRunEndsWaitsForNoPlace(t *testing.T) {
	s := newWorkers(t)
	p := s.w.NewPool(t.Context(), PoolOptions{More: s.more})
	p.goal = 1
	back := p.at(0).leave()
	p.at(0) // never ends
	p.Resize(0)
	back()
}

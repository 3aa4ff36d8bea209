package work

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"atoll/engine/fold/foldtest"
	"atoll/engine/roster"
	"atoll/store"
	"atoll/store/record"
)

// workers are a runner over a real store, whose jobs are of a kind that nobody can do: each
// ends at once.
type workers struct {
	*foldtest.Story
	t     *testing.T
	w     *Runner
	host  *fakeHost
	drain chan struct{}
	more  chan struct{}
	next  record.JobID
}

func newWorkers(t *testing.T) *workers {
	t.Helper()
	s := &workers{t: t, Story: foldtest.Begin(t), host: &fakeHost{}, drain: make(chan struct{}), more: make(chan struct{}, 8)}
	s.w = New(Options{
		Facts: Facts{Experiment: s.Exp}, DB: s.DB, Budget: roster.NewBudget(s.Exp.ID, s.DB, nil, func() float64 { return 0 }), Live: NewLive(time.Now),
		Host: s.host, Now: time.Now, Settings: func() record.Settings { return record.Settings{} }, Drain: s.drain,
	})
	return s
}

// queue adds jobs.
func (s *workers) queue(n int) {
	s.t.Helper()
	for range n {
		j := record.NewJob(s.Exp.ID, s.next, record.Assist)
		j.Purpose = "sing"
		s.Add(j)
		s.next++
		select {
		case s.more <- struct{}{}:
		default: // enough are offered
		}
	}
}

// ended counts the jobs that came to an end.
func (s *workers) ended() int {
	s.t.Helper()
	c, err := s.DB.Counters(s.t.Context(), s.Exp.ID)
	if err != nil {
		s.t.Fatal(err)
	}
	return c.Jobs(record.Assist, record.Failed)
}

// until waits for a condition as long as the test may take.
func (s *workers) until(what string, is func() bool) {
	s.t.Helper()
	for deadline := time.Now().Add(time.Minute); !is(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			s.t.Fatalf("%s: not within a minute", what)
		}
	}
}

func idle(done <-chan struct{}) { <-done }

func TestWorkersTakeWhatThereIsAndWaitForMore(t *testing.T) {
	s := newWorkers(t)
	p := s.w.NewPool(t.Context(), PoolOptions{More: s.more})
	s.queue(3)
	p.Resize(2)
	s.until("three jobs end", func() bool { return s.ended() == 3 })
	s.queue(2)
	s.until("two more end", func() bool { return s.ended() == 5 })
	p.Wait(idle)
	if p.Busy() != 0 || s.w.live.Busy() {
		t.Errorf("%d workers are busy after the end", p.Busy())
	}
	s.queue(1)
	if _, err := s.DB.Lease(t.Context(), s.Exp.ID, "another", time.Minute); err != nil {
		t.Errorf("a job that came after the end was taken: %v", err)
	}
}

func TestADrainedPoolTakesNothingMore(t *testing.T) {
	s := newWorkers(t)
	p := s.w.NewPool(t.Context(), PoolOptions{More: s.more})
	p.Resize(2)
	close(s.drain)
	s.queue(2)
	p.Wait(idle)
	if n := s.ended(); n != 0 {
		t.Errorf("%d jobs were done", n)
	}
}

func TestEachWorkerOfOneRoundDoesOneJob(t *testing.T) {
	s := newWorkers(t)
	p := s.w.NewPool(t.Context(), PoolOptions{Once: true, More: s.more})
	s.queue(5)
	p.Resize(2)
	s.until("the round is over", p.Spent)
	p.Resize(2) // as the loop does at each turn
	p.Wait(idle)
	if n := s.ended(); n != 2 {
		t.Errorf("%d jobs were done", n)
	}
}

func TestMeasuringTheRootIsNoJobOfARound(t *testing.T) {
	s := newWorkers(t)
	p := &Pool{w: s.w, ctx: t.Context(), alive: map[int]bool{}, opt: PoolOptions{Once: true}, goal: 1, idle: make(chan struct{}, 1), working: 1}
	p.freed = sync.NewCond(&p.mu)
	root, other := record.NewJob(s.Exp.ID, 0, record.Evaluate), record.NewJob(s.Exp.ID, 1, record.Evaluate)
	root.Candidate, other.Candidate = record.Root, record.Root+1
	p.free(!measuresRoot(&root))
	if p.Spent() || !p.mayClaim(0) {
		t.Error("the round is over with the root")
	}
	p.free(!measuresRoot(&other))
	if !p.Spent() || p.mayClaim(0) {
		t.Error("the round is not over with a job")
	}
}

func TestWhyNoJobCanBeLeasedDecidesWhetherAWorkerWaits(t *testing.T) {
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	full, none := make(chan struct{}, 1), make(chan struct{})
	full <- struct{}{}
	for _, c := range []struct {
		name  string
		ctx   context.Context
		err   error
		more  chan struct{}
		waits bool
		told  string
	}{
		{"one is offered", t.Context(), store.ErrNoJob, full, true, ""},
		{"the run was stopped meanwhile", gone, store.ErrNoJob, none, false, ""},
		{"a budget is used up", t.Context(), &store.BudgetError{Which: "jobs", Used: 3, Max: 3}, none, false, "exhausted: jobs"},
		{"the store fails", t.Context(), errors.New("the disk is gone"), none, false, "store failed: the disk is gone"},
		{"the store fails because the run was stopped", gone, context.Canceled, none, false, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			host := &fakeHost{}
			p := &Pool{w: &Runner{run: &run{host: host}}, ctx: c.ctx, opt: PoolOptions{More: c.more}}
			if waits := p.waitForJob(c.err); waits != c.waits || host.told() != c.told {
				t.Errorf("it waits: %v; told %q", waits, host.told())
			}
		})
	}
}

func TestAJobThatIsCancelledEndsAndSaysSo(t *testing.T) {
	s := newWorkers(t)
	s.queue(1)
	l := s.Lease()
	ctx, cancel := context.WithCancelCause(t.Context())
	s.w.live.begin(l, cancel)
	if s.w.live.Cancel(99, ErrCancelled) || !s.w.live.Cancel(l.Job.ID, ErrCancelled) {
		t.Fatal("a job that runs is not found, or one that does not is")
	}
	s.w.maker.ender.giveUp(ctx, &attempt{run: s.w.run, lease: l, started: time.Now(), ended: s.w.ended}, ctx.Err())
	j, err := s.DB.Job(t.Context(), s.Exp.ID, l.Job.ID)
	if err != nil || j.State != record.Cancelled || j.Reason != "cancelled" || s.host.told() != "" {
		t.Errorf("%s: %s, %v; told %q", j.State, j.Reason, err, s.host.told())
	}
}

func TestWhatBreaksOffForTheRunLeavesItsJobInWork(t *testing.T) {
	stopped, stop := context.WithCancelCause(t.Context())
	stop(errors.New("the engine was stopped"))
	lost, lose := context.WithCancelCause(t.Context())
	lose(store.ErrLost)
	for _, c := range []struct {
		name string
		ctx  context.Context
		err  error
		told string
	}{
		{"the run stops", stopped, context.Canceled, ""},
		{"its lease went to another", lost, context.Canceled, ""},
		{"its budget is used up", t.Context(), &store.BudgetError{Which: "cost"}, "exhausted: cost"},
		{"it goes back to the queue", t.Context(), errPutBack, ""},
		{"the machine fails it", t.Context(), errors.New("no memory"), "store failed: job #0: no memory"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newWorkers(t)
			s.queue(1)
			l := s.Lease()
			s.w.maker.ender.giveUp(c.ctx, &attempt{run: s.w.run, lease: l, started: time.Now(), ended: s.w.ended}, c.err)
			j, err := s.DB.Job(t.Context(), s.Exp.ID, l.Job.ID)
			if err != nil || j.State.Ended() || !strings.Contains(s.host.told(), c.told) || (c.told == "") != (s.host.told() == "") {
				t.Errorf("%s, %v; told %q", j.State, err, s.host.told())
			}
			if n, err := s.DB.Requeue(t.Context(), s.Exp.ID); err != nil || n != 1 {
				t.Errorf("%d jobs go back to the queue, %v", n, err)
			}
		})
	}
}

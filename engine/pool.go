package engine

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"atoll/store"
	"atoll/store/record"
)

// leaseFor is how long a lease lasts without a heartbeat.
const leaseFor = 60 * time.Second

// pool is the set of workers of one run. It is owned by the loop, which sizes
// it; each worker is a goroutine that leases one job at a time.
type pool struct {
	e        *Engine
	ctx      context.Context
	wg       sync.WaitGroup // the workers
	beat     sync.WaitGroup // their heartbeat
	stopBeat context.CancelFunc
	idle     chan struct{} // a worker went idle or ended
	mu       sync.Mutex
	goal     int
	alive    map[int]bool
	working  int
	done     int // jobs done, for --once
}

func (e *Engine) startPool(ctx context.Context) *pool {
	beatCtx, stopBeat := context.WithCancel(ctx)
	p := &pool{e: e, ctx: ctx, idle: make(chan struct{}, 1), alive: map[int]bool{}, stopBeat: stopBeat}
	p.beat.Go(func() { e.heartbeats(beatCtx) })
	return p
}

// resize sets how many workers claim jobs. Workers above the goal end after
// their present job.
func (p *pool) resize(goal int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.goal = goal
	for n := range goal {
		if p.alive[n] || p.e.opt.Once && p.done >= goal {
			continue
		}
		p.alive[n] = true
		p.wg.Go(func() { p.work(n) })
	}
}

func (p *pool) busy() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.working
}

// spent reports whether a run with Once has dispatched what it may.
func (p *pool) spent() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.working == 0 && (p.done >= p.goal && p.goal > 0 || len(p.alive) == 0 && p.goal == 0)
}

// wait returns when every worker has ended; the context must have ended or
// the goal be 0.
func (p *pool) wait() {
	p.resize(0)
	for range 1024 { // wake those that wait for jobs
		select {
		case p.e.more <- struct{}{}:
			continue
		default:
		}
		break
	}
	done := make(chan struct{})
	go func() {
		p.wg.Wait()
		p.stopBeat()
		p.beat.Wait()
		close(done)
	}()
	for {
		select {
		case <-done:
			return
		case fn := <-p.e.calls: // questions are answered to the end
			fn(p.e.st)
		}
	}
}

// mayClaim reports whether worker n may lease another job, and counts it as
// working when it may.
func (p *pool) mayClaim(n int) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ctx.Err() != nil || n >= p.goal || p.e.draining() || p.e.opt.Once && p.done+p.working >= p.goal {
		delete(p.alive, n)
		return false
	}
	p.working++
	return true
}

func (p *pool) rest(did bool) {
	p.mu.Lock()
	p.working--
	if did {
		p.done++
	}
	p.mu.Unlock()
	select {
	case p.idle <- struct{}{}:
	default:
	}
}

func (p *pool) work(n int) {
	name := fmt.Sprintf("w%d", n+1)
	defer p.e.poke()
	for p.mayClaim(n) {
		lease, err := p.e.db.Lease(p.ctx, p.e.exp, name, leaseFor)
		if err == nil {
			select {
			case <-p.e.more: // the job that was offered, or one like it
			default:
			}
			p.e.runJob(p.ctx, lease)
			p.rest(true)
			continue
		}
		p.rest(false)
		if !p.waitForJob(err) {
			p.mu.Lock()
			delete(p.alive, n)
			p.mu.Unlock()
			return
		}
	}
}

// waitForJob waits until there may be a job to lease; false ends the worker.
func (p *pool) waitForJob(err error) bool {
	var budget *store.BudgetError
	switch {
	case errors.As(err, &budget):
		p.e.exhausted(budget)
		return false
	case errors.Is(err, store.ErrNoJob):
	case p.ctx.Err() != nil:
		return false
	default:
		p.e.storeFailed(err)
		return false
	}
	select {
	case <-p.ctx.Done():
		return false
	case <-p.e.drain:
		return false
	case <-p.e.more:
		return true
	case <-time.After(time.Second): // another process may have approved a job
		return true
	}
}

// heartbeats keeps the leases of running jobs alive until ctx ends.
func (e *Engine) heartbeats(ctx context.Context) {
	tick := time.NewTicker(leaseFor / 4)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		for _, l := range e.live.leases() {
			if err := e.db.Heartbeat(ctx, l, leaseFor); errors.Is(err, store.ErrLost) {
				e.live.cancel(l.Job.ID, store.ErrLost)
			}
		}
	}
}

// runJob carries one leased job as far as it goes.
func (e *Engine) runJob(ctx context.Context, lease *record.Lease) {
	jobCtx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	e.live.begin(*lease, cancel)
	defer e.live.end(lease.Job.ID)
	defer e.money.Forget(lease.Job.ID)
	r := &jobRun{e: e, lease: *lease, started: e.opt.Now()}
	var err error
	switch lease.Job.Kind {
	case record.Make:
		err = r.make(jobCtx)
	case record.Evaluate:
		err = r.measure(jobCtx)
	case record.Assist:
		err = r.assist(jobCtx)
	default:
		err = r.finish(jobCtx, store.Outcome{State: record.Failed, Class: record.ClassInternal, Reason: "this version cannot do " + string(lease.Job.Kind) + " jobs"})
	}
	if err != nil {
		r.giveUp(jobCtx, err)
	}
}

package work

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

// PoolOptions say how jobs are claimed.
type PoolOptions struct {
	Once bool          // each worker does one job; measuring the root is none
	More chan struct{} // an offer of a job for each value
	Ends time.Time     // the time of the run is over; zero: never
}

// Pool is the set of workers of one run. It is owned by the loop, which sizes
// it; each worker is a goroutine that leases one job at a time. A job that waits for
// somebody gives its worker's place to another and takes one again behind it (see
// [place]).
type Pool struct {
	w        *Runner
	opt      PoolOptions
	ctx      context.Context
	wg       sync.WaitGroup // the workers
	beat     sync.WaitGroup // their heartbeat
	stopBeat context.CancelFunc
	idle     chan struct{} // a worker went idle or ended
	mu       sync.Mutex
	freed    *sync.Cond // a place, or the goal is another
	goal     int
	alive    map[int]bool
	working  int // jobs that have a place
	away     int // jobs without one: they wait for somebody, or for a place again
	coming   int // of these, those that wait for a place
	unnamed  int // jobs that took a place again, beside the workers with a number
	done     int // jobs done, for --once
}

// NewPool starts the heartbeat of a set of workers; they begin with [Pool.Resize].
func (w *Runner) NewPool(ctx context.Context, opt PoolOptions) *Pool {
	w.ends = opt.Ends
	beatCtx, stopBeat := context.WithCancel(ctx)
	p := &Pool{w: w, opt: opt, ctx: ctx, idle: make(chan struct{}, 1), alive: map[int]bool{}, stopBeat: stopBeat}
	p.freed = sync.NewCond(&p.mu)
	p.beat.Go(func() { p.heartbeats(beatCtx) })
	return p
}

// Resize sets how many workers claim jobs. Workers above the goal end after
// their present job.
func (p *Pool) Resize(goal int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.goal = goal
	p.freed.Broadcast()
	for n := range goal {
		if p.alive[n] || p.opt.Once && p.done >= goal || len(p.alive)+p.unnamed+p.coming >= goal {
			continue
		}
		p.alive[n] = true
		p.wg.Go(func() { p.work(n) })
	}
}

// Busy returns how many jobs are under way, with those that wait for somebody.
func (p *Pool) Busy() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.working + p.away
}

// Spent reports whether a run with Once has dispatched what it may.
func (p *Pool) Spent() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.working == 0 && (p.done >= p.goal && p.goal > 0 || len(p.alive) == 0 && p.goal == 0)
}

// Wait returns when every worker has ended; the context must have ended or
// the goal be 0.
//
// meanwhile is called until then, again and again; it returns when done is
// closed or it had something to do.
func (p *Pool) Wait(meanwhile func(done <-chan struct{})) {
	p.Resize(0)
	for range 1024 { // wake those that wait for jobs
		select {
		case p.opt.More <- struct{}{}:
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
		default:
			meanwhile(done)
		}
	}
}

// mayClaim reports whether worker n may lease another job, and counts it as
// working when it may.
func (p *Pool) mayClaim(n int) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ctx.Err() != nil || n >= p.goal || p.w.draining() || p.opt.Once && p.done+p.working >= p.goal || p.working+p.coming >= p.goal {
		delete(p.alive, n)
		return false
	}
	p.working++
	return true
}

// measuresRoot reports whether a job makes ready for all others.
func measuresRoot(j *record.Job) bool { return j.Kind == record.Evaluate && j.Candidate == record.Root }

// free counts a worker as idle again; did says whether it carried out a job.
func (p *Pool) free(did bool) {
	p.mu.Lock()
	p.working--
	if did {
		p.done++
	}
	p.freed.Broadcast()
	p.mu.Unlock()
	select {
	case p.idle <- struct{}{}:
	default:
	}
}

func (p *Pool) work(n int) {
	name := fmt.Sprintf("w%d", n+1)
	defer p.w.host.Wake()
	for p.mayClaim(n) {
		lease, err := p.w.db.Lease(p.ctx, p.w.exp(), name, leaseFor)
		if err == nil {
			select {
			case <-p.opt.More: // the job that was offered, or one like it
			default:
			}
			at := &place{pool: p, worker: n}
			goOn := p.w.carryOut(p.ctx, lease, at)
			p.free(!measuresRoot(&lease.Job))
			if at.left { // another has the number
				at.end()
				return
			}
			if goOn {
				continue
			}
		} else {
			p.free(false)
		}
		if err == nil || !p.waitForJob(err) {
			p.mu.Lock()
			delete(p.alive, n)
			p.mu.Unlock()
			return
		}
	}
}

// waitForJob waits until there may be a job to lease; false ends the worker.
func (p *Pool) waitForJob(err error) bool {
	var budget *store.BudgetError
	switch {
	case errors.As(err, &budget):
		p.w.host.Exhausted(budget)
		return false
	case errors.Is(err, store.ErrNoJob):
	case p.ctx.Err() != nil:
		return false
	default:
		p.w.host.StoreFailed(err)
		return false
	}
	select {
	case <-p.ctx.Done():
		return false
	case <-p.w.drain:
		return false
	case <-p.opt.More:
		return true
	case <-time.After(time.Second): // another process may have approved a job
		return true
	}
}

// heartbeats keeps the leases of running jobs alive until ctx ends.
func (p *Pool) heartbeats(ctx context.Context) {
	tick := time.NewTicker(leaseFor / 4)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		for _, l := range p.w.live.leases() {
			if err := p.w.db.Heartbeat(ctx, l, leaseFor); errors.Is(err, store.ErrLost) {
				p.w.live.Cancel(l.Job.ID, store.ErrLost)
			}
		}
	}
}

// Idle receives when a worker went idle or ended.
func (p *Pool) Idle() <-chan struct{} { return p.idle }

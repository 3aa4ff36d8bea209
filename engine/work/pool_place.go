package work

import (
	"context"

	"atoll/store/record"
)

// place is the place of a job among those that the pool works on at a time. A job
// that waits for somebody leaves it, so that another worker can take its number, and
// takes one again before it goes on. It is used by its worker's goroutine alone.
type place struct {
	pool   *Pool
	worker int
	left   bool
}

// leave gives the place away until back is called, which waits for one: no more jobs
// are worked on at a time than there are workers. Where the run ends, or has no
// workers any more, it does not wait. A run of one round has no other jobs.
func (at *place) leave() (back func()) {
	p := at.pool
	if at.left || p.opt.Once {
		return func() {}
	}
	p.mu.Lock()
	at.left = true
	delete(p.alive, at.worker)
	p.working--
	p.away++
	p.freed.Broadcast()
	p.mu.Unlock()
	p.w.host.Wake() // there is room for another worker
	return at.back
}

func (at *place) back() {
	p := at.pool
	stop := context.AfterFunc(p.ctx, p.freed.Broadcast)
	defer stop()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.coming++
	for p.goal > 0 && p.working >= p.goal && p.ctx.Err() == nil {
		p.freed.Wait()
	}
	p.coming--
	p.away--
	p.working++
	p.unnamed++
}

// end takes note that the job of a place that was left has ended.
func (at *place) end() {
	at.pool.mu.Lock()
	defer at.pool.mu.Unlock()
	at.pool.unnamed--
}

// waits reports whether a job of an agent waits for somebody while others work: not
// where nobody else edits, for then every worker has one of these.
func (w *run) waits(agent string) bool {
	if !w.roster.Waits[agent] {
		return false
	}
	for name, weight := range w.settings().Agents {
		if weight > 0 && !w.roster.Waits[name] {
			return true
		}
	}
	return false
}

// leaves gives up the place of an attempt while somebody is waited for; back takes one
// again.
func (r *attempt) leaves(job record.Job) (back func()) {
	if r.place == nil || !r.waits(job.Agent) {
		return func() {}
	}
	return r.place.leave()
}

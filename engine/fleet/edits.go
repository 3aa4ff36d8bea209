package fleet

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"atoll/engine/agent/client"
	"atoll/engine/fleet/wire"
	"atoll/engine/sandbox"
	"atoll/engine/work"
	"atoll/store/record"
)

// errand is the run of a coding client of a task. What machines send of it belongs to the
// one that has the task. The coordinator's lock guards it.
type errand struct {
	client.Errand
	parts []byte                  // of what came of it
	pipes map[uint64]*wire.Stream // to the model's gateway, by number
	// running are the goroutines of pipes; who waits for the errand waits for them.
	running sync.WaitGroup
}

// left forgets what the machine sent that had the task, and cuts its way to the model.
func (x *errand) left() {
	x.parts = nil
	for n, p := range x.pipes {
		p.Close()
		delete(x.pipes, n)
	}
	x.Waits()
}

var _ client.Elsewhere = (*Coordinator)(nil)

// Edit implements [client.Elsewhere]: it waits until a machine has run the client. Where the
// machine is lost the run begins anew on another one.
func (c *Coordinator) Edit(ctx context.Context, e client.Errand) (sandbox.Result, error) {
	c.mu.Lock()
	s := c.run
	c.mu.Unlock()
	if s == nil {
		return sandbox.Result{}, errors.New("the fleet serves no run yet")
	}
	data, err := wire.FromErrand(&e)
	if err != nil {
		return sandbox.Result{}, err
	}
	changes, err := s.job.Bench.Repo.Changes(ctx, s.job.Bench.RootTree, e.Tree)
	if err != nil {
		return sandbox.Result{}, err
	}
	t := s.form
	t.ID, t.Job, t.Attempt, t.Candidate, t.Tree = wire.NewID(), e.Job, e.Attempt, record.NoCandidate, e.Tree
	blob, err := c.blobs.carry(&t, changes)
	if err != nil {
		return sandbox.Result{}, err
	}
	if blob != "" {
		defer c.blobs.drop(blob)
	}
	t.Errand = c.blobs.offer(data)
	defer c.blobs.drop(t.Errand)
	k, err := newTask(t, work.Measurement{Job: e.Job, Attempt: e.Attempt, Candidate: record.NoCandidate}, nil)
	if err != nil {
		return sandbox.Result{}, err
	}
	k.what.Live = func(stage, _ string) { e.Stage(stage) }
	k.errand = &errand{Errand: e, pipes: map[uint64]*wire.Stream{}}
	defer k.errand.running.Wait()
	e.Waits()
	k.live("waits for a machine")
	c.offer(k)
	select {
	case how := <-k.done:
		return how.edited, how.err
	case <-ctx.Done():
		s.cancel(k)
		return sandbox.Result{}, context.Cause(ctx)
	}
}

// gave reads what a machine says came of a task. What no honest worker sends is an error.
func (k *task) gave(r *wire.Result) (edited sandbox.Result, err error) {
	switch {
	case k.errand != nil:
		return wire.ToEdited(k.errand.parts, r.Edited)
	case r.Edited != "":
		return edited, fmt.Errorf("%w: an edit, and a sample was asked for", wire.ErrMessage)
	}
	_, err = r.Outcome(k.what.Job, k.what.Candidate, k.stages)
	return edited, err
}

// editing is what the coordinator does with what machines say of edits. The caller holds
// its lock.
type editing struct{ *Coordinator }

// errandOf is the errand that a machine has under a token; else the answer says why not.
func (c editing) errandOf(m *machine, id, token string) (*task, wire.Answer) {
	k, v := c.table.judge(id, token, m.name)
	switch {
	case v == fenced:
		return nil, wire.Answer{Fenced: true, Why: "the edit is done, or another machine has it"}
	case v == forged || k.errand == nil:
		c.refuse(m, "parts of an edit that it was not given")
		return nil, wire.Answer{Fenced: true, Why: "the edit was not given to this machine"}
	}
	return k, wire.Answer{OK: true}
}

// part takes a piece of what came of an errand.
func (c editing) part(m *machine, p *wire.Part, now time.Time) wire.Answer {
	k, a := c.errandOf(m, p.Task, p.Token)
	if k == nil {
		return a
	}
	k.seen = now
	x := k.errand
	switch end := p.At + len(p.Data); {
	case p.At < 0 || end > wire.MaxEdited:
		c.refuse(m, fmt.Sprintf("an edit of more than %d bytes", wire.MaxEdited))
		return wire.Answer{Why: "it is too large"}
	case p.At > len(x.parts):
		return wire.Answer{Why: "a part before it is missing"}
	case end > len(x.parts):
		x.parts = append(x.parts[:p.At], p.Data...)
	}
	return a
}

// lines hands on what a client says.
func (c editing) lines(m *machine, l *wire.Lines) {
	k, _ := c.errandOf(m, l.Task, l.Token)
	if k == nil || k.errand.Spec.OnLine == nil {
		return
	}
	for _, said := range l.Lines {
		if said.Stream == 1 || said.Stream == 2 {
			k.errand.Spec.OnLine(said.Stream, string(said.Text))
		}
	}
}

// maxPipes bounds the connections of one errand to the model's gateway.
const maxPipes = 64

// pipe takes bytes of a client for the model's gateway. An answer that is not OK says that
// the connection is no more.
func (c editing) pipe(m *machine, q *wire.Pipe) wire.Answer {
	k, a := c.errandOf(m, q.Task, q.Token)
	if k == nil {
		return a
	}
	gone := wire.Answer{Why: "the connection is gone"}
	x := k.errand
	p := x.pipes[q.Conn]
	if p == nil {
		if q.Seq != 0 || x.Gateway == "" || len(x.pipes) >= maxPipes {
			return gone
		}
		conn, err := net.Dial("unix", x.Gateway) // of this process
		if err != nil {
			return gone
		}
		p = wire.NewStream(conn)
		x.pipes[q.Conn] = p
		x.running.Go(func() { pour(p) })
		x.running.Go(func() { c.back(m.name, k, q.Conn, p) })
	}
	if !p.Take(q) {
		delete(x.pipes, q.Conn)
		return gone
	}
	return a
}

// pour hands the gateway what came, until there is no more; its answer may be to come.
func pour(p *wire.Stream) {
	if p.Pour() != nil {
		_ = p.Conn.Close()
		return
	}
	if half, ok := p.Conn.(*net.UnixConn); ok {
		_ = half.CloseWrite()
	}
}

// back sends the client what the gateway says, until it is done or the machine has the
// errand no more. It takes the lock itself.
func (c editing) back(name string, k *task, n uint64, p *wire.Stream) {
	defer p.Conn.Close()
	buf := make([]byte, wire.PipeBytes)
	for seq := uint64(0); ; seq++ {
		size, err := p.Conn.Read(buf)
		c.mu.Lock()
		m := c.machines[name]
		if m == nil || k.errand.pipes[n] != p {
			c.mu.Unlock()
			return
		}
		if err != nil {
			p.Close()
			delete(k.errand.pipes, n)
		}
		c.order(m, wire.Order{Kind: wire.OrderPipe, Pipe: &wire.Pipe{Task: k.id, Conn: n, Seq: seq, Data: buf[:size], End: err != nil}})
		c.mu.Unlock()
		if err != nil {
			return
		}
	}
}

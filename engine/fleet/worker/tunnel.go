package worker

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"sync"

	"atoll/engine/fleet/wire"
)

// tunnel leads the connections of one client to the model's gateway, which is at the
// coordinator with its keys. Where the way breaks the connection does, and the client asks
// again.
type tunnel struct {
	e        *execution
	ctx      context.Context
	socket   string
	dir      string
	listener net.Listener
	running  sync.WaitGroup

	mu    sync.Mutex
	last  uint64
	conns map[uint64]*wire.Stream // nil: it is closed
}

// tunnel opens the task's way to a model.
func (e *execution) tunnel(ctx context.Context) (*tunnel, error) {
	dir, err := os.MkdirTemp("", "gw-") // the path of a socket is short
	if err != nil {
		return nil, fmt.Errorf("make a folder for the gateway's socket: %w", err)
	}
	t := &tunnel{e: e, ctx: ctx, dir: dir, socket: filepath.Join(dir, "gw.sock"), conns: map[uint64]*wire.Stream{}}
	if t.listener, err = net.Listen("unix", t.socket); err != nil {
		_ = os.RemoveAll(dir)
		return nil, fmt.Errorf("open the gateway's socket: %w", err)
	}
	e.w.mu.Lock()
	e.w.tunnels[e.task.ID] = t
	e.w.mu.Unlock()
	t.running.Go(t.accept)
	return t, nil
}

// close ends all connections and waits for their goroutines.
func (t *tunnel) close() {
	t.e.w.mu.Lock()
	delete(t.e.w.tunnels, t.e.task.ID)
	t.e.w.mu.Unlock()
	_ = t.listener.Close()
	t.mu.Lock()
	for _, c := range t.conns {
		c.Close()
	}
	t.conns = nil
	t.mu.Unlock()
	t.running.Wait()
	_ = os.RemoveAll(t.dir)
}

// accept takes connections until the listener is closed.
func (t *tunnel) accept() {
	for {
		conn, err := t.listener.Accept()
		if err != nil {
			return
		}
		t.mu.Lock()
		if t.conns == nil {
			t.mu.Unlock()
			_ = conn.Close()
			return
		}
		t.last++
		n, c := t.last, wire.NewStream(conn)
		t.conns[n] = c
		t.mu.Unlock()
		t.running.Go(func() { t.up(n, c) })
		t.running.Go(func() { pour(c) })
	}
}

// up sends what the client says to the coordinator, until it says no more.
func (t *tunnel) up(n uint64, c *wire.Stream) {
	buf := make([]byte, wire.PipeBytes)
	for seq := uint64(0); ; seq++ {
		size, err := c.Conn.Read(buf)
		a, lost := t.e.w.ask(t.ctx, wire.Ask{Kind: wire.AskPipe, Pipe: &wire.Pipe{
			Task: t.e.task.ID, Token: t.e.token, Conn: n, Seq: seq, Data: buf[:size], End: err != nil,
		}})
		if lost != nil || !a.OK {
			t.drop(n, c)
			return
		}
		if err != nil {
			return
		}
	}
}

// drop ends a connection whose way is broken.
func (t *tunnel) drop(n uint64, c *wire.Stream) {
	t.mu.Lock()
	defer t.mu.Unlock()
	c.Close()
	delete(t.conns, n)
}

// take hands a client what the gateway said. It does not block.
func (t *tunnel) take(p *wire.Pipe) {
	t.mu.Lock()
	defer t.mu.Unlock()
	c := t.conns[p.Conn]
	if c == nil {
		return
	}
	if !c.Take(p) || p.End {
		delete(t.conns, p.Conn)
	}
}

// pour hands the client what came, until there is no more.
func pour(c *wire.Stream) {
	_ = c.Pour()
	_ = c.Conn.Close()
}

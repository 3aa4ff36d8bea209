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
	conns map[uint64]*lane // nil: it is closed
}

// lane is one connection.
type lane struct {
	conn net.Conn
	in   chan []byte // from the gateway; closed: there is no more
	done bool        // in is closed
	next uint64      // message that is to come
}

// laneDepth is how many messages wait for a client to read them.
const laneDepth = 512

// tunnel opens the task's way to a model.
func (e *execution) tunnel(ctx context.Context) (*tunnel, error) {
	dir, err := os.MkdirTemp("", "gw-") // the path of a socket is short
	if err != nil {
		return nil, fmt.Errorf("make a folder for the gateway's socket: %w", err)
	}
	t := &tunnel{e: e, ctx: ctx, dir: dir, socket: filepath.Join(dir, "gw.sock"), conns: map[uint64]*lane{}}
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
		c.close()
	}
	t.conns = nil
	t.mu.Unlock()
	t.running.Wait()
	_ = os.RemoveAll(t.dir)
}

// close ends a connection. The caller holds the tunnel's lock.
func (c *lane) close() {
	_ = c.conn.Close()
	c.end()
}

func (c *lane) end() {
	if !c.done {
		c.done = true
		close(c.in)
	}
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
		n, c := t.last, &lane{conn: conn, in: make(chan []byte, laneDepth)}
		t.conns[n] = c
		t.mu.Unlock()
		t.running.Go(func() { t.up(n, c) })
		t.running.Go(c.pour)
	}
}

// up sends what the client says to the coordinator, until it says no more.
func (t *tunnel) up(n uint64, c *lane) {
	buf := make([]byte, wire.PipeBytes)
	for seq := uint64(0); ; seq++ {
		size, err := c.conn.Read(buf)
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
func (t *tunnel) drop(n uint64, c *lane) {
	t.mu.Lock()
	defer t.mu.Unlock()
	c.close()
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
	if p.Seq != c.next || c.done { // one before was lost
		c.close()
		delete(t.conns, p.Conn)
		return
	}
	c.next++
	if len(p.Data) > 0 {
		select {
		case c.in <- p.Data:
		default: // the client reads no more
			c.close()
			delete(t.conns, p.Conn)
			return
		}
	}
	if p.End {
		c.end()
		delete(t.conns, p.Conn)
	}
}

// pour hands the client what came, until there is no more.
func (c *lane) pour() {
	for data := range c.in {
		if _, err := c.conn.Write(data); err != nil {
			break
		}
	}
	_ = c.conn.Close()
}

package sandbox

import (
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"sync"

	"atoll/engine/sandbox/boot/wire"
)

// gateway passes connections on to the gateway's unix socket on the rungs that
// have no network of their own. Any process of this machine can reach its port:
// the gateway's own token decides who is served.
type gateway struct {
	listener net.Listener
	socket   string
	wait     sync.WaitGroup
	mu       sync.Mutex
	conns    map[net.Conn]bool // nil once closed
}

// openGateway listens, and writes the port that the system chose into the job.
func (b *Box) openGateway(j *wire.Job, socket string) (*gateway, error) {
	if b.rung == Landlock && b.facts.abi < 4 {
		return nil, fmt.Errorf("%w: this kernel's Landlock (version %d) cannot limit a command to the gateway: "+
			"use Linux 6.7 or newer, or a machine where rung 1 works", ErrSpec, b.facts.abi)
	}
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("open a port for the gateway: %w", err)
	}
	port := l.Addr().(*net.TCPAddr).Port
	j.Net.Port = int64(port)
	real := "127.0.0.1:" + strconv.Itoa(port)
	for _, list := range [][]string{j.Command.Args, j.Command.Env} {
		for i := range list {
			list[i] = strings.ReplaceAll(list[i], GatewayAddr, real)
		}
	}
	for i := range j.Files {
		j.Files[i].Data = []byte(strings.ReplaceAll(string(j.Files[i].Data), GatewayAddr, real))
	}
	g := &gateway{listener: l, socket: socket, conns: map[net.Conn]bool{}}
	g.wait.Go(g.serve)
	return g, nil
}

// serve accepts until the listener is closed.
func (g *gateway) serve() {
	for {
		conn, err := g.listener.Accept()
		if err != nil {
			return
		}
		g.wait.Go(func() { g.relay(conn) })
	}
}

// hold registers a connection, or closes it when the gateway is closed.
func (g *gateway) hold(c net.Conn) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.conns == nil {
		_ = c.Close()
		return false
	}
	g.conns[c] = true
	return true
}

func (g *gateway) drop(c net.Conn) {
	_ = c.Close()
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.conns, c)
}

// relay joins a connection and the unix socket.
func (g *gateway) relay(conn net.Conn) {
	if !g.hold(conn) {
		return
	}
	defer g.drop(conn)
	out, err := net.Dial("unix", g.socket)
	if err != nil || !g.hold(out) {
		return
	}
	defer g.drop(out)
	done := make(chan struct{})
	go func() {
		_, _ = io.Copy(out, conn)
		_ = out.(*net.UnixConn).CloseWrite()
		close(done)
	}()
	_, _ = io.Copy(conn, out)
	_ = conn.(*net.TCPConn).CloseWrite()
	<-done
}

// close ends all connections and waits for their goroutines.
func (g *gateway) close() {
	_ = g.listener.Close()
	g.mu.Lock()
	for c := range g.conns {
		_ = c.Close()
	}
	g.conns = nil
	g.mu.Unlock()
	g.wait.Wait()
}

package ssh

import (
	"context"
	"time"

	"github.com/charmbracelet/ssh"
)

// The largest screen that is drawn: a screen costs memory and time by its cells, and
// clients may say any size. The rest of a larger terminal stays empty.
const (
	mostWidth  = 500
	mostHeight = 200
)

// usual is the size of a terminal that does not say its own.
var usual = Size{80, 24}

// resizeTime is how long a size stays at least.
const resizeTime = 100 * time.Millisecond

// terminal is what a session said of its own. It exists from the request for it to
// the end of the session.
type terminal struct {
	ctx   context.Context // ends with the session, or with its connection
	term  string          // TERM
	first Size
	next  chan Size // one place, for the newest
}

// giveTerminal wraps the handler of requests for a terminal: from then on somebody
// listens to the sizes that the client tells, so that it can tell as many as it
// likes, and notices the end of the session.
func (s *Server) giveTerminal(handle ssh.PtyHandler) ssh.PtyHandler {
	return func(conn ssh.Context, sess ssh.Session, pty ssh.Pty) (func() error, error) {
		end, err := handle(conn, sess, pty)
		if err != nil {
			return end, err
		}
		ctx, cancel := context.WithCancel(conn)
		t := &terminal{ctx: ctx, term: pty.Term, first: within(pty.Window, usual), next: make(chan Size, 1)}
		s.terminals.Store(sess, t)
		_, windows, _ := sess.Pty()
		done := make(chan struct{})
		go func() {
			defer close(done)
			defer cancel()
			t.listen(windows)
		}()
		return func() error { // windows is closed by now
			<-done
			s.terminals.Delete(sess)
			return end()
		}, nil
	}
}

// terminalOf is nil for a session that asked for none.
func (s *Server) terminalOf(sess ssh.Session) *terminal {
	t, _ := s.terminals.Load(sess)
	out, _ := t.(*terminal)
	return out
}

// listen keeps the newest size, until the session ends.
func (t *terminal) listen(windows <-chan ssh.Window) {
	last := t.first
	for w := range windows {
		size := within(w, last)
		if size == last {
			continue
		}
		last = size
		select {
		case <-t.next:
		default:
		}
		t.next <- size // nobody else sends
	}
}

// tell hands on how large the terminal is, until ctx ends, and closes sizes.
func (t *terminal) tell(ctx context.Context, sizes chan<- Size) {
	defer close(sizes)
	for {
		select {
		case <-ctx.Done():
			return
		case size := <-t.next:
			select {
			case <-ctx.Done():
				return
			case sizes <- size:
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(resizeTime):
		}
	}
}

// within is the size that a console has on a terminal. A zero says nothing (RFC 4254,
// section 6.2): it stays as it was.
func within(w ssh.Window, last Size) Size {
	if w.Width > 0 {
		last.Width = min(w.Width, mostWidth)
	}
	if w.Height > 0 {
		last.Height = min(w.Height, mostHeight)
	}
	return last
}

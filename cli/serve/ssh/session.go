package ssh

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"time"

	"charm.land/wish/v2"
	"github.com/charmbracelet/ssh"
	gossh "golang.org/x/crypto/ssh"

	"atoll/cli/door"
)

// errRevoked ends the session of one whose key is no longer in the list, or has
// fewer rights there.
var errRevoked = errors.New("the list of keys changed")

// session shows a console to one who came in, until they leave, hang up or lose the
// rights that they came with.
func (s *Server) session(sess ssh.Session) {
	who, known := s.opt.Keys.Caller(sess.PublicKey()) // it may have been taken out meanwhile
	t := s.terminalOf(sess)
	switch {
	case !known:
		wish.Fatalln(sess, "your key was taken out of the list")
		return
	case len(sess.Command()) > 0:
		wish.Fatalln(sess, "there is only the console here: come without a command")
		return
	case t == nil:
		wish.Fatalln(sess, "the console needs a terminal: ssh -t")
		return
	}
	if err := s.seats.take(who.Name); err != nil {
		wish.Fatalln(sess, err.Error())
		return
	}
	defer s.seats.leave(who.Name)
	log := s.opt.Logger.With("who", who.Name, "role", who.Role.String(), "from", sess.RemoteAddr().String())
	log.Info("a console was opened over ssh")
	switch err := s.show(sess, t, who); {
	case errors.Is(err, errRevoked):
		log.Info("a console over ssh was ended: its key lost rights")
		defer hangUpLater(sess)()
		wish.Fatalln(sess, "your key was taken out of the list, or has another role there now: come again")
	case err != nil && !errors.Is(err, context.Canceled):
		log.Error("a console over ssh ended: " + err.Error())
		_ = sess.Exit(1)
	default:
		log.Info("a console over ssh was closed")
		_ = sess.Exit(0)
	}
}

// show returns when the console has ended, with all that served it.
func (s *Server) show(sess ssh.Session, t *terminal, who door.Caller) error {
	ctx, cancel := context.WithCancelCause(t.ctx)
	defer context.AfterFunc(s.ctx, func() { cancel(nil) })()
	now := func() door.Caller {
		c, _ := s.opt.Keys.Caller(sess.PublicKey())
		return c
	}
	sizes, shown := make(chan Size), make(chan struct{})
	var beside sync.WaitGroup
	beside.Go(func() { t.tell(ctx, sizes) })
	beside.Go(func() {
		if !door.Holds(ctx, who, now) {
			cancel(errRevoked)
		}
	})
	beside.Go(func() {
		<-ctx.Done()
		stop := hangUpLater(sess)
		<-shown
		stop()
	})
	err := s.opt.Show(ctx, Terminal{
		Who: who, In: sess, Out: sess, Env: environment(sess.Environ(), t.term), Size: t.first, Sizes: sizes, Now: now, Pace: s.pace,
	})
	close(shown)
	if errors.Is(context.Cause(ctx), errRevoked) {
		err = errRevoked
	}
	cancel(nil)
	beside.Wait()
	return err
}

// hangUpLater ends the connection of a session in a moment, unless stop is called: a
// client that takes nothing of what is written would keep the session for itself.
func hangUpLater(sess ssh.Session) (stop func()) {
	late := time.AfterFunc(leaveTime, func() {
		if conn, ok := sess.Context().Value(ssh.ContextKeyConn).(*gossh.ServerConn); ok {
			_ = conn.Close()
		}
	})
	return func() { late.Stop() }
}

// seats are the places for consoles.
type seats struct {
	mu  sync.Mutex
	by  map[string]int // name to consoles
	all int
}

func newSeats() *seats { return &seats{by: map[string]int{}} }

// take takes a place; the error says why there is none.
func (s *seats) take(name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.all >= consoles:
		return fmt.Errorf("%d consoles are open; come back later", consoles)
	case s.by[name] >= ownConsoles:
		return fmt.Errorf("%d consoles of yours are open; close one first", ownConsoles)
	}
	s.by[name]++
	s.all++
	return nil
}

func (s *seats) leave(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all--
	if s.by[name]--; s.by[name] == 0 {
		delete(s.by, name)
	}
}

func (s *seats) taken() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.all
}

// openKey is under which a connection counts its sessions.
type openKey struct{}

// few lets a connection have so many sessions at a time.
func few(next ssh.ChannelHandler) ssh.ChannelHandler {
	return func(srv *ssh.Server, conn *gossh.ServerConn, ch gossh.NewChannel, ctx ssh.Context) {
		if !count(ctx, 1) {
			_ = ch.Reject(gossh.ResourceShortage, fmt.Sprintf("at most %d sessions of a connection", channels))
			return
		}
		defer count(ctx, -1)
		next(srv, conn, ch, ctx) // until the channel is closed
	}
}

// count adds to the open sessions of a connection; false where that would be too
// many.
func count(ctx ssh.Context, by int) bool {
	ctx.Lock()
	defer ctx.Unlock()
	open, _ := ctx.Value(openKey{}).(int)
	if open+by > channels {
		return false
	}
	ctx.SetValue(openKey{}, open+by)
	return true
}

// hurry hangs up on a stranger who shows no key in time.
func hurry(ctx ssh.Context, conn net.Conn) net.Conn {
	late := time.AfterFunc(loginTime, func() {
		if ctx.Value(ssh.ContextKeyConn) == nil {
			_ = conn.Close()
		}
	})
	context.AfterFunc(ctx, func() { late.Stop() })
	return conn
}

// environment is what of a client's environment says how its terminal shows things.
func environment(env []string, term string) []string {
	out := []string{"TERM=" + term}
	for _, v := range env {
		name, _, _ := strings.Cut(v, "=")
		switch name {
		case "COLORTERM", "NO_COLOR", "LANG", "LC_ALL", "LC_CTYPE":
			out = append(out, v)
		}
	}
	return out
}

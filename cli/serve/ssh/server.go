package ssh

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"sync"
	"time"

	"charm.land/wish/v2"
	"github.com/charmbracelet/ssh"
	gossh "golang.org/x/crypto/ssh"
	"golang.org/x/net/netutil"

	"atoll/cli/door"
)

// Size is how large a terminal is, in cells.
type Size struct{ Width, Height int }

// Terminal is the screen and keyboard of a session.
type Terminal struct {
	Who   door.Caller
	In    io.Reader
	Out   io.Writer
	Env   []string    // TERM and what says which colours it has
	Size  Size        // at the beginning, within [mostWidth] and [mostHeight] as all others
	Sizes <-chan Size // as it changes; closed at the end of the session
	// Now is whose the key is by now: nobody's, or theirs with another role, for the
	// moments until the session ends because of that.
	Now func() door.Caller
	// Pace is how long news should wait for the next ones, so that all open consoles
	// together draw about as often as a few do.
	Pace func() time.Duration
}

// paceEach is by how much each open console makes the news of all wait, up to
// paceMost: who decides must see it within a second.
const paceEach, paceMost = 25 * time.Millisecond, 500 * time.Millisecond

// pace is how long news should wait with as many consoles as are open now.
func (s *Server) pace() time.Duration { return min(time.Duration(s.seats.taken())*paceEach, paceMost) }

// Options say where a server answers, and how a console is shown.
type Options struct {
	Addr    string // host:port
	Keys    *Keys
	HostKey string // file of the server's own key; made where it is missing
	// Show shows a console until the person leaves or ctx ends.
	Show   func(ctx context.Context, t Terminal) error
	Logger *slog.Logger
}

// Limits of what strangers can take.
const (
	connections = 128              // at the same time, those that are still strangers included
	consoles    = 64               // at the same time
	ownConsoles = 32               // of them with one name
	channels    = 10               // sessions of one connection, whether they show a console or not
	tries       = 6                // keys that a client may offer
	loginTime   = time.Minute      // for a stranger to show a key
	idleTime    = 10 * time.Minute // without a byte in either direction; a console that runs always writes
	leaveTime   = 2 * time.Second  // for consoles to give the screens back at the end
)

// Server answers over SSH. Make one with [Listen].
type Server struct {
	opt   Options
	ln    net.Listener
	ssh   *ssh.Server
	seats *seats

	terminals sync.Map // from ssh.Session to *terminal: the sessions that asked for one

	ctx context.Context // of all consoles; set by Run before the first
}

// Listen takes the address and reads or makes the host key.
func Listen(o Options) (*Server, error) {
	if _, _, err := net.SplitHostPort(o.Addr); err != nil {
		return nil, fmt.Errorf("the address %q: write host:port, such as 127.0.0.1:2222", o.Addr)
	}
	s := &Server{opt: o, seats: newSeats()}
	var err error
	s.ssh, err = wish.NewServer(
		wish.WithHostKeyPath(o.HostKey), wish.WithIdleTimeout(idleTime), wish.WithVersion("atoll"),
		wish.WithPublicKeyAuth(func(_ ssh.Context, key ssh.PublicKey) bool {
			_, known := o.Keys.Caller(key)
			return known
		}),
		wish.WithMiddleware(func(ssh.Handler) ssh.Handler { return s.session }), ssh.EmulatePty(),
	)
	if err != nil {
		return nil, fmt.Errorf("make ready for ssh: %w", err)
	}
	s.ssh.PtyHandler = s.giveTerminal(s.ssh.PtyHandler)
	s.ssh.ChannelHandlers = map[string]ssh.ChannelHandler{"session": few(ssh.DefaultSessionHandler)}
	s.ssh.ConnCallback = hurry
	s.ssh.ServerConfigCallback = func(ssh.Context) *gossh.ServerConfig { return &gossh.ServerConfig{MaxAuthTries: tries} }
	ln, err := net.Listen("tcp", o.Addr)
	if err != nil {
		return nil, fmt.Errorf("listen: %w", err)
	}
	s.ln = netutil.LimitListener(ln, connections)
	return s, nil
}

// Addr is where the server answers.
func (s *Server) Addr() net.Addr { return s.ln.Addr() }

// Fingerprint is that of the host key, as ssh shows it to one who comes first.
func (s *Server) Fingerprint() string {
	for _, k := range s.ssh.HostSigners {
		return gossh.FingerprintSHA256(k.PublicKey())
	}
	return ""
}

// Run answers until ctx ends.
func (s *Server) Run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s.ctx = ctx
	var others sync.WaitGroup
	others.Go(func() {
		<-ctx.Done()
		end, stop := context.WithTimeout(context.WithoutCancel(ctx), leaveTime)
		defer stop()
		if s.ssh.Shutdown(end) != nil {
			_ = s.ssh.Close()
		}
	})
	err := s.ssh.Serve(s.ln)
	cancel()
	others.Wait()
	if errors.Is(err, ssh.ErrServerClosed) || errors.Is(err, net.ErrClosed) {
		return nil
	}
	return err
}

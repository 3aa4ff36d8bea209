package serve

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"golang.org/x/net/netutil"

	"atoll/cli/door"
)

// Options say what a server answers, and to whom.
type Options struct {
	Door    *door.Door
	Addr    string       // host:port
	Tokens  *door.Tokens // nil: nobody can decide
	Private bool         // looking needs a token as well
	Plain   bool         // allow other machines without TLS, as behind a proxy
	Cert    string       // PEM files; "" = plain HTTP
	Key     string
	Hosts   []string // further names that requests may ask for
	Now     func() time.Time
	Logger  *slog.Logger
	Version string
	// Agents is what answers coding agents at /mcp, given who asks; nil = nobody.
	Agents func(who func(context.Context) door.Caller) http.Handler
}

// Limits of what strangers can take.
const (
	connections = 512              // at the same time
	streams     = 128              // of events
	bodyLimit   = 1 << 20          // bytes of a request
	headerLimit = 16 << 10         // bytes
	readTime    = 15 * time.Second // for a request
	writeTime   = 30 * time.Second // for an answer that is no stream
	answerTime  = 10 * time.Second // for what is asked of the engine
	leaveTime   = 2 * time.Second  // for answers under way at the end
)

// Server answers over HTTP. Make one with [Listen].
type Server struct {
	opt  Options
	ln   net.Listener
	http *http.Server
	site *site
}

// Listen takes the address. It refuses what would let strangers in: another
// machine without tokens, or without TLS.
func Listen(o Options) (*Server, error) {
	host, _, err := net.SplitHostPort(o.Addr)
	if err != nil {
		return nil, fmt.Errorf("the address %q: write host:port, such as 127.0.0.1:7777", o.Addr)
	}
	if (o.Cert == "") != (o.Key == "") {
		return nil, errors.New("TLS needs both, --cert and --key")
	}
	if !loopback(host) {
		switch {
		case o.Tokens == nil:
			return nil, fmt.Errorf("%s can be reached from other machines: say with --tokens FILE who may come in, or listen on 127.0.0.1", o.Addr)
		case o.Cert == "" && !o.Plain:
			return nil, fmt.Errorf("%s can be reached from other machines and tokens would travel in the clear: give --cert and --key, or --plain behind a proxy that does TLS", o.Addr)
		}
		o.Private = true
	}
	ln, err := net.Listen("tcp", o.Addr)
	if err != nil {
		return nil, fmt.Errorf("listen: %w", err)
	}
	s := &Server{opt: o, ln: netutil.LimitListener(ln, connections), site: newSite(o)}
	s.http = &http.Server{
		Handler: s.site.handler(), ReadHeaderTimeout: readTime, ReadTimeout: readTime, WriteTimeout: writeTime, IdleTimeout: time.Minute,
		MaxHeaderBytes: headerLimit, ErrorLog: slog.NewLogLogger(o.Logger.Handler(), slog.LevelDebug),
	}
	if o.Cert != "" {
		pair, err := tls.LoadX509KeyPair(o.Cert, o.Key)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("read the certificate: %w", err), ln.Close())
		}
		s.http.TLSConfig = &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}
	}
	return s, nil
}

// URL is where the page is.
func (s *Server) URL() string {
	scheme := "http"
	if s.opt.Cert != "" {
		scheme = "https"
	}
	return scheme + "://" + s.ln.Addr().String() + "/"
}

// Run answers until ctx ends.
func (s *Server) Run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s.http.BaseContext = func(net.Listener) context.Context { return ctx }
	var others sync.WaitGroup
	defer others.Wait()
	others.Go(func() { s.site.figures.follow(ctx, s.opt.Door.Feed()) })
	others.Go(func() {
		<-ctx.Done()
		end, stop := context.WithTimeout(context.WithoutCancel(ctx), leaveTime)
		defer stop()
		if s.http.Shutdown(end) != nil {
			_ = s.http.Close()
		}
	})
	err := s.serve()
	cancel()
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

func (s *Server) serve() error {
	if s.opt.Cert != "" {
		return s.http.ServeTLS(s.ln, "", "")
	}
	return s.http.Serve(s.ln)
}

// loopback reports whether a host is this machine for itself alone.
func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

package serve

import (
	"context"
	"crypto/rand"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"atoll/cli/door"
)

// guard decides who a request comes from, and whether it is answered at all.
type guard struct {
	opt      *Options
	requests *meters // of each address
	guesses  *meters // tokens that nobody holds, of each address
	sessions *sessions
	cross    *http.CrossOriginProtection
}

func newGuard(o *Options) *guard {
	return &guard{
		opt: o, requests: newMeters(100, 300), guesses: newMeters(5, 20),
		sessions: newSessions(o.Now, o.Tokens), cross: http.NewCrossOriginProtection(),
	}
}

type callerKey struct{}

// callerOf is who a guarded request comes from.
func callerOf(ctx context.Context) door.Caller {
	c, _ := ctx.Value(callerKey{}).(door.Caller)
	return c
}

// wrap lets through what may pass.
func (g *guard) wrap(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		harden(w.Header())
		if code, why := g.stop(r); code != 0 {
			refuse(w, r, code, why)
			return
		}
		caller, code, why := g.caller(r)
		if code != 0 {
			refuse(w, r, code, why)
			return
		}
		// The server's own request keeps its body: by it the server knows of what was left
		// unread, and closes the connection instead of reading it as another request.
		ctx, done := g.while(context.WithValue(r.Context(), callerKey{}, caller), r, caller)
		defer done()
		known := r.WithContext(ctx)
		known.Body = http.MaxBytesReader(w, r.Body, bodyLimit)
		next.ServeHTTP(w, known)
	})
}

// while returns a context that ends when a caller loses the rights that a request came
// with: what stays open, such as events, ends then. Call done at the end.
func (g *guard) while(ctx context.Context, r *http.Request, caller door.Caller) (_ context.Context, done func()) {
	mark, ok := g.mark(r)
	if !ok {
		return ctx, func() {} // a visitor has nothing to lose
	}
	ctx, cancel := context.WithCancel(ctx)
	var watch sync.WaitGroup
	watch.Go(func() {
		if !door.Holds(ctx, caller, func() door.Caller { c, _ := g.opt.Tokens.Holder(mark); return c }) {
			cancel()
		}
	})
	return ctx, func() { cancel(); watch.Wait() }
}

// harden tells browsers to trust nothing that did not come from here.
func harden(h http.Header) {
	h.Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "same-origin")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
}

// stop returns why a request is refused whoever it comes from; 0 lets it pass.
func (g *guard) stop(r *http.Request) (int, string) {
	switch {
	case !g.requests.take(address(r)):
		return http.StatusTooManyRequests, "too many requests; slow down"
	case !g.known(r.Host):
		return http.StatusMisdirectedRequest, "this server does not go by that name; --host NAME adds one"
	case !sameOrigin(r):
		return http.StatusForbidden, "another site asks through your browser; that is refused"
	}
	if err := g.cross.Check(r); err != nil {
		return http.StatusForbidden, "another site asks through your browser; that is refused"
	}
	return 0, ""
}

// known reports whether a request asks for this server, and not for a name that
// somebody made point here (DNS rebinding).
func (g *guard) known(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.Trim(host, "[]")
	own, _, _ := net.SplitHostPort(g.opt.Addr)
	ip := net.ParseIP(host)
	return loopback(host) || host == own || slices.Contains(g.opt.Hosts, host) || ip != nil && !loopback(own)
}

// sameOrigin refuses requests that a browser makes for another site.
func sameOrigin(r *http.Request) bool {
	origin := r.Header.Get("Origin")
	if origin == "" {
		return true
	}
	u, err := url.Parse(origin)
	return err == nil && u.Host == r.Host
}

// address is what limits count by.
func address(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	return host
}

// secret is the token that a request brings; "" for none.
func secret(r *http.Request) string {
	if token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok {
		return token
	}
	return r.Header.Get("X-API-Key")
}

// mark is that of the token behind a request, its own or that of its cookie; false
// where there is none.
func (g *guard) mark(r *http.Request) (door.TokenMark, bool) {
	if token := secret(r); token != "" {
		return door.MarkOf(token), g.opt.Tokens != nil
	}
	if cookie, err := r.Cookie(cookieName); err == nil {
		return g.sessions.mark(cookie.Value)
	}
	return door.TokenMark{}, false
}

// caller returns who asks, or the code and the words to refuse with.
func (g *guard) caller(r *http.Request) (door.Caller, int, string) {
	if token := secret(r); token != "" {
		return g.holder(address(r), token)
	}
	if cookie, err := r.Cookie(cookieName); err == nil {
		if c, ok := g.sessions.caller(cookie.Value); ok {
			return c, 0, ""
		}
	}
	if !g.opt.Private {
		return door.Caller{Name: "a visitor", Role: door.Look}, 0, ""
	}
	if anyone(r.URL.Path) {
		return door.Caller{}, 0, ""
	}
	return door.Caller{}, http.StatusUnauthorized, "a token is needed here: Authorization: Bearer TOKEN"
}

// anyone reports what is answered without a token even on a private server: no
// more than is needed to give one, and whether the server lives and is ready.
func anyone(path string) bool {
	return path == "/" || path == "/signin" || path == "/healthz" || path == "/readyz" || strings.HasPrefix(path, "/assets/")
}

// holder returns who holds a token. Guessing is slow.
func (g *guard) holder(addr, secret string) (door.Caller, int, string) {
	if g.opt.Tokens != nil {
		if c, ok := g.opt.Tokens.Caller(secret); ok {
			return c, 0, ""
		}
	}
	if !g.guesses.take(addr) {
		return door.Caller{}, http.StatusTooManyRequests, "too many wrong tokens; wait"
	}
	return door.Caller{}, http.StatusUnauthorized, "nobody holds that token"
}

// meters limit how often each address does something.
type meters struct {
	each  rate.Limit
	burst int

	mu   sync.Mutex
	by   map[string]*rate.Limiter
	rest *rate.Limiter // shared by all addresses once there are many
}

// mostAddresses bounds how many addresses have a meter of their own.
const mostAddresses = 4096

func newMeters(each rate.Limit, burst int) *meters {
	return &meters{each: each, burst: burst, by: map[string]*rate.Limiter{}, rest: rate.NewLimiter(each, burst)}
}

func (m *meters) take(addr string) bool {
	m.mu.Lock()
	l := m.by[addr]
	if l == nil {
		if len(m.by) >= mostAddresses {
			m.sweep()
		}
		if l = m.rest; len(m.by) < mostAddresses {
			l = rate.NewLimiter(m.each, m.burst)
			m.by[addr] = l
		}
	}
	m.mu.Unlock()
	return l.Allow()
}

// sweep forgets addresses that have all of their burst back.
func (m *meters) sweep() {
	for addr, l := range m.by {
		if l.Tokens() >= float64(m.burst) {
			delete(m.by, addr)
		}
	}
}

// cookieName is the cookie of a browser that gave a token.
const cookieName = "atoll_session"

// sessionTime is how long a browser stays signed in.
const sessionTime = 12 * time.Hour

// mostSessions bounds the browsers that are signed in.
const mostSessions = 1024

// sessions are the browsers that gave a token: each has the role that the holder of
// its token has now. They are kept in memory: a server that starts again asks again.
type sessions struct {
	now    func() time.Time
	tokens *door.Tokens // nil: nobody is signed in

	mu sync.Mutex
	by map[string]session
}

type session struct {
	mark  door.TokenMark
	until time.Time
}

func newSessions(now func() time.Time, tokens *door.Tokens) *sessions {
	return &sessions{now: now, tokens: tokens, by: map[string]session{}}
}

// begin returns the value of a new cookie; false when too many are signed in.
func (s *sessions) begin(mark door.TokenMark) (string, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	for id, old := range s.by {
		if now.After(old.until) {
			delete(s.by, id)
		}
	}
	if len(s.by) >= mostSessions {
		return "", false
	}
	id := rand.Text()
	s.by[id] = session{mark, now.Add(sessionTime)}
	return id, true
}

// mark returns that of the token which a browser gave; false where it is not signed
// in.
func (s *sessions) mark(id string) (door.TokenMark, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	x, ok := s.by[id]
	return x.mark, ok && s.now().Before(x.until)
}

// caller returns who sits at a browser, as the list of tokens has them now. The
// session of a token that nobody holds any more is over.
func (s *sessions) caller(id string) (door.Caller, bool) {
	mark, ok := s.mark(id)
	if !ok {
		return door.Caller{}, false
	}
	c, ok := s.tokens.Holder(mark)
	if !ok {
		s.end(id)
	}
	return c, ok
}

func (s *sessions) end(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.by, id)
}

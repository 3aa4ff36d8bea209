package gateway

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// Job is what an endpoint is opened for.
type Job struct {
	Account *Account
	// Providers are the names of the providers that serve, one for each protocol
	// that the client may speak.
	Providers []string
	// Models are globs of the models that the client may ask for; none: all.
	Models []string
	// Requests is how many requests that cost the client may make with the account,
	// those of earlier endpoints included; 0: no limit.
	Requests int
	// Dir is a folder of this job alone, where the socket is made. Empty: a port
	// of the loopback instead.
	Dir string
	// Addr is host:port under which the client reaches the endpoint, where a
	// sandbox lays the socket behind an address of its own. Empty: the port.
	Addr string
}

// Endpoint is a gateway for one job. All of it may be known to the job's
// client; no key is in it.
type Endpoint struct {
	Socket string // path, or "" when it listens on a port
	Addr   string // host:port as the client sees it
	Token  string // what the client sends as its key

	g       *Gateway
	job     Job
	apis    map[API]*upstream
	server  *http.Server
	running sync.WaitGroup // the accepting goroutine and the handlers
	cancel  context.CancelCauseFunc
	once    sync.Once

	mu     sync.Mutex
	closed bool
}

// maxBody bounds the request of a client.
const maxBody = 64 << 20

// maxSocket is the longest path that every system takes for a socket.
const maxSocket = 100

// Serve opens an endpoint. It ends with ctx, or when it is closed; Close must
// be called in any case.
func (g *Gateway) Serve(ctx context.Context, job Job) (*Endpoint, error) {
	if job.Account == nil {
		return nil, errors.New("open an endpoint: the job names no account")
	}
	e := &Endpoint{g: g, job: job, apis: map[API]*upstream{}}
	for _, name := range job.Providers {
		p, err := g.provider(name)
		if err != nil {
			return nil, fmt.Errorf("open an endpoint: %w", err)
		}
		e.apis[p.API] = p
	}
	listener, err := e.listen()
	if err != nil {
		return nil, fmt.Errorf("open an endpoint: %w", err)
	}
	var secret [24]byte
	if _, err := rand.Read(secret[:]); err != nil {
		_ = listener.Close()
		return nil, fmt.Errorf("open an endpoint: %w", err)
	}
	e.Token = "atoll-" + hex.EncodeToString(secret[:])
	g.mu.Lock()
	g.tokens[e.Token] = true
	g.mu.Unlock()

	ctx, e.cancel = context.WithCancelCause(ctx)
	e.server = &http.Server{
		Handler: e, ReadHeaderTimeout: 20 * time.Second, IdleTimeout: 2 * time.Minute,
		BaseContext: func(net.Listener) context.Context { return ctx },
	}
	e.running.Go(func() { _ = e.server.Serve(listener) })
	return e, nil
}

func (e *Endpoint) listen() (net.Listener, error) {
	if e.job.Dir == "" {
		l, err := net.Listen("tcp4", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		e.Addr = l.Addr().String()
		if e.job.Addr != "" {
			e.Addr = e.job.Addr
		}
		return l, nil
	}
	path := filepath.Join(e.job.Dir, "gw.sock")
	if len(path) > maxSocket {
		return nil, fmt.Errorf("the path of the socket is longer than %d bytes: choose a shorter state folder: %s", maxSocket, path)
	}
	_ = os.Remove(path)
	l, err := net.Listen("unix", path)
	if err != nil {
		return nil, err
	}
	e.Socket, e.Addr = path, e.job.Addr
	if e.Addr == "" {
		e.Addr = "127.0.0.1"
	}
	if err := os.Chmod(path, 0o600); err != nil {
		_ = l.Close()
		return nil, err
	}
	return l, nil
}

// BaseURL is what a client of a protocol gets as its base URL: for the OpenAI
// protocols with /v1, for Anthropic and Gemini without a version. Empty when
// the job has no provider of that protocol.
func (e *Endpoint) BaseURL(a API) string {
	if e.apis[a] == nil {
		return ""
	}
	switch a {
	case Anthropic:
		return "http://" + e.Addr + "/anthropic"
	case Gemini:
		return "http://" + e.Addr + "/gemini"
	}
	return "http://" + e.Addr + "/openai/v1"
}

// Close ends the requests in flight, waits for them, and returns what the
// account used. The token is worth nothing afterwards.
func (e *Endpoint) Close() Totals {
	e.once.Do(func() {
		e.mu.Lock()
		e.closed = true
		e.mu.Unlock()
		e.cancel(ErrClosed)
		_ = e.server.Close()
		e.running.Wait()
		e.g.mu.Lock()
		delete(e.g.tokens, e.Token)
		e.g.mu.Unlock()
		if e.Socket != "" {
			_ = os.Remove(e.Socket)
		}
	})
	return e.job.Account.Totals()
}

// enter counts a handler; false: the endpoint is closed.
func (e *Endpoint) enter() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.closed {
		e.running.Add(1)
	}
	return !e.closed
}

// ServeHTTP takes one request of the job's client.
func (e *Endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !e.enter() {
		panic(http.ErrAbortHandler)
	}
	defer e.running.Done()
	api, rest, query := route(r)
	if !e.known(r) {
		deny(w, api, http.StatusUnauthorized, "authentication_error", "the token is not that of this job")
		return
	}
	p := e.pick(&api, rest)
	if p == nil {
		deny(w, api, http.StatusNotFound, "not_found_error", fmt.Sprintf("the gateway of this job serves no %s", r.URL.Path))
		return
	}
	if r.Method == http.MethodGet {
		e.models(w, api, rest)
		return
	}
	data, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		deny(w, api, http.StatusRequestEntityTooLarge, "invalid_request_error", fmt.Sprintf("the request cannot be read, or is larger than %d bytes", maxBody))
		return
	}
	o, err := e.prepare(p, rest, r, data)
	if err != nil { // which costs nothing, and says nothing of a budget
		e.explain(w, api, err)
		return
	}
	if err := e.admit(o); err != nil {
		e.explain(w, api, err)
		return
	}
	o.query = query
	e.pass(w, r, api, o)
}

// pass sends a request on and its answer back.
func (e *Endpoint) pass(w http.ResponseWriter, r *http.Request, api API, o *outgoing) {
	out := &relay{w: w, flush: http.NewResponseController(w)}
	o.sink = out
	ans, _, err := e.g.call(r.Context(), o)
	switch {
	case errors.Is(err, ErrAccess): // clients ask again and again
		e.job.Account.Stop(err)
	case errors.Is(err, ErrBudget): // what is in flight ends
		e.job.Account.breaks(err)
	}
	switch {
	case err == nil:
		return
	case out.begun:
		panic(http.ErrAbortHandler) // the client sees that the answer is cut
	case ans != nil && ans.status >= 400 && len(ans.raw) > 0:
		var p *ProviderError
		if errors.As(err, &p) && p.After > 0 {
			w.Header().Set("Retry-After", fmt.Sprint(int(p.After.Seconds()+0.999)))
		}
		w.Header().Set("Content-Type", ans.kind)
		w.WriteHeader(ans.status)
		_, _ = w.Write(ans.raw)
	default:
		e.explain(w, api, err)
	}
}

// relay hands an answer to the client while it comes.
type relay struct {
	w     http.ResponseWriter
	flush *http.ResponseController
	begun bool
}

func (r *relay) started() bool { return r.begun }

func (r *relay) head(status int, kind string) {
	r.begun = true
	if kind != "" {
		r.w.Header().Set("Content-Type", kind)
	}
	r.w.Header().Set("Cache-Control", "no-store")
	r.w.WriteHeader(status)
}

func (r *relay) write(b []byte) error {
	if _, err := r.w.Write(b); err != nil {
		return err
	}
	return r.flush.Flush()
}

// known compares the token in the places where clients put a key.
func (e *Endpoint) known(r *http.Request) bool {
	candidates := []string{
		strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "), r.Header.Get("X-Api-Key"), r.Header.Get("X-Goog-Api-Key"), r.URL.Query().Get("key"),
	}
	ok := 0
	for _, c := range candidates {
		ok |= subtle.ConstantTimeCompare([]byte(c), []byte(e.Token))
	}
	return ok == 1
}

// pick finds the provider of a request. The two OpenAI protocols share a root.
func (e *Endpoint) pick(api *API, rest string) *upstream {
	if *api == Chat && strings.HasPrefix(rest, "responses") {
		*api = Responses
	}
	if p := e.apis[*api]; p != nil {
		return p
	}
	if *api == Chat && strings.HasPrefix(rest, "models") {
		return e.apis[Responses]
	}
	return nil
}

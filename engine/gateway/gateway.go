package gateway

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"
)

// Options of a gateway. The zero value of a field is the value in brackets.
type Options struct {
	Providers []Provider
	Prices    Prices

	Attempts      int           // requests of one call of Complete [5]
	ServeAttempts int           // requests of one request of an endpoint's client, which retries too [3]
	Total         time.Duration // of one call with its retries and waits [10m]
	FirstByte     time.Duration // until the headers of an answer [3m]
	Idle          time.Duration // silence inside an answer [90s]
	Answer        time.Duration // of one request [10m]
	Backoff       time.Duration // ceiling of the first wait, doubled by each retry [1s]
	MaxBackoff    time.Duration // ceiling of a wait that the provider did not ask for [30s]
	MaxAnswer     int64         // bytes of an answer [32 MiB]
	DefaultTokens int64         // tokens of an answer where a request names none [16384]
	Failures      int           // in a row, that open the circuit [6]
	Cool          time.Duration // for which it opens at first [15s]

	Record string // folder that exchanges are written to; "" = nowhere
	Replay string // folder that answers are read from instead of a network; "" = none

	Getenv    func(string) string                        // [os.Getenv]
	Now       func() time.Time                           // [time.Now]
	Sleep     func(context.Context, time.Duration) error // [waits, or returns the cause of ctx]
	Rand      func() float64                             // in [0,1), safe for concurrent use [math/rand]
	Transport http.RoundTripper                          // [own transport, proxies of the environment honoured]
}

func (o Options) filled() Options {
	positive := func(d *time.Duration, v time.Duration) {
		if *d <= 0 {
			*d = v
		}
	}
	count := func(n *int, v int) {
		if *n <= 0 {
			*n = v
		}
	}
	size := func(n *int64, v int64) {
		if *n <= 0 {
			*n = v
		}
	}
	count(&o.Attempts, 5)
	count(&o.ServeAttempts, 3)
	count(&o.Failures, 6)
	size(&o.MaxAnswer, 32<<20)
	size(&o.DefaultTokens, 16384)
	positive(&o.Total, 10*time.Minute)
	positive(&o.FirstByte, 3*time.Minute)
	positive(&o.Idle, 90*time.Second)
	positive(&o.Answer, 10*time.Minute)
	positive(&o.Backoff, time.Second)
	positive(&o.MaxBackoff, 30*time.Second)
	positive(&o.Cool, 15*time.Second)
	if o.Getenv == nil {
		o.Getenv = os.Getenv
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Sleep == nil {
		o.Sleep = Sleep
	}
	if o.Rand == nil {
		o.Rand = rand.Float64
	}
	return o
}

// Sleep waits on the wall clock, or returns the cause of ctx.
func Sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Gateway holds providers, keys and prices. It is safe for concurrent use and
// owns no goroutine; endpoints have their own.
type Gateway struct {
	opt       Options
	http      *http.Client
	owned     *http.Transport // nil when it was passed in
	providers map[string]*upstream
	tape      *tape // nil = neither recorded nor replayed

	mu     sync.Mutex
	tokens map[string]bool // of open endpoints
}

// New checks the options. It reads no key and opens no connection.
func New(o Options) (*Gateway, error) {
	g := &Gateway{opt: o.filled(), providers: map[string]*upstream{}, tokens: map[string]bool{}}
	if err := o.Prices.Check(); err != nil {
		return nil, err
	}
	for _, p := range o.Providers {
		if err := checkProvider(p); err != nil {
			return nil, err
		}
		if g.providers[p.Name] != nil {
			return nil, fmt.Errorf("provider %q is there twice: give each agent's provider its own name", p.Name)
		}
		g.providers[p.Name] = newUpstream(p, g.opt)
	}
	if o.Record != "" || o.Replay != "" {
		t, err := newTape(o.Record, o.Replay)
		if err != nil {
			return nil, err
		}
		g.tape = t
	}
	transport := o.Transport
	if transport == nil {
		g.owned = &http.Transport{
			Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true, MaxIdleConnsPerHost: 16,
			IdleConnTimeout: 60 * time.Second, TLSHandshakeTimeout: 15 * time.Second, ResponseHeaderTimeout: g.opt.FirstByte,
		}
		transport = g.owned
	}
	// A redirect could carry the key to another host: it is an error instead.
	g.http = &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	return g, nil
}

// Close lets go of idle connections.
func (g *Gateway) Close() {
	if g.owned != nil {
		g.owned.CloseIdleConnections()
	}
}

// Price returns the price of a model; false: unknown.
func (g *Gateway) Price(model string) (Price, bool) { return g.opt.Prices.Of(model) }

// Health says which providers are left alone now.
func (g *Gateway) Health() map[string]bool {
	open := map[string]bool{}
	for name, p := range g.providers {
		open[name] = !p.breaker.open()
	}
	return open
}

func (g *Gateway) provider(name string) (*upstream, error) {
	p := g.providers[name]
	if p == nil {
		return nil, fmt.Errorf("%w: %q", ErrNoProvider, name)
	}
	return p, nil
}

// key reads the key of a provider now.
func (g *Gateway) key(p *upstream) (string, error) {
	if p.KeyEnv == "" {
		return "", nil
	}
	key := strings.TrimSpace(g.opt.Getenv(p.KeyEnv))
	if key == "" {
		return "", &ProviderError{Provider: p.Name, KeyEnv: p.KeyEnv, Access: KeyMissing}
	}
	if strings.ContainsAny(key, "\r\n\x00") {
		return "", &ProviderError{Provider: p.Name, KeyEnv: p.KeyEnv, Access: KeyMissing, Reason: "it holds line breaks"}
	}
	return key, nil
}

// ended turns the end of a context into the reason for it.
func ended(ctx context.Context) error {
	err := context.Cause(ctx)
	if errors.Is(err, context.Canceled) && ctx.Err() != nil && !errors.Is(err, ErrClosed) {
		return ctx.Err()
	}
	return err
}

package gateway_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"atoll/engine/gateway"
)

// The key that tests plant, and look for everywhere.
const plantedKey = "sk-planted-5f2c9e71d0"

// fake is a provider that follows a script: each request takes the next step,
// the last one for ever.
type fake struct {
	*httptest.Server
	mu    sync.Mutex
	steps []http.HandlerFunc
	seen  []seenRequest
}

type seenRequest struct {
	path   string
	header http.Header
	body   map[string]any
}

func newFake(t *testing.T, steps ...http.HandlerFunc) *fake {
	t.Helper()
	f := &fake{steps: steps}
	f.Server = httptest.NewServer(f)
	t.Cleanup(f.Close)
	return f
}

func (f *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	data, _ := io.ReadAll(r.Body)
	var body map[string]any
	_ = json.Unmarshal(data, &body)
	f.mu.Lock()
	step := f.steps[min(len(f.seen), len(f.steps)-1)]
	f.seen = append(f.seen, seenRequest{r.URL.RequestURI(), r.Header.Clone(), body})
	f.mu.Unlock()
	step(w, r)
}

func (f *fake) requests() []seenRequest {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]seenRequest(nil), f.seen...)
}

func event(w http.ResponseWriter, v any) {
	data, _ := json.Marshal(v)
	_, _ = fmt.Fprintf(w, "data: %s\n\n", data)
	_ = http.NewResponseController(w).Flush()
}

func sse(w http.ResponseWriter) { w.Header().Set("Content-Type", "text/event-stream") }

// chatPart streams text and nothing after it.
func chatPart(w http.ResponseWriter, text string) {
	event(w, map[string]any{"choices": []any{map[string]any{"index": 0, "delta": map[string]any{"content": text}}}})
}

func chatEnd(w http.ResponseWriter, finish string, in, out int) {
	event(w, map[string]any{"choices": []any{map[string]any{"index": 0, "delta": map[string]any{}, "finish_reason": finish}}})
	event(w, map[string]any{"choices": []any{}, "usage": map[string]any{"prompt_tokens": in, "completion_tokens": out}})
	_, _ = fmt.Fprint(w, "data: [DONE]\n\n")
}

// says answers with a streamed text.
func says(text string, in, out int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		sse(w)
		half := len(text) / 2
		chatPart(w, text[:half])
		chatPart(w, text[half:])
		chatEnd(w, "stop", in, out)
	}
}

func status(code int, body string, header ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i+1 < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(code)
		_, _ = io.WriteString(w, body)
	}
}

// cuts breaks the connection inside an answer.
func cuts(w http.ResponseWriter, _ *http.Request) {
	sse(w)
	chatPart(w, "half of")
	panic(http.ErrAbortHandler)
}

// stalls says a little and then nothing until the client goes.
func stalls(w http.ResponseWriter, r *http.Request) {
	sse(w)
	chatPart(w, "wait")
	<-r.Context().Done()
}

// clock is a time that passes only while somebody sleeps.
type clock struct {
	mu    sync.Mutex
	now   time.Time
	slept []time.Duration
}

func newClock() *clock { return &clock{now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)} }

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) Sleep(ctx context.Context, d time.Duration) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
	c.slept = append(c.slept, d)
	return ctx.Err()
}

func (c *clock) sleeps() []time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]time.Duration(nil), c.slept...)
}

// options of a gateway with one provider "p", model "m" priced 1 and 2 dollars
// per million, a planted key and a clock of its own.
func options(api gateway.API, url string) (gateway.Options, *clock) {
	c := newClock()
	return gateway.Options{
		Providers: []gateway.Provider{{Name: "p", API: api, BaseURL: url, KeyEnv: "TEST_KEY"}},
		Prices:    gateway.Prices{{Model: "m", Input: 1, Cached: 0.1, Output: 2}},
		Getenv: func(name string) string {
			if name == "TEST_KEY" {
				return plantedKey
			}
			return ""
		},
		Now: c.Now, Sleep: c.Sleep, Rand: func() float64 { return 0.5 },
	}, c
}

func mustNew(t *testing.T, o gateway.Options) *gateway.Gateway {
	t.Helper()
	g, err := gateway.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(g.Close)
	return g
}

func ask(a *gateway.Account) gateway.Request {
	return gateway.Request{
		Provider: "p", Model: "m", System: "be brief", Messages: []gateway.Message{{Role: "user", Content: "hello"}}, MaxTokens: 100, Account: a,
	}
}

func account(usd float64, l gateway.Ledger) *gateway.Account {
	return gateway.NewAccount(gateway.AccountOptions{Name: "#1", LimitUSD: usd, Ledger: l})
}

func noKey(t *testing.T, what, text string) {
	t.Helper()
	if strings.Contains(text, plantedKey) {
		t.Errorf("%s holds the key: %.300s", what, text)
	}
}

package gateway_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"strings"
	"testing"
	"time"

	"atoll/config/suitetest"
	"atoll/engine/gateway"
)

func TestComplete(t *testing.T) {
	long := strings.Repeat("0123456789abcdef", 5<<20/16)
	for _, tc := range []struct {
		name     string
		steps    []http.HandlerFunc
		want     error // nil: success
		text     string
		requests int
		metered  bool
	}{
		{"a plain answer", []http.HandlerFunc{says("hi there", 10, 5)}, nil, "hi there", 1, true},
		{"429 with Retry-After, then an answer", []http.HandlerFunc{status(429, `{"error":{"message":"slow down"}}`, "Retry-After", "7"), says("hi", 1, 1)}, nil, "hi", 2, true},
		{"429 for ever", []http.HandlerFunc{status(429, "{}")}, gateway.ErrProvider, "", 5, true},
		{"a used up quota is not tried again", []http.HandlerFunc{status(429, `{"error":{"message":"You exceeded your current quota"}}`)}, gateway.ErrProvider, "", 1, true},
		{"500 twice, then an answer", []http.HandlerFunc{status(500, "oops"), status(503, "oops"), says("ok", 1, 1)}, nil, "ok", 3, true},
		{"500 for ever", []http.HandlerFunc{status(500, "oops")}, gateway.ErrProvider, "", 5, true},
		{"401 is not tried again", []http.HandlerFunc{status(401, `{"error":{"message":"bad key `+plantedKey+`"}}`)}, gateway.ErrProvider, "", 1, true},
		{"400 is not tried again", []http.HandlerFunc{status(400, `{"error":"what?"}`)}, gateway.ErrProvider, "", 1, true},
		{"a redirect is not followed", []http.HandlerFunc{status(302, "", "Location", "http://127.0.0.1:1/")}, gateway.ErrProvider, "", 1, true},
		{"a cut stream, then an answer", []http.HandlerFunc{cuts, says("ok", 1, 1)}, nil, "ok", 2, false},
		{"a stream that is always cut", []http.HandlerFunc{cuts}, gateway.ErrCut, "half of", 5, false},
		{"a stream that stalls", []http.HandlerFunc{stalls}, gateway.ErrCut, "wait", 5, false},
		{"a stream without its end", []http.HandlerFunc{func(w http.ResponseWriter, _ *http.Request) { sse(w); chatPart(w, "x") }}, gateway.ErrCut, "x", 5, false},
		{"invalid JSON in the stream", []http.HandlerFunc{func(w http.ResponseWriter, _ *http.Request) { sse(w); _, _ = fmt.Fprint(w, "data: {nope\n\n") }}, gateway.ErrProvider, "", 5, false},
		{"a web page", []http.HandlerFunc{status(200, "<html>log in</html>", "Content-Type", "text/html")}, gateway.ErrAccess, "", 1, true},
		{"a web page that says it is a stream", []http.HandlerFunc{status(200, "<html>log in</html>", "Content-Type", "text/event-stream")}, gateway.ErrAccess, "", 1, true},
		{"an answer that says it is a web page", []http.HandlerFunc{status(200,
			`{"choices":[{"message":{"content":"whole"},"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":4}}`, "Content-Type", "text/html")}, nil, "whole", 1, true},
		{"an answer behind a byte order mark", []http.HandlerFunc{status(200,
			"\ufeff"+`{"choices":[{"message":{"content":"whole"},"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":4}}`, "Content-Type", "application/json")}, nil, "whole", 1, true},
		{"a door that wants a login, in JSON of its own", []http.HandlerFunc{status(200, `{"detail":"Not authenticated"}`)}, gateway.ErrAccess, "", 1, true},
		{"a door that refuses the token by a code", []http.HandlerFunc{status(200, `{"code":401,"msg":"token","data":null}`)}, gateway.ErrAccess, "", 1, true},
		{"a list of errors", []http.HandlerFunc{status(200, `{"success":false,"errors":[{"code":10000,"message":"Authentication error"}],"result":null}`)}, gateway.ErrAccess, "", 1, true},
		{"a word of a proxy in JSON, then an answer", []http.HandlerFunc{status(200, `{"message":"busy"}`), says("ok", 1, 1)}, nil, "ok", 2, true},
		{"words of a proxy", []http.HandlerFunc{status(200, "upstream connect error", "Content-Type", "text/plain")}, gateway.ErrAccess, "", 1, true},
		{"an empty body", []http.HandlerFunc{status(200, "")}, gateway.ErrProvider, "", 5, false},
		{"an error inside the stream", []http.HandlerFunc{func(w http.ResponseWriter, _ *http.Request) {
			sse(w)
			event(w, map[string]any{"error": map[string]any{"message": "overloaded"}})
		}}, gateway.ErrProvider, "", 5, false},
		{"a refusal", []http.HandlerFunc{func(w http.ResponseWriter, _ *http.Request) {
			sse(w)
			event(w, map[string]any{"choices": []any{map[string]any{"delta": map[string]any{"refusal": "I will not"}}}})
			chatEnd(w, "stop", 5, 5)
		}}, gateway.ErrRefused, "", 1, true},
		{"a content filter", []http.HandlerFunc{func(w http.ResponseWriter, _ *http.Request) { sse(w); chatEnd(w, "content_filter", 5, 0) }}, gateway.ErrRefused, "", 1, true},
		{"an empty answer", []http.HandlerFunc{func(w http.ResponseWriter, _ *http.Request) { sse(w); chatEnd(w, "stop", 5, 0) }}, gateway.ErrEmpty, "", 1, true},
		{"the limit of tokens", []http.HandlerFunc{func(w http.ResponseWriter, _ *http.Request) {
			sse(w)
			chatPart(w, "long")
			chatEnd(w, "length", 5, 100)
		}}, gateway.ErrCut, "long", 1, true},
		{"an answer of 5 MB", []http.HandlerFunc{says(long, 10, 50)}, nil, long, 1, true},
		{"an answer that is larger than allowed", []http.HandlerFunc{says(long+long, 10, 50)}, gateway.ErrCut, "", 1, false},
		{"an answer that was not streamed", []http.HandlerFunc{status(200,
			`{"choices":[{"message":{"content":"whole"},"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":4}}`, "Content-Type", "application/json")}, nil, "whole", 1, true},
		{"a usage below zero is none", []http.HandlerFunc{says("hi", -4, 5)}, nil, "hi", 1, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			f := newFake(t, tc.steps...)
			o, _ := options(gateway.Chat, f.URL)
			o.MaxAnswer, o.Idle = 8<<20, 20*time.Second
			if tc.name == "a stream that stalls" {
				o.Idle = 30 * time.Millisecond
			}
			g := mustNew(t, o)
			b := gateway.NewBudget(1, nil)
			var said strings.Builder
			q := ask(account(0.5, b))
			q.OnText = func(s string) { said.WriteString(s) }
			res, err := g.Client().Complete(t.Context(), q)
			if !errors.Is(err, tc.want) || tc.want == nil && err != nil {
				t.Fatalf("got error %v, want %v", err, tc.want)
			}
			if got := len(f.requests()); got != tc.requests {
				t.Errorf("got %d requests, want %d", got, tc.requests)
			}
			if tc.text != "" && res.Text != tc.text {
				t.Errorf("got a text of %d bytes %.80q, want %d %.80q", len(res.Text), res.Text, len(tc.text), tc.text)
			}
			if tc.want == nil && tc.requests == 1 && said.String() != tc.text {
				t.Errorf("the text that was streamed differs from the answer")
			}
			if res.Usage.Requests != tc.requests || res.Usage.Unmetered == tc.metered {
				t.Errorf("got usage %+v, want %d requests and unmetered %v", res.Usage, tc.requests, !tc.metered)
			}
			spent, reserved := b.Spent()
			if reserved > 1e-12 || spent > 0.5 || res.Usage.CostUSD == nil || math.Abs(spent-*res.Usage.CostUSD) > 1e-12 {
				t.Errorf("spent $%v and reserved $%v beside a usage of %+v", spent, reserved, res.Usage)
			}
			noKey(t, "the error", fmt.Sprint(err))
			noKey(t, "the answer", res.Text)
		})
	}
}

func TestRetryWaits(t *testing.T) {
	t.Run("it waits as long as the provider asks, and some more", func(t *testing.T) {
		f := newFake(t, status(429, "{}", "Retry-After", "7"), says("hi", 1, 1))
		o, c := options(gateway.Chat, f.URL)
		if _, err := mustNew(t, o).Client().Complete(t.Context(), ask(account(0, nil))); err != nil {
			t.Fatal(err)
		}
		if got, want := c.sleeps(), 7*time.Second+500*time.Millisecond; len(got) != 1 || got[0] != want {
			t.Errorf("it slept %v, want one of %v", got, want)
		}
	})
	t.Run("it does not wait beyond the total", func(t *testing.T) {
		f := newFake(t, status(429, "{}", "Retry-After", "3600"))
		o, c := options(gateway.Chat, f.URL)
		_, err := mustNew(t, o).Client().Complete(t.Context(), ask(account(0, nil)))
		var p *gateway.ProviderError
		if !errors.As(err, &p) || p.Status != 429 || p.After != time.Hour {
			t.Errorf("got %v, want the 429 with its hour", err)
		}
		if len(c.sleeps()) != 0 {
			t.Errorf("it slept %v", c.sleeps())
		}
	})
	t.Run("waits grow to a ceiling, with jitter over all of it", func(t *testing.T) {
		f := newFake(t, status(500, "{}"))
		o, c := options(gateway.Chat, f.URL)
		o.Attempts, o.MaxBackoff, o.Failures = 6, 4*time.Second, 100
		_, _ = mustNew(t, o).Client().Complete(t.Context(), ask(account(0, nil)))
		want := "[500ms 1s 2s 2s 2s]"
		if got := fmt.Sprint(c.sleeps()); got != want {
			t.Errorf("it slept %s, want %s", got, want)
		}
	})
	t.Run("nothing is listening: no money is spent", func(t *testing.T) {
		f := newFake(t, says("x", 1, 1))
		f.Close()
		o, _ := options(gateway.Chat, f.URL)
		b := gateway.NewBudget(1, nil)
		res, err := mustNew(t, o).Client().Complete(t.Context(), ask(account(1, b)))
		spent, reserved := b.Spent()
		if !errors.Is(err, gateway.ErrProvider) || spent != 0 || reserved != 0 || res.Usage.Requests != 0 {
			t.Errorf("got %v, spent %v, reserved %v, usage %+v", err, spent, reserved, res.Usage)
		}
	})
}

func TestBreaker(t *testing.T) {
	f := newFake(t, status(500, "down"), status(500, "down"), status(500, "down"), says("up", 1, 1))
	o, c := options(gateway.Chat, f.URL)
	o.Attempts, o.Failures, o.Cool, o.Total = 1, 3, 10*time.Second, time.Second
	g := mustNew(t, o)
	for range 3 {
		if _, err := g.Client().Complete(t.Context(), ask(account(0, nil))); !errors.Is(err, gateway.ErrProvider) {
			t.Fatal(err)
		}
	}
	if g.Health()["p"] {
		t.Error("the provider counts as healthy after three failures")
	}
	if _, err := g.Client().Complete(t.Context(), ask(account(0, nil))); !errors.Is(err, gateway.ErrCircuit) || len(f.requests()) != 3 {
		t.Fatalf("got %v after %d requests, want an open circuit and no fourth", err, len(f.requests()))
	}
	_ = c.Sleep(t.Context(), 11*time.Second)
	if res, err := g.Client().Complete(t.Context(), ask(account(0, nil))); err != nil || res.Text != "up" || !g.Health()["p"] {
		t.Errorf("got %q and %v after the pause", res.Text, err)
	}
}

func TestCircuitIsWaitedFor(t *testing.T) {
	f := newFake(t, status(500, "down"), status(500, "down"), says("up", 1, 1))
	o, c := options(gateway.Chat, f.URL)
	o.Attempts, o.Failures, o.Cool = 5, 2, 40*time.Second
	res, err := mustNew(t, o).Client().Complete(t.Context(), ask(account(0, nil)))
	if err != nil || res.Text != "up" {
		t.Fatalf("got %q, %v", res.Text, err)
	}
	var total time.Duration
	for _, d := range c.sleeps() {
		total += d
	}
	if total < 39*time.Second || len(f.requests()) != 3 {
		t.Errorf("it waited %v and sent %d requests", total, len(f.requests()))
	}
}

func TestRequestsPerMinute(t *testing.T) {
	f := newFake(t, says("x", 1, 1))
	o, c := options(gateway.Chat, f.URL)
	o.Providers[0].RPM = 3
	g := mustNew(t, o)
	for range 7 {
		if _, err := g.Client().Complete(t.Context(), ask(account(0, nil))); err != nil {
			t.Fatal(err)
		}
	}
	if got := fmt.Sprint(c.sleeps()); got != "[1m0s 1m0s]" {
		t.Errorf("seven requests at three a minute slept %s", got)
	}
}

func TestPrices(t *testing.T) {
	p := gateway.Prices{{Model: "*", Input: 9}, {Model: "big-*", Input: 5, Output: 10}, {Model: "big-2", Input: 1, Cached: 0.5, Output: 2}, {Model: "a/*"}}
	for _, tc := range []struct {
		model string
		want  float64
	}{{"big-2", 1}, {"big-3", 5}, {"other", 9}, {"a/b/c", 0}} {
		if got, ok := p.Of(tc.model); !ok || got.Input != tc.want {
			t.Errorf("%s costs %v (%v), want %v", tc.model, got.Input, ok, tc.want)
		}
	}
	if _, ok := p[1:3].Of("small"); ok {
		t.Error("a model without a price has one")
	}
	got := p[2].Cost(gateway.Tokens{Input: 1e6, Cached: 1e6, Written: 1e6, WrittenHr: 1e6, Output: 1e6})
	if want := 1 + 0.5 + 1.25 + 2 + 2; math.Abs(got-want) > 1e-9 {
		t.Errorf("got $%v, want $%v", got, want)
	}
	if err := (gateway.Prices{{Model: "x", Input: math.NaN()}}).Check(); err == nil {
		t.Error("a price that is no number is taken")
	}
}

func TestUnknownPrice(t *testing.T) {
	f := newFake(t, says("x", 1, 1))
	o, _ := options(gateway.Chat, f.URL)
	g := mustNew(t, o)
	q := ask(account(1, nil))
	q.Model = "mystery"
	if _, err := g.Client().Complete(t.Context(), q); !errors.Is(err, gateway.ErrUnknownPrice) || len(f.requests()) != 0 {
		t.Errorf("got %v after %d requests", err, len(f.requests()))
	}
	q.Account = account(0, nil)
	res, err := g.Client().Complete(t.Context(), q)
	if err != nil || res.Usage.CostUSD != nil {
		t.Errorf("without a limit: got %v and cost %v, want an unknown cost", err, res.Usage.CostUSD)
	}
}

func TestCancel(t *testing.T) {
	f := newFake(t, stalls)
	o, _ := options(gateway.Chat, f.URL)
	g := mustNew(t, o)
	b := gateway.NewBudget(1, nil)
	ctx, cancel := context.WithCancel(t.Context())
	q := ask(account(1, b))
	q.OnText = func(string) { cancel() }
	began := time.Now()
	_, err := g.Client().Complete(ctx, q)
	if !errors.Is(err, context.Canceled) || time.Since(began) > suitetest.Stretched(t, 2*time.Second) {
		t.Errorf("got %v after %v", err, time.Since(began))
	}
	if spent, reserved := b.Spent(); spent == 0 || reserved > 1e-12 {
		t.Errorf("a cancelled request may have been billed: spent %v, reserved %v", spent, reserved)
	}
}

func TestAdaptsToTheServer(t *testing.T) {
	f := newFake(t,
		status(400, `{"error":{"message":"Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."}}`),
		status(400, `{"error":{"message":"temperature does not support 0.2"}}`),
		status(400, `{"error":{"message":"Unknown parameter: 'messages[1].content[0].cache_control'."}}`),
		says("ok", 1, 1))
	o, _ := options(gateway.Chat, f.URL)
	g := mustNew(t, o)
	q := ask(account(0, nil))
	warm := 0.2
	q.Temperature, q.Cache = &warm, true
	for range 2 {
		if _, err := g.Client().Complete(t.Context(), q); err != nil {
			t.Fatal(err)
		}
	}
	seen := f.requests()
	last := seen[len(seen)-1].body
	if len(seen) != 5 || last["max_completion_tokens"] != 100.0 || last["max_tokens"] != nil || last["temperature"] != nil || strings.Contains(fmt.Sprint(last["messages"]), "cache_control") {
		t.Errorf("%d requests, the last %v", len(seen), last)
	}
}

func TestReasoningEffortIsSentAndLeftOutWhereItIsNotUnderstood(t *testing.T) {
	for _, tt := range []struct {
		api   gateway.API
		value func(map[string]any) any
	}{
		{gateway.Chat, func(b map[string]any) any { return b["reasoning_effort"] }},
		{gateway.Responses, func(b map[string]any) any {
			m, _ := b["reasoning"].(map[string]any)
			return m["effort"]
		}},
	} {
		t.Run(string(tt.api), func(t *testing.T) {
			f := newFake(t, status(400, `{"error":{"message":"Unsupported parameter: 'reasoning.effort' (reasoning_effort)"}}`), status(500, `{}`))
			o, _ := options(tt.api, f.URL)
			q := ask(account(0, nil))
			q.Effort = "low"
			_, _ = mustNew(t, o).Client().Complete(t.Context(), q)
			seen := f.requests()
			if len(seen) < 2 || tt.value(seen[0].body) != "low" || tt.value(seen[1].body) != nil {
				t.Errorf("%d requests: %v", len(seen), seen)
			}
		})
	}
}

func TestTokensPerMinute(t *testing.T) {
	for _, tt := range []struct {
		name  string
		used  int // tokens of each answer
		tpm   int64
		calls int
		want  time.Duration // at least this long, less than a minute more
	}{
		{"what fits within a minute does not wait", 100, 10_000, 6, 0},
		{"what a request used counts, not what it could have used", 100, 1_500, 6, 0},
		{"a full minute holds the next request back", 600, 1_500, 4, time.Minute},
		{"a request that is larger than the limit goes alone", 5_000, 1_000, 2, time.Minute},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := newFake(t, says("x", tt.used-1, 1))
			o, c := options(gateway.Chat, f.URL)
			o.Providers[0].TPM = tt.tpm
			g := mustNew(t, o)
			for range tt.calls {
				if _, err := g.Client().Complete(t.Context(), ask(account(0, nil))); err != nil {
					t.Fatal(err)
				}
			}
			var slept time.Duration
			for _, d := range c.sleeps() {
				slept += d
			}
			if slept < tt.want || slept >= tt.want+time.Minute {
				t.Errorf("%d requests of %d tokens at %d a minute slept %s, want %s", tt.calls, tt.used, tt.tpm, slept, tt.want)
			}
		})
	}
}

func TestThePromptIsMarkedForTheCache(t *testing.T) {
	for _, tt := range []struct {
		api  gateway.API
		want string
	}{
		{gateway.Chat, "map[cache_control:map[type:ephemeral] text:hello type:text]"},
		{gateway.Anthropic, "map[cache_control:map[type:ephemeral] text:hello type:text]"},
		{gateway.Responses, "prompt_cache_key:atoll p"},
	} {
		t.Run(string(tt.api), func(t *testing.T) {
			f := newFake(t, status(500, "{}"))
			o, _ := options(tt.api, f.URL)
			q := ask(account(0, nil))
			q.Messages = []gateway.Message{{Role: "user", Content: "hello"}, {Role: "assistant", Content: "no"}, {Role: "user", Content: "again"}}
			for _, q.Cache = range []bool{true, false} {
				before := len(f.requests())
				_, _ = mustNew(t, o).Client().Complete(t.Context(), q)
				if got := fmt.Sprint(f.requests()[before].body); strings.Contains(got, tt.want) != q.Cache || strings.Count(got, "hello") != 1 {
					t.Errorf("with cache %t it sent %s", q.Cache, got)
				}
			}
		})
	}
}

func TestWhatAProviderChargesForItsCacheIsReserved(t *testing.T) {
	f := newFake(t, func(w http.ResponseWriter, _ *http.Request) {
		sse(w)
		chatPart(w, "hi")
		event(w, map[string]any{
			"choices": []any{map[string]any{"index": 0, "delta": map[string]any{}, "finish_reason": "stop"}},
			"usage":   map[string]any{"prompt_tokens": 100, "completion_tokens": 5, "prompt_tokens_details": map[string]any{"cached_tokens": 20, "cache_write_tokens": 70}},
		})
		_, _ = fmt.Fprint(w, "data: [DONE]\n\n")
	})
	o, _ := options(gateway.Chat, f.URL)
	q := ask(account(0.5, nil))
	q.Cache = true
	res, err := mustNew(t, o).Client().Complete(t.Context(), q)
	if err != nil || res.Tokens != (gateway.Tokens{Input: 10, Cached: 20, Written: 70, Output: 5}) {
		t.Errorf("got %+v, %v", res.Tokens, err)
	}
}

func TestFurtherFieldsAreSent(t *testing.T) {
	f := newFake(t, says("ok", 1, 1))
	o, _ := options(gateway.Chat, f.URL)
	q := ask(account(0.5, nil))
	q.Extra = map[string]json.RawMessage{"top_p": []byte("0.9"), "provider": []byte(`{"order":["a","b"]}`)}
	if _, err := mustNew(t, o).Client().Complete(t.Context(), q); err != nil {
		t.Fatal(err)
	}
	if b := f.requests()[0].body; b["top_p"] != 0.9 || fmt.Sprint(b["provider"]) != "map[order:[a b]]" {
		t.Errorf("it sent %v", b)
	}
	q.Extra = map[string]json.RawMessage{"service_tier": []byte(`"priority"`)}
	if _, err := mustNew(t, o).Client().Complete(t.Context(), q); !errors.Is(err, gateway.ErrUnbounded) || len(f.requests()) != 1 {
		t.Errorf("got %v after %d requests, want a refusal before the second", err, len(f.requests()))
	}
	for name, value := range map[string]string{"max_tokens": "5", "Tools": "[]", "plugins": "[]", "model": `"x"`, "n": "2", "top_p": "{"} {
		if err := gateway.CheckExtra(map[string]json.RawMessage{name: []byte(value)}); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: got %v, want a refusal that names it", name, err)
		}
	}
}

func TestAStreamThatStaysOpenBehindAWholeAnswerIsNotWaitedFor(t *testing.T) {
	t.Parallel()
	f := newFake(t, func(w http.ResponseWriter, r *http.Request) {
		sse(w)
		chatPart(w, "whole")
		event(w, map[string]any{"choices": []any{map[string]any{"delta": map[string]any{}, "finish_reason": "stop"}}, "usage": map[string]any{"prompt_tokens": 3, "completion_tokens": 4}})
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	})
	o, _ := options(gateway.Chat, f.URL)
	o.Idle, o.Answer, o.FirstByte = time.Hour, time.Hour, time.Hour
	res, err := mustNew(t, o).Client().Complete(t.Context(), ask(account(0.5, gateway.NewBudget(1, nil))))
	if err != nil || res.Text != "whole" || res.Tokens.Output != 4 {
		t.Errorf("got %q, %+v and %v", res.Text, res.Tokens, err)
	}
}

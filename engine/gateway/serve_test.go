package gateway_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"atoll/config/suitetest"
	"atoll/engine/gateway"
)

func responsesSays(w http.ResponseWriter, _ *http.Request) {
	sse(w)
	event(w, map[string]any{"type": "response.output_text.delta", "delta": "hi there"})
	event(w, map[string]any{"type": "response.completed", "response": map[string]any{
		"status": "completed", "usage": map[string]any{"input_tokens": 100, "output_tokens": 20, "input_tokens_details": map[string]any{"cached_tokens": 40}},
	}})
}

func anthropicSays(w http.ResponseWriter, _ *http.Request) {
	sse(w)
	event(w, map[string]any{"type": "message_start", "message": map[string]any{"usage": map[string]any{
		"input_tokens": 60, "cache_read_input_tokens": 40, "cache_creation_input_tokens": 30,
		"cache_creation": map[string]any{"ephemeral_5m_input_tokens": 10, "ephemeral_1h_input_tokens": 20}, "output_tokens": 1,
	}}})
	event(w, map[string]any{"type": "content_block_delta", "delta": map[string]any{"type": "text_delta", "text": "hi there"}})
	event(w, map[string]any{"type": "message_delta", "delta": map[string]any{"stop_reason": "end_turn"}, "usage": map[string]any{"output_tokens": 20}})
	event(w, map[string]any{"type": "message_stop"})
}

func geminiSays(w http.ResponseWriter, _ *http.Request) {
	sse(w)
	for i, text := range []string{"hi ", "there"} {
		c := map[string]any{"content": map[string]any{"parts": []any{map[string]any{"text": text}}}}
		if i == 1 {
			c["finishReason"] = "STOP"
		}
		event(w, map[string]any{"candidates": []any{c}, "usageMetadata": map[string]any{
			"promptTokenCount": 100, "cachedContentTokenCount": 40, "candidatesTokenCount": 10 * (i + 1), "thoughtsTokenCount": 5,
		}})
	}
}

// post sends a client's request to an endpoint.
func post(t *testing.T, client *http.Client, url, token, body string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("X-Codex-Turn-Metadata", "/home/me/secret-project")
	return doBy(t, client, req)
}

func do(t *testing.T, req *http.Request) (int, string) {
	t.Helper()
	return doBy(t, http.DefaultClient, req)
}

func doBy(t *testing.T, client *http.Client, req *http.Request) (int, string) {
	t.Helper()
	res, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	data, _ := io.ReadAll(res.Body)
	return res.StatusCode, string(data)
}

func serve(t *testing.T, g *gateway.Gateway, j gateway.Job) *gateway.Endpoint {
	t.Helper()
	e, err := g.Serve(t.Context(), j)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	return e
}

func TestServeMetersEachProtocol(t *testing.T) {
	for _, tc := range []struct {
		name, path, body string
		api              gateway.API
		step             http.HandlerFunc
		header, up       string
		in, out          int64
		cost             float64 // at 1, 0.1 cached and 2 dollars a million
	}{
		{"chat", "/chat/completions", `{"model":"m","stream":true,"messages":[]}`, gateway.Chat, says("hi there", 100, 20), "Authorization", "/v1/chat/completions", 100, 20, 140e-6},
		{"responses", "/responses", `{"model":"m","stream":true,"input":"x"}`, gateway.Responses, responsesSays, "Authorization", "/v1/responses", 100, 20, 104e-6},
		{
			"anthropic", "/v1/messages?beta=true", `{"model":"m","max_tokens":50,"stream":true,"messages":[],"system":[{"type":"text","text":"x","cache_control":{"type":"ephemeral","ttl":"1h"}}]}`,
			gateway.Anthropic, anthropicSays, "X-Api-Key", "/v1/messages?beta=true", 130, 20, 156.5e-6,
		},
		{"gemini", "/v1beta/models/m:streamGenerateContent?alt=sse", `{"contents":[]}`, gateway.Gemini, geminiSays, "X-Goog-Api-Key", "/v1beta/models/m:streamGenerateContent?alt=sse", 100, 25, 114e-6},
	} {
		t.Run(tc.name, func(t *testing.T) {
			f := newFake(t, tc.step)
			o, _ := options(tc.api, f.URL)
			a := account(1, nil)
			e := serve(t, mustNew(t, o), gateway.Job{Account: a, Providers: []string{"p"}, Models: []string{"m"}})
			code, text := post(t, http.DefaultClient, e.BaseURL(tc.api)+tc.path, e.Token, tc.body)
			if code != 200 || !strings.Contains(text, "here") {
				t.Fatalf("got %d %s", code, text)
			}
			seen := f.requests()[0]
			if seen.path != tc.up || !strings.HasSuffix(seen.header.Get(tc.header), plantedKey) || seen.header.Get("X-Codex-Turn-Metadata") != "" {
				t.Errorf("the provider saw %s with %v", seen.path, seen.header)
			}
			u := e.Close().Usage
			if u.InputTokens != tc.in || u.OutputTokens != tc.out || u.CostUSD == nil || math.Abs(*u.CostUSD-tc.cost) > 1e-12 {
				t.Errorf("got %+v at $%v, want %d in, %d out, $%v", u, *u.CostUSD, tc.in, tc.out, tc.cost)
			}
			if strings.Contains(fmt.Sprint(seen.header, seen.body), e.Token) {
				t.Error("the provider saw the token of the job")
			}
		})
	}
}

func TestCompleteInEachProtocol(t *testing.T) {
	for _, tc := range []struct {
		api  gateway.API
		step http.HandlerFunc
	}{{gateway.Responses, responsesSays}, {gateway.Anthropic, anthropicSays}} {
		f := newFake(t, tc.step)
		o, _ := options(tc.api, f.URL)
		res, err := mustNew(t, o).Client().Complete(t.Context(), ask(account(1, nil)))
		if err != nil || res.Text != "hi there" || res.Tokens.Output != 20 {
			t.Errorf("%s: got %+v, %v", tc.api, res, err)
		}
	}
}

func TestServeRefuses(t *testing.T) {
	chat := "/chat/completions"
	for _, tc := range []struct {
		name, path, body string
		spoil            bool // the token
		want             int
		text             string
	}{
		{"a wrong token", chat, `{"model":"m"}`, true, 401, "token"},
		{"another path", "/files", `{"model":"m"}`, false, 404, "does not serve"},
		{"a path that climbs", "/../../admin", `{"model":"m"}`, false, 404, "no"},
		{"another model", chat, `{"model":"gold"}`, false, 403, "may not use"},
		{"no model", chat, `{}`, false, 400, "names no model"},
		{"no JSON", chat, `{`, false, 400, "read the request"},
		{"a model without a price", chat, `{"model":"mystery"}`, false, 429, "price"},
		{"more than the budget", chat, `{"model":"m","max_tokens":900000000}`, false, 429, "budget"},
		{"a field that stands twice", chat, `{"model":"m","model":"gold"}`, false, 400, "twice"},
		{"one that stands twice inside", chat, `{"model":"m","messages":[{"role":"user","content":[{"type":"text","type":"image_url","text":"x"}]}]}`, false, 400, "twice"},
		{"a picture at an address, in other letters", chat, `{"model":"m","messages":[{"role":"user","content":[{"type":"image_url","Image_URL":{"url":"https://x/y.png"}}]}]}`, false, 400, "not passed on"},
		{"a model that is no text", chat, `{"model":["m","gold"]}`, false, 400, "names no model"},
		{"a negative limit is set right", chat, `{"model":"m","max_tokens":-5}`, false, 200, "ok"},
		{"a picture at an address", chat, `{"model":"m","messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"https://x/y.png"}}]}]}`, false, 400, "no bound"},
		{"a picture inside", chat, `{"model":"m","messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,AA"}}]}]}`, false, 200, "ok"},
		{"a file elsewhere", chat, `{"model":"m","messages":[{"role":"user","content":[{"type":"file","file":{"file_id":"f-1"}}]}]}`, false, 400, "no bound"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			f := newFake(t, says("ok", 1, 1))
			o, _ := options(gateway.Chat, f.URL)
			e := serve(t, mustNew(t, o), gateway.Job{Account: account(1, nil), Providers: []string{"p"}, Models: []string{"m", "mystery"}})
			token := e.Token
			if tc.spoil {
				token += "x"
			}
			code, text := post(t, http.DefaultClient, e.BaseURL(gateway.Chat)+tc.path, token, tc.body)
			if code != tc.want || !strings.Contains(text, tc.text) {
				t.Errorf("got %d %s, want %d with %q", code, text, tc.want, tc.text)
			}
			if sent := len(f.requests()); (tc.want == 200) != (sent == 1) {
				t.Errorf("%d requests reached the provider", sent)
			}
		})
	}
}

func TestWhatNobodyServesIsNoMatterOfMoney(t *testing.T) {
	f := newFake(t, says("ok", 1, 1))
	o, _ := options(gateway.Chat, f.URL)
	a := account(1, nil)
	e := serve(t, mustNew(t, o), gateway.Job{Account: a, Providers: []string{"p"}, Models: []string{"m"}})
	for _, r := range [][2]string{{"/files", `{"model":"m"}`}, {"/chat/completions", `{"model":"gold"}`}, {"/chat/completions", `{`}} {
		post(t, http.DefaultClient, e.BaseURL(gateway.Chat)+r[0], e.Token, r[1])
	}
	if n := a.Totals().Refused; n != 0 {
		t.Errorf("%d requests count as refused for money", n)
	}
	post(t, http.DefaultClient, e.BaseURL(gateway.Chat)+"/chat/completions", e.Token, `{"model":"m","max_tokens":900000000}`)
	if n := a.Totals().Refused; n != 1 {
		t.Errorf("%d requests count as refused for money, want 1", n)
	}
}

func TestAJobMakesNoMoreRequestsThanItMay(t *testing.T) {
	f := newFake(t, says("ok", 1, 1))
	o, _ := options(gateway.Chat, f.URL)
	g, a := mustNew(t, o), account(1, nil)
	for attempt, want := range []int{3, 5} {
		e := serve(t, g, gateway.Job{Account: a, Providers: []string{"p"}, Requests: 5})
		var denied atomic.Int32
		var all sync.WaitGroup
		for range 3 {
			all.Go(func() {
				if code, text := post(t, http.DefaultClient, e.BaseURL(gateway.Chat)+"/chat/completions", e.Token, `{"model":"m"}`); code == 429 && strings.Contains(text, "no more requests") {
					denied.Add(1)
				} else if code != 200 {
					t.Error(code, text)
				}
			})
		}
		all.Wait()
		total := e.Close()
		if n := len(f.requests()); n != want || total.Excess != int(denied.Load()) || total.Excess != attempt {
			t.Errorf("attempt %d: %d requests reached the provider, want %d; %d were denied, and %d counted", attempt, n, want, denied.Load(), total.Excess)
		}
	}
}

func TestServeBoundsRequests(t *testing.T) {
	f := newFake(t, says("ok", 1, 1))
	o, _ := options(gateway.Chat, f.URL)
	o.Providers[0].MaxTokens = 500
	a := account(1, nil)
	e := serve(t, mustNew(t, o), gateway.Job{Account: a, Providers: []string{"p"}})
	body := `{"model":"m","max_tokens":9999,"stream":true,"tools":[{"type":"function","function":{"name":"f"}},{"type":"web_search_preview"}],"web_search_options":{},"plugins":[{"id":"web"}]}`
	if code, text := post(t, http.DefaultClient, e.BaseURL(gateway.Chat)+"/chat/completions", e.Token, body); code != 200 {
		t.Fatal(code, text)
	}
	got := f.requests()[0].body
	tools, _ := got["tools"].([]any)
	options, _ := got["stream_options"].(map[string]any)
	if got["max_tokens"] != 500.0 || len(tools) != 1 || got["web_search_options"] != nil || got["plugins"] != nil || options["include_usage"] != true {
		t.Errorf("the provider got %v", got)
	}
	if notes := e.Close().Notes; len(notes) != 4 {
		t.Errorf("got notes %q", notes)
	}
}

func TestServePassesErrorsWithoutKeys(t *testing.T) {
	f := newFake(t, status(401, `{"error":{"message":"Incorrect API key provided: `+plantedKey+`"}}`, "Content-Type", "application/json"))
	o, _ := options(gateway.Chat, f.URL)
	e := serve(t, mustNew(t, o), gateway.Job{Account: account(1, nil), Providers: []string{"p"}})
	code, text := post(t, http.DefaultClient, e.BaseURL(gateway.Chat)+"/chat/completions", e.Token, `{"model":"m"}`)
	if code != 401 || !strings.Contains(text, "[redacted]") {
		t.Errorf("got %d %s", code, text)
	}
	noKey(t, "the answer", text)
}

func TestServeEchoedKeyIsTakenOutOfStreams(t *testing.T) {
	f := newFake(t, says("your key is "+plantedKey+" and more and more and more and more text", 1, 1))
	o, _ := options(gateway.Chat, f.URL)
	e := serve(t, mustNew(t, o), gateway.Job{Account: account(1, nil), Providers: []string{"p"}})
	_, text := post(t, http.DefaultClient, e.BaseURL(gateway.Chat)+"/chat/completions", e.Token, `{"model":"m","stream":true}`)
	noKey(t, "the stream", text)
	if !strings.Contains(text, "more text") {
		t.Errorf("got %s", text)
	}
}

func TestServeCutAnswerIsCutForTheClient(t *testing.T) {
	f := newFake(t, cuts)
	o, _ := options(gateway.Chat, f.URL)
	e := serve(t, mustNew(t, o), gateway.Job{Account: account(1, nil), Providers: []string{"p"}})
	req, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, e.BaseURL(gateway.Chat)+"/chat/completions", strings.NewReader(`{"model":"m","stream":true}`))
	req.Header.Set("Authorization", "Bearer "+e.Token)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	_, err = io.ReadAll(res.Body)
	_ = res.Body.Close()
	if !errors.Is(err, io.ErrUnexpectedEOF) || len(f.requests()) != 1 {
		t.Errorf("the client read %v; %d requests", err, len(f.requests()))
	}
	if u := e.Close().Usage; !u.Unmetered || u.CostUSD == nil || *u.CostUSD == 0 {
		t.Errorf("an answer without a usage is settled at what was reserved, got %+v", u)
	}
}

func TestServeOnASocket(t *testing.T) {
	f := newFake(t, says("ok", 1, 1))
	o, _ := options(gateway.Chat, f.URL)
	g := mustNew(t, o)
	dir := t.TempDir()
	e := serve(t, g, gateway.Job{Account: account(0, nil), Providers: []string{"p"}, Dir: dir, Addr: "127.0.0.1:18311"})
	info, err := os.Stat(e.Socket)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("the socket: %v %v", info, err)
	}
	client := &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "unix", e.Socket)
	}}}
	defer client.CloseIdleConnections()
	if code, text := post(t, client, e.BaseURL(gateway.Chat)+"/chat/completions", e.Token, `{"model":"m"}`); code != 200 || !strings.Contains(text, "ok") {
		t.Errorf("got %d %s", code, text)
	}
	if got := g.Redact("token " + e.Token); strings.Contains(got, e.Token) {
		t.Errorf("the token is not redacted: %s", got)
	}
	e.Close()
	if left, _ := filepath.Glob(dir + "/*"); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestCloseEndsRequestsInFlight(t *testing.T) {
	entered := make(chan struct{})
	f := newFake(t, func(w http.ResponseWriter, r *http.Request) {
		sse(w)
		chatPart(w, "x")
		close(entered)
		<-r.Context().Done()
	})
	o, _ := options(gateway.Chat, f.URL)
	e := serve(t, mustNew(t, o), gateway.Job{Account: account(1, nil), Providers: []string{"p"}})
	ended := make(chan error, 1)
	go func() {
		req, _ := http.NewRequest(http.MethodPost, e.BaseURL(gateway.Chat)+"/chat/completions", bytes.NewReader([]byte(`{"model":"m","stream":true}`)))
		req.Header.Set("X-Api-Key", e.Token)
		res, err := http.DefaultClient.Do(req)
		if err == nil {
			_, err = io.ReadAll(res.Body)
			_ = res.Body.Close()
			if res.StatusCode != http.StatusOK {
				err = errors.New(res.Status) // refused before the answer began
			}
		}
		ended <- err
	}()
	<-entered
	began := time.Now()
	total := e.Close()
	if d := time.Since(began); d > suitetest.Stretched(t, 2*time.Second) {
		t.Errorf("closing took %v", d)
	}
	if err := <-ended; err == nil {
		t.Error("the client saw a whole answer")
	}
	if total.Sent != 1 || !total.Usage.Unmetered {
		t.Errorf("got %+v", total)
	}
}

func TestModelsAreListedWithoutTheProvider(t *testing.T) {
	f := newFake(t, says("ok", 1, 1))
	o, _ := options(gateway.Chat, f.URL)
	e := serve(t, mustNew(t, o), gateway.Job{Account: account(1, nil), Providers: []string{"p"}, Models: []string{"m"}})
	req, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, e.BaseURL(gateway.Chat)+"/models", nil)
	req.Header.Set("Authorization", "Bearer "+e.Token)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	var list struct{ Data []struct{ ID string } }
	if err := json.NewDecoder(res.Body).Decode(&list); err != nil || len(list.Data) != 1 || list.Data[0].ID != "m" || len(f.requests()) != 0 {
		t.Errorf("got %+v, %v", list, err)
	}
}

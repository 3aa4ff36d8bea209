package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"atoll/config/suitetest"
	"atoll/engine/agent"
	"atoll/engine/agent/agenttest"
	"atoll/engine/agent/prompt"
	"atoll/engine/gateway"
	"atoll/store/record"
)

// The key that tests plant and look for.
const chatKey = "sk-planted-77aa01c9"

// model is a provider that follows a script of answers; the last for ever.
type model struct {
	url   string
	mu    sync.Mutex
	steps []http.HandlerFunc
	asked []string // bodies
}

func newModel(t *testing.T, steps ...http.HandlerFunc) *model {
	t.Helper()
	m := &model{steps: steps}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		data, _ := io.ReadAll(r.Body)
		m.mu.Lock()
		step := m.steps[min(len(m.asked), len(m.steps)-1)]
		m.asked = append(m.asked, string(data))
		m.mu.Unlock()
		step(w, r)
	}))
	t.Cleanup(s.Close)
	m.url = s.URL
	return m
}

func (m *model) requests() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]string(nil), m.asked...)
}

func chunk(w io.Writer, v any) {
	data, _ := json.Marshal(v)
	_, _ = fmt.Fprintf(w, "data: %s\n\n", data)
}

// replies streams a text and why it ended.
func replies(text, finish string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for rest := text; len(rest) > 0; {
			n := min(len(rest), 64<<10)
			chunk(w, map[string]any{"choices": []any{map[string]any{"delta": map[string]any{"content": rest[:n]}}}})
			rest = rest[n:]
		}
		chunk(w, map[string]any{"choices": []any{map[string]any{"delta": map[string]any{}, "finish_reason": finish}}})
		chunk(w, map[string]any{"choices": []any{}, "usage": map[string]any{"prompt_tokens": 100, "completion_tokens": 50}})
		_, _ = io.WriteString(w, "data: [DONE]\n\n")
	}
}

func code(n int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "1")
		w.WriteHeader(n)
		_, _ = io.WriteString(w, body)
	}
}

func halves(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	chunk(w, map[string]any{"choices": []any{map[string]any{"delta": map[string]any{"content": "a.go\n<<<<<<< SEA"}}}})
	_ = http.NewResponseController(w).Flush()
	panic(http.ErrAbortHandler)
}

func chatGateway(t *testing.T, url string, change func(*gateway.Options)) *gateway.Gateway {
	t.Helper()
	now, mu := time.Unix(1_700_000_000, 0), sync.Mutex{}
	o := gateway.Options{
		Providers: []gateway.Provider{{Name: "p", API: gateway.Chat, BaseURL: url, KeyEnv: "K"}},
		Prices:    gateway.Prices{{Model: "m", Input: 10, Output: 20}},
		Getenv:    func(string) string { return chatKey },
		Now:       func() time.Time { mu.Lock(); defer mu.Unlock(); return now },
		Sleep: func(ctx context.Context, d time.Duration) error {
			mu.Lock()
			defer mu.Unlock()
			now = now.Add(d)
			return ctx.Err()
		},
		Rand: func() float64 { return 0.5 }, Idle: 20 * time.Second, Attempts: 3,
	}
	if change != nil {
		change(&o)
	}
	g, err := gateway.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(g.Close)
	return g
}

func newChat(t *testing.T, g *gateway.Gateway, change func(*agent.ChatOptions)) *agent.Chat {
	t.Helper()
	prompts, err := prompt.New("")
	if err != nil {
		t.Fatal(err)
	}
	o := agent.ChatOptions{Client: g.Client(), Coder: gateway.Request{Provider: "p", Model: "m", MaxTokens: 1000}, Brief: prompts.Chat(0)}
	if change != nil {
		change(&o)
	}
	c, err := agent.NewChat(o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func chatJob(live func(string)) agent.Job {
	return agent.Job{
		Number: 12, Attempt: 1, Rand: rand.New(rand.NewPCG(1, 2)), Operator: record.OpMutate, Goal: "make one bigger", Metric: "score", Direction: "maximize", Live: live,
		Parent: agent.Item{ID: 3, Metrics: []record.Metric{{Name: "score", Value: 1}}},
	}
}

func TestChatAgainstAScriptedModel(t *testing.T) {
	good := "INTENT: return ten\n\n" + block("a.go", "\treturn 1\n", "\treturn 10\n")
	bad := "INTENT: try\n\n" + block("a.go", "\treturn 7\n", "\treturn 10\n")
	huge := strings.Repeat("blah blah blah blah\n", 5<<20/20)
	for _, tc := range []struct {
		name     string
		steps    []http.HandlerFunc
		class    record.Class // "" = a candidate
		reason   string
		requests int
	}{
		{"a good answer", []http.HandlerFunc{replies(good, "stop")}, "", "", 1},
		{"429 with Retry-After, then a good answer", []http.HandlerFunc{code(429, "{}"), replies(good, "stop")}, "", "", 2},
		{"500s for ever", []http.HandlerFunc{code(500, "down, key "+chatKey)}, record.ClassAgent, "status 500", 3},
		{"a wrong key", []http.HandlerFunc{code(401, `{"error":{"message":"bad key `+chatKey+`"}}`)}, record.ClassAgent, "check the key", 1},
		{"stalls", []http.HandlerFunc{func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
		}}, record.ClassAgent, "nothing came for", 9},
		{"cut streams", []http.HandlerFunc{halves}, record.ClassAgent, "was cut", 9},
		{"a cut stream, then a good answer", []http.HandlerFunc{halves, replies(good, "stop")}, "", "", 2},
		{"the limit of tokens, then a good answer", []http.HandlerFunc{replies(good[:50], "length"), replies(good, "stop")}, "", "", 2},
		{"invalid JSON", []http.HandlerFunc{func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, "{nope")
		}}, record.ClassAgent, "no JSON", 3},
		{"refusals", []http.HandlerFunc{replies("", "content_filter")}, record.ClassAgent, "refused", 3},
		{"empty answers", []http.HandlerFunc{replies("", "stop")}, record.ClassAgent, "empty", 3},
		{"an edit that does not apply is corrected", []http.HandlerFunc{replies(bad, "stop"), replies(good, "stop")}, "", "", 2},
		{"edits that never apply", []http.HandlerFunc{replies(bad, "stop")}, record.ClassAgent, "did not apply in 3 answers", 3},
		{"words without edits", []http.HandlerFunc{replies("The code is fine.", "stop")}, record.ClassAgent, "holds no edit", 3},
		{"no change", []http.HandlerFunc{replies("NO CHANGE", "stop")}, record.ClassNoChange, "no change", 3},
		{"an edit that changes nothing", []http.HandlerFunc{replies(block("a.go", "\treturn 1\n", "\treturn 1\n"), "stop")}, record.ClassNoChange, "no change", 3},
		{"5 MB of words", []http.HandlerFunc{replies(huge, "stop")}, record.ClassAgent, "holds no edit", 3},
		{"a good edit after 5 MB of words", []http.HandlerFunc{replies(huge+"\n"+good, "stop")}, "", "", 1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			m := newModel(t, tc.steps...)
			g := chatGateway(t, m.url, func(o *gateway.Options) {
				if tc.name == "stalls" {
					o.Idle = 50 * time.Millisecond
				}
			})
			var live []string
			c := newChat(t, g, func(o *agent.ChatOptions) {
				o.Account = func(j agent.Job) *gateway.Account {
					return gateway.NewAccount(gateway.AccountOptions{Name: j.Number.String(), LimitUSD: 5})
				}
			})
			res, err := c.Edit(t.Context(), chatJob(func(l string) { live = append(live, l) }), editTree())
			evidence, usage := res.Evidence, res.Usage
			if tc.class == "" {
				if err != nil || len(res.Changes) != 1 || !strings.Contains(string(res.Changes[0].Data), "return 10") || res.Intent != "return ten" && !strings.Contains(tc.name, "5 MB") {
					t.Fatalf("got %v, intent %q, changes %v", err, res.Intent, res.Changes)
				}
			} else {
				var e *agent.Error
				if !errors.As(err, &e) || e.Class != tc.class || !strings.Contains(err.Error(), tc.reason) {
					t.Fatalf("got %v, want class %s with %q", err, tc.class, tc.reason)
				}
				if (tc.class == record.ClassNoChange) != errors.Is(err, agent.ErrNoChange) {
					t.Errorf("ErrNoChange does not match class %s", tc.class)
				}
				evidence, usage = e.Evidence, e.Usage
			}
			if got := len(m.requests()); got != tc.requests || usage.Requests != got {
				t.Errorf("got %d requests and a usage of %d, want %d", got, usage.Requests, tc.requests)
			}
			if usage.CostUSD == nil || *usage.CostUSD > 5 {
				t.Errorf("got cost %v", usage.CostUSD)
			}
			kinds := map[string]string{}
			for _, e := range evidence {
				kinds[e.Kind] = string(e.Text)
				if len(e.Text) > 300<<10 {
					t.Errorf("evidence %s has %d bytes", e.Kind, len(e.Text))
				}
			}
			if !strings.Contains(kinds["prompt"], "make one bigger") || kinds["transcript"] == "" {
				t.Errorf("the evidence lacks prompt or transcript: %v", len(evidence))
			}
			all := fmt.Sprint(err, kinds, live, m.requests())
			if strings.Contains(all, chatKey) {
				t.Errorf("the key is in an error, evidence, live output or prompt")
			}
		})
	}
}

func TestChatCorrectionNamesTheProblem(t *testing.T) {
	m := newModel(t, replies(block("a.go", "func two() int {\n\treturn 7\n}\n", "x\n"), "stop"), replies(block("a.go", "\treturn 1\n", "\treturn 10\n"), "stop"))
	c := newChat(t, chatGateway(t, m.url, nil), nil)
	if _, err := c.Edit(t.Context(), chatJob(nil), editTree()); err != nil {
		t.Fatal(err)
	}
	var second struct {
		Messages []struct{ Role, Content string }
	}
	if err := json.Unmarshal([]byte(m.requests()[1]), &second); err != nil {
		t.Fatal(err)
	}
	if n := len(second.Messages); n != 4 || second.Messages[2].Role != "assistant" || !strings.Contains(second.Messages[3].Content, "closest place is line 7") {
		t.Errorf("got %+v", second.Messages)
	}
}

func TestAnAnswerCutByItsLengthAsksForLess(t *testing.T) {
	good := block("a.go", "\treturn 1\n", "\treturn 10\n")
	m := newModel(t, replies(good[:20], "length"), replies(good, "stop"))
	c := newChat(t, chatGateway(t, m.url, nil), nil)
	if _, err := c.Edit(t.Context(), chatJob(nil), editTree()); err != nil {
		t.Fatal(err)
	}
	asked := m.requests()
	if len(asked) != 2 || strings.Contains(asked[0], "Make a smaller change") || !strings.Contains(asked[1], "Make a smaller change") {
		t.Errorf("%d requests; the second is\n%s", len(asked), asked[len(asked)-1])
	}
}

func TestChatPlansFirst(t *testing.T) {
	good := block("a.go", "\treturn 1\n", "\treturn 10\n")
	for _, tc := range []struct {
		name     string
		steps    []http.HandlerFunc
		requests int
		want     string // in the coder's prompt; "" = it fails
	}{
		{"a plan", []http.HandlerFunc{replies("```json\n"+goodPlan+"\n```", "stop"), replies(good, "stop")}, 2, "sort first"},
		{"words", []http.HandlerFunc{replies("Try harmonic classes.", "stop"), replies(good, "stop")}, 2, "Try harmonic classes."},
		{"an empty answer is asked for again", []http.HandlerFunc{replies("", "stop"), replies(goodPlan, "stop"), replies(good, "stop")}, 3, "sort first"},
		{"a planner that never answers", []http.HandlerFunc{replies("", "stop")}, 3, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			m := newModel(t, tc.steps...)
			c := newChat(t, chatGateway(t, m.url, nil), func(o *agent.ChatOptions) { o.Planner = &gateway.Request{Provider: "p", Model: "m", MaxTokens: 500} })
			res, err := c.Edit(t.Context(), chatJob(nil), editTree())
			asked := m.requests()
			if len(asked) != tc.requests {
				t.Fatalf("%d requests, %v", len(asked), err)
			}
			if tc.want == "" {
				var e *agent.Error
				if !errors.As(err, &e) || e.Class != record.ClassAgent || !errors.Is(err, gateway.ErrEmpty) || e.Usage.Requests != tc.requests {
					t.Errorf("got %v", err)
				}
				return
			}
			if err != nil || !strings.Contains(asked[len(asked)-1], tc.want) || res.Usage.Requests != tc.requests {
				t.Errorf("got %v; the coder saw %s", err, asked[len(asked)-1])
			}
		})
	}
}

func TestChatWithinItsBudget(t *testing.T) {
	m := newModel(t, replies("The code is fine.", "stop"))
	budget := gateway.NewBudget(0.1, nil)
	c := newChat(t, chatGateway(t, m.url, nil), func(o *agent.ChatOptions) {
		o.Attempts = 100
		o.Account = func(j agent.Job) *gateway.Account {
			return gateway.NewAccount(gateway.AccountOptions{Name: j.Number.String(), Ledger: budget, Limited: true})
		}
	})
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			res, err := c.Edit(t.Context(), chatJob(nil), editTree())
			var e *agent.Error
			if !errors.As(err, &e) || e.Class != record.ClassBudget || !errors.Is(err, gateway.ErrBudget) {
				t.Errorf("got %v %v", res, err)
			}
			if e != nil && e.Usage.Requests != 0 {
				t.Error("what the ledger settled is counted twice")
			}
		})
	}
	wait.Wait()
	if spent, reserved := budget.Spent(); spent > 0.1 || spent == 0 || reserved > 1e-12 {
		t.Errorf("spent $%v, reserved $%v of $0.1", spent, reserved)
	}
}

func TestChatEndsWithItsContext(t *testing.T) {
	entered := make(chan struct{})
	m := newModel(t, func(_ http.ResponseWriter, r *http.Request) { close(entered); <-r.Context().Done() })
	c := newChat(t, chatGateway(t, m.url, func(o *gateway.Options) { o.Idle = time.Minute }), nil)
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-entered; cancel() }()
	began := time.Now()
	_, err := c.Edit(ctx, chatJob(nil), editTree())
	if !errors.Is(err, context.Canceled) || time.Since(began) > suitetest.Stretched(t, 2*time.Second) {
		t.Errorf("got %v after %v", err, time.Since(began))
	}
}

func TestChatRecordsAndReplays(t *testing.T) {
	dir := t.TempDir()
	bad, good := block("a.go", "nope "+chatKey+"\n", "x\n"), block("a.go", "\treturn 1\n", "\treturn 10\n")
	m := newModel(t, replies(bad, "stop"), halves, replies(good, "stop"))
	run := func(g *gateway.Gateway) string {
		res, err := newChat(t, g, nil).Edit(t.Context(), chatJob(nil), editTree())
		return fmt.Sprint(res.Changes, res.Intent, res.Usage.InputTokens, err)
	}
	first := run(chatGateway(t, m.url, func(o *gateway.Options) { o.Record = dir }))
	asked := len(m.requests())
	second := run(chatGateway(t, m.url, func(o *gateway.Options) { o.Replay = dir }))
	if len(m.requests()) != asked || !strings.Contains(first, "a.go") || strings.Contains(first, "nope") {
		t.Errorf("%d requests in the replay; got %s", len(m.requests())-asked, first)
	}
	if first != second {
		t.Errorf("recorded %s\nreplayed %s", first, second)
	}
	files, _ := filepath.Glob(dir + "/*")
	for _, name := range files {
		if data, _ := os.ReadFile(name); strings.Contains(string(data), chatKey) {
			t.Errorf("%s holds the key", name)
		}
	}
	if len(files) != 2 {
		t.Errorf("%d files", len(files))
	}
}

func TestChatShowsLinesWhileTheyCome(t *testing.T) {
	m := newModel(t, replies("INTENT: ten \x1b[31mred\n\n"+block("a.go", "\treturn 1\n", "\treturn 10\n"), "stop"))
	var live, stages []string
	j := chatJob(func(l string) { live = append(live, l) })
	j.Progress = func(s string) { stages = append(stages, s) }
	res, err := newChat(t, chatGateway(t, m.url, nil), nil).Edit(t.Context(), j, editTree())
	if err != nil {
		t.Fatal(err)
	}
	if len(live) < 6 || !strings.HasPrefix(live[0], "INTENT: ten") || strings.Contains(strings.Join(live, ""), "\x1b") || strings.Contains(res.Intent, "\x1b") {
		t.Errorf("got %q, intent %q", live, res.Intent)
	}
	if fmt.Sprint(stages) != "[writing]" {
		t.Errorf("got stages %q", stages)
	}
}

func block(path, search, replace string) string {
	return path + "\n<<<<<<< SEARCH\n" + search + "=======\n" + replace + ">>>>>>> REPLACE\n"
}

// editTree is what the scripted model edits.
func editTree() agenttest.Tree {
	return agenttest.Tree{"a.go": "package a\n\nfunc one() int {\n\treturn 1\n}\n\nfunc two() int {\n\treturn 2\n}\n", "twice.txt": "x\ny\nx\ny\n"}
}

func TestAnAnswerWithoutItsIntentLineIsTakenAtItsFirstWords(t *testing.T) {
	edits := block("a.go", "\treturn 1\n", "\treturn 10\n")
	for _, tc := range []struct{ name, before, want string }{
		{"words before the edit", "I return ten instead of one.\n\n", "I return ten instead of one."},
		{"words after a heading that says nothing", "# Plan\n\nReturn a larger constant.\n\n", "Return a larger constant."},
		{"words after a path", "a.go\n\nMake the constant larger\n\n", "Make the constant larger"},
		{"no words at all", "", "mutate"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			m := newModel(t, replies(tc.before+edits, "stop"))
			j := chatJob(nil)
			j.Operator = record.OpMutate
			res, err := newChat(t, chatGateway(t, m.url, nil), nil).Edit(t.Context(), j, editTree())
			if err != nil || res.Intent != tc.want {
				t.Errorf("intent %q, want %q (%v)", res.Intent, tc.want, err)
			}
		})
	}
}

func TestWhatTheSettingsSayOfAModelIsSent(t *testing.T) {
	m := newModel(t, replies("INTENT: ten\n\n"+block("a.go", "\treturn 1\n", "\treturn 10\n"), "stop"))
	warm := 0.25
	c := newChat(t, chatGateway(t, m.url, nil), func(o *agent.ChatOptions) { o.Coder.Temperature, o.Coder.Effort = &warm, "high" })
	if _, err := c.Edit(t.Context(), chatJob(nil), editTree()); err != nil {
		t.Fatal(err)
	}
	var sent struct {
		Temperature float64 `json:"temperature"`
		Effort      string  `json:"reasoning_effort"`
	}
	if err := json.Unmarshal([]byte(m.asked[0]), &sent); err != nil || sent.Temperature != warm || sent.Effort != "high" {
		t.Errorf("%+v %v", sent, err)
	}
}

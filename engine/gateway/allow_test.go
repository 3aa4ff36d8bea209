package gateway_test

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"atoll/engine/gateway"
)

// The places where each protocol is asked, and what it takes for a request.
var shapes = []struct {
	api        gateway.API
	path, body string // the body without its braces
	step       http.HandlerFunc
}{
	{gateway.Chat, "/chat/completions", `"model":"m","messages":[{"role":"user","content":"x"}]`, says("ok", 1, 1)},
	{gateway.Responses, "/responses", `"model":"m","stream":true,"input":"x"`, responsesSays},
	{gateway.Anthropic, "/v1/messages", `"model":"m","stream":true,"messages":[{"role":"user","content":"x"}]`, anthropicSays},
	{gateway.Gemini, "/v1beta/models/m:streamGenerateContent", `"contents":[{"role":"user","parts":[{"text":"x"}]}]`, geminiSays},
}

// sentOn asks each protocol with further fields, and returns what reached its provider
// and what the account was told.
func sentOn(t *testing.T, only gateway.API, most int64, usd float64, more string) map[gateway.API]map[string]any {
	t.Helper()
	out := map[gateway.API]map[string]any{}
	for _, s := range shapes {
		if only != "" && s.api != only {
			continue
		}
		f := newFake(t, s.step)
		o, _ := options(s.api, f.URL)
		o.Providers[0].MaxTokens = most
		a := account(usd, nil)
		e := serve(t, mustNew(t, o), gateway.Job{Account: a, Providers: []string{"p"}, Models: []string{"m"}})
		code, text := post(t, http.DefaultClient, e.BaseURL(s.api)+s.path, e.Token, "{"+s.body+","+more+"}")
		if code != 200 || len(f.requests()) != 1 {
			t.Fatalf("%s: %s: got %d %s", s.api, more, code, text)
		}
		out[s.api] = f.requests()[0].body
		out[s.api]["notes"] = strings.Join(e.Close().Notes, "\n")
		if path := f.requests()[0].path; s.api == gateway.Gemini && !strings.Contains(path, "/models/m:") {
			t.Errorf("the provider was asked at %s", path)
		}
	}
	return out
}

// TestWhatChoosesMultipliesOrSearchesStaysHere sends fields that are on no list to all
// four protocols, with a budget and without one.
func TestWhatChoosesMultipliesOrSearchesStaysHere(t *testing.T) {
	for _, field := range []string{
		`"fallbacks":["gold"]`, `"fallback_models":["gold"]`, `"models":["gold"]`, `"route":"fallback"`, `"preset":"gold"`, `"Model":"gold"`, `"MODEL":"gold"`,
		`"provider":{"order":["dear"]}`, `"routingConfig":{"manualMode":{"modelName":"gold"}}`, `"extra_body":{"model":"gold"}`, `"prompt":{"id":"pmpt_1"}`,
		`"n":1000000`, `"n":"1000000"`, `"n":1e6`, `"N":7`, `"best_of":9`, `"num_return_sequences":9`, `"candidate_count":9`, `"candidateCount":9`, `"num_generations":9`,
		`"search_parameters":{"mode":"on"}`, `"enable_search":true`, `"web_search_options":{}`, `"plugins":[{"id":"web"}]`, `"mcp_servers":[{"url":"https://x"}]`,
		`"web_search":true`, `"tool_resources":{}`, `"container":"c"`, `"background":true`, `"service_tier":"priority"`, `"speed":"fast"`, `"inference_geo":"us"`,
		`"prediction":{"type":"content","content":"x"}`, `"modalities":["audio"]`, `"audio":{"voice":"x"}`, `"betas":["context-1m"]`, `"max_tool_calls":99`,
		`"Max_Tokens":900000000`, `"maxOutputTokens":900000000`, `"something_new":{"a":[{"b":1}]}`,
	} {
		name := strings.Trim(strings.SplitN(field, ":", 2)[0], `"`)
		for _, usd := range []float64{0, 1} {
			for api, got := range sentOn(t, "", 500, usd, field) {
				if _, there := got[name]; there && (name != "model") {
					t.Errorf("%s passes %s", api, field)
				}
				if notes := got["notes"].(string); !strings.Contains(notes, fmt.Sprintf("%q left out", name)) {
					t.Errorf("%s: %s is not told: %q", api, field, notes)
				}
				if m, there := got["model"]; there && m != "m" {
					t.Errorf("%s: the model is %v", api, m)
				}
			}
		}
	}
}

func TestAnswersAndThoughtsAreBoundedByTheAgentsLimit(t *testing.T) {
	for _, tc := range []struct {
		name string
		api  gateway.API
		more string
		at   string // path in what reached the provider
		want any    // nil: it is not there
	}{
		{"an answer", gateway.Chat, `"max_tokens":90000`, "max_tokens", 2000.0},
		{"an answer, as a text", gateway.Chat, `"max_tokens":"100"`, "max_tokens", 2000.0},
		{"a huge one", gateway.Chat, `"max_tokens":1e300`, "max_tokens", 2000.0},
		{"one that is larger than any number", gateway.Chat, `"max_tokens":9223372036854775808`, "max_tokens", 2000.0},
		{"one within the limit", gateway.Chat, `"max_tokens":100`, "max_tokens", 100.0},
		{"one by its other name", gateway.Chat, `"max_completion_tokens":90000`, "max_completion_tokens", 2000.0},
		{"by another protocol's name", gateway.Chat, `"max_output_tokens":90000`, "max_output_tokens", nil},
		{"thoughts", gateway.Chat, `"reasoning":{"max_tokens":90000,"effort":"high"}`, "reasoning.max_tokens", 2000.0},
		{"what else is said of them stays", gateway.Chat, `"reasoning":{"max_tokens":90000,"effort":"high"}`, "reasoning.effort", "high"},
		{"thoughts, as a text", gateway.Chat, `"reasoning":{"max_tokens":"90000"}`, "reasoning.max_tokens", 2000.0},
		{"thoughts in other letters", gateway.Chat, `"reasoning":{"Max_Tokens":90000}`, "reasoning.Max_Tokens", nil},
		{"thoughts as another server has them", gateway.Chat, `"thinking":{"type":"enabled","budget_tokens":90000}`, "thinking.budget_tokens", 2000.0},
		{"and a third one", gateway.Chat, `"enable_thinking":true,"thinking_budget":90000`, "thinking_budget", 2000.0},
		{"thoughts that are no object", gateway.Chat, `"thinking":[{"budget_tokens":90000}]`, "thinking", nil},
		{"an answer of Responses", gateway.Responses, `"max_output_tokens":90000`, "max_output_tokens", 2000.0},
		{"as a text", gateway.Responses, `"max_output_tokens":"100"`, "max_output_tokens", 2000.0},
		{"thoughts of Responses", gateway.Responses, `"reasoning":{"effort":"high","summary":"auto","max_tokens":90000}`, "reasoning.max_tokens", 2000.0},
		{"an answer of Anthropic", gateway.Anthropic, `"max_tokens":90000`, "max_tokens", 2000.0},
		{"thoughts of Anthropic, which must be less than the answer", gateway.Anthropic, `"max_tokens":90000,"thinking":{"type":"enabled","budget_tokens":31999}`, "thinking.budget_tokens", 1999.0},
		{"for which there is no room", gateway.Anthropic, `"max_tokens":1000,"thinking":{"type":"enabled","budget_tokens":31999}`, "thinking", nil},
		{"those that adapt", gateway.Anthropic, `"max_tokens":1000,"thinking":{"type":"adaptive"}`, "thinking.type", "adaptive"},
		{"an edit of the context that clears", gateway.Anthropic, `"context_management":{"edits":[{"type":"clear_thinking_20251015"},{"type":"compact_20260112"}]}`, "context_management.edits", []any{map[string]any{"type": "clear_thinking_20251015"}}},
		{"an answer of Gemini", gateway.Gemini, `"generationConfig":{"maxOutputTokens":90000}`, "generationConfig.maxOutputTokens", 2000.0},
		{"in its other spelling", gateway.Gemini, `"generation_config":{"max_output_tokens":90000}`, "generationConfig.maxOutputTokens", 2000.0},
		{"in both", gateway.Gemini, `"generationConfig":{"maxOutputTokens":10},"generation_config":{"maxOutputTokens":90000}`, "generation_config", nil},
		{"in both inside", gateway.Gemini, `"generationConfig":{"maxOutputTokens":10,"max_output_tokens":90000}`, "generationConfig.max_output_tokens", nil},
		{"nothing", gateway.Gemini, `"generationConfig":null`, "generationConfig.maxOutputTokens", 2000.0},
		{"no object", gateway.Gemini, `"generationConfig":[{"maxOutputTokens":90000}]`, "generationConfig", map[string]any{"maxOutputTokens": 2000.0}},
		{"several answers of Gemini", gateway.Gemini, `"generationConfig":{"candidateCount":5}`, "generationConfig.candidateCount", nil},
		{"in their other spelling", gateway.Gemini, `"generation_config":{"candidate_count":5}`, "generationConfig.candidateCount", nil},
		{"another model of Gemini", gateway.Gemini, `"generationConfig":{"routingConfig":{"manualMode":{"modelName":"gold"}}}`, "generationConfig.routingConfig", nil},
		{"pictures as answers", gateway.Gemini, `"generationConfig":{"responseModalities":["IMAGE"]}`, "generationConfig.responseModalities", nil},
		{"thoughts of Gemini", gateway.Gemini, `"generationConfig":{"thinkingConfig":{"thinkingBudget":90000,"includeThoughts":true}}`, "generationConfig.thinkingConfig.thinkingBudget", 2000.0},
		{"in their other spelling", gateway.Gemini, `"generation_config":{"thinking_config":{"thinking_budget":90000}}`, "generationConfig.thinkingConfig.thinkingBudget", 2000.0},
		{"as many as it likes", gateway.Gemini, `"generationConfig":{"thinkingConfig":{"thinkingBudget":-1}}`, "generationConfig.thinkingConfig.thinkingBudget", -1.0},
		{"a stream that is no truth value", gateway.Chat, `"stream":"true"`, "stream", nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			for _, usd := range []float64{0, 1} {
				var got any = sentOn(t, tc.api, 2000, usd, tc.more)[tc.api]
				for part := range strings.SplitSeq(tc.at, ".") {
					inner, _ := got.(map[string]any)
					got = inner[part]
				}
				if !reflect.DeepEqual(got, tc.want) {
					t.Errorf("with a budget of $%g %s is %v, want %v", usd, tc.at, got, tc.want)
				}
			}
		})
	}
}

func TestToolsThatTheProviderRunsAreLeftOut(t *testing.T) {
	for _, tc := range []struct {
		name       string
		api        gateway.API
		more, want string // tools, and what of them is left, as JSON; "" = nothing
	}{
		{"chat", gateway.Chat, `[{"type":"function","function":{"name":"f"}},{"type":"web_search_preview"},{"type":"browser_search"},{"type":"code_interpreter"}]`, `[{"type":"function","function":{"name":"f"}}]`},
		{"responses", gateway.Responses, `[{"type":"custom","name":"c"},{"type":"local_shell"},{"type":"web_search"},{"type":"image_generation"},{"type":"mcp","server_url":"https://x"},{"type":"shell","environment":{"type":"container_auto"}}]`, `[{"type":"custom","name":"c"},{"type":"local_shell"}]`},
		{"a group of responses", gateway.Responses, `[{"type":"namespace","name":"n","tools":[{"type":"function","name":"f"},{"type":"file_search"}]}]`, `[{"type":"namespace","name":"n","tools":[{"type":"function","name":"f"}]}]`},
		{"anthropic", gateway.Anthropic, `[{"name":"f","input_schema":{}},{"type":"bash_20250124","name":"bash"},{"type":"web_search_20260209","name":"web_search"},{"type":"web_fetch_20250910","name":"w"},{"type":"code_execution_20250825","name":"c"}]`, `[{"name":"f","input_schema":{}},{"type":"bash_20250124","name":"bash"}]`},
		{"gemini", gateway.Gemini, `[{"functionDeclarations":[{"name":"f"}],"googleSearch":{}},{"google_search":{}},{"urlContext":{}},{"code_execution":{}},{"enterpriseWebSearch":{}}]`, `[{"functionDeclarations":[{"name":"f"}]}]`},
		{"nothing is left", gateway.Chat, `[{"type":"web_search"}]`, ``},
		{"no list", gateway.Anthropic, `{"type":"web_search_20260209"}`, ``},
		{"no objects", gateway.Responses, `["web_search"]`, ``},
	} {
		t.Run(tc.name, func(t *testing.T) {
			for _, usd := range []float64{0, 1} {
				got := sentOn(t, tc.api, 500, usd, `"tools":`+tc.more)[tc.api]
				var want any
				if tc.want != "" {
					if err := json.Unmarshal([]byte(tc.want), &want); err != nil {
						t.Fatal(err)
					}
				}
				if !reflect.DeepEqual(got["tools"], want) || !strings.Contains(got["notes"].(string), "left out") {
					t.Errorf("with a budget of $%g: got %v, want %v; told %q", usd, got["tools"], want, got["notes"])
				}
			}
		})
	}
}

func TestAnotherModelIsReachedByNoPath(t *testing.T) {
	for _, tc := range []struct {
		name string
		api  gateway.API
		path string
		body string
		want int // status; 200: the model m is asked
	}{
		{"in the path", gateway.Gemini, "/v1beta/models/gold:generateContent", `{"contents":[]}`, 403},
		{"in the path and the right one in the body", gateway.Gemini, "/v1beta/models/gold:generateContent", `{"model":"m","contents":[]}`, 403},
		{"in the body alone", gateway.Gemini, "/v1beta/models/m:generateContent", `{"model":"gold","contents":[]}`, 200},
		{"behind the right one", gateway.Gemini, "/v1beta/models/m/../gold:generateContent", `{"contents":[]}`, 403},
		{"behind the right one, encoded", gateway.Gemini, "/v1beta/models/m%2F..%2Fgold:generateContent", `{"contents":[]}`, 403},
		{"with the right one behind it", gateway.Gemini, "/v1beta/models/gold:generateContent/m:generateContent", `{"contents":[]}`, 404},
		{"tuned", gateway.Gemini, "/v1beta/tunedModels/m:generateContent", `{"contents":[]}`, 404},
		{"by another verb", gateway.Gemini, "/v1beta/models/m:predict", `{"contents":[]}`, 404},
		{"in a query", gateway.Gemini, "/v1beta/models/m:generateContent?model=gold&fallbacks=gold", `{"contents":[]}`, 200},
		{"with a tail", gateway.Chat, "/chat/completions", `{"model":"m:online"}`, 403},
		{"as a part", gateway.Chat, "/chat/completions", `{"model":"dear/m"}`, 403},
		{"in other letters", gateway.Chat, "/chat/completions", `{"model":"M"}`, 403},
		{"with a blank", gateway.Anthropic, "/v1/messages", `{"model":"m "}`, 403},
		{"in a batch", gateway.Anthropic, "/v1/messages/batches", `{"model":"m","requests":[{"params":{"model":"gold"}}]}`, 404},
		{"in a summary", gateway.Responses, "/responses/compact", `{"model":"m"}`, 404},
		{"twice", gateway.Responses, "/responses", `{"model":"m","input":"x","model":"gold"}`, 400},
		{"twice, once written otherwise", gateway.Responses, "/responses", `{"model":"m","input":"x","mod\u0065l":"gold"}`, 400},
	} {
		t.Run(tc.name, func(t *testing.T) {
			f := newFake(t, map[gateway.API]http.HandlerFunc{gateway.Gemini: geminiSays, gateway.Anthropic: anthropicSays}[tc.api])
			o, _ := options(tc.api, f.URL)
			e := serve(t, mustNew(t, o), gateway.Job{Account: account(0, nil), Providers: []string{"p"}, Models: []string{"m"}})
			code, text := post(t, http.DefaultClient, e.BaseURL(tc.api)+tc.path, e.Token, tc.body)
			if code != tc.want || (len(f.requests()) == 1) != (tc.want == 200) {
				t.Fatalf("got %d %s with %d requests", code, text, len(f.requests()))
			}
			for _, r := range f.requests() {
				if all := fmt.Sprint(r.path, r.body); strings.Contains(all, "gold") || !strings.Contains(all, "models/m:") {
					t.Errorf("the provider was asked %s", all)
				}
			}
		})
	}
}

// TestUsageIsReadAsItIsWritten has providers report odd figures, whole and streamed.
func TestUsageIsReadAsItIsWritten(t *testing.T) {
	usages := map[gateway.API]string{
		gateway.Chat:      `{"choices":[{"index":0,"message":{"content":"hi"},"finish_reason":"stop"}],"usage":{"prompt_tokens":IN,"completion_tokens":OUT}}`,
		gateway.Responses: `{"status":"completed","output":[{"type":"message","content":[{"type":"output_text","text":"hi"}]}],"usage":{"input_tokens":IN,"output_tokens":OUT}}`,
		gateway.Anthropic: `{"type":"message","content":[{"type":"text","text":"hi"}],"stop_reason":"end_turn","usage":{"input_tokens":IN,"output_tokens":OUT}}`,
		gateway.Gemini:    `{"candidates":[{"content":{"parts":[{"text":"hi"}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":IN,"candidatesTokenCount":OUT}}`,
	}
	for _, tc := range []struct {
		in, out string
		metered bool
	}{
		{`100`, `20`, true},
		{`"100"`, `"20"`, true},
		{`100.0`, `2e1`, true},
		{`"many"`, `20`, false},
		{`100`, `-20`, false},
		{`100`, `1e30`, false},
		{`100`, `99999999999999999999999999`, false},
		{`100`, `{"total":20}`, false},
		{`[100]`, `20`, false},
		{`100`, `true`, false},
	} {
		for _, s := range shapes {
			whole := strings.NewReplacer("IN", tc.in, "OUT", tc.out).Replace(usages[s.api])
			f := newFake(t, status(200, whole, "Content-Type", "application/json"))
			o, _ := options(s.api, f.URL)
			e := serve(t, mustNew(t, o), gateway.Job{Account: account(1, nil), Providers: []string{"p"}})
			body := strings.Replace(s.body, `"stream":true,`, "", 1)
			code, text := post(t, http.DefaultClient, e.BaseURL(s.api)+strings.Replace(s.path, "streamG", "g", 1), e.Token, "{"+body+"}")
			if code != 200 || text != whole {
				t.Errorf("%s: the client got %d %s", s.api, code, text)
			}
			u := e.Close().Usage
			if u.CostUSD == nil {
				t.Fatalf("%s: %s: nothing is settled: %+v", s.api, whole, u)
			}
			exact := math.Abs(*u.CostUSD-140e-6) < 1e-12 && u.InputTokens == 100 && u.OutputTokens == 20
			if tc.metered != exact || tc.metered == u.Unmetered || !tc.metered && *u.CostUSD < 1e-3 {
				t.Errorf("%s: %s: got %+v at $%v", s.api, whole, u, *u.CostUSD)
			}
		}
	}
}

package gateway_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"atoll/engine/gateway"
)

// told asks a provider of a protocol with a whole request, and returns the status, what
// the client was told, what reached the provider (nil: nothing) and the notes.
func told(t *testing.T, api gateway.API, usd float64, body string, header ...string) (int, string, *seenRequest, string) {
	t.Helper()
	for _, s := range shapes {
		if s.api != api {
			continue
		}
		f := newFake(t, s.step)
		o, _ := options(api, f.URL)
		o.Providers[0].MaxTokens = 2000
		e := serve(t, mustNew(t, o), gateway.Job{Account: account(usd, nil), Providers: []string{"p"}, Models: []string{"m"}})
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, e.BaseURL(api)+s.path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+e.Token)
		for i := 0; i+1 < len(header); i += 2 {
			req.Header.Add(header[i], header[i+1])
		}
		code, text := do(t, req)
		notes := strings.Join(e.Close().Notes, "\n")
		if all := f.requests(); len(all) > 0 {
			return code, text, &all[0], notes
		}
		return code, text, nil, notes
	}
	t.Fatal(api)
	return 0, "", nil, ""
}

// TestNoRequestNamesAnAddress has clients of all protocols name content that lies
// somewhere, with a budget and without one.
func TestNoRequestNamesAnAddress(t *testing.T) {
	chat := func(part string) string {
		return `{"model":"m","messages":[{"role":"user","content":[{"type":"text","text":"see"},` + part + `]}]}`
	}
	input := func(part string) string {
		return `{"model":"m","input":[{"role":"user","content":[{"type":"input_text","text":"see"},` + part + `]}]}`
	}
	block := func(part string) string {
		return `{"model":"m","messages":[{"role":"user","content":[{"type":"text","text":"see"},` + part + `]}]}`
	}
	for _, tc := range []struct {
		name string
		api  gateway.API
		body string
	}{
		{"a picture", gateway.Chat, chat(`{"type":"image_url","image_url":{"url":"https://x/y.png"}}`)},
		{"one as a text", gateway.Chat, chat(`{"type":"image_url","image_url":"https://x/y.png"}`)},
		{"one in a list", gateway.Chat, chat(`{"type":"image_url","image_url":["https://x/y.png"]}`)},
		{"data that is no picture", gateway.Chat, chat(`{"type":"image_url","image_url":{"url":"data:video/mp4;base64,AA"}}`)},
		{"a film", gateway.Chat, chat(`{"type":"video_url","video_url":{"url":"https://x/y.mp4"}}`)},
		{"a file", gateway.Chat, chat(`{"type":"file","file":{"file_data":"https://x/y.pdf"}}`)},
		{"a file of a bucket", gateway.Chat, chat(`{"type":"file","file":{"file_data":"gs://x/y"}}`)},
		{"a document", gateway.Chat, chat(`{"type":"document_url","document_url":"https://x/y.pdf"}`)},
		{"a sound", gateway.Chat, chat(`{"type":"audio_url","audio_url":{"url":"https://x/y.mp3"}}`)},
		{"a sound as input", gateway.Chat, chat(`{"type":"input_audio","input_audio":{"data":"https://x/y.mp3","format":"mp3"}}`)},
		{"a part without a type", gateway.Chat, chat(`{"image_url":{"url":"https://x/y.png"}}`)},
		{"a type that is no text", gateway.Chat, chat(`{"type":["image_url"],"image_url":{"url":"https://x/y.png"}}`)},
		{"a list in a list", gateway.Chat, chat(`[{"type":"video_url","video_url":{"url":"https://x"}}]`)},
		{"what a tool answered", gateway.Chat, `{"model":"m","messages":[{"role":"tool","tool_call_id":"c","content":[{"type":"video_url","video_url":"https://x"}]}]}`},
		{"a picture of Responses", gateway.Responses, input(`{"type":"input_image","image_url":"https://x/y.png"}`)},
		{"a file of Responses", gateway.Responses, input(`{"type":"input_file","file_url":"https://x/y.pdf"}`)},
		{"a file of Responses as data", gateway.Responses, input(`{"type":"input_file","file_data":"https://x/y.pdf"}`)},
		{"instructions", gateway.Responses, `{"model":"m","input":"x","instructions":[{"role":"developer","content":[{"type":"input_image","image_url":"https://x/y.png"}]}]}`},
		{"instructions that are one object", gateway.Responses, `{"model":"m","input":"x","instructions":{"role":"developer","content":[{"type":"input_image","image_url":"https://x/y.png"}]}}`},
		{"what a function answered", gateway.Responses, `{"model":"m","input":[{"type":"function_call_output","call_id":"c","output":[{"type":"input_image","image_url":"https://x"}]}]}`},
		{"a picture of a screen", gateway.Responses, `{"model":"m","input":[{"type":"computer_call_output","call_id":"c","output":{"type":"computer_screenshot","image_url":"https://x"}}]}`},
		{"a search of the past", gateway.Responses, `{"model":"m","input":[{"type":"web_search_call","id":"ws_1","action":{"type":"open_page","url":"https://x"}}]}`},
		{"a server of tools", gateway.Responses, `{"model":"m","input":[{"type":"mcp_list_tools","server_label":"x","tools":[]}]}`},
		{"a picture of Anthropic", gateway.Anthropic, block(`{"type":"image","source":{"type":"url","url":"https://x/y.png"}}`)},
		{"a document of Anthropic", gateway.Anthropic, block(`{"type":"document","source":{"type":"url","url":"https://x/y.pdf"}}`)},
		{"a document in a document", gateway.Anthropic, block(`{"type":"document","source":{"type":"content","content":[{"type":"image","source":{"type":"url","url":"https://x"}}]}}`)},
		{"what a tool of Anthropic answered", gateway.Anthropic, block(`{"type":"tool_result","tool_use_id":"t","content":[{"type":"image","source":{"type":"url","url":"https://x"}}]}`)},
		{"system", gateway.Anthropic, `{"model":"m","messages":[],"system":[{"type":"image","source":{"type":"url","url":"https://x"}}]}`},
		{"a page that was fetched", gateway.Anthropic, block(`{"type":"server_tool_use","id":"s","name":"web_fetch","input":{"url":"https://x"}}`)},
		{"a file of Gemini", gateway.Gemini, `{"contents":[{"role":"user","parts":[{"fileData":{"mimeType":"video/mp4","fileUri":"https://youtu.be/x"}}]}]}`},
		{"in its other spelling", gateway.Gemini, `{"contents":[{"role":"user","parts":[{"file_data":{"file_uri":"gs://x/y"}}]}]}`},
		{"in the system's instruction", gateway.Gemini, `{"contents":[],"systemInstruction":{"parts":[{"fileData":{"fileUri":"https://x"}}]}}`},
		{"in its other spelling there", gateway.Gemini, `{"contents":[],"system_instruction":{"parts":{"file_data":{"file_uri":"https://x"}}}}`},
		{"in what a function answered", gateway.Gemini, `{"contents":[{"parts":[{"functionResponse":{"name":"f","response":{},"parts":[{"fileData":{"fileUri":"https://x"}}]}}]}]}`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			for _, usd := range []float64{0, 1} {
				code, text, seen, notes := told(t, tc.api, usd, tc.body)
				if code != 400 || seen != nil || !strings.Contains(notes, "refused: ") {
					t.Errorf("with a budget of $%g: got %d %.200s, sent on as %v, told %q", usd, code, text, seen, notes)
				}
			}
		})
	}
}

// TestWhatHasNoBoundIsRefusedUnderABudgetAndElseTold names what the provider has stored
// and sends what nobody here can count.
func TestWhatHasNoBoundIsRefusedUnderABudgetAndElseTold(t *testing.T) {
	for _, tc := range []struct {
		name string
		api  gateway.API
		body string
		told string
	}{
		{"a stored file", gateway.Chat, `{"model":"m","messages":[{"role":"user","content":[{"type":"file","file":{"file_id":"f-1"}}]}]}`, "file_id"},
		{"pages", gateway.Chat, `{"model":"m","messages":[{"role":"user","content":[{"type":"file","file":{"filename":"a.pdf","file_data":"data:application/pdf;base64,AA"}}]}]}`, "file_data"},
		{"the response before", gateway.Responses, `{"model":"m","input":"x","previous_response_id":"resp_1"}`, "previous_response_id"},
		{"a conversation", gateway.Responses, `{"model":"m","input":"x","conversation":{"id":"conv_1"}}`, "conversation"},
		{"an item", gateway.Responses, `{"model":"m","input":[{"type":"item_reference","id":"rs_1"}]}`, "input.id"},
		{"an item without a type", gateway.Responses, `{"model":"m","input":[{"id":"rs_1"}]}`, "input.id"},
		{"one whose type is null", gateway.Responses, `{"model":"m","input":[{"id":"rs_1","type":null}]}`, "input.id"},
		{"one alone", gateway.Responses, `{"model":"m","input":{"id":"rs_1"}}`, "input.id"},
		{"a stored picture", gateway.Responses, `{"model":"m","input":[{"role":"user","content":[{"type":"input_image","file_id":"f-1"}]}]}`, "file_id"},
		{"a stored file of Anthropic", gateway.Anthropic, `{"model":"m","messages":[{"role":"user","content":[{"type":"document","source":{"type":"file","file_id":"f-1"}}]}]}`, "file_id"},
		{"pages of Anthropic", gateway.Anthropic, `{"model":"m","messages":[{"role":"user","content":[{"type":"document","source":{"type":"base64","media_type":"application/pdf","data":"AA"}}]}]}`, "media_type"},
		{"a stored context", gateway.Gemini, `{"contents":[],"cached_content":"cachedContents/1"}`, "cached_content"},
		{"a film that is sent", gateway.Gemini, `{"contents":[{"parts":[{"inline_data":{"mime_type":"video/mp4","data":"AA"}}]}]}`, "mime_type"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if code, text, seen, notes := told(t, tc.api, 0, tc.body); code != 200 || seen == nil || !strings.Contains(notes, tc.told+" passed on") {
				t.Errorf("without a budget: got %d %.200s, told %q", code, text, notes)
			}
			if code, text, seen, _ := told(t, tc.api, 1, tc.body); code != 400 || seen != nil || !strings.Contains(text, "no bound") {
				t.Errorf("with a budget: got %d %.200s, sent on as %v", code, text, seen)
			}
		})
	}
}

// TestEachPlaceHasItsOwnList sends what belongs nowhere inside tools, messages and input.
func TestEachPlaceHasItsOwnList(t *testing.T) {
	for _, tc := range []struct {
		name, body string
		api        gateway.API
		want       string // what reached the provider has it; "" = nothing is asked for
	}{
		{"a search in a tool", `{"model":"m","messages":[],"tools":[{"type":"function","function":{"name":"f"},"web_search":{"enable":true}}]}`, gateway.Chat, `"name":"f"`},
		{"a search in a function", `{"model":"m","messages":[],"tools":[{"type":"function","function":{"name":"f","google_search":{}}}]}`, gateway.Chat, `"name":"f"`},
		{"a server in a tool", `{"model":"m","input":"x","tools":[{"type":"function","name":"f","server_url":"https://x"}]}`, gateway.Responses, `"name":"f"`},
		{"plug-ins in a message", `{"model":"m","messages":[{"role":"user","content":"x","plugins":[{"id":"web"}],"web_search":true}]}`, gateway.Chat, `"content":"x"`},
		{"more tools in the input", `{"model":"m","input":[{"role":"user","content":"x"},{"type":"additional_tools","tools":[{"type":"web_search"},{"type":"function","name":"f"}]}]}`, gateway.Responses, `"name":"f"`},
		{"tools that were found", `{"model":"m","input":[{"type":"tool_search_output","call_id":"c","tools":[{"type":"mcp","server_url":"https://x"},{"type":"function","name":"f"}]}]}`, gateway.Responses, `"name":"f"`},
		{"only such tools that were found", `{"model":"m","input":[{"type":"tool_search_output","call_id":"c","tools":[{"type":"mcp","server_url":"https://x"}]}]}`, gateway.Responses, `"tools":[]`},
		{"only such tools in the input", `{"model":"m","input":[{"role":"user","content":"x"},{"type":"additional_tools","tools":[{"type":"web_search"}]}]}`, gateway.Responses, `"tools":[]`},
		{"only edits of the context that are not passed on", `{"model":"m","messages":[{"role":"user","content":"x"}],"context_management":{"edits":[{"type":"compact_20260112"}]}}`, gateway.Anthropic, `"content":"x"`},
		{"an hour in the cache", `{"model":"m","messages":[{"role":"user","content":[{"type":"text","text":"x","cache_control":{"type":"ephemeral","ttl":"1h"}}]}]}`, gateway.Anthropic, `"ephemeral"`},
		{"an hour, written otherwise", `{"model":"m","messages":[{"role":"user","content":[{"type":"text","text":"x","cache\u005fcontrol":{"type":"ephemeral","ttl":"1\u0068"}}]}]}`, gateway.Anthropic, `"cache_control"`},
		{"an hour for tools", `{"model":"m","messages":[],"tools":[{"name":"f","input_schema":{},"cache_control":{"type":"ephemeral","ttl":"1h"}}]}`, gateway.Anthropic, `"ephemeral"`},
		{"who may call a tool", `{"model":"m","messages":[],"tools":[{"name":"f","input_schema":{},"allowed_callers":["code_execution_20250825"]}]}`, gateway.Anthropic, `"name":"f"`},
		{"a search of Gemini in a tool", `{"contents":[],"tools":[{"functionDeclarations":[{"name":"f"}],"google_search":{}}]}`, gateway.Gemini, `"name":"f"`},
		{"where to search", `{"contents":[],"tools":[{"functionDeclarations":[{"name":"f"}]}],"toolConfig":{"retrievalConfig":{"url":"https://x"},"functionCallingConfig":{"mode":"ANY"}}}`, gateway.Gemini, `"ANY"`},
		{"a budget of thoughts in a template", `{"model":"m","messages":[],"chat_template_kwargs":{"enable_thinking":true,"thinking_budget":90000}}`, gateway.Chat, `"thinking_budget":2000`},
		{"what a template may fetch", `{"model":"m","messages":[],"chat_template_kwargs":{"enable_thinking":true,"url":"https://x"}}`, gateway.Chat, `"enable_thinking":true`},
		{"a budget of a task", `{"model":"m","messages":[],"output_config":{"effort":"high","task_budget":{"type":"tokens","total":90000}}}`, gateway.Anthropic, `"effort":"high"`},
		{"an object in the place of a number", `{"model":"m","messages":[{"role":"user","content":"x"}],"seed":{"url":"https://x"},"stop":[{"url":"https://x"}]}`, gateway.Chat, `"content":"x"`},
		{"what runs a shell", `{"model":"m","input":"x","tools":[{"type":"function","name":"f"},{"type":"shell","environment":{"type":"container_reference","container_id":"https://x"}}]}`, gateway.Responses, `"name":"f"`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			for _, usd := range []float64{0, 1} {
				code, text, seen, notes := told(t, tc.api, usd, tc.body)
				if code != 200 || seen == nil {
					t.Fatalf("with a budget of $%g: got %d %.200s", usd, code, text)
				}
				sent, _ := json.Marshal(seen.body)
				for _, never := range []string{"search", "https://", "plugins", "ttl", "mcp", "90000", "callers"} {
					if strings.Contains(string(sent), never) && never != "search" || strings.Contains(strings.ReplaceAll(string(sent), "tool_search_output", ""), "search") {
						t.Errorf("with a budget of $%g %q reached the provider: %s", usd, never, sent)
					}
				}
				if !strings.Contains(string(sent), tc.want) || !strings.Contains(notes, "left out") && !strings.Contains(notes, "set to") {
					t.Errorf("with a budget of $%g: sent on as %s, told %q", usd, sent, notes)
				}
			}
		})
	}
}

func TestHeadersHaveAListToo(t *testing.T) {
	sent := "claude-code-20250219, web-fetch-2025-09-10,extended-cache-ttl-2025-04-11, fast-mode-2026-02-01,mcp-client-2025-11-20, effort-2025-11-24, context-1m-2025-08-07"
	for usd, want := range map[float64]string{1: "claude-code-20250219,effort-2025-11-24", 0: "claude-code-20250219,effort-2025-11-24,context-1m-2025-08-07"} {
		_, _, seen, notes := told(t, gateway.Anthropic, usd, `{"model":"m","messages":[]}`, "anthropic-beta", sent, "Anthropic-Beta", "code-execution-2025-08-25", "OpenAI-Beta", "assistants=v2")
		if seen == nil || seen.header.Get("Anthropic-Beta") != want || len(seen.header.Values("Anthropic-Beta")) != 1 || seen.header.Get("Openai-Beta") != "" {
			t.Fatalf("with a budget of $%g: got %+v", usd, seen)
		}
		for _, out := range []string{"web-fetch", "extended-cache", "fast-mode", "mcp-client", "code-execution"} {
			if !strings.Contains(notes, out) {
				t.Errorf("%s is not told: %q", out, notes)
			}
		}
	}
}

func TestUnderABudgetTheProviderKeepsNothing(t *testing.T) {
	for _, store := range []string{"", `"store":true,`, `"store":"true",`} {
		_, _, seen, _ := told(t, gateway.Responses, 1, `{"model":"m",`+store+`"input":[{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"AA"},{"type":"message","id":"msg_1","role":"user","content":"x"}]}`)
		if seen == nil || seen.body["store"] != false || strings.Contains(fmt.Sprint(seen.body), "rs_1") || !strings.Contains(fmt.Sprint(seen.body), "encrypted_content") {
			t.Errorf("%s got %+v", store, seen)
		}
	}
	if _, _, seen, notes := told(t, gateway.Responses, 0, `{"model":"m","store":true,"input":"x"}`); seen == nil || seen.body["store"] != true || !strings.Contains(notes, "store passed on") {
		t.Errorf("without a budget: got %+v, told %q", seen, notes)
	}
}

// TestCountingReachesNoAddressEither asks how many tokens a request has, which costs
// nothing.
func TestCountingReachesNoAddressEither(t *testing.T) {
	f := newFake(t, status(200, `{"input_tokens":1}`, "Content-Type", "application/json"))
	o, _ := options(gateway.Anthropic, f.URL)
	e := serve(t, mustNew(t, o), gateway.Job{Account: account(1, nil), Providers: []string{"p"}, Models: []string{"m"}})
	url := e.BaseURL(gateway.Anthropic) + "/v1/messages/count_tokens"
	if code, text := post(t, http.DefaultClient, url, e.Token, `{"model":"m","messages":[{"role":"user","content":[{"type":"image","source":{"type":"url","url":"https://x"}}]}]}`); code != 400 {
		t.Errorf("got %d %s", code, text)
	}
	if code, text := post(t, http.DefaultClient, url, e.Token, `{"model":"m","messages":[{"role":"user","content":"x"}],"mcp_servers":[{"url":"https://x"}]}`); code != 200 || len(f.requests()) != 1 || f.requests()[0].body["mcp_servers"] != nil {
		t.Errorf("got %d %s, asked %+v", code, text, f.requests())
	}
}

// TestAPictureIsCountedHoweverSmallItIs has a budget that the bytes alone would fit into.
func TestAPictureIsCountedHoweverSmallItIs(t *testing.T) {
	for _, tc := range []struct {
		api  gateway.API
		body string
	}{
		{gateway.Chat, `{"model":"m","max_tokens":10,"messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,AA"}}]}]}`},
		{gateway.Responses, `{"model":"m","max_output_tokens":10,"input":[{"role":"user","content":[{"type":"input_image","image_url":"data:image/png;base64,AA"}]}]}`},
		{gateway.Anthropic, `{"model":"m","max_tokens":10,"messages":[{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AA"}}]}]}]}`},
		{gateway.Gemini, `{"generationConfig":{"maxOutputTokens":10},"contents":[{"parts":[{"inlineData":{"mimeType":"image/png","data":"AA"}}]}]}`},
	} {
		for usd, want := range map[float64]bool{0.01: false, 0.2: true} {
			if code, text, seen, _ := told(t, tc.api, usd, tc.body); (code == 200) != want || (seen != nil) != want {
				t.Errorf("%s with $%g: got %d %.200s", tc.api, usd, code, text)
			}
		}
	}
}

func TestWhatClientsSendIsPassedOnWhole(t *testing.T) {
	for _, tc := range []struct {
		api  gateway.API
		body string
	}{
		{gateway.Chat, `{"model":"m","max_tokens":9,"messages":[{"role":"system","content":"s"},{"role":"user","content":[{"type":"text","text":"x","cache_control":{"type":"ephemeral"}}]},
			{"role":"assistant","content":null,"reasoning_content":"r","tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{\"url\":\"https://x\"}"},"extra_content":{"google":{"thought_signature":"AA"}}}]},
			{"role":"tool","tool_call_id":"c","content":"see https://x"}],"tools":[{"type":"function","function":{"name":"f","description":"d","parameters":{"type":"object","properties":{"file_url":{"type":"string","format":"uri"}}},"strict":true}}],"tool_choice":{"type":"function","function":{"name":"f"}},"stop":["a"],"response_format":{"type":"json_schema","json_schema":{"name":"n"}}}`},
		{gateway.Responses, `{"model":"m","max_output_tokens":9,"store":false,"instructions":"i","input":[{"type":"message","role":"user","content":[{"type":"input_text","text":"x"}]},{"role":"assistant","content":[{"type":"output_text","text":"y","annotations":[]}]},
			{"type":"reasoning","summary":[{"type":"summary_text","text":"t"}],"encrypted_content":"AA"},{"type":"function_call","call_id":"c","name":"f","arguments":"{}"},{"type":"function_call_output","call_id":"c","output":"o"},
			{"type":"custom_tool_call","call_id":"d","name":"apply_patch","input":"p"},{"type":"custom_tool_call_output","call_id":"d","output":"o"},{"type":"local_shell_call","call_id":"e","action":{"type":"exec","command":["ls"]}}],
			"tools":[{"type":"function","name":"f","parameters":{},"strict":false},{"type":"custom","name":"apply_patch","format":{"type":"grammar"}},{"type":"local_shell"}],"tool_choice":"auto","reasoning":{"effort":"high","summary":"auto"},"include":["reasoning.encrypted_content"],"text":{"verbosity":"low"},"client_metadata":{"a":"b"}}`},
		{gateway.Anthropic, `{"model":"m","max_tokens":9,"system":[{"type":"text","text":"s","cache_control":{"type":"ephemeral"}}],"messages":[{"role":"user","content":"x"},{"role":"assistant","content":[{"type":"thinking","thinking":"t","signature":"AA"},{"type":"redacted_thinking","data":"AA"},{"type":"text","text":"y"},{"type":"tool_use","id":"t","name":"f","input":{"url":"https://x","type":"url"}}]},
			{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":[{"type":"text","text":"o"}],"is_error":true}]}],"tools":[{"name":"f","description":"d","input_schema":{"type":"object"}},{"type":"bash_20250124","name":"bash"}],"tool_choice":{"type":"auto"},"metadata":{"user_id":"u"},"context_management":{"edits":[{"type":"clear_tool_uses_20250919","keep":{"type":"all"}}]},"output_config":{"effort":"high"}}`},
		{gateway.Gemini, `{"contents":[{"role":"user","parts":[{"text":"x"}]},{"role":"model","parts":[{"functionCall":{"name":"f","args":{"fileData":{"fileUri":"https://x"}}},"thoughtSignature":"AA"}]},{"role":"user","parts":[{"functionResponse":{"id":"1","name":"f","response":{"output":"o"}}}]}],
			"systemInstruction":{"role":"user","parts":[{"text":"s"}]},"tools":[{"functionDeclarations":[{"name":"f","parametersJsonSchema":{"type":"object"}}]}],"toolConfig":{"functionCallingConfig":{"mode":"ANY","allowedFunctionNames":["f"]}},"generationConfig":{"maxOutputTokens":9,"thinkingConfig":{"includeThoughts":true,"thinkingBudget":5}}}`},
	} {
		code, text, seen, notes := told(t, tc.api, 1, tc.body)
		if code != 200 || notes != "" {
			t.Fatalf("%s: got %d %.300s, told %q", tc.api, code, text, notes)
		}
		var want map[string]any
		if err := json.Unmarshal([]byte(tc.body), &want); err != nil {
			t.Fatal(err)
		}
		for name, v := range want {
			if got, _ := json.Marshal(seen.body[name]); string(got) != mustJSON(t, v) {
				t.Errorf("%s: %s is %s, want %s", tc.api, name, got, mustJSON(t, v))
			}
		}
	}
}

func mustJSON(t *testing.T, v any) string {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestARequestThatLiesDeepIsRefusedAtOnce has objects in objects, to no end.
func TestARequestThatLiesDeepIsRefusedAtOnce(t *testing.T) {
	deep := strings.Repeat(`{"type":"tool_result","tool_use_id":"t","content":[`, 4000) + `{"type":"text","text":"x"}` + strings.Repeat(`]}`, 4000)
	if code, text, seen, _ := told(t, gateway.Anthropic, 0, `{"model":"m","messages":[{"role":"user","content":[`+deep+`]}]}`); code != 400 || seen != nil || !strings.Contains(text, "deeper") {
		t.Errorf("got %d %.200s", code, text)
	}
}

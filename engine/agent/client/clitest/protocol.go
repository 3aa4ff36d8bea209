package clitest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// protocol is one way to speak to a model.
type protocol struct {
	read  func(doc map[string]any, path string) request
	write func(w http.ResponseWriter, req request, a action)
}

func protocolOf(path string) *protocol {
	switch {
	case strings.HasSuffix(path, "/responses"):
		return &protocol{readResponses, writeResponses}
	case strings.HasSuffix(path, "/chat/completions"):
		return &protocol{readChat, writeChat}
	case strings.HasSuffix(path, "/messages"):
		return &protocol{readMessages, writeMessages}
	case strings.Contains(path, ":streamGenerateContent"), strings.Contains(path, ":generateContent"):
		return &protocol{readGemini, writeGemini}
	}
	return nil
}

type dict = map[string]any

func items(v any) []dict {
	list, _ := v.([]any)
	var out []dict
	for _, x := range list {
		if d, ok := x.(dict); ok {
			out = append(out, d)
		}
	}
	return out
}

func word(v any) string { s, _ := v.(string); return s }

// words is the text of a tool's result: as it is, the texts of its parts, or
// what stands under the name by which the client hands on a whole answer.
func words(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case []any:
		var parts []string
		for _, d := range items(v) {
			parts = append(parts, word(d["text"]))
		}
		return strings.Join(parts, "\n")
	case dict:
		for _, name := range []string{"output", "content", "error"} {
			if v[name] != nil {
				return words(v[name])
			}
		}
	}
	return compact(v)
}

// sse sends server-sent events.
type sse struct{ w http.ResponseWriter }

func newSSE(w http.ResponseWriter) sse {
	w.Header().Set("Content-Type", "text/event-stream")
	return sse{w}
}

func (s sse) send(event string, v any) {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	if event != "" {
		_, _ = fmt.Fprintf(s.w, "event: %s\n", event)
	}
	_, _ = fmt.Fprintf(s.w, "data: %s\n\n", data)
	if f, ok := s.w.(http.Flusher); ok {
		f.Flush()
	}
}

func compact(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}

func readResponses(doc dict, _ string) request {
	req := request{model: word(doc["model"]), stream: true, tools: map[string]bool{}}
	for _, t := range items(doc["tools"]) {
		req.tools[word(t["name"])] = true
		for _, of := range items(t["tools"]) { // of a namespace
			req.tools[word(t["name"])+"/"+word(of["name"])] = true
		}
	}
	for _, it := range items(doc["input"]) {
		if strings.HasSuffix(word(it["type"]), "_call_output") {
			req.results = append(req.results, words(it["output"]))
		}
	}
	return req
}

func writeResponses(w http.ResponseWriter, req request, a action) {
	id := fmt.Sprintf("resp_%d", len(req.results))
	out := dict{
		"type": "message", "id": "msg_1", "role": "assistant", "status": "completed",
		"content": []any{dict{"type": "output_text", "text": a.text, "annotations": []any{}}},
	}
	if a.tool != "" {
		out = dict{
			"type": "function_call", "id": "fc_1", "call_id": fmt.Sprintf("call_%d", len(req.results)), "name": a.tool,
			"arguments": compact(a.args), "status": "completed",
		}
		if space, name, ok := strings.Cut(a.tool, "/"); ok {
			out["namespace"], out["name"] = space, name
		}
	}
	s := newSSE(w)
	s.send("response.created", dict{"type": "response.created", "response": dict{"id": id, "status": "in_progress"}})
	s.send("response.output_item.done", dict{"type": "response.output_item.done", "output_index": 0, "item": out})
	s.send("response.completed", dict{"type": "response.completed", "response": dict{
		"id": id, "status": "completed", "output": []any{out},
		"usage": dict{
			"input_tokens": InputTokens, "input_tokens_details": dict{"cached_tokens": 0}, "output_tokens": OutputTokens,
			"output_tokens_details": dict{"reasoning_tokens": 0}, "total_tokens": InputTokens + OutputTokens,
		},
	}})
}

func readChat(doc dict, _ string) request {
	req := request{model: word(doc["model"]), tools: map[string]bool{}}
	req.stream, _ = doc["stream"].(bool)
	for _, t := range items(doc["tools"]) {
		if f, ok := t["function"].(dict); ok {
			req.tools[word(f["name"])] = true
		}
	}
	for _, m := range items(doc["messages"]) {
		if word(m["role"]) == "tool" {
			req.results = append(req.results, words(m["content"]))
		}
	}
	return req
}

func writeChat(w http.ResponseWriter, req request, a action) {
	usage := dict{"prompt_tokens": InputTokens, "completion_tokens": OutputTokens, "total_tokens": InputTokens + OutputTokens}
	message, reason := dict{"role": "assistant", "content": a.text}, "stop"
	if a.tool != "" {
		reason = "tool_calls"
		message = dict{"role": "assistant", "tool_calls": []any{dict{
			"index": 0, "id": fmt.Sprintf("call_%d", len(req.results)), "type": "function",
			"function": dict{"name": a.tool, "arguments": compact(a.args)},
		}}}
	}
	head := func(object string, choices []any) dict {
		return dict{"id": "chatcmpl-1", "object": object, "created": 1, "model": req.model, "choices": choices}
	}
	if !req.stream {
		doc := head("chat.completion", []any{dict{"index": 0, "message": message, "finish_reason": reason}})
		doc["usage"] = usage
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(compact(doc)))
		return
	}
	s := newSSE(w)
	s.send("", head("chat.completion.chunk", []any{dict{"index": 0, "delta": message, "finish_reason": nil}}))
	s.send("", head("chat.completion.chunk", []any{dict{"index": 0, "delta": dict{}, "finish_reason": reason}}))
	last := head("chat.completion.chunk", []any{})
	last["usage"] = usage
	s.send("", last)
	_, _ = fmt.Fprint(w, "data: [DONE]\n\n")
}

func readMessages(doc dict, _ string) request {
	req := request{model: word(doc["model"]), tools: map[string]bool{}}
	req.stream, _ = doc["stream"].(bool)
	for _, t := range items(doc["tools"]) {
		req.tools[word(t["name"])] = true
	}
	for _, m := range items(doc["messages"]) {
		for _, b := range items(m["content"]) {
			if word(b["type"]) == "tool_result" {
				req.results = append(req.results, words(b["content"]))
			}
		}
	}
	return req
}

func writeMessages(w http.ResponseWriter, req request, a action) {
	usage := dict{"input_tokens": InputTokens, "cache_read_input_tokens": 0, "cache_creation_input_tokens": 0, "output_tokens": OutputTokens}
	block, reason := dict{"type": "text", "text": a.text}, "end_turn"
	if a.tool != "" {
		block, reason = dict{"type": "tool_use", "id": fmt.Sprintf("toolu_%d", len(req.results)), "name": a.tool, "input": a.args}, "tool_use"
	}
	message := dict{
		"id": fmt.Sprintf("msg_%d", len(req.results)), "type": "message", "role": "assistant", "model": req.model,
		"content": []any{block}, "stop_reason": reason, "stop_sequence": nil, "usage": usage,
	}
	if !req.stream {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(compact(message)))
		return
	}
	s := newSSE(w)
	first := dict{
		"id": message["id"], "type": "message", "role": "assistant", "model": req.model, "content": []any{},
		"stop_reason": nil, "stop_sequence": nil, "usage": dict{"input_tokens": InputTokens, "output_tokens": 1},
	}
	s.send("message_start", dict{"type": "message_start", "message": first})
	open, delta := dict{"type": "text", "text": ""}, dict{"type": "text_delta", "text": a.text}
	if a.tool != "" {
		open = dict{"type": "tool_use", "id": block["id"], "name": a.tool, "input": dict{}}
		delta = dict{"type": "input_json_delta", "partial_json": compact(a.args)}
	}
	s.send("content_block_start", dict{"type": "content_block_start", "index": 0, "content_block": open})
	s.send("content_block_delta", dict{"type": "content_block_delta", "index": 0, "delta": delta})
	s.send("content_block_stop", dict{"type": "content_block_stop", "index": 0})
	s.send("message_delta", dict{"type": "message_delta", "delta": dict{"stop_reason": reason, "stop_sequence": nil}, "usage": dict{"output_tokens": OutputTokens}})
	s.send("message_stop", dict{"type": "message_stop"})
}

func readGemini(doc dict, path string) request {
	req := request{stream: strings.Contains(path, ":stream"), tools: map[string]bool{}}
	for _, t := range items(doc["tools"]) {
		for _, f := range items(t["functionDeclarations"]) {
			req.tools[word(f["name"])] = true
		}
	}
	for _, c := range items(doc["contents"]) {
		for _, p := range items(c["parts"]) {
			if f, ok := p["functionResponse"].(dict); ok {
				req.results = append(req.results, words(f["response"]))
			}
		}
	}
	return req
}

func writeGemini(w http.ResponseWriter, req request, a action) {
	part := dict{"text": a.text}
	if a.tool != "" {
		part = dict{"functionCall": dict{"name": a.tool, "args": a.args}}
	}
	doc := dict{
		"candidates":    []any{dict{"content": dict{"role": "model", "parts": []any{part}}, "finishReason": "STOP", "index": 0}},
		"usageMetadata": dict{"promptTokenCount": InputTokens, "candidatesTokenCount": OutputTokens, "totalTokenCount": InputTokens + OutputTokens},
	}
	if !req.stream {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(compact(doc)))
		return
	}
	newSSE(w).send("", doc)
}

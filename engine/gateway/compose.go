package gateway

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// taken are the fields of a request that are set here, that bound what it can
// cost, or that have a provider run something of its own.
func taken() []string {
	return []string{
		"model", "stream", "stream_options", "messages", "input", "contents", "system", "instructions", "prompt", "previous_response_id", "conversation",
		"cachedContent", "cached_content", "n", "best_of", "max_tokens", "max_completion_tokens", "max_output_tokens", "generationConfig", "generation_config",
		"tools", "tool_choice", "web_search_options", "mcp_servers", "container", "plugins", "models", "route", "preset", "fallbacks", "fallback_models",
		"search_parameters", "enable_search", "num_return_sequences", "candidate_count", "candidateCount", "background", "speed", "prediction",
	}
}

// CheckExtra refuses further fields of a request that are no JSON, or that are
// set here or cannot be bounded.
func CheckExtra(extra map[string]json.RawMessage) error {
	for name, value := range extra {
		switch {
		case slices.ContainsFunc(taken(), func(t string) bool { return strings.EqualFold(t, name) }):
			return fmt.Errorf("%s cannot be given: it is set by atoll, or what it costs has no bound", name)
		case !json.Valid(value):
			return fmt.Errorf("%s is no JSON value", name)
		}
	}
	return nil
}

// compose writes a request in the protocol of the provider.
func (u *upstream) compose(r Request) *body {
	q := u.quirk(r.Model)
	b := &body{api: u.API, model: r.Model, stream: true, fields: map[string]json.RawMessage{}}
	b.set("model", r.Model)
	b.set("stream", true)
	if r.Temperature != nil && !q.noTemperature {
		b.set("temperature", *r.Temperature)
	}
	if q.noEffort {
		r.Effort = ""
	}
	r.Cache = r.Cache && !q.noCache
	switch u.API {
	case Responses:
		b.responses(r)
	case Anthropic:
		b.anthropic(r)
	default:
		field := "max_tokens"
		if u.sendsCompletionTokens(q) {
			field = "max_completion_tokens"
		}
		b.chat(r, field)
	}
	for name, value := range r.Extra {
		b.fields[name] = value
	}
	return b
}

// cachedText is a text of a prompt up to whose end a provider should keep it for
// some minutes (Anthropic's documentation of prompt caching; OpenRouter's).
func cachedText(text string) any {
	return []any{map[string]any{"type": "text", "text": text, "cache_control": map[string]any{"type": "ephemeral"}}}
}

// turns are the messages behind a system prompt. With cache the first one is
// marked: what follows it corrects an answer, or asks again.
func turns(system string, messages []Message, cache bool) []any {
	var out []any
	if system != "" {
		out = append(out, Message{Role: "system", Content: system})
	}
	for i, m := range messages {
		if cache && i == 0 {
			out = append(out, map[string]any{"role": m.Role, "content": cachedText(m.Content)})
			continue
		}
		out = append(out, m)
	}
	return out
}

// responses fills in what OpenAI's Responses have of their own.
func (b *body) responses(r Request) {
	b.set("input", r.Messages)
	b.set("store", false)
	if r.Cache { // it caches by itself; the key leads to the same machine
		b.set("prompt_cache_key", "atoll "+r.Provider)
	}
	if r.System != "" {
		b.set("instructions", r.System)
	}
	if r.Effort != "" {
		b.set("reasoning", map[string]any{"effort": r.Effort})
	}
	b.tokens("max_output_tokens", r.MaxTokens)
}

// anthropic fills in what Anthropic's Messages have of their own.
func (b *body) anthropic(r Request) {
	b.set("messages", turns("", r.Messages, r.Cache))
	switch {
	case r.System != "" && r.Cache:
		b.set("system", cachedText(r.System))
	case r.System != "":
		b.set("system", r.System)
	}
	b.tokens("max_tokens", r.MaxTokens)
}

// chat fills in what Chat Completions have of their own; field is what the
// server calls the limit of the answer.
func (b *body) chat(r Request, field string) {
	b.set("messages", turns(r.System, r.Messages, r.Cache))
	if r.Effort != "" {
		b.set("reasoning_effort", r.Effort)
	}
	b.set(field, max(r.MaxTokens, 0)) // limitOutput fills in what is 0
}

func (b *body) tokens(field string, n int64) {
	if n > 0 {
		b.set(field, n)
	}
}

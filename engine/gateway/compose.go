package gateway

import "encoding/json"

// compose writes a request in the protocol of the provider.
func (u *upstream) compose(r Request) *body {
	q := u.quirk(r.Model)
	b := &body{api: u.API, model: r.Model, stream: true, fields: map[string]json.RawMessage{}}
	b.set("model", r.Model)
	b.set("stream", true)
	if r.Temperature != nil && !q.noTemperature {
		b.set("temperature", *r.Temperature)
	}
	if q.noSchema {
		r.Schema = nil
	}
	if q.noEffort {
		r.Effort = ""
	}
	if r.SchemaName == "" {
		r.SchemaName = "answer"
	}
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
	return b
}

// responses fills in what OpenAI's Responses have of their own.
func (b *body) responses(r Request) {
	b.set("input", r.Messages)
	b.set("store", false)
	if r.System != "" {
		b.set("instructions", r.System)
	}
	if r.Schema != nil {
		b.set("text", map[string]any{"format": map[string]any{"type": "json_schema", "name": r.SchemaName, "schema": r.Schema, "strict": true}})
	}
	if r.Effort != "" {
		b.set("reasoning", map[string]any{"effort": r.Effort})
	}
	b.tokens("max_output_tokens", r.MaxTokens)
}

// anthropic fills in what Anthropic's Messages have of their own.
func (b *body) anthropic(r Request) {
	b.set("messages", r.Messages)
	if r.System != "" {
		b.set("system", r.System)
	}
	b.tokens("max_tokens", r.MaxTokens)
}

// chat fills in what Chat Completions have of their own; field is what the
// server calls the limit of the answer.
func (b *body) chat(r Request, field string) {
	messages := r.Messages
	if r.System != "" {
		messages = append([]Message{{Role: "system", Content: r.System}}, messages...)
	}
	b.set("messages", messages)
	if r.Schema != nil {
		b.set("response_format", map[string]any{"type": "json_schema", "json_schema": map[string]any{"name": r.SchemaName, "schema": r.Schema, "strict": true}})
	}
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

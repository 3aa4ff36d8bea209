package gateway

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
)

// What a client may tell a provider is a list, for each protocol. What is on none of
// them stays here: it may have another model answer, ask for several answers, have the
// provider search the web or run programs, or make a token dearer, and providers learn
// new ones each month.
var (
	allowedChat = []string{
		"model", "messages", "stream", "stream_options", "max_tokens", "max_completion_tokens", "temperature", "top_p", "top_k", "min_p", "top_a", "typical_p",
		"presence_penalty", "frequency_penalty", "repetition_penalty", "seed", "stop", "logprobs", "top_logprobs", "logit_bias", "response_format",
		"tools", "tool_choice", "parallel_tool_calls", "functions", "function_call", "user", "safety_identifier", "metadata", "store",
		"prompt_cache_key", "prompt_cache_retention", "cache_control", "reasoning_effort", "reasoning", "include_reasoning", "reasoning_format", "reasoning_split",
		"thinking", "enable_thinking", "thinking_budget", "chat_template_kwargs", "verbosity", "usage",
	}
	allowedResponses = []string{
		"model", "input", "instructions", "stream", "stream_options", "max_output_tokens", "temperature", "top_p", "top_logprobs", "tools", "tool_choice",
		"parallel_tool_calls", "reasoning", "text", "store", "include", "truncation", "user", "safety_identifier", "metadata", "client_metadata",
		"prompt_cache_key", "prompt_cache_retention", "previous_response_id", "conversation",
	}
	allowedAnthropic = []string{
		"model", "messages", "system", "max_tokens", "stream", "temperature", "top_k", "top_p", "stop_sequences", "tools", "tool_choice", "thinking",
		"metadata", "output_config", "output_format", "context_management", "cache_control",
	}
	allowedGemini = []string{
		"contents", "systemInstruction", "tools", "toolConfig", "safetySettings", "generationConfig", "labels", "cachedContent",
	}
	allowedGeneration = []string{
		"temperature", "topP", "topK", "maxOutputTokens", "stopSequences", "seed", "presencePenalty", "frequencyPenalty", "responseMimeType", "responseSchema",
		"responseJsonSchema", "_responseJsonSchema", "responseLogprobs", "logprobs", "thinkingConfig", "mediaResolution",
	}
	allowedThoughts = []string{
		"type", "enabled", "effort", "summary", "generate_summary", "exclude", "display", "clear_thinking", "budget_tokens", "max_tokens", // thinking, reasoning
		"includeThoughts", "thinkingBudget", "thinkingLevel", // Gemini's
	}
)

func (a API) allowed() []string {
	switch a {
	case Responses:
		return allowedResponses
	case Anthropic:
		return allowedAnthropic
	case Gemini:
		return allowedGemini
	}
	return allowedChat
}

// allow leaves out of a client's request what is not on the list of its protocol, and
// tells so in the notes. Afterwards each field has one spelling.
func (b *body) allow() {
	if b.api == Gemini {
		b.fields = b.oneSpelling(b.fields, allowedGemini)
	}
	b.keep(b.fields, b.api.allowed(), "")
	if raw, there := b.fields["stream"]; there && string(raw) != "true" && string(raw) != "false" {
		b.drop(b.fields, "stream", "")
	}
	for _, name := range []string{"thinking", "reasoning"} {
		b.keepInside(b.fields, name, allowedThoughts)
	}
	if b.api == Gemini {
		b.keepInside(b.fields, "generationConfig", allowedGeneration)
		b.inside(b.fields, "generationConfig", func(inner map[string]json.RawMessage) {
			b.keepInside(inner, "thinkingConfig", allowedThoughts)
		})
	}
	if b.api == Anthropic {
		b.keepClearing()
	}
	b.takeOutTools()
}

// keep leaves out of fields what is not on a list; in says where they stand.
func (b *body) keep(fields map[string]json.RawMessage, list []string, in string) {
	var out []string
	for name := range fields {
		if !slices.Contains(list, name) {
			out = append(out, name)
		}
	}
	slices.Sort(out) // notes come in one order
	for _, name := range out {
		b.drop(fields, name, in)
	}
}

// drop leaves one field out.
func (b *body) drop(fields map[string]json.RawMessage, name, in string) {
	delete(fields, name)
	b.notes = append(b.notes, fmt.Sprintf("field %.60q left out", in+name))
}

// keepInside is keep for the fields of a field, which is left out when it is no object.
func (b *body) keepInside(fields map[string]json.RawMessage, name string, list []string) {
	if raw, there := fields[name]; there && (len(raw) == 0 || raw[0] != '{') {
		b.drop(fields, name, "")
	}
	b.inside(fields, name, func(inner map[string]json.RawMessage) {
		if b.api == Gemini {
			one := b.oneSpelling(inner, list)
			clear(inner)
			maps.Copy(inner, one)
		}
		b.keep(inner, list, name+".")
	})
}

// inside has the fields of a field changed, where it is an object.
func (b *body) inside(fields map[string]json.RawMessage, name string, change func(map[string]json.RawMessage)) {
	var inner map[string]json.RawMessage
	if json.Unmarshal(fields[name], &inner) != nil || inner == nil {
		return
	}
	change(inner)
	if raw, err := encode(inner); err == nil {
		fields[name] = raw
	}
}

// oneSpelling writes Gemini's names as its list does, maxOutputTokens: the service takes
// max_output_tokens as well. Of both spellings the first counts.
func (b *body) oneSpelling(fields map[string]json.RawMessage, list []string) map[string]json.RawMessage {
	out := map[string]json.RawMessage{}
	for name, value := range fields {
		to := name
		for _, known := range list {
			if !slices.Contains(list, name) && strings.Contains(name, "_") && strings.ReplaceAll(name, "_", "") == strings.ToLower(known) {
				to = known
			}
		}
		if _, both := fields[to]; both && to != name {
			b.notes = append(b.notes, fmt.Sprintf("field %.60q left out: %s is there, too", name, to))
			continue
		}
		out[to] = value
	}
	return out
}

// keepClearing leaves Anthropic's edits of the context to those that only clear some of
// it: others have the model write a summary, beyond the limit of the answer.
func (b *body) keepClearing() {
	b.keepInside(b.fields, "context_management", []string{"edits"})
	b.inside(b.fields, "context_management", func(inner map[string]json.RawMessage) {
		var edits, kept []json.RawMessage
		_ = json.Unmarshal(inner["edits"], &edits)
		for _, e := range edits {
			var of struct{ Type string }
			if json.Unmarshal(e, &of) == nil && strings.HasPrefix(of.Type, "clear_") {
				kept = append(kept, e)
				continue
			}
			b.notes = append(b.notes, fmt.Sprintf("edit %.40q of the context left out", of.Type))
		}
		inner["edits"], _ = encode(append([]json.RawMessage{}, kept...)) // raw messages that were read
	})
}

// boundThoughts holds every budget of thoughts to the most tokens of an answer.
func (b *body) boundThoughts(most int64) {
	if b.api == Anthropic { // its answer must be longer than the thoughts in it, of 1,024 tokens at least
		b.inside(b.fields, "thinking", func(inner map[string]json.RawMessage) { b.bound(inner, "budget_tokens", most-1, "thinking.") })
		var thinking struct {
			Budget *int64 `json:"budget_tokens"`
		}
		if b.read("thinking", &thinking) && thinking.Budget != nil && *thinking.Budget < leastThoughts {
			b.drop(b.fields, "thinking", "")
		}
		return
	}
	if b.api == Gemini {
		b.inside(b.fields, "generationConfig", func(inner map[string]json.RawMessage) {
			b.inside(inner, "thinkingConfig", func(inner map[string]json.RawMessage) {
				b.bound(inner, "thinkingBudget", most, "thinkingConfig.")
			})
		})
		return
	}
	b.bound(b.fields, "thinking_budget", most, "")
	b.inside(b.fields, "thinking", func(inner map[string]json.RawMessage) { b.bound(inner, "budget_tokens", most, "thinking.") })
	b.inside(b.fields, "reasoning", func(inner map[string]json.RawMessage) { b.bound(inner, "max_tokens", most, "reasoning.") })
}

// leastThoughts is the smallest budget of thoughts that Anthropic takes.
const leastThoughts = 1024

// bound makes a field say most where it says more, or no number.
func (b *body) bound(fields map[string]json.RawMessage, name string, most int64, in string) {
	var n int64
	raw, there := fields[name]
	if !there || string(raw) == "null" || json.Unmarshal(raw, &n) == nil && n <= most {
		return
	}
	fields[name] = fmt.Append(nil, most)
	b.notes = append(b.notes, fmt.Sprintf("%s%s set to %d", in, name, most))
}

// The kinds of tools that a client carries out itself; Anthropic's begin so. All others
// are the provider's: they reach the web, run programs, and cost what has no bound.
var (
	clientTools          = []string{"function", "custom", "local_shell", "apply_patch", "computer", "computer_use_preview", "tool_search"}
	clientToolsAnthropic = []string{"custom", "bash_", "text_editor_", "computer_", "memory_"}
	clientToolsGemini    = []string{"functionDeclarations"}
)

// takeOutTools leaves out the tools that a provider runs itself.
func (b *body) takeOutTools() {
	raw, there := b.fields["tools"]
	if !there || string(raw) == "null" {
		return
	}
	kept, whole := b.ownTools(raw)
	switch {
	case whole:
	case len(kept) == 0:
		delete(b.fields, "tools")
		delete(b.fields, "tool_choice")
		delete(b.fields, "toolConfig")
	default:
		b.set("tools", kept)
		b.keepChoice()
	}
}

// ownTools are the tools of a list that the client carries out; whole: all of them.
func (b *body) ownTools(raw json.RawMessage) (kept []json.RawMessage, whole bool) {
	var tools []json.RawMessage
	if json.Unmarshal(raw, &tools) != nil {
		b.notes = append(b.notes, "tools left out: they are no list")
		return nil, false
	}
	whole = true
	for _, t := range tools {
		own := b.ownTool(t)
		if whole = whole && bytes.Equal(own, t); own != nil {
			kept = append(kept, own)
		}
	}
	return kept, whole
}

// ownTool is what of a tool the client carries out, nil for nothing.
func (b *body) ownTool(raw json.RawMessage) json.RawMessage {
	var tool map[string]json.RawMessage
	var kind string
	if json.Unmarshal(raw, &tool) == nil && tool != nil {
		if b.api == Gemini {
			return b.ownDeclarations(raw, tool)
		}
		_ = json.Unmarshal(tool["type"], &kind)
		_, typed := tool["type"]
		switch {
		case b.api == Anthropic && (!typed || slices.ContainsFunc(clientToolsAnthropic, func(p string) bool { return strings.HasPrefix(kind, p) })):
			return raw
		case b.api == Chat && !typed && tool["function"] != nil:
			return raw
		case b.api == Responses && kind == "namespace":
			return b.ownNamespace(raw, tool)
		case b.api == Responses && kind == "shell" && localShell(tool):
			return raw
		case b.api != Anthropic && slices.Contains(clientTools, kind):
			return raw
		}
	}
	b.notes = append(b.notes, fmt.Sprintf("tool %.40q left out: the provider runs it", kind))
	return nil
}

// ownDeclarations is a tool of Gemini's without what the provider runs.
func (b *body) ownDeclarations(raw json.RawMessage, tool map[string]json.RawMessage) json.RawMessage {
	one := b.oneSpelling(tool, clientToolsGemini)
	if len(one) == 1 && one[clientToolsGemini[0]] != nil {
		return raw
	}
	for name := range one {
		if !slices.Contains(clientToolsGemini, name) {
			delete(one, name)
			b.notes = append(b.notes, fmt.Sprintf("tool %.40q left out: the provider runs it", name))
		}
	}
	if len(one) == 0 {
		return nil
	}
	out, _ := encode(one) // what was read is written
	return out
}

// ownNamespace is a group of tools without those that the provider runs.
func (b *body) ownNamespace(raw json.RawMessage, tool map[string]json.RawMessage) json.RawMessage {
	kept, whole := b.ownTools(tool["tools"])
	switch {
	case whole:
		return raw
	case len(kept) == 0:
		return nil
	}
	tool["tools"], _ = encode(kept)
	out, _ := encode(tool)
	return out
}

// localShell reports a shell that the client runs, and not a container of the provider.
func localShell(tool map[string]json.RawMessage) bool {
	var of struct{ Type string }
	env, there := tool["environment"]
	return !there || json.Unmarshal(env, &of) == nil && of.Type == "local"
}

// keepChoice leaves out a choice of a tool that was left out.
func (b *body) keepChoice() {
	var of struct{ Type string }
	if raw := b.fields["tool_choice"]; len(raw) == 0 || raw[0] != '{' || json.Unmarshal(raw, &of) != nil {
		return
	}
	if !slices.Contains([]string{"function", "custom", "tool", "auto", "any", "none", "allowed_tools"}, of.Type) {
		b.drop(b.fields, "tool_choice", "")
	}
}

// withoutDear takes out of a client's headers what makes each token dearer than the
// price that is known of the model: Anthropic's window of a million tokens.
func withoutDear(h http.Header) (notes []string) {
	const name = "Anthropic-Beta"
	var kept []string
	for _, line := range h.Values(name) {
		for beta := range strings.SplitSeq(line, ",") {
			if beta = strings.TrimSpace(beta); strings.HasPrefix(strings.ToLower(beta), "context-1m") {
				notes = append(notes, fmt.Sprintf("%.40q of %s left out", beta, name))
			} else if beta != "" {
				kept = append(kept, beta)
			}
		}
	}
	if len(notes) > 0 {
		if h.Del(name); len(kept) > 0 {
			h.Set(name, strings.Join(kept, ","))
		}
	}
	return notes
}

// twice names a field that stands twice in one object, at any depth, "" for none. Who
// reads it may take the first or the last.
func twice(data []byte) string {
	type object struct {
		names map[string]bool // nil: a list
		value bool            // a value comes next
	}
	var open []object
	for d := json.NewDecoder(bytes.NewReader(data)); ; {
		token, err := d.Token()
		if err != nil {
			return "" // the end, or what is read elsewhere
		}
		top := len(open) - 1
		if name, text := token.(string); text && top >= 0 && open[top].names != nil && !open[top].value {
			if open[top].names[name] {
				return name
			}
			open[top].names[name], open[top].value = true, true
			continue
		}
		switch token {
		case json.Delim('}'), json.Delim(']'):
			open, top = open[:top], top-1
		case json.Delim('{'):
			open = append(open, object{names: map[string]bool{}})
			continue
		case json.Delim('['):
			open = append(open, object{})
			continue
		}
		if top >= 0 {
			open[top].value = false
		}
	}
}

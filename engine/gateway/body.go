package gateway

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
)

// body is a request of a client, held by its top-level fields so that limits
// can be set and read. Encoding it again leaves one value for each field: a
// provider cannot read another one than was checked here.
type body struct {
	api    API
	model  string
	stream bool
	fields map[string]json.RawMessage
	notes  []string // what was changed
}

func parseBody(a API, model string, data []byte) (*body, error) {
	b := &body{api: a, model: model}
	if err := json.Unmarshal(data, &b.fields); err != nil {
		return nil, fmt.Errorf("read the request: %w", err)
	}
	if b.fields == nil {
		return nil, fmt.Errorf("read the request: it is no JSON object")
	}
	if err := b.plain(); err != nil {
		return nil, fmt.Errorf("read the request: %w", err)
	}
	if a != Gemini {
		b.read("model", &b.model)
		b.read("stream", &b.stream)
	}
	return b, nil
}

func (b *body) read(name string, to any) bool {
	raw, ok := b.fields[name]
	return ok && json.Unmarshal(raw, to) == nil
}

func (b *body) set(name string, v any) {
	raw, err := encode(v)
	if err != nil {
		return
	}
	b.fields[name] = raw
}

// encode is json.Marshal without escaping for HTML.
func encode(v any) ([]byte, error) {
	var buf bytes.Buffer
	e := json.NewEncoder(&buf)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimRight(buf.Bytes(), "\n"), nil
}

func (b *body) bytes() ([]byte, error) { return encode(b.fields) }

// outputFields are where a request says how long its answer may be.
func (b *body) outputFields() []string {
	switch b.api {
	case Responses:
		return []string{"max_output_tokens"}
	case Anthropic:
		return []string{"max_tokens"}
	}
	return []string{"max_completion_tokens", "max_tokens"}
}

// limitOutput makes the request name the most tokens of its answer: ceiling
// where it names none, or more than a ceiling that was set. It returns that
// number times the answers asked for.
func (b *body) limitOutput(ceiling, fallback int64, field string) int64 {
	limit := fallback
	if ceiling > 0 {
		limit = ceiling
	}
	if b.api == Gemini {
		return b.limitGemini(ceiling, limit)
	}
	most, named := int64(0), false
	for _, name := range b.outputFields() {
		var n int64
		if _, there := b.fields[name]; !there {
			continue
		}
		if !b.read(name, &n) || n <= 0 || (ceiling > 0 && n > ceiling) {
			n = limit
			b.set(name, n)
			b.notes = append(b.notes, fmt.Sprintf("%s set to %d", name, n))
		}
		most, named = max(most, n), true
	}
	if !named {
		if field == "" || b.api != Chat {
			field = b.outputFields()[len(b.outputFields())-1]
		}
		b.set(field, limit)
		most = limit
	}
	return most * b.answers("n") * b.answers("best_of")
}

// answers reads a number of answers; at least 1. Servers take 2.0 for 2, and some
// 1.5 for 2: plain has seen to it that there is a number.
func (b *body) answers(name string) int64 {
	var n float64
	if b.read(name, &n) && n > 1 {
		return int64(min(math.Ceil(n), 1<<40))
	}
	return 1
}

// bounding are the fields that limits are set in, or that decide what a request can
// cost, and those of Gemini's settings.
var (
	bounding = []string{
		"model", "stream", "n", "best_of", "max_tokens", "max_completion_tokens", "max_output_tokens", "tools", "tool_choice",
		"web_search_options", "mcp_servers", "container", "service_tier", "previous_response_id", "conversation", "prompt",
		"models", "route", "preset", "plugins", "cachedContent", "cached_content", "messages", "input", "contents", "system", "stream_options", "generationConfig", "generation_config",
	}
	boundingGemini = []string{"maxOutputTokens", "max_output_tokens", "candidateCount", "candidate_count"}
)

// plain refuses a request that a provider could read in another way than it is read
// here: a name in other letters, which some servers take for the same, both spellings
// of Gemini's settings, or a number of answers that is none.
func (b *body) plain() error {
	if err := exact(b.fields, bounding); err != nil {
		return err
	}
	if err := counts(b.fields, "n", "best_of"); err != nil {
		return err
	}
	if b.api != Gemini {
		return nil
	}
	one, other := b.fields["generationConfig"], b.fields["generation_config"]
	if one != nil && other != nil {
		return errors.New("it has both generationConfig and generation_config")
	}
	var inner map[string]json.RawMessage
	if raw := cmp.Or(string(one), string(other)); raw == "" || json.Unmarshal([]byte(raw), &inner) != nil {
		return nil // settings that are none are replaced
	}
	if err := exact(inner, boundingGemini); err != nil {
		return err
	}
	return counts(inner, "candidateCount", "candidate_count")
}

// exact refuses a name that differs from one of the list by its case alone.
func exact(fields map[string]json.RawMessage, list []string) error {
	for name := range fields {
		for _, known := range list {
			if name != known && strings.EqualFold(name, known) && !slices.Contains(list, name) {
				return fmt.Errorf("%q is not spelt %q", name, known)
			}
		}
	}
	return nil
}

// counts refuses a value of one of the names that is neither a number nor nothing.
func counts(fields map[string]json.RawMessage, names ...string) error {
	for _, name := range names {
		var n *float64
		if raw, there := fields[name]; there && json.Unmarshal(raw, &n) != nil {
			return fmt.Errorf("%s is no number", name)
		}
	}
	return nil
}

func (b *body) limitGemini(ceiling, limit int64) int64 {
	key := "generationConfig"
	if _, there := b.fields[key]; !there {
		if _, there := b.fields["generation_config"]; there {
			key = "generation_config"
		}
	}
	inner := &body{fields: map[string]json.RawMessage{}}
	b.read(key, &inner.fields)
	if inner.fields == nil {
		inner.fields = map[string]json.RawMessage{}
	}
	most, answers := limit, int64(1)
	for _, name := range []string{"maxOutputTokens", "max_output_tokens"} {
		var n int64
		if inner.read(name, &n) && n > 0 && (ceiling == 0 || n <= ceiling) {
			most = n
		}
		delete(inner.fields, name)
	}
	for _, name := range []string{"candidateCount", "candidate_count"} {
		answers = max(answers, inner.answers(name))
	}
	inner.set("maxOutputTokens", most)
	b.set(key, inner.fields)
	return most * answers
}

// hosted are tools that a provider runs and bills itself.
func hosted() []string {
	return []string{
		"web_search", "web_fetch", "code_interpreter", "code_execution", "file_search", "image_generation", "mcp",
		"google_search", "googleSearch", "google_search_retrieval", "googleSearchRetrieval", "codeExecution", "url_context", "urlContext",
		"google_maps", "googleMaps", "fileSearch",
	}
}

// takeOutTools removes the tools that a provider runs itself: their cost has
// no bound.
func (b *body) takeOutTools() {
	for _, name := range []string{"web_search_options", "mcp_servers", "container", "plugins"} {
		if _, there := b.fields[name]; there {
			delete(b.fields, name)
			b.notes = append(b.notes, name+" taken out: its cost has no bound")
		}
	}
	var tools []json.RawMessage
	if !b.read("tools", &tools) {
		return
	}
	kept := make([]json.RawMessage, 0, len(tools))
	for _, t := range tools {
		if name := hostedTool(t); name != "" {
			b.notes = append(b.notes, "tool "+name+" taken out: its cost has no bound")
			continue
		}
		kept = append(kept, t)
	}
	switch {
	case len(kept) == len(tools):
	case len(kept) == 0:
		delete(b.fields, "tools")
		delete(b.fields, "tool_choice")
	default:
		b.set("tools", kept)
	}
}

func hostedTool(raw json.RawMessage) string {
	var tool map[string]json.RawMessage
	if json.Unmarshal(raw, &tool) != nil {
		return ""
	}
	var kind string
	_ = json.Unmarshal(tool["type"], &kind)
	for _, h := range hosted() {
		if kind == h || strings.HasPrefix(kind, h+"_") {
			return h
		}
		if _, there := tool[h]; there && kind == "" {
			return h
		}
	}
	return ""
}

// elsewhere names what would have another model answer than the one the request
// names: OpenRouter's list of models to fall back to, its way through them, and its
// presets; "" when nothing does.
func (b *body) elsewhere() string {
	for _, name := range []string{"models", "route", "preset"} {
		if raw, there := b.fields[name]; there && string(raw) != "null" {
			return name
		}
	}
	return ""
}

// unbounded names what makes the input larger, or dearer, than its bytes; ""
// when nothing does.
func (b *body) unbounded() string {
	for _, name := range []string{"previous_response_id", "conversation", "prompt", "cachedContent", "cached_content"} {
		if raw, there := b.fields[name]; there && string(raw) != "null" {
			return name
		}
	}
	var tier string
	if b.read("service_tier", &tier) && tier == "priority" {
		return "service_tier priority"
	}
	for _, name := range []string{"messages", "input", "contents", "system"} {
		if what := stored(b.fields[name]); what != "" {
			return what
		}
	}
	return ""
}

// stored looks for content that is named and not sent: files and pictures at
// an address. Text that merely speaks of them is inside a string and not seen.
func stored(raw json.RawMessage) string {
	if len(raw) == 0 || raw[0] != '[' && raw[0] != '{' {
		return ""
	}
	var v any
	if json.Unmarshal(raw, &v) != nil {
		return ""
	}
	return storedIn(v)
}

func storedIn(v any) string {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			if what := storedIn(e); what != "" {
				return what
			}
		}
	case map[string]any:
		kind, _ := v["type"].(string)
		if kind == "tool_use" || kind == "function_call" {
			return "" // arguments are data
		}
		for _, name := range []string{"file_id", "fileData", "file_data", "file_url"} {
			if s, ok := v[name].(string); ok && !strings.HasPrefix(s, "data:") && name != "file_data" {
				return name
			}
			if _, ok := v[name].(map[string]any); ok {
				return name
			}
		}
		if kind == "item_reference" {
			return kind
		}
		if remote(v["image_url"]) || kind == "url" && remote(v["url"]) {
			return "a picture at an address"
		}
		for _, e := range v {
			if what := storedIn(e); what != "" {
				return what
			}
		}
	}
	return ""
}

func remote(v any) bool {
	if m, ok := v.(map[string]any); ok {
		v = m["url"]
	}
	s, ok := v.(string)
	return ok && !strings.HasPrefix(s, "data:")
}

// askUsage makes a streamed chat answer end with its usage.
func (b *body) askUsage() {
	if b.api != Chat || !b.stream {
		return
	}
	options := map[string]json.RawMessage{}
	b.read("stream_options", &options)
	if options == nil {
		options = map[string]json.RawMessage{}
	}
	options["include_usage"] = json.RawMessage("true")
	b.set("stream_options", options)
}

// writeRate is the dearest factor on the input price that the request can cause.
func writeRate(a API, data []byte) float64 {
	switch {
	case a != Anthropic && a != Chat || !bytes.Contains(data, []byte(`"cache_control"`)):
		return 1
	case bytes.Contains(data, []byte(`"1h"`)):
		return writeHrFactor
	}
	return writeFactor
}

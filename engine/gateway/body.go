package gateway

import (
	"bytes"
	"encoding/json"
	"fmt"
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
	if name := twice(data); name != "" {
		return nil, fmt.Errorf("read the request: the field %.60q stands twice in one place", name)
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
// where it names none, or more than a ceiling that was set. It returns that number.
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
	b.boundThoughts(most)
	return most
}

func (b *body) limitGemini(ceiling, limit int64) int64 {
	const name = "maxOutputTokens"
	if raw, there := b.fields["generationConfig"]; !there || string(raw) == "null" {
		b.set("generationConfig", map[string]any{})
	}
	most := limit
	b.inside(b.fields, "generationConfig", func(inner map[string]json.RawMessage) {
		var n int64
		if json.Unmarshal(inner[name], &n) == nil && n > 0 && (ceiling == 0 || n <= ceiling) {
			most = n
		} else if _, there := inner[name]; there {
			b.notes = append(b.notes, fmt.Sprintf("%s set to %d", name, limit))
		}
		inner[name] = fmt.Append(nil, most)
	})
	b.boundThoughts(most)
	return most
}

// unbounded names what makes the input larger, or dearer, than its bytes; ""
// when nothing does.
func (b *body) unbounded() string {
	for _, name := range []string{"previous_response_id", "conversation", "cachedContent"} {
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
		for name, of := range v {
			if what := storedBy(strings.ToLower(name), kind, of); what != "" { // some servers read names in any case
				return what
			}
		}
		if kind == "item_reference" {
			return kind
		}
		for _, e := range v {
			if what := storedIn(e); what != "" {
				return what
			}
		}
	}
	return ""
}

// storedBy says whether a field of content of a kind names what is stored elsewhere.
func storedBy(name, kind string, v any) string {
	switch name {
	case "file_id", "file_url", "filedata", "file_data":
		s, text := v.(string)
		if _, object := v.(map[string]any); object || text && name != "file_data" && !strings.HasPrefix(s, "data:") {
			return name
		}
	case "image_url":
		if remote(v) {
			return "a picture at an address"
		}
	case "url":
		if kind == "url" && remote(v) {
			return "a picture at an address"
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

package gateway

import (
	"bytes"
	"encoding/json"
	"fmt"
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

	pictures int64 // that the request has
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

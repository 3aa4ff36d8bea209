package gateway

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
)

// allow makes a client's request what the table of its protocol has, and tells in the
// notes what was left out. Afterwards each field has one spelling. An error says what of
// it is refused. limited says that money is.
func (b *body) allow(f forms, limited bool) error {
	raw, err := b.bytes()
	if err != nil {
		return err
	}
	w := walk{body: b, forms: f, limited: limited}
	out, err := w.object("request", "", 0, raw)
	if err != nil {
		return err
	}
	b.fields = nil
	if err := json.Unmarshal(out, &b.fields); err != nil {
		return err
	}
	if _, tools := b.fields["tools"]; !tools {
		delete(b.fields, "tool_choice")
		delete(b.fields, "toolConfig")
	}
	return nil
}

// walk goes through a request by the forms of its protocol.
type walk struct {
	*body
	forms   forms
	limited bool
}

// errForm is what of a request is not passed on, and why.
type errForm struct{ at, what, why string }

func (e *errForm) Error() string {
	return strings.TrimSuffix(e.at, ".") + ": " + e.what + " is not passed on: " + e.why
}

func misfit(at, what, why string) error { return &errForm{at, what, why} }

// maxDepth is how deep the objects of a request may lie in each other.
const maxDepth = 16

// object is what of one object is passed on, nil when nothing of it is left. at says where
// it stands.
func (w *walk) object(name, at string, depth int, raw json.RawMessage) (json.RawMessage, error) {
	if depth > maxDepth {
		return nil, misfit(at, "an object", fmt.Sprintf("it lies deeper than %d others", maxDepth))
	}
	var in map[string]json.RawMessage
	if err := json.Unmarshal(raw, &in); err != nil {
		return nil, misfit(at, "a value", "it is no object")
	}
	out := map[string]json.RawMessage{}
	kind := w.kind(name, in)
	had := len(in)
	fields, known := w.forms.of(name, kind)
	switch {
	case !known && kind == "":
		return nil, misfit(at, "a "+name, "it has no type")
	case !known:
		return nil, misfit(at, fmt.Sprintf("%s %.40q", name, kind), "the gateway does not know it, or the provider would do it")
	case kind != "" && in["type"] != nil:
		out["type"] = in["type"]
	}
	for _, own := range slices.Sorted(maps.Keys(in)) {
		f, known := w.api.find(fields, own)
		switch _, both := out[f.name]; {
		case own == "type" && !known:
			continue
		case !known:
			w.drop(in, own, at)
			continue
		case both:
			w.note("field %.60q left out: %s is there, too", at+own, f.name)
			continue
		}
		v, err := w.value(f, at+own, depth, in[own])
		switch {
		case err != nil && (!f.lax || f.one || depth > 0):
			return nil, err
		case err != nil || v == nil:
			w.drop(in, own, at)
			continue
		}
		out[f.name] = v
	}
	if had > len(out) && (len(out) == 0 || len(out) == 1 && kind != "" && len(fields) > 0) {
		return nil, nil // but for its type
	}
	return encode(out)
}

// kind is the type of an object, "" where it has none or objects of its name have no
// kinds. What OpenAI's Responses take without a type and a role is the name of an item
// that is stored.
func (w *walk) kind(name string, in map[string]json.RawMessage) string {
	if !w.forms.typed(name) {
		return ""
	}
	if raw, there := in["type"]; there && string(raw) != "null" {
		kind := ""
		if json.Unmarshal(raw, &kind) != nil || kind == "" {
			kind = string(raw)
		}
		return kind
	}
	if delete(in, "type"); name == "item" && in["role"] == nil {
		return "item_reference"
	}
	return ""
}

// value is what of a field's value is passed on, nil for nothing.
func (w *walk) value(f field, at string, depth int, raw json.RawMessage) (json.RawMessage, error) {
	if rule := rules[f.of]; rule != nil {
		return rule(w, at, raw)
	}
	switch {
	case f.data:
		return raw, nil
	case f.of == "":
		return plain(raw), nil
	case f.one && raw[0] != '{':
		return nil, nil
	case raw[0] == '{':
		return w.object(f.of, at+".", depth+1, raw)
	case raw[0] != '[':
		return raw, nil
	}
	var list []json.RawMessage
	if err := json.Unmarshal(raw, &list); err != nil {
		return nil, err
	}
	kept := []json.RawMessage{}
	for _, e := range list {
		if e[0] == '{' {
			out, err := w.object(f.of, at+".", depth+1, e)
			if err == nil && out == nil {
				err = misfit(at, "a "+f.of, "it has no field that the gateway knows")
			}
			if err != nil && !f.lax {
				return nil, err
			}
			if e = out; err != nil {
				w.left(err)
				continue
			}
		} else if e[0] == '[' || f.lax {
			return nil, misfit(at, "a list", "its parts are no objects")
		}
		kept = append(kept, e)
	}
	if len(kept) == 0 && len(list) > 0 && (depth == 0 || !f.lax) { // an item with tools of which none passes is one without tools
		return nil, misfit(at, "a list", "nothing in it is")
	}
	return encode(kept)
}

// plain is a value without objects in it, nil where it has some.
func plain(raw json.RawMessage) json.RawMessage {
	var list []json.RawMessage
	if raw[0] == '{' || raw[0] == '[' && json.Unmarshal(raw, &list) != nil {
		return nil
	}
	if slices.ContainsFunc(list, func(e json.RawMessage) bool { return e[0] == '{' || e[0] == '[' }) {
		return nil
	}
	return raw
}

// left tells what was left out of a list.
func (w *walk) left(err error) {
	var e *errForm
	if errors.As(err, &e) {
		w.note("%s left out: %s", e.what, e.why)
	}
}

// note tells what was changed in a request.
func (b *body) note(format string, args ...any) {
	b.notes = append(b.notes, fmt.Sprintf(format, args...))
}

// drop leaves one field out.
func (b *body) drop(fields map[string]json.RawMessage, name, in string) {
	delete(fields, name)
	b.note("field %.60q left out", in+name)
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
	b.inside(b.fields, "chat_template_kwargs", func(inner map[string]json.RawMessage) {
		b.bound(inner, "thinking_budget", most, "chat_template_kwargs.")
	})
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

// keepBetas leaves out of a client's headers what of Anthropic's betas is not known.
func keepBetas(h http.Header, limited bool) (notes []string) {
	const name = "Anthropic-Beta"
	var kept []string
	for _, line := range h.Values(name) {
		for beta := range strings.SplitSeq(line, ",") {
			beta = strings.TrimSpace(beta)
			known := func(begin string) bool { return begins(beta, begin) }
			switch {
			case slices.ContainsFunc(betas, known), !limited && slices.ContainsFunc(betasUnlimited, known):
				kept = append(kept, beta)
			case beta != "":
				notes = append(notes, fmt.Sprintf("%.40q of %s left out", beta, name))
			}
		}
	}
	if h.Del(name); len(kept) > 0 {
		h.Set(name, strings.Join(kept, ","))
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

package clients

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/tailscale/hujson"
)

// A JSON document is changed as text: what does not change keeps its bytes. What is
// written there can be taken out again so that the bytes from before are left:
//
//   - A server goes behind the last one of an object, or directly behind the brace of
//     an empty one. An object that is made for it has space behind its brace, so that
//     the two are told apart.
//   - A file that is made ends with a line end, and what is written into an empty one
//     does not.

// field is a member of an object that is written.
type field struct {
	name  string
	value any
}

// withServer returns a document that has the server s; hers reports whether a server
// of that name came from here.
func (c Client) withServer(old []byte, s Server, hers func(Server) bool) ([]byte, error) {
	if len(bytes.TrimSpace(old)) == 0 {
		made := c.fresh(s)
		if old != nil {
			made = append(slices.Clone(old), bytes.TrimRight(made, "\n")...)
		}
		return made, nil
	}
	d, err := c.document(old, s.Name)
	if err != nil {
		return nil, err
	}
	var out []byte
	switch {
	case d.server != nil:
		if was, ok := c.serverIn(s.Name, d.values); !ok || !hers(was) {
			return nil, fmt.Errorf("line %d: a server that did not come from here has the name %s; --name gives this one another", lineOf(old, d.server), s.Name)
		}
		out, err = d.update(c.entry(s))
	case d.servers != nil:
		out = d.add(d.servers, s.Name, c.entry(s))
	default:
		out = d.add(&d.root, c.key, []field{{s.Name, c.entry(s)}})
	}
	if err != nil {
		return nil, err
	}
	return out, c.sameOthers(old, out, s.Name)
}

// withoutServer returns a document without a server that came from here; nil where the
// whole document did.
func (c Client) withoutServer(old []byte, name string, hers func(Server) bool) ([]byte, error) {
	if len(bytes.TrimSpace(old)) == 0 {
		return old, nil
	}
	d, err := c.document(old, name)
	if err != nil || d.server == nil {
		return old, err
	}
	was, ok := c.serverIn(name, d.values)
	if !ok || !hers(was) {
		return nil, fmt.Errorf("line %d: the server %s there did not come from here; take it out by hand if it has to go", lineOf(old, d.server), name)
	}
	fresh := c.fresh(was)
	if bytes.Equal(old, fresh) {
		return nil, nil
	}
	if before, ok := bytes.CutSuffix(old, bytes.TrimRight(fresh, "\n")); ok && len(bytes.TrimSpace(before)) == 0 {
		return before, nil
	}
	members := d.servers.Value.(*hujson.Object).Members
	made := len(members) == 1 && spaceOnly(members[0].Name.BeforeExtra) && len(members[0].Name.BeforeExtra) > 0 && spaceOnly(d.servers.Value.(*hujson.Object).AfterExtra)
	out := d.remove(d.servers, name)
	if made {
		out = d.remove(&d.root, c.key)
	}
	return out, c.sameOthers(old, out, name)
}

// fresh is a document with one server and nothing else.
func (c Client) fresh(s Server) []byte {
	return []byte("{\n  " + pretty(c.key, []field{{s.Name, c.entry(s)}}, "  ", "  ", "\n") + "\n}\n")
}

// sameOthers is an error where a changed document has other values than before, but
// for the server of that name.
func (c Client) sameOthers(old, out []byte, name string) error {
	before, err := c.others(old, name)
	if err != nil {
		return err
	}
	after, err := c.others(out, name)
	if err != nil || !reflect.DeepEqual(before, after) {
		return errors.New("the change would reach other settings as well")
	}
	return nil
}

// document is a JSON text, which may have comments and trailing commas, with its
// values and where they stand.
type document struct {
	text    []byte
	root    hujson.Value
	servers *hujson.Value // nil: there are none
	server  *hujson.Value // the one that is asked for; nil: there is none
	values  map[string]any
}

func (c Client) document(text []byte, name string) (*document, error) {
	values, err := valuesOf(text)
	if err != nil {
		return nil, err
	}
	d := &document{text: text}
	if d.root, err = hujson.Parse(slices.Clone(text)); err != nil {
		return nil, fmt.Errorf("it is no JSON: %w", err)
	}
	if d.servers, err = member(text, &d.root, c.key); err != nil || d.servers == nil {
		return d, err
	}
	if d.server, err = member(text, d.servers, name); err != nil || d.server == nil {
		return d, err
	}
	d.values, _ = values[c.key].(map[string]any)
	return d, nil
}

// update gives members of the server their values; what else it has stays.
func (d *document) update(fields []field) ([]byte, error) {
	out, shift := slices.Clone(d.text), 0
	type span struct {
		start, end int
		text       string
	}
	var spans []span
	for _, f := range fields {
		v, err := member(d.text, d.server, f.name)
		if err != nil {
			return nil, err
		}
		var now any
		if v == nil {
			continue // a person took it out, and [Client.serverIn] knew the server without it
		}
		plain, err := hujson.Standardize(slices.Clone(d.text[v.StartOffset:v.EndOffset]))
		if err != nil || json.Unmarshal(plain, &now) != nil {
			return nil, fmt.Errorf("line %d: it is no JSON", lineOf(d.text, v))
		}
		want := oneLine(f.value)
		if oneLine(now) != want {
			spans = append(spans, span{v.StartOffset, v.EndOffset, want})
		}
	}
	slices.SortFunc(spans, func(a, b span) int { return a.start - b.start })
	for _, s := range spans {
		out = slices.Replace(out, s.start+shift, s.end+shift, []byte(s.text)...)
		shift += len(s.text) - (s.end - s.start)
	}
	return out, nil
}

// add puts a member behind the last one of an object.
func (d *document) add(v *hujson.Value, name string, fields []field) []byte {
	object := v.Value.(*hujson.Object)
	if len(object.Members) == 0 {
		return slices.Insert(slices.Clone(d.text), v.StartOffset+1, []byte(compact(name, fields))...)
	}
	last := object.Members[len(object.Members)-1]
	space := d.space(last.Name.StartOffset)
	end := "\n"
	if bytes.Contains(d.text, []byte("\r\n")) {
		end = "\r\n"
	}
	// Behind what follows the last member, but for the space before the brace.
	tail := v.EndOffset - 1 - len(object.AfterExtra)
	tail += len(bytes.TrimRight(object.AfterExtra, " \t\r\n"))
	text := " " + compact(name, fields)
	if i := strings.LastIndexByte(space, '\n'); i >= 0 || bytes.Contains(object.AfterExtra, []byte("//")) {
		indent := space[i+1:]
		text = end + indent + pretty(name, fields, indent, step(indent), end)
	}
	out := slices.Clone(d.text)
	if trailing(object) {
		return slices.Insert(out, tail, []byte(text+",")...)
	}
	out = slices.Insert(out, tail, []byte(text)...)
	return slices.Insert(out, last.Value.EndOffset, ',')
}

// remove takes a member out of an object, as [document.add] put it there.
func (d *document) remove(v *hujson.Value, name string) []byte {
	object := v.Value.(*hujson.Object)
	i := slices.IndexFunc(object.Members, func(m hujson.ObjectMember) bool { return literal(&m.Name) == name })
	m := object.Members[i]
	start, end := m.Name.StartOffset-len(d.space(m.Name.StartOffset)), m.Value.EndOffset
	out := slices.Clone(d.text)
	switch last := i == len(object.Members)-1; {
	case !last || trailing(object):
		return slices.Delete(out, start, end+len(m.Value.AfterExtra)+1)
	case i > 0:
		before := object.Members[i-1].Value
		out = slices.Delete(out, start, end)
		comma := before.EndOffset + len(before.AfterExtra)
		return slices.Delete(out, comma, comma+1)
	}
	return slices.Delete(out, start, end)
}

// space is the white space before a place.
func (d *document) space(at int) string {
	head := d.text[:at]
	return string(head[len(bytes.TrimRight(head, " \t\r\n")):])
}

func spaceOnly(e hujson.Extra) bool { return len(bytes.TrimSpace(e)) == 0 }

// trailing reports whether a comma follows the last member of an object that has some.
func trailing(o *hujson.Object) bool { return o.Members[len(o.Members)-1].Value.AfterExtra != nil }

// step is one step of an indentation.
func step(indent string) string {
	if strings.HasPrefix(indent, "\t") {
		return "\t"
	}
	if n := len(indent); n == 3 || n == 4 {
		return indent
	}
	return "  "
}

// pretty is a member over several lines, without an indentation of its first one.
func pretty(name string, fields []field, indent, step, end string) string {
	inner := indent + step
	var b strings.Builder
	b.WriteString(oneLine(name) + ": {" + end)
	for i, f := range fields {
		text := oneLine(f.name) + ": " + oneLine(f.value)
		if deeper, ok := f.value.([]field); ok {
			text = pretty(f.name, deeper, inner, step, end)
		}
		if i < len(fields)-1 {
			text += ","
		}
		b.WriteString(inner + text + end)
	}
	return b.String() + indent + "}"
}

// compact is a member on one line. An object that holds another one is one that is
// made for that.
func compact(name string, fields []field) string {
	parts := make([]string, len(fields))
	for i, f := range fields {
		if deeper, ok := f.value.([]field); ok {
			return oneLine(name) + ": { " + compact(f.name, deeper) + " }"
		}
		parts[i] = oneLine(f.name) + ": " + oneLine(f.value)
	}
	return oneLine(name) + ": {" + strings.Join(parts, ", ") + "}"
}

// oneLine is a value as a person writes it on a line.
func oneLine(v any) string {
	switch v := v.(type) {
	case []string:
		parts := make([]string, len(v))
		for i, text := range v {
			parts[i] = oneLine(text)
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case []any:
		parts := make([]string, len(v))
		for i, one := range v {
			parts[i] = oneLine(one)
		}
		return "[" + strings.Join(parts, ", ") + "]"
	}
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(v) // texts and truths always can be
	return strings.TrimSpace(b.String())
}

// member is the value that an object has under a name, nil for none. A name that
// stands there twice is an error: programs disagree which one counts.
func member(doc []byte, v *hujson.Value, name string) (*hujson.Value, error) {
	object, ok := v.Value.(*hujson.Object)
	if !ok {
		return nil, fmt.Errorf("line %d: an object is expected there", lineOf(doc, v))
	}
	var found *hujson.Value
	for i := range object.Members {
		m := &object.Members[i]
		if literal(&m.Name) != name {
			continue
		}
		if found != nil {
			return nil, fmt.Errorf("line %d: %q stands there a second time, and programs disagree which one counts: remove one", lineOf(doc, &m.Name), name)
		}
		found = &m.Value
	}
	return found, nil
}

func literal(v *hujson.Value) string {
	text, _ := v.Value.(hujson.Literal)
	return text.String()
}

func lineOf(doc []byte, v *hujson.Value) int {
	return 1 + bytes.Count(doc[:v.StartOffset], []byte("\n"))
}

// valuesOf are the values of a document.
func valuesOf(doc []byte) (map[string]any, error) {
	for i, line := range bytes.Split(doc, []byte("\n")) {
		if !utf8.Valid(line) {
			return nil, fmt.Errorf("line %d: it is no UTF-8", i+1)
		}
	}
	plain, err := hujson.Standardize(slices.Clone(doc))
	if err != nil {
		return nil, fmt.Errorf("it is no JSON: %w", err)
	}
	d := json.NewDecoder(bytes.NewReader(plain))
	d.UseNumber()
	var values map[string]any
	if err := d.Decode(&values); err != nil {
		return nil, fmt.Errorf("it is no JSON object: %w", err)
	}
	return values, nil
}

// others are the values of a document without the server of that name.
func (c Client) others(doc []byte, name string) (map[string]any, error) {
	values, err := valuesOf(doc)
	if servers, ok := values[c.key].(map[string]any); ok {
		if delete(servers, name); len(servers) == 0 {
			delete(values, c.key)
		}
	}
	return values, err
}

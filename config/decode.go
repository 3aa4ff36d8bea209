package config

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"go.yaml.in/yaml/v3"
)

// decoder walks a tree of YAML nodes along the schema. It never stops at a
// problem; it notes it and goes on.
type decoder struct {
	file     string // name in messages; empty: source is used as it is
	stored   bool   // what an atoll wrote, perhaps an earlier one
	source   string // "environment X" or "flag --x" where there is no position
	origin   Origin // of values without a position
	origins  map[string]Origin
	problems Problems
}

func (d *decoder) problem(n *yaml.Node, key, format string, args ...any) {
	p := Problem{Source: d.source, Key: key, Text: fmt.Sprintf(format, args...)}
	if p.Source == "" {
		p.Source = d.file
		if n != nil && n.Line > 0 {
			p.Line, p.Column = n.Line, n.Column
			p.Source = fmt.Sprintf("%s:%d:%d", d.file, n.Line, n.Column)
		}
	}
	d.problems = append(d.problems, p)
}

// note remembers where the value of a key came from.
func (d *decoder) note(path string, n *yaml.Node) {
	if d.source != "" {
		d.origins[path] = d.origin
		return
	}
	d.origins[path] = Origin{Kind: FromFile, Name: d.file, Line: n.Line, Column: n.Column}
}

// forget drops what is known of a key and everything below it.
func (d *decoder) forget(path string) {
	for key := range d.origins {
		if key == path || strings.HasPrefix(key, path+".") || strings.HasPrefix(key, path+"[") {
			delete(d.origins, key)
		}
	}
}

// section reads a mapping into the fields of a struct.
func (d *decoder) section(fields []field, prefix string, v reflect.Value, n *yaml.Node) {
	n = resolve(n)
	if isNull(n) {
		return
	}
	if n.Kind != yaml.MappingNode {
		d.problem(n, strings.TrimSuffix(prefix, "."), "this must be a section: keys such as %s, one on a line", exampleKeys(fields))
		return
	}
	seen := map[string]int{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		path := prefix + key.Value
		if line, again := seen[key.Value]; again {
			d.problem(key, path, "given twice; the first is on line %d", line)
			continue
		}
		seen[key.Value] = key.Line
		f, ok := find(fields, key.Value)
		if !ok {
			d.unknown(key, path, fields)
			continue
		}
		d.value(f, path, v.Field(f.index), value)
	}
}

// unknown refuses a key, with the reason or with what it could be instead.
func (d *decoder) unknown(key *yaml.Node, path string, fields []field) {
	why, known := gone()[path]
	switch {
	case !known:
		d.problem(key, path, "no such key%s", d.hint(key.Value, fields))
	case !d.stored:
		d.problem(key, path, "%s", why)
	}
}

// hint says what the key could be instead.
func (d *decoder) hint(name string, fields []field) string {
	if n := elsewhere(name, names(fields)); n != "" {
		return fmt.Sprintf("; did you mean %s?", n)
	}
	return "; here are " + strings.Join(names(fields), ", ")
}

func exampleKeys(fields []field) string {
	return strings.Join(names(fields[:min(3, len(fields))]), ", ")
}

// value reads one node into the field. An empty value leaves the default.
func (d *decoder) value(f field, path string, v reflect.Value, n *yaml.Node) {
	n = resolve(n)
	if isNull(n) {
		return
	}
	switch f.kind {
	case kindSection:
		d.section(f.sub, path+".", v, n)
		return
	case kindList:
		d.list(f, path, v, n)
		return
	}
	fresh := reflect.New(f.typ).Elem()
	before := len(d.problems)
	switch f.kind {
	case kindStrings, kindCommand, kindInts, kindFloats:
		d.scalars(f, path, fresh, n)
	case kindFloatMap, kindStringMap:
		d.entries(f, path, fresh, n)
	default:
		d.scalar(f, path, fresh, n)
	}
	if len(d.problems) == before {
		switch fresh.Kind() {
		case reflect.Slice, reflect.Map:
			if fresh.Len() == 0 {
				fresh.SetZero()
			}
		}
		v.Set(fresh)
		d.forget(path)
		d.note(path, n)
	}
}

func (d *decoder) scalar(f field, path string, v reflect.Value, n *yaml.Node) {
	if n.Kind != yaml.ScalarNode {
		d.problem(n, path, "one value is wanted: %s", f.allowed())
		return
	}
	if err := f.parseScalar(n.Value, v); err != nil {
		d.problem(n, path, "%v", err)
	}
}

// scalars reads a list of texts or numbers. One value stands for a list of
// one; as a command it is a line for the shell.
func (d *decoder) scalars(f field, path string, v reflect.Value, n *yaml.Node) {
	items := n.Content
	if n.Kind == yaml.ScalarNode {
		if f.kind == kindCommand {
			v.Set(reflect.ValueOf([]string{"sh", "-c", n.Value}))
			return
		}
		items = []*yaml.Node{n}
	} else if n.Kind != yaml.SequenceNode {
		d.problem(n, path, "a list is wanted: write [a, b], or - a and - b on lines of their own")
		return
	}
	each := field{name: f.name, min: f.min, max: f.max}
	switch f.kind {
	case kindInts:
		each.kind = kindInt
	case kindFloats:
		each.kind = kindFloat
	}
	v.Set(reflect.MakeSlice(f.typ, len(items), len(items)))
	for i, item := range items {
		d.scalar(each, path, v.Index(i), resolve(item))
	}
}

// entries reads a mapping of names to numbers or texts; it replaces the
// default as a whole.
func (d *decoder) entries(f field, path string, v reflect.Value, n *yaml.Node) {
	if n.Kind != yaml.MappingNode {
		d.problem(n, path, "names with values are wanted: write name: value, one on a line")
		return
	}
	each := field{kind: kindString}
	if f.kind == kindFloatMap {
		each = field{kind: kindFloat, min: "0"}
	}
	v.Set(reflect.MakeMap(f.typ))
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, item := n.Content[i], reflect.New(f.typ.Elem()).Elem()
		if v.MapIndex(reflect.ValueOf(key.Value)).IsValid() {
			d.problem(key, path+"."+key.Value, "given twice")
			continue
		}
		value := resolve(n.Content[i+1])
		if f.json && value.Kind != yaml.ScalarNode {
			value = jsonNode(value)
		}
		d.scalar(each, path+"."+key.Value, item, value)
		v.SetMapIndex(reflect.ValueOf(key.Value), item)
	}
}

// jsonNode is a section or a list as the text of its JSON. What is none of JSON's
// stays as it is, to be refused.
func jsonNode(n *yaml.Node) *yaml.Node {
	var v any
	if n.Decode(&v) != nil {
		return n
	}
	text, err := json.Marshal(v)
	if err != nil {
		return n
	}
	return &yaml.Node{Kind: yaml.ScalarNode, Value: string(text), Line: n.Line, Column: n.Column}
}

// list reads a list of sections. An element that is a single word sets the
// first field of its section: axes: [time_ms] names a metric.
func (d *decoder) list(f field, path string, v reflect.Value, n *yaml.Node) {
	if n.Kind != yaml.SequenceNode {
		d.problem(n, path, "a list of sections is wanted: begin each with - %s:", f.sub[0].name)
		return
	}
	d.forget(path)
	d.note(path, n)
	fresh := reflect.MakeSlice(f.typ, 0, len(n.Content))
	for i, item := range n.Content {
		item = resolve(item)
		e := element(f.typ.Elem())
		at := elementPath(path, i)
		d.note(at, item)
		if item.Kind == yaml.ScalarNode && !isNull(item) {
			d.value(f.sub[0], at+"."+f.sub[0].name, e.Field(f.sub[0].index), item)
		} else {
			d.section(f.sub, at+".", e, item)
		}
		fresh = reflect.Append(fresh, e)
	}
	if fresh.Len() == 0 {
		v.SetZero()
		return
	}
	v.Set(fresh)
}

// resolve follows an alias to the node it stands for.
func resolve(n *yaml.Node) *yaml.Node {
	for range 8 {
		if n == nil || n.Kind != yaml.AliasNode {
			break
		}
		n = n.Alias
	}
	return n
}

func isNull(n *yaml.Node) bool {
	return n == nil || n.Kind == 0 || (n.Kind == yaml.ScalarNode && n.Tag == "!!null")
}

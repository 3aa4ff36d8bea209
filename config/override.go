package config

import (
	"errors"
	"fmt"
	"reflect"
	"sort"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// environment applies the variables. Names with ATOLL_ win over those of
// Loreley.
func (d *decoder) environment(fields []field, root reflect.Value, env []string) {
	values := map[string]string{}
	for _, kv := range env {
		if name, value, ok := strings.Cut(kv, "="); ok {
			values[name] = value
		}
	}
	for _, a := range loreleyAliases() {
		if value, ok := values[a.name]; ok && value != "" {
			d.alias(fields, root, a, value, values)
		}
	}
	known := map[string]string{}
	d.variables(fields, "", known)
	for _, name := range sortedNames(values) {
		if !strings.HasPrefix(name, "ATOLL_") || reserved(name) {
			continue
		}
		if path, ok := known[name]; ok {
			d.override(fields, root, path, values[name], Origin{Kind: FromEnv, Name: name})
			continue
		}
		d.unknownVariable(fields, name, known)
	}
}

// variables collects the names of all variables and their keys.
func (d *decoder) variables(fields []field, prefix string, known map[string]string) {
	for _, f := range fields {
		if f.kind == kindSection {
			d.variables(f.sub, prefix+f.name+".", known)
			continue
		}
		known[envName(prefix+f.name)] = prefix + f.name
	}
}

// reserved reports variables that atoll sets for others or reads elsewhere.
func reserved(name string) bool {
	switch name {
	case "ATOLL_CONTEXT", "ATOLL_RESULT", "ATOLL_RUN", "ATOLL_RUN_DIR", "ATOLL_EVAL_DIR", "ATOLL_STATE", "ATOLL_CONFIG":
		return true
	}
	return false
}

// unknownVariable refuses a name that looks like a key; others are none of
// our business.
func (d *decoder) unknownVariable(fields []field, name string, known map[string]string) {
	for key, why := range gone() {
		if name == envName(key) {
			d.problems = append(d.problems, Problem{Source: "environment " + name, Key: key, Text: why})
			return
		}
	}
	section := false
	for _, f := range fields {
		section = section || (f.kind == kindSection && strings.HasPrefix(name, envName(f.name)+"_"))
	}
	var short []string // the prefix that all share says nothing about likeness
	for _, n := range sortedNames(known) {
		short = append(short, strings.TrimPrefix(n, "ATOLL_"))
	}
	suggestion := ""
	if n := nearest(strings.TrimPrefix(name, "ATOLL_"), short); n != "" {
		suggestion = "; did you mean ATOLL_" + n + "?"
	}
	if section || suggestion != "" {
		d.problems = append(d.problems, Problem{Source: "environment " + name, Text: "no such key" + suggestion})
	}
}

func sortedNames(m map[string]string) []string {
	all := make([]string, 0, len(m))
	for name := range m {
		all = append(all, name)
	}
	sort.Strings(all)
	return all
}

// alias applies one variable of Loreley.
func (d *decoder) alias(fields []field, root reflect.Value, a loreleyAlias, value string, all map[string]string) {
	text, err := a.convert(value, all)
	if err != nil {
		d.problems = append(d.problems, Problem{Source: "environment " + a.name, Key: a.key, Text: err.Error()})
		return
	}
	d.override(fields, root, a.key, text, Origin{Kind: FromEnv, Name: a.name})
}

func (d *decoder) flag(fields []field, root reflect.Value, f Flag) {
	d.override(fields, root, f.Key, f.Value, Origin{Kind: FromFlag, Name: f.Name})
}

// override sets one dotted key from text.
func (d *decoder) override(fields []field, root reflect.Value, key, text string, o Origin) {
	d.source, d.origin = o.String(), o
	defer func() { d.source = "" }()
	f, path, v, err := locate(fields, root, key)
	if err != nil {
		d.problem(nil, key, "%v", err)
		return
	}
	node, err := f.textNode(text)
	if err != nil {
		d.problem(nil, path, "%v", err)
		return
	}
	if isNull(node) { // an empty text clears what can be empty
		d.clear(f, path, v)
		return
	}
	if v.CanSet() {
		d.value(f, path, v, node)
		return
	}
	d.entry(f, path, v, node)
}

// entry sets one name of a map; locate returned the map and the path of the name.
func (d *decoder) entry(f field, path string, m reflect.Value, n *yaml.Node) {
	item := reflect.New(m.Type().Elem()).Elem()
	before := len(d.problems)
	d.scalar(f, path, item, n)
	if len(d.problems) == before {
		dot := strings.LastIndexByte(path, '.')
		m.SetMapIndex(reflect.ValueOf(path[dot+1:]), item)
		d.note(path, n)
		d.note(path[:dot], n)
	}
}

func (d *decoder) clear(f field, path string, v reflect.Value) {
	switch f.kind {
	case kindStrings, kindCommand, kindInts, kindFloats, kindList, kindFloatPtr:
		v.SetZero()
		d.forget(path)
		d.note(path, nil)
	default:
		d.problem(nil, path, "a value is wanted: %s", f.allowed())
	}
}

// locate follows a dotted key to its value. Elements of lists are named or
// numbered from 0: agents.codex.weight, agents.0.weight, agents[0].weight. For
// a name of a map it returns the map itself, which cannot be set, and the
// field of its values.
func locate(fields []field, v reflect.Value, key string) (field, string, reflect.Value, error) {
	words := strings.Split(strings.NewReplacer("[", ".", "]", "").Replace(key), ".")
	path := ""
	for i := 0; i < len(words); i++ {
		f, ok := find(fields, words[i])
		if !ok {
			if why, ok := gone()[key]; ok {
				return field{}, "", v, errors.New(why)
			}
			return field{}, "", v, unknownKey(words[i], key, fields)
		}
		path = strings.TrimPrefix(path+"."+f.name, ".")
		v = v.Field(f.index)
		last := i == len(words)-1
		switch {
		case last && f.kind != kindSection:
			return f, path, v, nil
		case last:
			return field{}, "", v, fmt.Errorf("%s is a section; name a key of it: %s", path, strings.Join(names(f.sub), ", "))
		case f.kind == kindSection:
			fields = f.sub
		case f.kind == kindList:
			i++
			n, err := elementOf(path, v, words[i])
			if err != nil {
				return field{}, "", v, err
			}
			if i == len(words)-1 {
				return field{}, "", v, fmt.Errorf("name a key of %s: %s", elementPath(path, n), strings.Join(names(f.sub), ", "))
			}
			path, v, fields = elementPath(path, n), v.Index(n), f.sub
		case (f.kind == kindFloatMap || f.kind == kindStringMap) && i == len(words)-2:
			return mapEntry(f, path+"."+words[i+1], v)
		default:
			return field{}, "", v, fmt.Errorf("%s is a %s and has no keys", path, f.kind)
		}
	}
	return field{}, "", v, fmt.Errorf("name a key")
}

// mapEntry replaces the map by a copy, so that defaults are never shared, and
// returns a view of it that cannot be set as a whole.
func mapEntry(f field, path string, v reflect.Value) (field, string, reflect.Value, error) {
	m := reflect.MakeMap(f.typ)
	for _, k := range v.MapKeys() {
		m.SetMapIndex(k, v.MapIndex(k))
	}
	v.Set(m)
	each := field{name: f.name, kind: kindString}
	if f.kind == kindFloatMap {
		each = field{name: f.name, kind: kindFloat, min: "0"}
	}
	return each, path, reflect.ValueOf(m.Interface()), nil
}

func elementOf(path string, list reflect.Value, word string) (int, error) {
	if n, err := strconv.Atoi(word); err == nil {
		switch {
		case list.Len() == 0:
			return 0, fmt.Errorf("%s is an empty list: write its first element into %s", path, FileName)
		case n < 0 || n >= list.Len():
			return 0, fmt.Errorf("%s has the elements 0 to %d, there is no number %d", path, list.Len()-1, n)
		}
		return n, nil
	}
	var all []string
	for i := range list.Len() {
		name := list.Index(i).Field(0).String()
		if name == word {
			return i, nil
		}
		all = append(all, name)
	}
	return 0, fmt.Errorf("%s has no element %q; there are: %s", path, word, strings.Join(all, ", "))
}

func unknownKey(word, key string, fields []field) error {
	if n := elsewhere(word, names(fields)); n != "" {
		return fmt.Errorf("no such key; did you mean %s?", n)
	}
	var all []string
	for _, k := range Keys() {
		all = append(all, k.Path)
	}
	return fmt.Errorf("no such key%s", Meant(key, all))
}

// textNode turns the text of a variable or flag into a node: YAML where it
// looks like a list or mapping, else a,b,c for lists and a=1,b=2 for maps.
func (f field) textNode(text string) (*yaml.Node, error) {
	scalar := func(s string) *yaml.Node { return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: s} }
	trimmed := strings.TrimSpace(text)
	switch f.kind {
	case kindStrings, kindInts, kindFloats, kindFloatMap, kindStringMap, kindList, kindCommand:
		if strings.HasPrefix(trimmed, "[") || strings.HasPrefix(trimmed, "{") || (f.kind == kindList && trimmed != "") {
			return parseText(text)
		}
	default:
		if trimmed == "" && f.kind != kindString {
			return nil, nil
		}
		return scalar(text), nil
	}
	switch {
	case trimmed == "":
		return nil, nil
	case f.kind == kindCommand:
		return scalar(text), nil
	case f.kind == kindFloatMap || f.kind == kindStringMap:
		n := &yaml.Node{Kind: yaml.MappingNode}
		for _, part := range strings.Split(trimmed, ",") {
			name, value, ok := strings.Cut(part, "=")
			if !ok {
				return nil, fmt.Errorf("%q is no name=value", part)
			}
			n.Content = append(n.Content, scalar(strings.TrimSpace(name)), scalar(strings.TrimSpace(value)))
		}
		return n, nil
	}
	n := &yaml.Node{Kind: yaml.SequenceNode}
	for _, part := range splitList(trimmed) {
		n.Content = append(n.Content, scalar(strings.TrimSpace(part)))
	}
	return n, nil
}

// splitList splits at commas that are not inside the braces of a glob.
func splitList(text string) []string {
	var parts []string
	depth, start := 0, 0
	for i, r := range text {
		switch {
		case r == '{':
			depth++
		case r == '}' && depth > 0:
			depth--
		case r == ',' && depth == 0:
			parts = append(parts, text[start:i])
			start = i + 1
		}
	}
	return append(parts, text[start:])
}

func parseText(text string) (*yaml.Node, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(text), &doc); err != nil {
		return nil, fmt.Errorf("%q is no YAML: %w", text, err)
	}
	if len(doc.Content) == 0 {
		return nil, nil
	}
	return doc.Content[0], nil
}

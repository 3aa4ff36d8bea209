package config

import (
	"fmt"
	"reflect"
	"strings"
	"time"
)

// kind is how a value is written and read.
type kind int

const (
	kindString kind = iota
	kindBool
	kindInt
	kindUint
	kindSize
	kindFloat
	kindFloatPtr
	kindDuration
	kindStrings
	kindCommand
	kindInts
	kindFloats
	kindFloatMap
	kindStringMap
	kindSection
	kindList // of sections
)

// String returns the kind in the words of the reference.
func (k kind) String() string {
	return [...]string{
		"text", "true or false", "whole number", "whole number", "size", "number", "number", "duration",
		"list of texts", "command", "list of whole numbers", "list of numbers", "name: number", "name: text",
		"section", "list of sections",
	}[k]
}

// field describes one key of one section.
type field struct {
	name    string
	index   int // of the struct field
	kind    kind
	typ     reflect.Type
	doc     string
	enum    []string // nil: any; "" as an entry allows empty
	min     string
	max     string
	auto    string
	live    bool
	measure bool
	json    bool    // of a map of texts: a value may be any JSON, kept as its text
	sub     []field // of a section or of one element of a list
}

// schema reads the fields of Config from its tags.
func schema() []field { return fieldsOf(reflect.TypeFor[Config](), false, false) }

func fieldsOf(t reflect.Type, live, measure bool) []field {
	fields := make([]field, 0, t.NumField())
	for i := range t.NumField() {
		sf := t.Field(i)
		tag := sf.Tag
		f := field{
			name: tag.Get("key"), index: i, typ: sf.Type, doc: tag.Get("doc"),
			min: tag.Get("min"), max: tag.Get("max"), auto: tag.Get("auto"),
			live:    live || tag.Get("live") == "yes",
			measure: measure || tag.Get("measure") == "yes", json: tag.Get("values") == "json",
		}
		if enum, ok := tag.Lookup("enum"); ok {
			f.enum = strings.Split(enum, ",")
		}
		f.kind = kindOf(f, tag.Get("unit"))
		switch f.kind {
		case kindSection:
			f.sub = fieldsOf(sf.Type, f.live, f.measure)
		case kindList:
			f.sub = fieldsOf(sf.Type.Elem(), f.live, f.measure)
		}
		fields = append(fields, f)
	}
	return fields
}

func kindOf(f field, unit string) kind {
	if f.typ == reflect.TypeFor[time.Duration]() {
		return kindDuration
	}
	switch f.typ.Kind() {
	case reflect.Bool:
		return kindBool
	case reflect.Int, reflect.Int64:
		if unit == "bytes" {
			return kindSize
		}
		return kindInt
	case reflect.Uint64:
		return kindUint
	case reflect.Float64:
		return kindFloat
	case reflect.Pointer:
		return kindFloatPtr
	case reflect.Map:
		if f.typ.Elem().Kind() == reflect.Float64 {
			return kindFloatMap
		}
		return kindStringMap
	case reflect.Struct:
		return kindSection
	case reflect.Slice:
		return kindOfSlice(f)
	}
	return kindString
}

func kindOfSlice(f field) kind {
	switch f.typ.Elem().Kind() {
	case reflect.Struct:
		return kindList
	case reflect.Int:
		return kindInts
	case reflect.Float64:
		return kindFloats
	}
	if f.name == "command" {
		return kindCommand
	}
	return kindStrings
}

// names returns the names of fields, for suggestions.
func names(fields []field) []string {
	all := make([]string, len(fields))
	for i, f := range fields {
		all[i] = f.name
	}
	return all
}

func find(fields []field, name string) (field, bool) {
	for _, f := range fields {
		if f.name == name {
			return f, true
		}
	}
	return field{}, false
}

// allowed says in words what a key accepts.
func (f field) allowed() string {
	switch {
	case f.enum != nil:
		return strings.Join(f.choices(), ", ")
	case f.min != "" && f.max != "":
		return f.min + " to " + f.max
	case f.min != "":
		return "at least " + f.min
	}
	switch f.kind {
	case kindDuration:
		return "a duration such as 30s, 5m or 1h30m"
	case kindSize:
		return "a size such as 512MiB"
	case kindCommand:
		return "a list of arguments, or one line for sh -c"
	}
	return "a " + f.kind.String()
}

// choices returns the non-empty values of an enum.
func (f field) choices() []string {
	var all []string
	for _, e := range f.enum {
		if e != "" {
			all = append(all, e)
		}
	}
	return all
}

// Key describes one key for people and for completion.
type Key struct {
	Path    string // "evaluator.timeout"; "agents[].name" for a list, "search.operators" for a map
	Kind    string // in words: text, duration, size, ...
	Doc     string
	Allowed string
	Choices []string // of an enumeration
	Default string   // as written in atoll.yaml, or in words
	Env     string   // variable that sets it; empty inside lists
	Live    bool
	Measure bool
}

// Keys returns every key in the order of the file.
func Keys() []Key {
	defaults := Defaults()
	return keysUnder(schema(), "", reflect.ValueOf(defaults))
}

func keysUnder(fields []field, prefix string, v reflect.Value) []Key {
	var keys []Key
	for _, f := range fields {
		path := prefix + f.name
		switch f.kind {
		case kindSection:
			keys = append(keys, keysUnder(f.sub, path+".", v.Field(f.index))...)
			continue
		case kindList:
			keys = append(keys, f.key(path, reflect.Value{}))
			keys = append(keys, keysUnder(f.sub, path+"[].", element(f.typ.Elem()))...)
			continue
		}
		keys = append(keys, f.key(path, v.Field(f.index)))
	}
	return keys
}

func (f field) key(path string, v reflect.Value) Key {
	k := Key{
		Path: path, Kind: f.kind.String(), Doc: f.doc, Allowed: f.allowed(), Choices: f.choices(),
		Live: f.live, Measure: f.measure, Default: f.auto,
	}
	if f.auto == "" && v.IsValid() {
		k.Default = f.format(v)
	}
	if !strings.Contains(path, "[]") {
		k.Env = envName(path)
	}
	return k
}

// envName returns the environment variable of a dotted key.
func envName(path string) string {
	return "ATOLL_" + strings.ToUpper(strings.ReplaceAll(path, ".", "_"))
}

// elementPath returns the dotted path of one element of a list.
func elementPath(list string, i int) string { return fmt.Sprintf("%s[%d]", list, i) }

package config

import (
	"bytes"
	"encoding/json"
	"reflect"
	"sort"
	"time"
)

// pair is one entry of an ordered JSON object.
type pair struct {
	name  string
	value any
}

// object keeps the order of the schema when it is written as JSON.
type object []pair

// MarshalJSON writes the entries in order.
func (o object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, p := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(flow(p.name))
		b.WriteByte(':')
		b.Write(flow(p.value))
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// flow writes a plain value as compact JSON, which is also YAML. Values come
// from plain, so that nothing can fail to encode.
func flow(v any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return []byte("null")
	}
	return bytes.TrimRight(b.Bytes(), "\n")
}

// plain turns a value into what JSON can hold: durations and sizes as text,
// nil lists as empty lists, maps with sorted names.
func (f field) plain(v reflect.Value) any {
	switch f.kind {
	case kindDuration:
		return formatDuration(time.Duration(v.Int()))
	case kindSize:
		return FormatSize(v.Int())
	case kindSection:
		return plainSection(f.sub, v)
	case kindList:
		list := make([]any, v.Len())
		for i := range list {
			list[i] = plainSection(f.sub, v.Index(i))
		}
		return list
	case kindStrings, kindCommand, kindInts, kindFloats:
		if v.Len() == 0 {
			return []any{}
		}
	case kindFloatMap, kindStringMap:
		return plainMap(v)
	}
	return v.Interface()
}

func plainSection(fields []field, v reflect.Value) object {
	o := make(object, 0, len(fields))
	for _, f := range fields {
		o = append(o, pair{f.name, f.plain(v.Field(f.index))})
	}
	return o
}

func plainMap(v reflect.Value) object {
	names := v.MapKeys()
	sort.Slice(names, func(i, j int) bool { return names[i].String() < names[j].String() })
	o := make(object, 0, len(names))
	for _, n := range names {
		o = append(o, pair{n.String(), v.MapIndex(n).Interface()})
	}
	return o
}

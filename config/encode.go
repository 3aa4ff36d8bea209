package config

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"reflect"
	"sort"
	"strconv"

	"go.yaml.in/yaml/v3"
)

// Encode returns the configuration as JSON for the store. Equal
// configurations give equal bytes.
func Encode(c Config) []byte {
	return flow(plainSection(schema(), reflect.ValueOf(c)))
}

// Decode reads what Encode wrote. Keys that are missing keep their default;
// a key that is not known was written by a newer atoll and is refused.
func Decode(data []byte) (Config, error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return Config{}, fmt.Errorf("read the stored configuration: %w", err)
	}
	c := Defaults()
	d := decoder{file: "stored configuration", stored: true, origins: map[string]Origin{}}
	d.section(schema(), "", reflect.ValueOf(&c).Elem(), yamlNode(v))
	if err := d.problems.err(); err != nil {
		return Config{}, err
	}
	_, operators := d.origins["search.operators"]
	c.fill(operators)
	return c, nil
}

// yamlNode turns decoded JSON into nodes, so that one decoder reads both.
func yamlNode(v any) *yaml.Node {
	switch x := v.(type) {
	case map[string]any:
		n := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
		names := make([]string, 0, len(x))
		for name := range x {
			names = append(names, name)
		}
		sort.Strings(names)
		for _, name := range names {
			n.Content = append(n.Content, yamlNode(name), yamlNode(x[name]))
		}
		return n
	case []any:
		n := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
		for _, e := range x {
			n.Content = append(n.Content, yamlNode(e))
		}
		return n
	case string:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: x}
	case json.Number:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!float", Value: x.String()}
	case bool:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!bool", Value: strconv.FormatBool(x)}
	}
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null"}
}

// MeasureKey returns a hash of everything that affects a measurement: two
// configurations with the same key measure the same candidate alike. The
// content of the evaluator directory is not part of it.
func MeasureKey(c Config) string {
	var o object
	measured(schema(), "", reflect.ValueOf(c), &o)
	sum := sha256.Sum256(flow(o))
	return hex.EncodeToString(sum[:])
}

func measured(fields []field, prefix string, v reflect.Value, o *object) {
	for _, f := range fields {
		switch {
		case f.measure:
			*o = append(*o, pair{prefix + f.name, f.plain(v.Field(f.index))})
		case f.kind == kindSection:
			measured(f.sub, prefix+f.name+".", v.Field(f.index), o)
		}
	}
}

// Difference is one key in which two configurations differ.
type Difference struct {
	Key      string
	Old, New string // as atoll.yaml would hold them
	Live     bool   // may change after the start
}

// Diff returns the frozen keys that differ, which a running experiment
// refuses, and the live ones. A list whose names changed is one difference.
func Diff(before, after Config) (frozen, live []Difference) {
	diffSection(schema(), "", reflect.ValueOf(before), reflect.ValueOf(after), func(d Difference) {
		if d.Live {
			live = append(live, d)
		} else {
			frozen = append(frozen, d)
		}
	})
	return frozen, live
}

func diffSection(fields []field, prefix string, a, b reflect.Value, report func(Difference)) {
	for _, f := range fields {
		x, y, path := a.Field(f.index), b.Field(f.index), prefix+f.name
		if bytes.Equal(flow(f.plain(x)), flow(f.plain(y))) {
			continue
		}
		switch {
		case f.kind == kindSection:
			diffSection(f.sub, path+".", x, y, report)
		case f.kind == kindList && sameNames(x, y):
			for i := range x.Len() {
				diffSection(f.sub, elementPath(path, i)+".", x.Index(i), y.Index(i), report)
			}
		default:
			report(Difference{Key: path, Old: f.format(x), New: f.format(y), Live: f.live})
		}
	}
}

// sameNames reports whether two lists of sections have the same first fields,
// which are the names of their elements.
func sameNames(x, y reflect.Value) bool {
	if x.Len() != y.Len() {
		return false
	}
	for i := range x.Len() {
		if x.Index(i).Field(0).String() != y.Index(i).Field(0).String() {
			return false
		}
	}
	return true
}

package config

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// Row explains one key: its value and all that is known about it.
type Row struct {
	Key     string `json:"key"`
	Value   string `json:"value"` // as atoll.yaml would hold it; "" for empty
	Origin  Origin `json:"origin"`
	Doc     string `json:"doc"`
	Allowed string `json:"allowed,omitempty"`
	Live    bool   `json:"live"`    // may change after the start
	Measure bool   `json:"measure"` // part of the evaluation key
}

// Frozen returns "live" or "frozen", the words of the screen.
func (r Row) Frozen() string {
	if r.Live {
		return "live"
	}
	return "frozen"
}

// Explain returns one row for each key, in the order of the file; with a key
// only that one, or those of a section. A key that is not known is an error
// with a suggestion.
func (l Loaded) Explain(key string) ([]Row, error) {
	var rows []Row
	l.explain(schema(), "", reflect.ValueOf(l.Config), &rows)
	if key == "" {
		return rows, nil
	}
	var found []Row
	var paths []string
	for _, r := range rows {
		paths = append(paths, r.Key)
		if r.Key == key || strings.HasPrefix(r.Key, key+".") || strings.HasPrefix(r.Key, key+"[") {
			found = append(found, r)
		}
	}
	if len(found) > 0 {
		return found, nil
	}
	for _, r := range rows { // one of the names that a map holds
		if strings.HasPrefix(key, r.Key+".") {
			return []Row{r}, nil
		}
	}
	return nil, unknownToExplain(key, paths)
}

// unknownToExplain is the error of a key that is none of the paths: with the one that was probably meant,
// or else with what there is.
func unknownToExplain(key string, paths []string) error {
	if meant := Meant(key, paths); meant != "" {
		return fmt.Errorf("explain %s: no such key%s", key, meant)
	}
	words := strings.Split(key, ".")
	if meant := elsewhere(words[len(words)-1], names(schema())); meant != "" {
		return fmt.Errorf("explain %s: no such key; did you mean %s?", key, meant)
	}
	within := ""
	if i := strings.LastIndexByte(key, '.'); i >= 0 && slices.ContainsFunc(paths, func(p string) bool { return strings.HasPrefix(p, key[:i+1]) }) {
		within = key[:i+1]
	}
	var there []string
	for _, p := range paths {
		if rest, found := strings.CutPrefix(p, within); found {
			name, _, _ := strings.Cut(rest, ".")
			if name, _, _ = strings.Cut(name, "["); !slices.Contains(there, within+name) {
				there = append(there, within+name)
			}
		}
	}
	return fmt.Errorf("explain %s: no such key; there are %s", key, strings.Join(there, ", "))
}

func (l Loaded) explain(fields []field, prefix string, v reflect.Value, rows *[]Row) {
	for _, f := range fields {
		path, value := prefix+f.name, v.Field(f.index)
		switch f.kind {
		case kindSection:
			l.explain(f.sub, path+".", value, rows)
			continue
		case kindList:
			if value.Len() > 0 {
				for i := range value.Len() {
					l.explain(f.sub, elementPath(path, i)+".", value.Index(i), rows)
				}
				continue
			}
		}
		*rows = append(*rows, Row{
			Key: path, Value: f.shown(value), Origin: l.exactOrigin(path), Doc: f.doc, Allowed: f.allowed(),
			Live: f.live, Measure: f.measure,
		})
	}
}

// exactOrigin is that of the key itself: a key inside a list that was not
// written has its default, though the list has an origin.
func (l Loaded) exactOrigin(path string) Origin {
	if o, ok := l.Origins[path]; ok {
		return o
	}
	return Origin{Kind: FromDefault}
}

// shown is the value in one line, "" for what is empty.
func (f field) shown(v reflect.Value) string {
	switch f.kind {
	case kindStrings, kindCommand, kindInts, kindFloats, kindList, kindFloatMap, kindStringMap:
		if v.Len() == 0 {
			return ""
		}
	}
	return f.format(v)
}

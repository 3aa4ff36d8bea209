package cli

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"atoll/cli/door"
	"atoll/config"
	"atoll/engine/backup"
	"atoll/engine/bench"
	"atoll/engine/evidence"
	"atoll/engine/repair"
	"atoll/engine/retention"
	"atoll/engine/verify"
	"atoll/engine/view"
	"atoll/store/record"
)

// jsonShape is what a verb prints with --json.
type jsonShape struct {
	verb  string
	doc   string
	lines bool // one document a line
	value any
}

// jsonShapes lists every verb that prints data, in the order of the documentation.
func jsonShapes() []jsonShape {
	return []jsonShape{
		{"status", "atoll status", false, door.Status{}},
		{"run event", "atoll run --headless: a line of the log, type event", true, eventLine{}},
		{"run waiting", "atoll run --headless: a job waits for a person, type waiting", true, waitingLine{}},
		{"run progress", "atoll run --headless: now and then and at each new best, type progress", true, progressLine{}},
		{"run result", "atoll run --headless: the last line, type result", true, runResult{}},
		{"experiments", "atoll experiments", false, []experimentLine{}},
		{"experiments compared", "atoll compare FIRST SECOND", false, comparison{}},
		{"candidates", "atoll candidates, show and best", true, candidateLine{}},
		{"diff", "atoll diff", false, diffLine{}},
		{"niches", "atoll niches", true, nicheLine{}},
		{"front", "atoll front", true, frontLine{}},
		{"jobs", "atoll jobs; show '#7' prints one", true, jobLine{}},
		{"events", "atoll events", true, record.LogRow{}},
		{"why", "atoll why", true, whyLine{}},
		{"notes", "atoll notes", true, record.Note{}},
		{"targets", "atoll targets", true, targetLine{}},
		{"prompts", "atoll show '#7' --prompt", true, promptLine{}},
		{"promote verified", "atoll promote --verify", false, verify.Report{}},
		{"promote", "atoll promote", false, promoted{}},
		{"promote epochs", "atoll promote --epochs", true, taggedLine{}},
		{"decision", "every verb that decides", false, record.Decision{}},
		{"fleet", "atoll fleet", false, view.Fleet{}},
		{"invite", "atoll fleet invite", false, invited{}},
		{"simulation", "atoll simulate", false, simulated{}},
		{"plugin check", "atoll plugin check", false, pluginChecked{}},
		{"plugin list", "atoll plugin list", false, pluginList{}},
		{"bench search", "atoll bench search, one document for each run", true, bench.Result{}},
		{"doctor", "atoll doctor", false, []view.CheckLine{}},
		{"repair", "atoll repair", false, repair.Report{}},
		{"gc", "atoll gc", false, retention.Report{}},
		{"backup", "atoll backup, restore and export FILE.atoll", false, backup.Manifest{}},
		{"import", "atoll import FILE", false, []backup.Added{}},
		{"audit", "atoll audit", false, auditLine{}},
		{"backlog", "atoll backlog; add, edit, drop, reopen and epic print the tasks they changed", false, []backlogLine{}},
		{"backlog show", "atoll backlog show", false, backlogShown{}},
		{"campaign status", "atoll campaign status", false, campaignLine{}},
		{"campaign event", "atoll campaign run: what happens, type event", true, campaignEvent{}},
		{"campaign result", "atoll campaign run: the last line, type result", true, campaignResult{}},
		{"config explain", "atoll config explain", false, []config.Row{}},
		{"version", "atoll version", false, Build{}},
	}
}

// JSONSchema describes the output of every verb with --json as one JSON Schema
// (draft 2020-12), a definition for each.
func JSONSchema() ([]byte, error) {
	defs := map[string]any{}
	for _, s := range jsonShapes() {
		d := schemaOf(reflect.TypeOf(s.value), nil)
		d["description"] = s.doc
		if s.lines {
			d["description"] = s.doc + "; one document a line"
		}
		defs[s.verb] = d
	}
	text, err := json.MarshalIndent(map[string]any{
		"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "What atoll prints with --json", "$defs": defs,
	}, "", " ")
	return append(text, '\n'), err
}

// schemaOf describes a Go type as encoding/json writes it. Within are the types
// around it: one that holds itself is an object there, and no more is said.
func schemaOf(t reflect.Type, within []reflect.Type) map[string]any {
	text := reflect.TypeFor[interface{ MarshalText() ([]byte, error) }]()
	switch {
	case t == reflect.TypeFor[json.RawMessage]():
		return map[string]any{}
	case t == reflect.TypeFor[evidence.Interval]():
		return map[string]any{"type": []string{"array", "null"}, "items": map[string]any{"type": "number"}}
	case t.Implements(text):
		return map[string]any{"type": "string"}
	}
	switch t.Kind() {
	case reflect.Pointer:
		s := schemaOf(t.Elem(), within)
		if kind, ok := s["type"].(string); ok {
			s["type"] = []string{kind, "null"}
		}
		return s
	case reflect.Struct:
		if slices.Contains(within, t) {
			return map[string]any{"type": "object"}
		}
		return structSchema(t, append(slices.Clone(within), t))
	case reflect.Slice, reflect.Array:
		if t.Elem().Kind() == reflect.Uint8 {
			return map[string]any{"type": []string{"string", "null"}, "contentEncoding": "base64"}
		}
		return map[string]any{"type": []string{"array", "null"}, "items": schemaOf(t.Elem(), within)}
	case reflect.Map:
		return map[string]any{"type": []string{"object", "null"}, "additionalProperties": schemaOf(t.Elem(), within)}
	case reflect.String:
		return map[string]any{"type": "string"}
	case reflect.Bool:
		return map[string]any{"type": "boolean"}
	case reflect.Float32, reflect.Float64:
		return map[string]any{"type": "number"}
	case reflect.Interface:
		return map[string]any{}
	}
	return map[string]any{"type": "integer"}
}

func structSchema(t reflect.Type, within []reflect.Type) map[string]any {
	properties := map[string]any{}
	var required []string
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case name == "-" || !f.IsExported() && !f.Anonymous:
			continue
		case f.Anonymous && name == "":
			inner := structSchema(f.Type, within)
			for k, v := range inner["properties"].(map[string]any) {
				properties[k] = v
			}
			if names, ok := inner["required"].([]string); ok {
				required = append(required, names...)
			}
			continue
		case name == "":
			name = f.Name
		}
		properties[name] = schemaOf(f.Type, within)
		if !strings.Contains(options, "omit") && !slices.Contains(required, name) { // it may stand before one of what is embedded
			required = append(required, name)
		}
	}
	s := map[string]any{"type": "object", "properties": properties, "additionalProperties": false}
	if len(required) > 0 {
		s["required"] = required
	}
	return s
}

package cli_test

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

// TestWhatVerbsPrintFitsTheSchema holds the documented schema against the verbs
// as they run.
func TestWhatVerbsPrintFitsTheSchema(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("../docs/json.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var schema struct {
		Defs map[string]map[string]any `json:"$defs"`
	}
	if err := json.Unmarshal(data, &schema); err != nil {
		t.Fatal(err)
	}
	dir := newSmall(t)
	run := must(t, dir, "run", "--headless", "--json", "--max-jobs", "6")
	for i, line := range strings.Split(strings.TrimSpace(run), "\n") {
		var o struct{ Type string }
		if err := json.Unmarshal([]byte(line), &o); err != nil {
			t.Fatalf("line %d: %v", i, err)
		}
		holds(t, schema.Defs, "run "+o.Type, line)
	}
	for _, c := range []struct {
		def   string
		lines bool
		args  []string
	}{
		{"status", false, []string{"status"}},
		{"experiments", false, []string{"experiments"}},
		{"experiments compared", false, []string{"experiments", "1", "1"}},
		{"candidates", true, []string{"candidates"}},
		{"candidates", true, []string{"best"}},
		{"diff", false, []string{"diff", "best"}},
		{"diff", false, []string{"diff", "root"}},
		{"niches", true, []string{"niches"}},
		{"front", true, []string{"front", "--cases", "total"}},
		{"jobs", true, []string{"jobs"}},
		{"events", true, []string{"events"}},
		{"decision", false, []string{"note", "be brief"}},
		{"notes", true, []string{"notes"}},
		{"promote verified", false, []string{"promote", "best", "--verify"}},
		{"promote", false, []string{"promote", "best", "--branch", "as-it-is"}},
		{"promote", false, []string{"promote", "best", "--patch", "best.patch"}},
		{"promote epochs", true, []string{"promote", "--epochs"}},
		{"doctor", false, []string{"doctor"}},
		{"config explain", false, []string{"config", "explain"}},
		{"version", false, []string{"version"}},
	} {
		out := strings.TrimSpace(must(t, dir, append(c.args, "--json")...))
		docs := []string{out}
		if c.lines {
			docs = strings.Split(out, "\n")
		}
		for _, d := range docs {
			if d != "" {
				holds(t, schema.Defs, c.def, d)
			}
		}
	}
}

func holds(t *testing.T, defs map[string]map[string]any, def, text string) {
	t.Helper()
	s, ok := defs[def]
	if !ok {
		t.Errorf("no schema of %q", def)
		return
	}
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Errorf("%s: %v: %.200s", def, err, text)
		return
	}
	for _, p := range misfits(s, v, def) {
		t.Error(p)
	}
}

func TestTheDocumentedSchemaIsOne(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("../docs/json.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var schema map[string]any
	if err := json.Unmarshal(data, &schema); err != nil {
		t.Fatal(err)
	}
	defs, _ := schema["$defs"].(map[string]any)
	if len(defs) == 0 {
		t.Fatal("it defines nothing")
	}
	for name, s := range defs {
		for _, p := range unlawful(s, name) {
			t.Error(p)
		}
	}
}

// unlawful is what JSON Schema refuses of the keywords that the document uses.
func unlawful(v any, at string) (out []string) {
	s, ok := v.(map[string]any)
	if !ok {
		return []string{fmt.Sprintf("%s: %v is no schema", at, v)}
	}
	for key, v := range s {
		here := at + "/" + key
		switch key {
		case "description", "contentEncoding":
			if _, ok := v.(string); !ok {
				out = append(out, fmt.Sprintf("%s: %v is no text", here, v))
			}
		case "type":
			if names, ok := v.([]any); ok && distinct(names) && len(names) > 0 {
				break
			}
			if _, ok := v.(string); !ok {
				out = append(out, fmt.Sprintf("%s: %v is no name of a type and no list of some", here, v))
			}
		case "required":
			if names, ok := v.([]any); !ok || !distinct(names) {
				out = append(out, fmt.Sprintf("%s: %v is no list of different names", here, v))
			}
		case "properties":
			all, ok := v.(map[string]any)
			if !ok {
				out = append(out, fmt.Sprintf("%s: %v is no object", here, v))
			}
			for name, s := range all {
				out = append(out, unlawful(s, here+"/"+name)...)
			}
		case "additionalProperties", "items":
			if _, ok := v.(bool); !ok {
				out = append(out, unlawful(v, here)...)
			}
		default:
			out = append(out, here+": the test does not know this keyword")
		}
	}
	return out
}

// distinct reports whether all are texts, each another one.
func distinct(names []any) bool {
	seen := map[any]bool{}
	for _, n := range names {
		if _, ok := n.(string); !ok || seen[n] {
			return false
		}
		seen[n] = true
	}
	return true
}

// misfits checks the parts of JSON Schema that the document uses.
func misfits(s map[string]any, v any, at string) (out []string) {
	var types []string
	switch x := s["type"].(type) {
	case string:
		types = []string{x}
	case []any:
		for _, e := range x {
			types = append(types, e.(string))
		}
	}
	kind := kindOf(v)
	if len(types) > 0 && !slices.Contains(types, kind) && !(kind == "integer" && slices.Contains(types, "number")) {
		return []string{fmt.Sprintf("%s is %s, not %v", at, kind, types)}
	}
	switch x := v.(type) {
	case []any:
		items, _ := s["items"].(map[string]any)
		for i, e := range x {
			out = append(out, misfits(items, e, fmt.Sprintf("%s[%d]", at, i))...)
		}
	case map[string]any:
		properties, _ := s["properties"].(map[string]any)
		for k, e := range x {
			p, ok := properties[k].(map[string]any)
			if !ok {
				if p, ok = s["additionalProperties"].(map[string]any); !ok {
					if s["properties"] != nil {
						out = append(out, at+"."+k+" is not in the schema")
					}
					continue
				}
			}
			out = append(out, misfits(p, e, at+"."+k)...)
		}
		required, _ := s["required"].([]any)
		for _, r := range required {
			if _, ok := x[r.(string)]; !ok {
				out = append(out, at+"."+r.(string)+" is missing")
			}
		}
	}
	return out
}

func kindOf(v any) string {
	switch x := v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case float64:
		if x == float64(int64(x)) {
			return "integer"
		}
		return "number"
	case []any:
		return "array"
	}
	return "object"
}

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
		{"niches", true, []string{"niches"}},
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

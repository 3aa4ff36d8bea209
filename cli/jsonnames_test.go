package cli

import (
	"encoding/json"
	"regexp"
	"testing"
)

func TestJSONNamesAreSnakeCase(t *testing.T) {
	data, err := JSONSchema()
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Defs map[string]any `json:"$defs"`
	}
	if err := json.Unmarshal(data, &doc); err != nil {
		t.Fatal(err)
	}
	plain := regexp.MustCompile(`^[a-z][a-z0-9_]*$`)
	var walk func(at string, v any)
	walk = func(at string, v any) {
		switch v := v.(type) {
		case map[string]any:
			names, _ := v["properties"].(map[string]any)
			for name := range names {
				if !plain.MatchString(name) {
					t.Errorf("%s.%s", at, name)
				}
			}
			for name, sub := range v {
				walk(at+"."+name, sub)
			}
		}
	}
	for name, def := range doc.Defs {
		walk(name, def)
	}
}

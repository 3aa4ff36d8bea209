package guard

import (
	"encoding/json"
	"go/parser"
	"go/token"
	"testing"
)

func TestStructsThatTheSourcesFillByNameAreKept(t *testing.T) {
	for _, c := range []struct{ name, code, want string }{
		{
			"constants, names and lists", `plan{Every: Weekly, Count: 3, Days: []int{1, -3}}`,
			`[{"type":"plan","fields":[{"name":"Every","values":[{"n":"Weekly"}]},{"name":"Count","values":[{"i":3}]},{"name":"Days","values":[{"i":1},{"i":-3}],"list":true}]}]`,
		},
		{
			"of another package, and what is no constant", `&kit.Plan{On: []kit.Day{kit.Monday}, From: now()}`,
			`[{"type":"Plan","fields":[{"name":"On","values":[{"n":"Monday"}],"list":true},{"name":"From"}]}]`,
		},
		{"without names there is none", `plan{Weekly, 3}`, `null`},
		{"nor for a table", `map[string]int{"a": 1}`, `null`},
	} {
		t.Run(c.name, func(t *testing.T) {
			f, err := parser.ParseFile(token.NewFileSet(), "", "package p\nvar x = "+c.code, 0)
			if err != nil {
				t.Fatal(err)
			}
			g := &gathering{seen: map[string]bool{}}
			g.file(f)
			if got, _ := json.Marshal(g.out.Records); string(got) != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

package guard

import (
	"go/ast"
	"go/parser"
	"slices"
	"testing"
)

func TestWhatReadsTextsIsGivenThemInTheWaysThatItTakes(t *testing.T) {
	for _, c := range []struct {
		name, code string
		want       []string
	}{
		{"nothing is read", "func() { strings.ToUpper(s) }", nil},
		{"whole numbers", "func() { strconv.ParseInt(s, 0, 64); strconv.Atoi(s) }", []string{"010", "0x1F", "1_000"}},
		{"one of each function in turn", "func() { strconv.ParseBool(s); time.ParseDuration(s) }", []string{"t", "1.5h", "TRUE"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			x, err := parser.ParseExpr(c.code)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, k := range readers([]ast.Node{nil, x}) {
				got = append(got, *k.Str)
			}
			if got = got[:min(len(got), 3)]; !slices.Equal(got, c.want) {
				t.Errorf("it begins with %q, want %q", got, c.want)
			}
		})
	}
}

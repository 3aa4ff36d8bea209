package guard

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"testing"
)

func TestStructsThatTestsHaveAreWrittenForThePackage(t *testing.T) {
	fset := token.NewFileSet()
	parse := func(text string) *ast.File {
		f, err := parser.ParseFile(fset, "", text, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	p := &goPackage{name: "kit", decls: map[string]*goDecl{"Code": {}, "code": {}}, tests: []*ast.File{parse("package kit_test\n" + `
import ("time"; "kit"; "net/url")
type inner struct { A []string ` + "`k:\"a\"`" + ` }
type own string
var _ = []any{
	struct { At time.Time ` + "`k:\"at,unix\"`" + `; N *int; M map[string][2]int; V any; I inner } {},
	struct { At time.Time ` + "`k:\"at,unix\"`" + `; N *int; M map[string][2]int; V any; I inner } {},
	struct { C kit.Code ` + "`k:\"c\"`" + `; O own } {},
	struct { C int } {},
	struct { U url.URL ` + "`k:\"u\"`" + ` } {},
	struct { inner ` + "`k:\"i\"`" + ` } {},
	struct { C kit.code ` + "`k:\"c\"`" + `; F func() } {},
}`)}}
	var got []string
	for _, g := range givenTypes(p) {
		got = append(got, g.written)
	}
	want := []string{
		"type AtollGuardGiven0 = struct{ A []string `k:\"a\"`; }",
		"type AtollGuardGiven1 = struct{ At time.Time `k:\"at,unix\"`; N *int; M map[string][2]int; V any; I struct{ A []string `k:\"a\"`; }; }",
		"type AtollGuardGiven2 = struct{ C Code `k:\"c\"`; O string; }",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q\nwant\n%q", got, want)
	}
}

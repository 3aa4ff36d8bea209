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
	struct { F func() ` + "`k:\"f\"`" + ` } {},
	struct { A int ` + "`k:\"a\"`" + `; F func(); E *struct{} } {},
}`)}}
	written := func() (out []string) {
		for _, g := range givenTypes(p) {
			out = append(out, g.written)
		}
		return out
	}
	got := written()
	want := []string{
		"type AtollGuardGiven0 = struct{ A []string `k:\"a\"`; }",
		"type AtollGuardGiven1 = struct{ At time.Time `k:\"at,unix\"`; N *int; M map[string][2]int; V any; I struct{ A []string `k:\"a\"`; }; }",
		"type AtollGuardGiven2 = struct{ C Code `k:\"c\"`; O string; }",
		"type AtollGuardGiven3 = struct{ A int `k:\"a\"`; E *struct{ }; }",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q\nwant\n%q", got, want)
	}
	p.imports = map[string]bool{"reflect": true}
	if got := written(); !slices.Contains(got, "type AtollGuardGiven3 = struct{ C int; }") || len(got) != len(want)+1 {
		t.Errorf("of a package that looks at values by reflection %q", got)
	}
}

func TestTypesThatCodeAsksValuesOfAnyTypeForAreWrittenThoseOfTheChangeFirst(t *testing.T) {
	source := func(text string) *goPackage {
		f, err := parser.ParseFile(token.NewFileSet(), "", text, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		p := &goPackage{name: "kit", decls: map[string]*goDecl{}}
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				p.decls[d.Name.Name] = &goDecl{node: d}
			case *ast.GenDecl:
				if s, ok := d.Specs[0].(*ast.TypeSpec); ok {
					p.decls[s.Name.Name] = &goDecl{node: s}
				}
			}
		}
		return p
	}
	const rest = `
type Code int
type code int
func A(x any) any {
	if b, ok := x.([]byte); ok { return b }
	return x.(*url.URL)
}
`
	was := source("package kit" + rest + `
func Z(x any) any {
	switch x := x.(type) {
	case nil, string, uint8: return 1
	case map[any]any, Code, *Code: return x
	case code, error, interface{ Len() int }, func(): return 2
	case []byte: return 3
	}
	return nil
}`)
	is := source("package kit" + rest + `
func Z(x any) any {
	return x.([]time.Duration)
}`)
	var got []string
	for _, n := range askedTypes(was, is, map[string]bool{"Z": true}) {
		got = append(got, n.written)
	}
	want := []string{
		"type AtollGuardAsked0 = uint8", "type AtollGuardAsked1 = map[any]any", "type AtollGuardAsked2 = Code", "type AtollGuardAsked3 = *Code",
		"type AtollGuardAsked4 = []byte", "type AtollGuardAsked5 = []time.Duration",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q\nwant\n%q", got, want)
	}
}

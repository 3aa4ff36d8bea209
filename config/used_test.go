package config_test

import (
	"go/ast"
	"go/types"
	"reflect"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"

	"atoll/config"
)

// TestEveryKeyIsReadBySomething walks every key: a field that no package
// outside config reads would be accepted, explained and without effect.
func TestEveryKeyIsReadBySomething(t *testing.T) {
	if testing.Short() {
		t.Skip("reads the types of the whole program, which takes long under the race detector")
	}
	loaded, err := packages.Load(&packages.Config{
		Mode: packages.NeedName | packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesInfo | packages.NeedImports,
	}, "atoll/...")
	if err != nil {
		t.Fatal(err)
	}
	read := map[string]bool{} // "Type.Field"
	for _, p := range loaded {
		for _, e := range p.Errors {
			t.Fatal(e)
		}
		for _, file := range p.Syntax {
			// Settings hands live keys on to those who use them.
			if p.PkgPath != "atoll/config" || strings.HasSuffix(p.Fset.File(file.Pos()).Name(), "/settings.go") {
				fieldsRead(p.TypesInfo, file, read)
			}
		}
	}
	var walk func(typ reflect.Type, prefix string)
	walk = func(typ reflect.Type, prefix string) {
		for i := range typ.NumField() {
			f := typ.Field(i)
			path := prefix + f.Tag.Get("key")
			inner := f.Type
			if inner.Kind() == reflect.Slice {
				inner = inner.Elem()
			}
			if inner.Kind() == reflect.Struct {
				walk(inner, path+".")
				continue
			}
			if !read[typ.Name()+"."+f.Name] {
				t.Errorf("nothing outside config reads %s (%s.%s)", path, typ.Name(), f.Name)
			}
		}
	}
	walk(reflect.TypeFor[config.Config](), "")
}

// fieldsRead notes the fields of configuration types that a file reads. What is
// only set, or only named in a literal, is not read.
func fieldsRead(info *types.Info, file *ast.File, read map[string]bool) {
	set := map[ast.Expr]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, to := range n.Lhs {
				set[to] = true
			}
		case *ast.SelectorExpr:
			s, ok := info.Selections[n]
			if !ok || s.Kind() != types.FieldVal || set[n] || s.Obj().Pkg() == nil || s.Obj().Pkg().Path() != "atoll/config" {
				return true
			}
			owner := s.Recv()
			for _, at := range s.Index()[:len(s.Index())-1] { // through embedded structs
				owner = deref(owner).Underlying().(*types.Struct).Field(at).Type()
			}
			name := deref(owner).String()
			read[name[strings.LastIndexByte(name, '.')+1:]+"."+s.Obj().Name()] = true
		}
		return true
	})
}

func deref(t types.Type) types.Type {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		return p.Elem()
	}
	return t
}

package config_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"

	"atoll/config"
	"atoll/config/suitetest"
)

// A field that no package outside config reads would be accepted, explained and without
// effect.
func TestEveryKeyIsReadBySomething(t *testing.T) {
	suitetest.Full(t, "reads the types of the whole program; TestTheNameOfEveryKeyIsReadBySomething looks at names alone every day")
	if testing.Short() {
		t.Skip("takes long under the race detector, which finds nothing in it")
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
	eachKey(reflect.TypeFor[config.Config](), "", func(path, owner, field string) {
		if !read[owner+"."+field] {
			t.Errorf("nothing outside config reads %s (%s.%s)", path, owner, field)
		}
	})
}

func TestTheNameOfEveryKeyIsReadBySomething(t *testing.T) {
	read := map[string]bool{} // names behind a dot
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (path == "../config" || path == "../examples" || strings.HasPrefix(d.Name(), ".") && d.Name() != "..") {
			return fs.SkipDir
		}
		if filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		namesRead(file, read)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	live, err := parser.ParseFile(token.NewFileSet(), "settings.go", nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	namesRead(live, read)
	eachKey(reflect.TypeFor[config.Config](), "", func(path, owner, field string) {
		if !read[field] {
			t.Errorf("nothing outside config reads %s (%s.%s)", path, owner, field)
		}
	})
}

// eachKey tells every key that has a value of its own, and the field that it is.
func eachKey(typ reflect.Type, prefix string, tell func(path, owner, field string)) {
	for i := range typ.NumField() {
		f := typ.Field(i)
		path := prefix + f.Tag.Get("key")
		inner := f.Type
		if inner.Kind() == reflect.Slice {
			inner = inner.Elem()
		}
		if inner.Kind() == reflect.Struct {
			eachKey(inner, path+".", tell)
			continue
		}
		tell(path, typ.Name(), f.Name)
	}
}

// namesRead notes the names behind a dot that a file reads, whatever they belong to.
func namesRead(file *ast.File, read map[string]bool) {
	set := map[ast.Expr]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, to := range n.Lhs {
				set[to] = true
			}
		case *ast.SelectorExpr:
			read[n.Sel.Name] = read[n.Sel.Name] || !set[n]
		}
		return true
	})
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

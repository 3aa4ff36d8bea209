package guard

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path"
	"strings"
)

// typing knows the types of a package with its tests as far as the sources of its module say them: what other modules
// and the standard library give has none, and what is made of it neither.
type typing struct {
	fset *token.FileSet
	info types.Info
	m    *goModule
	read func(name string) []byte
	done map[string]*types.Package // by import path
}

func newTyping(m *goModule, read func(string) []byte) *typing {
	return &typing{fset: token.NewFileSet(), m: m, read: read, done: map[string]*types.Package{}, info: types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{}, Defs: map[*ast.Ident]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{},
	}}
}

// parse reads a file of the tree; nil where it is none.
func (t *typing) parse(name string) *ast.File {
	file, err := parser.ParseFile(t.fset, name, t.read(name), parser.SkipObjectResolution|parser.ParseComments)
	if err != nil {
		return nil
	}
	return file
}

// check types the files of a package. What is wrong with them is nobody's business here.
func (t *typing) check(importPath string, files []*ast.File) {
	unknown := types.NewPackage(importPath, path.Base(importPath))
	t.done[importPath] = unknown // imported by what it imports
	defer func() {
		if recover() != nil { // of go/types, on sources that no compiler takes
			t.done[importPath] = unknown
		}
	}()
	config := types.Config{Importer: t, Error: func(error) {}, FakeImportC: true}
	if pkg, _ := config.Check(importPath, t.fset, files, &t.info); pkg != nil {
		t.done[importPath] = pkg
	}
}

// Import implements [types.Importer].
func (t *typing) Import(importPath string) (*types.Package, error) {
	if pkg := t.done[importPath]; pkg != nil {
		return pkg, nil
	}
	for _, p := range t.m.packages {
		if p.path == importPath {
			t.check(importPath, t.sources(p))
			return t.done[importPath], nil
		}
	}
	name := path.Base(importPath)
	if i := strings.LastIndexByte(name, '.'); i > 0 { // gopkg.in/yaml.v3
		name = name[:i]
	}
	pkg := types.NewPackage(importPath, name)
	pkg.MarkComplete()
	t.done[importPath] = pkg
	return pkg, nil
}

// sources are the files of a package that are no tests.
func (t *typing) sources(p *goPackage) (out []*ast.File) {
	for _, name := range p.names {
		if f := t.parse(name); f != nil {
			out = append(out, f)
		}
	}
	return out
}

// own reports what the sources of the module declare.
func (t *typing) own(o types.Object) bool {
	return o != nil && o.Pkg() != nil && (o.Pkg().Path() == t.m.path || strings.HasPrefix(o.Pkg().Path(), t.m.path+"/"))
}

// named is what a call names; nil where that is an expression.
func (t *typing) named(call *ast.CallExpr) types.Object {
	x := ast.Unparen(call.Fun)
	switch i := x.(type) {
	case *ast.IndexExpr:
		x = i.X
	case *ast.IndexListExpr:
		x = i.X
	}
	switch x := x.(type) {
	case *ast.Ident:
		return t.info.Uses[x]
	case *ast.SelectorExpr:
		return t.info.Uses[x.Sel]
	}
	return nil
}

// tested is the function or the method of the module, and not of its tests, that a call names; nil for none.
func (t *typing) tested(call *ast.CallExpr) *types.Func {
	f, ok := t.named(call).(*types.Func)
	if !ok || !t.own(f) || strings.HasSuffix(t.fset.Position(f.Pos()).Filename, "_test.go") {
		return nil
	}
	return f
}

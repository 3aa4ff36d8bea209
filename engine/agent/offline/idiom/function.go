package idiom

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"atoll/engine/agent/offline/language"
)

// function is what is looked at, and answers what forms ask of it.
type function struct {
	f     *language.GoFile
	src   []byte
	fn    *ast.FuncDecl
	minor int // of the language version, 1.x
	names map[string]string
	stack []ast.Node // around the node that is looked at, outermost first
}

func (x *function) replace(n ast.Node, text string) Edit {
	return Edit{x.f.Offset(n.Pos()), x.f.Offset(n.End()), text}
}

func (x *function) text(n ast.Node) string {
	return string(x.src[x.f.Offset(n.Pos()):x.f.Offset(n.End())])
}

// parent is the node around the one that is looked at.
func (x *function) parent() ast.Node {
	if len(x.stack) == 0 {
		return nil
	}
	return x.stack[len(x.stack)-1]
}

// dotted reads x.name(args); nil for anything else.
func dotted(n ast.Node) (*ast.CallExpr, *ast.SelectorExpr) {
	c, ok := n.(*ast.CallExpr)
	if !ok || c.Ellipsis.IsValid() {
		return nil, nil
	}
	sel, ok := c.Fun.(*ast.SelectorExpr)
	if !ok {
		return nil, nil
	}
	return c, sel
}

// method reads name.method(args); nil for anything else.
func method(n ast.Node) (c *ast.CallExpr, of *ast.Ident, name string) {
	c, sel := dotted(n)
	if c == nil {
		return nil, nil, ""
	}
	of, ok := sel.X.(*ast.Ident)
	if !ok {
		return nil, nil, ""
	}
	return c, of, sel.Sel.Name
}

// call reads pkg.name(args): the name with its package, "" for anything else.
func (x *function) call(n ast.Node) (string, *ast.CallExpr) {
	c, ok := n.(*ast.CallExpr)
	if !ok || c.Ellipsis.IsValid() {
		return "", nil
	}
	sel, ok := c.Fun.(*ast.SelectorExpr)
	if !ok {
		return "", nil
	}
	id, ok := sel.X.(*ast.Ident)
	if !ok || x.names[id.Name] == "" {
		return "", nil
	}
	if _, isPkg := x.f.Info.Uses[id].(*types.PkgName); !isPkg {
		return "", nil
	}
	return x.names[id.Name] + "." + sel.Sel.Name, c
}

// variable is the declaration of a variable of the package, and the declarations around
// it; nil where this file declares none of that name alone.
func (x *function) variable(name string) (*ast.GenDecl, *ast.ValueSpec) {
	for _, d := range x.f.File.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.VAR {
			continue
		}
		for _, s := range g.Specs {
			if spec := s.(*ast.ValueSpec); len(spec.Names) == 1 && spec.Names[0].Name == name {
				return g, spec
			}
		}
	}
	return nil, nil
}

// usable reports that a package can be named: it is imported by its own name,
// or no other thing has that name.
func (x *function) usable(path string) bool {
	name := path[strings.LastIndexByte(path, '/')+1:]
	if x.names[name] == path {
		return true
	}
	if x.names[name] != "" || x.f.Pkg.Scope().Lookup(name) != nil {
		return false
	}
	taken := false
	ast.Inspect(x.f.File, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		taken = taken || ok && id.Name == name
		return !taken
	})
	return !taken
}

// basic is the basic type of an expression, without a name of its own; nil for
// all others and for constants.
func (x *function) basic(e ast.Expr) *types.Basic {
	tv, ok := x.f.Info.Types[e]
	if !ok || tv.Type == nil || tv.Value != nil {
		return nil
	}
	b, _ := types.Unalias(tv.Type).(*types.Basic)
	return b
}

package idiom

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
)

// constantText is the value of a constant text.
func (x *function) constantText(e ast.Expr) (string, bool) {
	v := x.f.Info.Types[e].Value
	if v == nil || v.Kind() != constant.String {
		return "", false
	}
	return constant.StringVal(v), true
}

// declares reads a statement that declares one variable, v := x, var v T or var v = x:
// its name, and the type and the value that stand there, each nil where there is none.
func declares(n ast.Node) (id *ast.Ident, of, value ast.Expr) {
	switch d := n.(type) {
	case *ast.DeclStmt:
		g, ok := d.Decl.(*ast.GenDecl)
		if !ok || g.Tok != token.VAR || len(g.Specs) != 1 {
			return nil, nil, nil
		}
		spec, ok := g.Specs[0].(*ast.ValueSpec)
		if !ok || len(spec.Names) != 1 || len(spec.Values) > 1 {
			return nil, nil, nil
		}
		if len(spec.Values) == 1 {
			value = spec.Values[0]
		}
		return spec.Names[0], spec.Type, value
	case *ast.AssignStmt:
		if d.Tok == token.DEFINE && len(d.Lhs) == 1 && len(d.Rhs) == 1 {
			id, _ = d.Lhs[0].(*ast.Ident)
			return id, nil, d.Rhs[0]
		}
	}
	return nil, nil, nil
}

// values are the expressions that a local variable is given; whole is false
// where it may get others.
func (x *function) values(obj types.Object) (values []ast.Expr, whole bool) {
	v, ok := obj.(*types.Var)
	if !ok || v.Pos() < x.fn.Body.Pos() || v.Pos() > x.fn.Body.End() {
		return nil, false
	}
	g := given{x: x, obj: obj, whole: true}
	ast.Inspect(x.fn.Body, func(n ast.Node) bool {
		g.look(n)
		return g.whole
	})
	return g.values, g.whole && len(g.values) > 0
}

// given gathers what a variable is given; whole is false where that is not all.
type given struct {
	x      *function
	obj    types.Object
	values []ast.Expr
	whole  bool
}

func (g *given) is(e ast.Expr) bool {
	id, ok := e.(*ast.Ident)
	return ok && (g.x.f.Info.Uses[id] == g.obj || g.x.f.Info.Defs[id] == g.obj)
}

func (g *given) look(n ast.Node) {
	switch n := n.(type) {
	case *ast.AssignStmt:
		for i, l := range n.Lhs {
			if g.is(l) {
				g.take(i, len(n.Lhs), n.Rhs, n.Tok == token.ASSIGN || n.Tok == token.DEFINE)
			}
		}
	case *ast.ValueSpec:
		for i, id := range n.Names {
			if g.is(id) {
				g.take(i, len(n.Names), n.Values, true)
			}
		}
	case *ast.UnaryExpr:
		g.whole = g.whole && !(n.Op == token.AND && g.is(n.X))
	case *ast.IncDecStmt:
		g.whole = g.whole && !g.is(n.X)
	case *ast.RangeStmt:
		g.whole = g.whole && !g.is(n.Key) && !g.is(n.Value)
	}
}

// take takes the value of the i-th of n names.
func (g *given) take(i, n int, values []ast.Expr, plain bool) {
	if !plain || len(values) != n {
		g.whole = false
		return
	}
	g.values = append(g.values, values[i])
}

package idiom

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// fixed knows what is the same whenever a function runs, and what a name means.
type fixed struct{ *function }

// value is that of a constant text, of a variable of the package that nothing
// changes, or of a sum of such.
func (x fixed) value(e ast.Expr) (string, bool) {
	if text, ok := x.constantText(e); ok {
		return text, true
	}
	if sum, ok := ast.Unparen(e).(*ast.BinaryExpr); ok && sum.Op == token.ADD {
		left, ok := x.value(sum.X)
		right, ok2 := x.value(sum.Y)
		return left + right, ok && ok2
	}
	id, ok := e.(*ast.Ident)
	if !ok || !x.unchanged(id) {
		return "", false
	}
	_, spec := x.variable(id.Name)
	if spec == nil || len(spec.Values) != 1 {
		return "", false
	}
	return x.constantText(spec.Values[0])
}

// unchanged reports a variable of the package that only this file names, and that
// nothing in it gives another value.
func (x fixed) unchanged(id *ast.Ident) bool {
	obj, ok := x.f.Info.Uses[id].(*types.Var)
	return ok && obj.Parent() == x.f.Pkg.Scope() && !ast.IsExported(id.Name) && x.f.Elsewhere != nil && !x.f.Elsewhere(id.Name) && !assigned(x.f.File, id.Name)
}

// onlyTaken reports whether all that is done with a list or a table below a node is to take or to give
// elements, to walk over it, to ask for its length, and to give it to some functions of packages first.
func (x fixed) onlyTaken(below ast.Node, obj types.Object, by ...string) bool {
	uses := 0
	is := func(e ast.Expr) int {
		if id, ok := e.(*ast.Ident); ok && x.f.Info.Uses[id] == obj {
			return 1
		}
		return 0
	}
	ast.Inspect(below, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			uses += is(n)
		case *ast.IndexExpr:
			uses -= is(n.X)
		case *ast.RangeStmt:
			uses -= is(n.X)
		case *ast.UnaryExpr:
			if at, ok := ast.Unparen(n.X).(*ast.IndexExpr); ok && n.Op == token.AND {
				uses += 2 * is(at.X)
			}
		case *ast.CallExpr:
			if name, _ := x.call(n); slices.Contains(by, name) || len(n.Args) == 1 && x.text(n.Fun) == "len" {
				uses -= is(n.Args[0])
			}
		}
		return true
	})
	return uses == 0
}

// ofPackage reports an expression in which all names mean the same outside of the function.
func (x fixed) ofPackage(e ast.Expr) bool {
	same := true
	ast.Inspect(e, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			obj := x.f.Info.Uses[id]
			same = same && obj != nil && (obj.Parent() == x.f.Pkg.Scope() || obj.Parent() == types.Universe)
		}
		return same
	})
	return same
}

// shadowed reports whether the function gives a name to something of its own.
func (x fixed) shadowed(name string) bool {
	found := false
	ast.Inspect(x.fn, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		found = found || ok && id.Name == name && x.f.Info.Defs[id] != nil
		return !found
	})
	return found
}

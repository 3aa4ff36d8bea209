package offline

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"

	"atoll/engine/agent/clean"
	"atoll/engine/agent/offline/language"
)

// material draws an expression of a wanted type whose names are all in scope
// at a place: a variable, or an expression found elsewhere.
func (m *goMutator) material(at token.Pos, want func(types.Type) bool) (string, types.Type, bool) {
	if m.e.rng.IntN(2) == 0 {
		vars := m.visible(at, want)
		if len(vars) > 0 {
			v := pickOne(m.e, vars)
			return v.Name(), v.Type(), true
		}
	}
	for range 12 {
		x, ok := m.draw(func(x goExpr) bool { return want(x.typ) })
		if ok && m.inScope(x.node, at) && int(x.node.End()-x.node.Pos()) < 120 {
			return m.operand(x.node), x.typ, true
		}
	}
	return "", nil, false
}

// visible lists the variables of a wanted type that a name at a position can
// reach, in order of declaration.
func (m *goMutator) visible(at token.Pos, want func(types.Type) bool) []*types.Var {
	var out []*types.Var
	for scope := m.g.Pkg.Scope().Innermost(at); scope != nil && scope != types.Universe; scope = scope.Parent() {
		for _, name := range scope.Names() {
			v, ok := scope.Lookup(name).(*types.Var)
			if ok && name != "_" && (v.Pos() < at || v.Parent() == m.g.Pkg.Scope()) && want(v.Type()) {
				if _, found := m.g.Pkg.Scope().Innermost(at).LookupParent(name, at); found == v {
					out = append(out, v)
				}
			}
		}
	}
	return out
}

// inScope reports whether every name of an expression means the same at a
// position.
func (m *goMutator) inScope(x ast.Expr, at token.Pos) bool {
	inner := m.g.Pkg.Scope().Innermost(at)
	ok := true
	ast.Inspect(x, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			ok = false
		case *ast.Ident:
			obj := m.g.Info.Uses[n]
			if obj == nil || obj.Parent() == nil || obj.Parent() == types.Universe {
				return true // a field, a method, a builtin
			}
			if inner == nil {
				ok = false
				return false
			}
			if _, found := inner.LookupParent(n.Name, at); found != obj {
				ok = false
			}
		}
		return ok
	})
	return ok
}

// replace exchanges an expression for another of the same type.
func (m *goMutator) replace() (mutation, bool) {
	x, ok := m.draw(func(x goExpr) bool { return x.value && x.typ != types.Typ[types.Invalid] })
	if !ok {
		return mutation{}, false
	}
	text, _, ok := m.material(x.node.Pos(), func(t types.Type) bool { return types.Identical(t, x.typ) })
	if !ok {
		return mutation{}, false
	}
	return m.exprMutation(x.node, text, "replace")
}

// term adds a term or a factor to a number: x becomes x + 0.3*y.
func (m *goMutator) term() (mutation, bool) {
	x, ok := m.draw(func(x goExpr) bool { return x.value && isNumeric(x.typ) && !inIndex(x) })
	if !ok {
		return mutation{}, false
	}
	float := hasInfo(x.typ, types.IsFloat)
	text, typ, ok := m.material(x.node.Pos(), func(t types.Type) bool {
		return types.Identical(t, x.typ) || float && isNumeric(t)
	})
	if !ok {
		return mutation{}, false
	}
	if !types.Identical(typ, x.typ) {
		b, ok := x.typ.(*types.Basic)
		if !ok {
			return mutation{}, false
		}
		text = fmt.Sprintf("%s(%s)", b.Name(), text)
	}
	old := m.operand(x.node)
	switch k := m.e.rng.IntN(8); {
	case k < 4 && float:
		text = fmt.Sprintf("(%s %s %s*%s)", old, pickOne(m.e, []string{"+", "-"}), m.e.factor(), text)
	case k < 5 && float:
		text = fmt.Sprintf("(%s + %s*%s*%s)", old, m.e.factor(), text, text)
	default:
		text = fmt.Sprintf("(%s %s %s)", old, pickOne(m.e, []string{"+", "-", "*", "/"}), text)
	}
	if !inOperation(x) {
		text = text[1 : len(text)-1]
	}
	return m.exprMutation(x.node, text, "add term")
}

func inIndex(x goExpr) bool {
	switch x.parent.(type) {
	case *ast.IndexExpr, *ast.SliceExpr:
		return true
	}
	return false
}

// inOperation reports places where an operand needs its parentheses.
func inOperation(x goExpr) bool {
	switch x.parent.(type) {
	case *ast.BinaryExpr, *ast.UnaryExpr, *ast.StarExpr:
		return true
	}
	return false
}

// builtinMinor is the language version, 1.x, that has min and max.
const builtinMinor = 21

// wrap puts a number into a call: math.Sqrt(x), min(x, y).
func (m *goMutator) wrap() (mutation, bool) {
	x, ok := m.draw(func(x goExpr) bool { return x.value && isNumeric(x.typ) && !inIndex(x) })
	if !ok {
		return mutation{}, false
	}
	old := m.text(x.node)
	if x.typ == types.Typ[types.Float64] && m.imports("math") && m.e.rng.IntN(2) == 0 {
		f := pickOne(m.e, []string{"math.Abs", "math.Sqrt", "math.Exp", "math.Log1p", "math.Floor", "math.Tanh"})
		return m.exprMutation(x.node, fmt.Sprintf("%s(%s)", f, old), "wrap")
	}
	if m.e.rng.IntN(4) == 0 {
		return m.exprMutation(x.node, "(-"+m.operand(x.node)+")", "negate")
	}
	other, _, ok := m.material(x.node.Pos(), func(t types.Type) bool { return types.Identical(t, x.typ) })
	if !ok || m.minor < builtinMinor {
		return mutation{}, false
	}
	return m.exprMutation(x.node, fmt.Sprintf("%s(%s, %s)", pickOne(m.e, []string{"min", "max"}), old, other), "wrap")
}

func (m *goMutator) imports(name string) bool {
	for _, im := range m.g.File.Imports {
		if im.Path.Value == `"`+name+`"` && im.Name == nil {
			return true
		}
	}
	return false
}

// unwrap replaces an expression by one of its parts of the same type.
func (m *goMutator) unwrap() (mutation, bool) {
	x, ok := m.draw(func(x goExpr) bool { return x.value && x.typ != types.Typ[types.Invalid] && len(operands(x.node)) > 0 })
	if !ok {
		return mutation{}, false
	}
	part := pickOne(m.e, operands(x.node))
	tv, ok := m.g.Info.Types[part]
	if !ok || tv.Type == nil || !types.AssignableTo(tv.Type, x.typ) {
		return mutation{}, false
	}
	return m.exprMutation(x.node, m.text(part), "unwrap")
}

// operands lists the parts that may stand for the whole.
func operands(x ast.Expr) []ast.Expr {
	switch x := x.(type) {
	case *ast.BinaryExpr:
		return []ast.Expr{x.X, x.Y}
	case *ast.UnaryExpr:
		return []ast.Expr{x.X}
	case *ast.CallExpr:
		return x.Args
	case *ast.ParenExpr:
		return operands(x.X)
	}
	return nil
}

// negate turns a condition around.
func (m *goMutator) negate() (mutation, bool) {
	if len(m.bools) == 0 {
		return mutation{}, false
	}
	x := pickOne(m.e, m.bools)
	if !x.value {
		return mutation{}, false
	}
	if u, ok := x.node.(*ast.UnaryExpr); ok && u.Op == token.NOT {
		return m.exprMutation(x.node, m.text(u.X), "negate")
	}
	return m.exprMutation(x.node, "!"+m.operand(x.node), "negate")
}

// span returns a statement with its whole lines when it has them for itself.
func (m *goMutator) span(st ast.Stmt) (lo, hi int, whole bool) {
	lo, hi = m.g.Offset(st.Pos()), m.g.Offset(st.End())
	a, b := language.LineStart(m.s.Data, lo), language.LineEnd(m.s.Data, hi)
	for i := a; i < lo; i++ {
		if m.s.Data[i] > ' ' {
			return lo, hi, false
		}
	}
	for i := hi; i < b; i++ {
		if m.s.Data[i] > ' ' {
			return lo, hi, false
		}
	}
	return a, b, true
}

// drawStmt picks a statement on lines of its own that is no declaration of
// control flow that others need.
func (m *goMutator) drawStmt() (goStmt, int, int, bool) {
	for range 8 {
		if len(m.stmts) == 0 {
			break
		}
		st := pickOne(m.e, m.stmts)
		if lo, hi, ok := m.span(st.list[st.at]); ok {
			return st, lo, hi, true
		}
	}
	return goStmt{}, 0, 0, false
}

func (m *goMutator) stmtText(st ast.Stmt) string { return clean.Short(m.text(st), 80) }

// remove deletes a statement.
func (m *goMutator) remove() (mutation, bool) {
	st, lo, hi, ok := m.drawStmt()
	if !ok {
		return mutation{}, false
	}
	if ret, isReturn := st.list[st.at].(*ast.ReturnStmt); isReturn && ret != nil && st.at == len(st.list)-1 && len(st.list) == len(m.fn.Body.List) {
		return mutation{}, false
	}
	return mutation{[]textEdit{{lo, hi, ""}}, fmt.Sprintf("delete line %d: %s", m.line(st.list[st.at]), m.stmtText(st.list[st.at]))}, true
}

// copyStmt inserts a copy of a statement before another one.
func (m *goMutator) copyStmt() (mutation, bool) {
	st, lo, hi, ok := m.drawStmt()
	to, at, _, ok2 := m.drawStmt()
	if !ok || !ok2 || hi-lo > 2000 {
		return mutation{}, false
	}
	switch st.list[st.at].(type) {
	case *ast.ReturnStmt, *ast.BranchStmt: // two of them: nobody comes to the second
		if m.text(st.list[st.at]) == m.text(to.list[to.at]) {
			return mutation{}, false
		}
	}
	return mutation{
		[]textEdit{{at, at, string(m.s.Data[lo:hi])}},
		fmt.Sprintf("copy line %d before line %d: %s", m.line(st.list[st.at]), m.line(to.list[to.at]), m.stmtText(st.list[st.at])),
	}, true
}

// swap exchanges two neighbours.
func (m *goMutator) swap() (mutation, bool) {
	st, lo, hi, ok := m.drawStmt()
	if !ok || st.at+1 >= len(st.list) {
		return mutation{}, false
	}
	next := st.list[st.at+1]
	lo2, hi2, ok := m.span(next)
	if !ok || lo2 < hi {
		return mutation{}, false
	}
	between := string(m.s.Data[hi:lo2])
	text := string(m.s.Data[lo2:hi2]) + between + string(m.s.Data[lo:hi])
	return mutation{[]textEdit{{lo, hi2, text}}, fmt.Sprintf("swap lines %d and %d", m.line(st.list[st.at]), m.line(next))}, true
}

// move takes a statement elsewhere.
func (m *goMutator) move() (mutation, bool) {
	st, lo, hi, ok := m.drawStmt()
	to, at, _, ok2 := m.drawStmt()
	if !ok || !ok2 || at >= lo && at <= hi {
		return mutation{}, false
	}
	return mutation{
		[]textEdit{{lo, hi, ""}, {at, at, string(m.s.Data[lo:hi])}},
		fmt.Sprintf("move line %d before line %d: %s", m.line(st.list[st.at]), m.line(to.list[to.at]), m.stmtText(st.list[st.at])),
	}, true
}

// guard puts a statement under a condition found elsewhere.
func (m *goMutator) guard() (mutation, bool) {
	st, lo, hi, ok := m.drawStmt()
	if !ok {
		return mutation{}, false
	}
	cond, _, ok := m.material(st.list[st.at].Pos(), isBool)
	if !ok {
		return mutation{}, false
	}
	text := fmt.Sprintf("if %s {\n%s}\n", cond, m.s.Data[lo:hi])
	return mutation{[]textEdit{{lo, hi, text}}, fmt.Sprintf("guard line %d by %s", m.line(st.list[st.at]), clean.Short(cond, 80))}, true
}

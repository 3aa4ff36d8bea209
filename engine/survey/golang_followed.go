package survey

import (
	"go/ast"
	"go/constant"
	"go/token"
	"slices"
	"strings"
)

// block follows statements.
func (r *callReader) block(list []ast.Stmt, s *scope) {
	for _, st := range list {
		r.statement(st, s)
	}
}

// statement follows a statement.
func (r *callReader) statement(st ast.Stmt, s *scope) {
	if r.steps++; st == nil || r.steps > mostSteps {
		return
	}
	switch st := st.(type) {
	case *ast.BlockStmt:
		r.block(st.List, s.inner())
	case *ast.DeclStmt:
		r.look(st, s)
		if d, ok := st.Decl.(*ast.GenDecl); ok {
			for _, v := range r.declared(d, s) {
				s.declare(v.name, v.value())
			}
		}
	case *ast.AssignStmt:
		r.assign(st, s)
	case *ast.IfStmt:
		r.condition(st, s.inner())
	case *ast.RangeStmt:
		r.over(st, s)
	case *ast.ForStmt:
		r.counting(st, s.inner())
	case *ast.SwitchStmt:
		inner := s.inner()
		r.statement(st.Init, inner)
		r.cases(st.Body, inner)
	case *ast.TypeSwitchStmt:
		r.cases(st.Body, s)
	case *ast.SelectStmt:
		r.cases(st.Body, s)
	case *ast.LabeledStmt:
		r.statement(st.Stmt, s)
	case *ast.IncDecStmt:
		if id, ok := st.X.(*ast.Ident); ok {
			s.set(id.Name, nil)
		}
	default:
		r.look(st, s)
	}
}

// cases follows each case of a switch or select.
func (r *callReader) cases(body *ast.BlockStmt, s *scope) {
	r.unsure++
	defer func() { r.unsure-- }()
	for _, c := range body.List {
		switch c := c.(type) {
		case *ast.CaseClause:
			r.block(c.Body, s.inner())
		case *ast.CommClause:
			r.block(c.Body, s.inner())
		}
	}
}

func (r *callReader) assign(st *ast.AssignStmt, s *scope) {
	first := len(r.calls)
	values := make([]*given, len(st.Lhs))
	for i, e := range st.Rhs {
		if _, isFunc := e.(*ast.FuncLit); !isFunc {
			r.look(e, s)
		}
		if len(st.Lhs) == len(st.Rhs) && (st.Tok == token.DEFINE || st.Tok == token.ASSIGN) {
			values[i] = r.eval(e, s)
		}
	}
	for i, e := range st.Lhs {
		id, ok := e.(*ast.Ident)
		if !ok || id.Name == "_" {
			continue
		}
		if isErr(id.Name) {
			r.errs[id.Name] = first
		}
		if st.Tok == token.DEFINE {
			s.declare(id.Name, values[i])
		} else {
			s.set(id.Name, values[i])
		}
	}
}

func isErr(name string) bool { return strings.Contains(strings.ToLower(name), "err") }

// condition follows the branch that is taken, or both where nothing tells which.
func (r *callReader) condition(st *ast.IfStmt, s *scope) {
	r.statement(st.Init, s)
	r.look(st.Cond, s)
	if name := r.wantsError(st.Cond, s); name != "" && r.unsure == 0 && reports(st.Body) {
		first, assigned := r.errs[name]
		for i := first; assigned && i < len(r.calls); i++ {
			r.calls[i].fails = true
		}
	}
	cond := r.eval(st.Cond, s)
	known := cond != nil && cond.value != nil && cond.value.Kind() == constant.Bool
	if !known {
		r.unsure++
		defer func() { r.unsure-- }()
	}
	if !known || constant.BoolVal(cond.value) {
		r.block(st.Body.List, s.inner())
	}
	if !known || !constant.BoolVal(cond.value) {
		r.statement(st.Else, s)
	}
}

// wantsError is the name of an error that must not be nil where a condition is no failure; "" for none.
func (r *callReader) wantsError(cond ast.Expr, s *scope) string {
	b, ok := cond.(*ast.BinaryExpr)
	if !ok {
		return ""
	}
	holds := func(e ast.Expr) bool {
		g := r.eval(e, s)
		return g != nil && g.value != nil && g.value.Kind() == constant.Bool && constant.BoolVal(g.value)
	}
	switch b.Op {
	case token.LOR:
		return orElse(r.wantsError(b.X, s), r.wantsError(b.Y, s))
	case token.LAND:
		if holds(b.X) {
			return r.wantsError(b.Y, s)
		}
		if holds(b.Y) {
			return r.wantsError(b.X, s)
		}
	case token.EQL:
		x, isName := b.X.(*ast.Ident)
		y, isNil := b.Y.(*ast.Ident)
		if isName && isNil && y.Name == "nil" && isErr(x.Name) {
			return x.Name
		}
	}
	return ""
}

// over follows a loop over a list or map, once for each of its elements.
func (r *callReader) over(st *ast.RangeStmt, s *scope) {
	r.look(st.X, s)
	x := r.eval(st.X, s)
	turns := []part{{}}
	switch {
	case x == nil:
	case x.whole:
		turns = x.parts
	case x.value != nil && x.value.Kind() == constant.Int:
		turns = numbered(x.value)
	}
	for _, p := range turns[:min(len(turns), mostLoop)] {
		inner := s.inner()
		inner.fails = inner.fails || p.value.saysFails()
		for i, e := range []ast.Expr{st.Key, st.Value} {
			if id, ok := e.(*ast.Ident); ok {
				inner.declare(id.Name, []*given{p.key, p.value}[i])
			}
		}
		r.block(st.Body.List, inner)
	}
}

// numbered are turns that are counted from 0.
func numbered(n constant.Value) (turns []part) {
	count, exact := constant.Int64Val(n)
	for i := range min(count, mostLoop) {
		turns = append(turns, part{key: &given{value: constant.MakeInt64(i)}})
	}
	if !exact {
		return []part{{}}
	}
	return turns
}

// counting follows a loop that counts up by one, once for each number, and any other once.
func (r *callReader) counting(st *ast.ForStmt, s *scope) {
	r.statement(st.Init, s)
	name, until := "", ast.Expr(nil)
	if inc, ok := st.Post.(*ast.IncDecStmt); ok && inc.Tok == token.INC {
		if id, ok := inc.X.(*ast.Ident); ok {
			if cond, ok := st.Cond.(*ast.BinaryExpr); ok && cond.Op == token.LSS {
				name, until = id.Name, cond.Y
			}
		}
	}
	turns := []part{{}}
	if start, _ := s.find(name); until != nil && start != nil && start.value != nil {
		if end := r.eval(until, s); end != nil && end.value != nil && end.value.Kind() == constant.Int {
			turns = numbered(end.value)
			if n, exact := constant.Int64Val(start.value); exact && n > 0 {
				turns = turns[min(int(n), len(turns)):]
			}
		}
	}
	for _, p := range turns {
		if name != "" {
			s.set(name, p.key)
		}
		r.block(st.Body.List, s.inner())
	}
}

// saysFails reports a row of a table with a field for an error or failure that is true or not nil.
func (g *given) saysFails() bool {
	if g == nil || !g.whole {
		return false
	}
	for _, p := range g.parts {
		name := strings.ToLower(p.name)
		if !strings.Contains(name, "err") && !strings.Contains(name, "fail") && !strings.Contains(name, "panic") {
			continue
		}
		v := p.value
		switch {
		case v == nil: // some value, so not nil
			return true
		case v.null || strings.HasPrefix(strings.ToLower(v.name), "no"):
		case v.value == nil:
			return true
		case v.value.Kind() == constant.Bool:
			if constant.BoolVal(v.value) {
				return true
			}
		case v.value.Kind() == constant.String && constant.StringVal(v.value) != "", numeric(v) && constant.Sign(v.value) != 0:
			return true
		}
	}
	return false
}

// reports tells whether a block calls a test failed.
func reports(b *ast.BlockStmt) (found bool) {
	ast.Inspect(b, func(n ast.Node) bool {
		if c, ok := n.(*ast.CallExpr); ok {
			if f, ok := c.Fun.(*ast.SelectorExpr); ok && slices.Contains([]string{"Error", "Errorf", "Fatal", "Fatalf", "Fail", "FailNow"}, f.Sel.Name) {
				found = true
			}
		}
		return !found
	})
	return found
}

package offline

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"go/token"
	"go/types"
	"strings"

	"atoll/engine/agent/clean"
	"atoll/engine/agent/offline/language"
)

// goMutator edits one function of a Go file by its syntax tree. Edits are made
// on the text, so that comments stay. To be quick it type-checks that function
// alone: the bodies of the others are dropped, before and after the edit.
type goMutator struct {
	e      *editing
	s      *language.Source
	g      *language.GoFile
	sib    *language.GoSiblings
	fn     *ast.FuncDecl
	lo, hi int // bytes of the function
	minor  int // of the language version, 1.x
	exprs  []goExpr
	stmts  []goStmt
	bools  []goExpr
}

// goExpr is an expression that may be replaced, or be a replacement.
type goExpr struct {
	node   ast.Expr
	parent ast.Node
	typ    types.Type
	value  bool // may be replaced by another of its type
}

// goStmt is a statement in a list of statements.
type goStmt struct {
	list []ast.Stmt
	at   int
}

// newGoMutator draws a function, larger ones more often. It returns nil when
// the file does not parse or has no function that may change.
func newGoMutator(e *editing, s *language.Source) *goMutator {
	m := &goMutator{e: e, s: s, sib: e.siblings(s), minor: idioms{e}.goMinor(s.Path())}
	var fns []*ast.FuncDecl
	g, err := language.ParseGo(s.Data, m.sib, func(g *language.GoFile) {
		for _, d := range g.File.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if ok && fn.Body != nil && len(fn.Body.List) > 0 && s.Within(g.Offset(fn.Pos()), g.Offset(fn.End())) {
				fns = append(fns, fn)
			}
		}
		if len(fns) > 0 {
			m.fn = fns[drawIndex(e.rng, len(fns), func(i int) float64 { return float64(fns[i].End() - fns[i].Pos()) })]
			g.Keep(m.fn)
		}
	})
	if err != nil || m.fn == nil {
		return nil
	}
	m.g, m.lo, m.hi = g, g.Offset(m.fn.Pos()), g.Offset(m.fn.End())
	m.collect()
	return m
}

// collect lists the statements and expressions of the function.
func (m *goMutator) collect() {
	var stack []ast.Node
	ast.Inspect(m.fn.Body, func(n ast.Node) bool {
		if n == nil {
			stack = stack[:len(stack)-1]
			return true
		}
		var parent ast.Node
		if len(stack) > 0 {
			parent = stack[len(stack)-1]
		}
		stack = append(stack, n)
		switch n := n.(type) {
		case *ast.BlockStmt:
			m.list(n.List)
		case *ast.CaseClause:
			m.list(n.Body)
		case *ast.CommClause:
			m.list(n.Body)
		}
		x, ok := n.(ast.Expr)
		if !ok {
			return true
		}
		tv, known := m.g.Info.Types[x]
		if !known || !tv.IsValue() || tv.Type == nil {
			return true
		}
		ge := goExpr{node: x, parent: parent, typ: types.Default(tv.Type)}
		ge.value = replaceable(x, parent)
		m.exprs = append(m.exprs, ge)
		if isBool(ge.typ) {
			m.bools = append(m.bools, ge)
		}
		return true
	})
}

func (m *goMutator) list(stmts []ast.Stmt) {
	for i := range stmts {
		m.stmts = append(m.stmts, goStmt{stmts, i})
	}
}

// replaceable reports positions where any expression of the type may stand.
func replaceable(x ast.Expr, parent ast.Node) bool {
	switch p := parent.(type) {
	case *ast.AssignStmt:
		for _, l := range p.Lhs {
			if l == x {
				return false
			}
		}
	case *ast.IncDecStmt:
		return false
	case *ast.RangeStmt:
		return x != p.Key && x != p.Value
	case *ast.UnaryExpr:
		return p.Op != token.AND && p.Op != token.ARROW
	case *ast.SelectorExpr:
		return false
	case *ast.CallExpr:
		return x != p.Fun
	case *ast.KeyValueExpr:
		return x != p.Key
	case *ast.IndexExpr:
		return x != p.X
	case *ast.SliceExpr:
		return x != p.X
	case *ast.ExprStmt, *ast.GoStmt, *ast.DeferStmt, *ast.SendStmt, *ast.TypeAssertExpr:
		return false
	}
	return true
}

// accept keeps data that parses and has no type error that the function did
// not have, formatted when the function was, with the imports that it names.
func (m *goMutator) accept(data []byte, _ mutation) ([]byte, bool) {
	if int64(len(data)) > m.e.limits.maxBytes {
		return nil, false
	}
	g, err := language.ParseGo(data, m.sib, func(g *language.GoFile) {
		for _, d := range g.File.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && g.Offset(fn.Pos()) == m.lo {
				g.Keep(fn)
			}
		}
	})
	hi := m.hi + len(data) - len(m.s.Data)
	if err != nil || g.Worse(m.g) || hi < m.lo {
		return nil, false
	}
	old := m.s.Data[m.lo:m.hi]
	if was, err := format.Source(old); err == nil && bytes.Equal(was, old) {
		if out, err := format.Source(data[m.lo:hi]); err == nil {
			data = applyEdits(data, []textEdit{{m.lo, hi, string(out)}})
		}
	}
	return m.imported(data)
}

// imported drops imports that nothing names any more. Where they may not be changed,
// the text does not compile and is refused.
func (m *goMutator) imported(data []byte) ([]byte, bool) {
	mended := language.MendImports(data, m.s.Data)
	return mended, bytes.Equal(mended, data) || m.s.Within(0, len(m.s.Data))
}

// goForms are the kinds of edits with their weights, and whether what they make mostly behaves in
// another way.
var goForms = []struct {
	weight float64
	make   func(*goMutator) (mutation, bool)
	strays bool
}{
	{0.14, (*goMutator).constant, false},
	{0.14, (*goMutator).operator, true},
	{0.16, (*goMutator).replace, false},
	{0.18, (*goMutator).term, true},
	{0.08, (*goMutator).wrap, true},
	{0.08, (*goMutator).unwrap, true},
	{0.04, (*goMutator).negate, true},
	{0.05, (*goMutator).remove, true},
	{0.04, (*goMutator).copyStmt, true},
	{0.03, (*goMutator).swap, false},
	{0.03, (*goMutator).move, false},
	{0.03, (*goMutator).guard, true},
}

// straysKept is how often such an edit is made where behaviour is kept and time is the objective, of
// as often as elsewhere: what leaves something out is faster, becomes a parent, and what is made of it may
// not lead.
const straysKept = 0.2

func (m *goMutator) propose() (mutation, bool) {
	keeps := m.e.job.Keeps && timed(m.e.job)
	i := drawIndex(m.e.rng, len(goForms), func(i int) float64 {
		if keeps && goForms[i].strays {
			return goForms[i].weight * straysKept
		}
		return goForms[i].weight
	})
	return goForms[i].make(m)
}

func (m *goMutator) text(n ast.Node) string {
	return string(m.s.Data[m.g.Offset(n.Pos()):m.g.Offset(n.End())])
}

func (m *goMutator) line(n ast.Node) int { return m.g.Fset.PositionFor(n.Pos(), false).Line }

func (m *goMutator) edit(n ast.Node, text string) textEdit {
	return textEdit{m.g.Offset(n.Pos()), m.g.Offset(n.End()), text}
}

// exprMutation replaces one expression.
func (m *goMutator) exprMutation(x ast.Expr, text, verb string) (mutation, bool) {
	old := m.text(x)
	if old == text || len(text) > 400 {
		return mutation{}, false
	}
	return mutation{
		edits:  []textEdit{m.edit(x, text)},
		intent: fmt.Sprintf("%s at line %d: %s -> %s", verb, m.line(x), clean.Short(old, 60), clean.Short(text, 80)),
	}, true
}

// draw picks an expression that satisfies ok.
func (m *goMutator) draw(ok func(goExpr) bool) (goExpr, bool) {
	for range 16 {
		if len(m.exprs) == 0 {
			break
		}
		if x := pickOne(m.e, m.exprs); ok(x) {
			return x, true
		}
	}
	return goExpr{}, false
}

func isBool(t types.Type) bool { return hasInfo(t, types.IsBoolean) }

func hasInfo(t types.Type, want types.BasicInfo) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&want != 0
}

func isNumeric(t types.Type) bool { return hasInfo(t, types.IsInteger|types.IsFloat) }

// constant nudges a number.
func (m *goMutator) constant() (mutation, bool) {
	x, ok := m.draw(func(x goExpr) bool {
		b, ok := x.node.(*ast.BasicLit)
		return ok && (b.Kind == token.INT || b.Kind == token.FLOAT)
	})
	if !ok {
		return mutation{}, false
	}
	lo := m.g.Offset(x.node.Pos())
	lit, ok := parseLiteral(m.s.Data, language.Token{Kind: language.Number, Start: lo, End: m.g.Offset(x.node.End())})
	if !ok {
		return mutation{}, false
	}
	text, ok := m.e.nudged(lit, false)
	if !ok {
		return mutation{}, false
	}
	return m.exprMutation(x.node, text, "nudge constant")
}

// operatorSets are operators that may stand for each other.
var operatorSets = [][]token.Token{
	{token.ADD, token.SUB, token.MUL, token.QUO},
	{token.LSS, token.LEQ, token.GTR, token.GEQ},
	{token.EQL, token.NEQ},
	{token.LAND, token.LOR},
	{token.AND, token.OR, token.XOR, token.AND_NOT},
	{token.SHL, token.SHR},
	{token.ADD_ASSIGN, token.SUB_ASSIGN, token.MUL_ASSIGN, token.QUO_ASSIGN},
	{token.INC, token.DEC},
}

// otherOperator draws another operator of the same set.
func (m *goMutator) otherOperator(op token.Token) (token.Token, bool) {
	for _, set := range operatorSets {
		for _, o := range set {
			if o != op {
				continue
			}
			for {
				if n := pickOne(m.e, set); n != op {
					return n, true
				}
			}
		}
	}
	return op, false
}

// operator exchanges an operator, or min for max.
func (m *goMutator) operator() (mutation, bool) {
	if len(m.stmts) > 0 && m.e.rng.IntN(5) == 0 {
		return m.assignOperator()
	}
	x, ok := m.draw(func(x goExpr) bool {
		switch n := x.node.(type) {
		case *ast.BinaryExpr:
			return true
		case *ast.CallExpr:
			return twinCall(m.text(n.Fun)) != ""
		}
		return false
	})
	if !ok {
		return mutation{}, false
	}
	switch n := x.node.(type) {
	case *ast.BinaryExpr:
		op, ok := m.otherOperator(n.Op)
		if !ok {
			return mutation{}, false
		}
		at := m.g.Offset(n.OpPos)
		return mutation{
			edits:  []textEdit{{at, at + len(n.Op.String()), op.String()}},
			intent: fmt.Sprintf("change operator at line %d: %s -> %s in %s", m.line(n), n.Op, op, clean.Short(m.text(n), 80)),
		}, true
	case *ast.CallExpr:
		return m.exprMutation(n.Fun, twinCall(m.text(n.Fun)), "change call")
	}
	return mutation{}, false
}

// assignOperator exchanges the operator of an assignment.
func (m *goMutator) assignOperator() (mutation, bool) {
	st := pickOne(m.e, m.stmts)
	var op token.Token
	var pos token.Pos
	switch n := st.list[st.at].(type) {
	case *ast.AssignStmt:
		op, pos = n.Tok, n.TokPos
	case *ast.IncDecStmt:
		op, pos = n.Tok, n.TokPos
	default:
		return mutation{}, false
	}
	to, ok := m.otherOperator(op)
	if !ok {
		return mutation{}, false
	}
	at := m.g.Offset(pos)
	return mutation{
		edits:  []textEdit{{at, at + len(op.String()), to.String()}},
		intent: fmt.Sprintf("change operator at line %d: %s -> %s", m.line(st.list[st.at]), op, to),
	}, true
}

// twinCall names the function that a call may be exchanged for.
func twinCall(name string) string {
	twins := [...][2]string{
		{"min", "max"},
		{"math.Min", "math.Max"},
		{"math.Floor", "math.Ceil"},
		{"math.Sin", "math.Cos"},
		{"math.Sqrt", "math.Cbrt"},
		{"math.Exp", "math.Exp2"},
		{"math.Log", "math.Log1p"},
	}
	for _, t := range twins {
		switch name {
		case t[0]:
			return t[1]
		case t[1]:
			return t[0]
		}
	}
	return ""
}

// needsParens reports expressions that must be wrapped to become an operand.
func needsParens(x ast.Expr) bool {
	switch x.(type) {
	case *ast.BinaryExpr, *ast.UnaryExpr, *ast.StarExpr, *ast.FuncLit, *ast.CompositeLit:
		return true
	}
	return false
}

func (m *goMutator) operand(x ast.Expr) string {
	if needsParens(x) {
		return "(" + strings.TrimSpace(m.text(x)) + ")"
	}
	return m.text(x)
}

package idiom

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"math"
)

// known is what the conditions around a place say of a rune that stands there.
type known int

const (
	open    known = iota // it may be one of ASCII or not
	ascii                // it is one of ASCII
	settled              // it was asked already: asking again makes a branch that nothing reaches
)

// span is the values that a number may have.
type span struct{ lo, hi int64 }

// either is the least span that holds both.
func either(a, b span) span {
	switch {
	case a.lo > a.hi:
		return b
	case b.lo > b.hi:
		return a
	}
	return span{min(a.lo, b.lo), max(a.hi, b.hi)}
}

// fact is a condition that holds at a place, or does not.
type fact struct {
	cond  ast.Expr
	holds bool
}

// appended is a statement that appends the text of a rune, as a byte where it is one of
// ASCII. It asks which of both only where nothing around the place has.
func (x *function) appended(to string, r ast.Expr, at ast.Stmt) string {
	v := x.text(r)
	one, text := to+" = append("+to+", byte("+v+"))", to+" = append("+to+", string("+v+")...)"
	switch x.runeAt(r, at) {
	case ascii:
		return one
	case settled:
		return text
	}
	return "if uint32(" + v + ") < 0x80 {\n" + one + "\n} else {\n" + text + "\n}"
}

// runeAt reads the conditions that enclose a statement, and those before it that leave
// its block. Runes are hardly ever negative, so what only a negative one could reach
// counts as asked already; as one of ASCII counts only what cannot be negative.
func (x *function) runeAt(r ast.Expr, at ast.Stmt) known {
	s := subject{x: x, expr: ast.Unparen(r)}
	if s.root = rootOf(s.expr); s.root == nil {
		return open
	}
	path := x.path(at)
	sure, likely := span{math.MinInt32, math.MaxInt32}, span{0, math.MaxInt32}
	if s.ofText(path) {
		sure.lo = 0
	}
	for k := range len(path) - 1 {
		for _, f := range s.facts(path[k:]) {
			sure, likely = s.narrow(sure, f.cond, f.holds), s.narrow(likely, f.cond, f.holds)
		}
	}
	switch {
	case likely.lo < 0x80 && likely.hi >= 0x80:
		return open
	case 0 <= sure.lo && sure.lo <= sure.hi && sure.hi < 0x80 && s.expr == ast.Expr(s.root) && !closes(x.fn.Body):
		return ascii
	}
	return settled
}

// path is what is around a statement and the statement itself, outermost first.
func (x *function) path(at ast.Stmt) []ast.Node {
	var path []ast.Node
	ast.Inspect(x.fn.Body, func(n ast.Node) bool {
		if n == nil || n.Pos() > at.Pos() || n.End() < at.End() {
			return false
		}
		path = append(path, n)
		return n != ast.Node(at)
	})
	return path
}

// subject is what conditions are read for: a variable, or a field of one.
type subject struct {
	x    *function
	expr ast.Expr
	root *ast.Ident // the variable
}

func rootOf(e ast.Expr) *ast.Ident {
	for {
		switch t := e.(type) {
		case *ast.Ident:
			return t
		case *ast.SelectorExpr:
			e = t.X
		default:
			return nil
		}
	}
}

// ofText reports whether a loop around a place gives the subject the runes of a text,
// and nothing else does.
func (s subject) ofText(path []ast.Node) bool {
	for _, n := range path {
		r, ok := n.(*ast.RangeStmt)
		if !ok || r.Tok != token.DEFINE || assigned(r.Body, s.root.Name) {
			continue
		}
		id, ok := r.Value.(*ast.Ident)
		if !ok || s.x.f.Info.Defs[id] == nil || s.x.f.Info.Defs[id] != s.x.f.Info.Uses[s.root] {
			continue
		}
		if t := s.x.f.Info.Types[r.X].Type; t != nil {
			b, ok := t.Underlying().(*types.Basic)
			return ok && b.Info()&types.IsString != 0
		}
	}
	return false
}

// facts are the conditions that a statement sets for what it leads to, where the subject
// stays the same on the way there.
func (s subject) facts(path []ast.Node) []fact {
	steady := func(nodes ...ast.Stmt) bool {
		for _, n := range nodes {
			if assigned(n, s.root.Name) {
				return false
			}
		}
		return true
	}
	switch n := path[0].(type) {
	case *ast.IfStmt:
		if branch, ok := path[1].(ast.Stmt); ok && (branch == ast.Stmt(n.Body) || branch == n.Else) && steady(branch) {
			return []fact{{n.Cond, branch == ast.Stmt(n.Body)}}
		}
	case *ast.SwitchStmt:
		if len(path) > 2 && steady(n.Body) {
			return cases(n, path[2])
		}
	case *ast.BlockStmt:
		return left(n.List, path[1], steady)
	case *ast.CaseClause:
		return left(n.Body, path[1], steady)
	}
	return nil
}

// left are the conditions of the statements before one of a block that leave the block
// where they hold.
func left(list []ast.Stmt, at ast.Node, steady func(...ast.Stmt) bool) []fact {
	var out []fact
	for k, s := range list {
		if ast.Node(s) != at {
			continue
		}
		for i, before := range list[:k] {
			if cond, ok := before.(*ast.IfStmt); ok && cond.Else == nil && goesElsewhere(cond.Body) && steady(list[i+1:k+1]...) {
				out = append(out, fact{cond.Cond, false})
			}
		}
	}
	return out
}

// goesElsewhere reports a block that ends by going elsewhere.
func goesElsewhere(b *ast.BlockStmt) bool {
	if len(b.List) == 0 {
		return false
	}
	switch b.List[len(b.List)-1].(type) {
	case *ast.ReturnStmt, *ast.BranchStmt:
		return true
	}
	return false
}

// cases are the conditions of a clause of a switch, and those of the clauses that are
// asked before it.
func cases(s *ast.SwitchStmt, at ast.Node) []fact {
	var own *ast.CaseClause
	var out []fact
	for _, n := range s.Body.List {
		c := n.(*ast.CaseClause)
		if len(c.Body) > 0 {
			if b, ok := c.Body[len(c.Body)-1].(*ast.BranchStmt); ok && b.Tok == token.FALLTHROUGH {
				return nil
			}
		}
		if ast.Node(c) == at {
			own = c
		}
	}
	if own == nil {
		return nil
	}
	for _, n := range s.Body.List {
		c := n.(*ast.CaseClause)
		if len(c.List) == 0 || c.Pos() > own.Pos() && len(own.List) > 0 {
			continue
		}
		var cond ast.Expr
		for _, e := range c.List {
			if s.Tag != nil {
				e = &ast.BinaryExpr{X: s.Tag, Op: token.EQL, Y: e}
			}
			if cond != nil {
				e = &ast.BinaryExpr{X: cond, Op: token.LOR, Y: e}
			}
			cond = e
		}
		out = append(out, fact{cond, c == own})
	}
	return out
}

// narrow is what is left of a span where a condition holds, or does not.
func (s subject) narrow(all span, cond ast.Expr, holds bool) span {
	switch c := ast.Unparen(cond).(type) {
	case *ast.UnaryExpr:
		if c.Op == token.NOT {
			return s.narrow(all, c.X, !holds)
		}
	case *ast.BinaryExpr:
		switch {
		case c.Op != token.LAND && c.Op != token.LOR:
			return s.compared(all, c, holds)
		case (c.Op == token.LAND) == holds:
			return s.narrow(s.narrow(all, c.X, holds), c.Y, holds)
		}
		return either(s.narrow(all, c.X, holds), s.narrow(all, c.Y, holds))
	}
	return all
}

// Comparisons with their sides exchanged, and those that hold where one does not.
var (
	mirrored = map[token.Token]token.Token{token.LSS: token.GTR, token.GTR: token.LSS, token.LEQ: token.GEQ, token.GEQ: token.LEQ, token.EQL: token.EQL, token.NEQ: token.NEQ}
	negated  = map[token.Token]token.Token{token.LSS: token.GEQ, token.GEQ: token.LSS, token.LEQ: token.GTR, token.GTR: token.LEQ, token.EQL: token.NEQ, token.NEQ: token.EQL}
)

// compared narrows a span by a comparison with a constant.
func (s subject) compared(all span, c *ast.BinaryExpr, holds bool) span {
	of, op := c.X, c.Op
	n, ok := s.x.number(c.Y)
	if !ok {
		of, op = c.Y, mirrored[op]
		if n, ok = s.x.number(c.X); !ok {
			return all
		}
	}
	if !holds {
		op = negated[op]
	}
	is, unsigned := s.is(of)
	if !is || n < 0 && unsigned {
		return all
	}
	if unsigned && all.lo < 0 { // a negative one is more than all others
		if op != token.LSS && op != token.LEQ && op != token.EQL {
			return all
		}
		all.lo = 0
	}
	switch op {
	case token.LSS:
		all.hi = min(all.hi, n-1)
	case token.LEQ:
		all.hi = min(all.hi, n)
	case token.GTR:
		all.lo = max(all.lo, n+1)
	case token.GEQ:
		all.lo = max(all.lo, n)
	case token.EQL:
		return span{max(all.lo, n), min(all.hi, n)}
	}
	return all
}

// limits are the constants of packages that runes are compared with.
var limits = map[string]int64{"unicode.MaxASCII": 0x7f, "unicode.MaxLatin1": 0xff, "unicode.MaxRune": 0x10ffff, "utf8.RuneSelf": 0x80, "utf8.MaxRune": 0x10ffff}

// number is a constant number that a rune can have.
func (x *function) number(e ast.Expr) (int64, bool) {
	if v := x.f.Info.Types[e].Value; v != nil {
		n, ok := constant.Int64Val(constant.ToInt(v))
		return n, ok && n >= math.MinInt32 && n <= math.MaxInt32
	}
	sel, ok := ast.Unparen(e).(*ast.SelectorExpr)
	if !ok {
		return 0, false
	}
	id, ok := sel.X.(*ast.Ident)
	if !ok {
		return 0, false
	}
	_, isPkg := x.f.Info.Uses[id].(*types.PkgName)
	n, ok := limits[id.Name+"."+sel.Sel.Name]
	return n, ok && isPkg && (x.names[id.Name] == "unicode" || x.names[id.Name] == "unicode/utf8")
}

// is reports the subject, and it as a number of at least as many bits.
func (s subject) is(e ast.Expr) (is, unsigned bool) {
	e = ast.Unparen(e)
	if c, ok := e.(*ast.CallExpr); ok && len(c.Args) == 1 && s.x.f.Info.Types[c.Fun].IsType() {
		switch s.x.text(c.Fun) {
		case "uint32", "uint64", "uint":
			unsigned = true
		case "rune", "int32", "int64", "int":
		default:
			return false, false
		}
		e = ast.Unparen(c.Args[0])
	}
	root := rootOf(e)
	return root != nil && s.x.f.Info.Uses[root] != nil && s.x.f.Info.Uses[root] == s.x.f.Info.Uses[s.root] && s.x.text(e) == s.x.text(s.expr), unsigned
}

package mutant

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"strings"
)

// Go lists the mutants of a Go source file, in the order of the source. One that
// does not parse has none.
func Go(path string, data []byte) []Mutant {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, path, data, parser.SkipObjectResolution|parser.ParseComments)
	if err != nil || ast.IsGenerated(file) {
		return nil
	}
	g := &goMutants{path: path, data: data, fset: fset}
	for _, d := range file.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Body == nil {
			continue
		}
		g.function = fn.Name.Name
		if r := receiver(fn); r != "" {
			g.function = r + "." + g.function
		}
		g.body(fn.Type, fn.Body)
	}
	return g.out
}

// goMutants gathers the mutants of one file.
type goMutants struct {
	path, function string
	data           []byte
	fset           *token.FileSet
	out            []Mutant
}

func receiver(fn *ast.FuncDecl) string {
	if fn.Recv == nil || len(fn.Recv.List) == 0 {
		return ""
	}
	name := ""
	ast.Inspect(fn.Recv.List[0].Type, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && name == "" {
			name = id.Name
		}
		return name == ""
	})
	return name
}

func (g *goMutants) offset(p token.Pos) int { return g.fset.Position(p).Offset }

func (g *goMutants) text(n ast.Node) string {
	return string(g.data[g.offset(n.Pos()):g.offset(n.End())])
}

// edit adds the mutant that has text for the bytes of a stretch. What is cut
// away keeps its lines, so that nothing below it moves.
func (g *goMutants) edit(operator string, at ast.Node, from, to token.Pos, text, change string) {
	lo, hi := g.offset(from), g.offset(to)
	text += strings.Repeat("\n", max(0, bytes.Count(g.data[lo:hi], []byte("\n"))-strings.Count(text, "\n")))
	data := append(append(append([]byte{}, g.data[:lo]...), text...), g.data[hi:]...)
	g.out = append(g.out, Mutant{Path: g.path, Function: g.function, Line: g.fset.Position(at.Pos()).Line, Operator: operator, Change: change, Data: data})
}

func (g *goMutants) replace(operator string, n ast.Node, text string) {
	g.edit(operator, n, n.Pos(), n.End(), text, fmt.Sprintf("%s -> %s", short(g.text(n)), short(text)))
}

// body mutates what a function does. Function literals inside have results of
// their own.
func (g *goMutants) body(t *ast.FuncType, b *ast.BlockStmt) {
	ast.Inspect(b, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			g.body(n.Type, n.Body)
			return false
		case *ast.BinaryExpr:
			g.binary(n)
		case *ast.UnaryExpr:
			if n.Op == token.SUB || n.Op == token.NOT {
				op := Arithmetic
				if n.Op == token.NOT {
					op = Condition
				}
				g.replace(op, n, g.text(n.X))
			}
		case *ast.BasicLit:
			g.literal(n)
		case *ast.Ident:
			if n.Name == "true" || n.Name == "false" {
				g.replace(Constant, n, strconv.FormatBool(n.Name == "false"))
			}
		case *ast.IfStmt:
			g.branch(n)
		case *ast.CaseClause:
			if len(n.Body) > 0 && n.List != nil {
				g.edit(Condition, n, n.Body[0].Pos(), n.Body[len(n.Body)-1].End(), "", "body of the case left out")
			}
		case *ast.BlockStmt:
			g.statements(n.List)
		case *ast.ReturnStmt:
			g.returned(t, n)
		case *ast.IncDecStmt:
			op := map[token.Token]string{token.INC: "--", token.DEC: "++"}[n.Tok]
			g.edit(Arithmetic, n, n.TokPos, n.End(), op, fmt.Sprintf("%s -> %s%s", g.text(n), g.text(n.X), op))
		case *ast.AssignStmt:
			if op, ok := assignments[n.Tok]; ok {
				g.edit(Arithmetic, n, n.TokPos, n.TokPos+token.Pos(len(n.Tok.String())), op.String(), fmt.Sprintf("%s: %s -> %s", short(g.text(n)), n.Tok, op))
			}
		case *ast.BranchStmt:
			if n.Label == nil && (n.Tok == token.BREAK || n.Tok == token.CONTINUE) {
				g.replace(Statement, n, map[token.Token]string{token.BREAK: "continue", token.CONTINUE: "break"}[n.Tok])
			}
		}
		return true
	})
}

var assignments = map[token.Token]token.Token{
	token.ADD_ASSIGN: token.SUB_ASSIGN, token.SUB_ASSIGN: token.ADD_ASSIGN, token.MUL_ASSIGN: token.QUO_ASSIGN, token.QUO_ASSIGN: token.MUL_ASSIGN,
	token.AND_ASSIGN: token.OR_ASSIGN, token.OR_ASSIGN: token.AND_ASSIGN, token.SHL_ASSIGN: token.SHR_ASSIGN, token.SHR_ASSIGN: token.SHL_ASSIGN,
}

// others are the operators that stand in for one: the boundary of a comparison
// and its opposite, the inverse of an operation.
var others = map[token.Token][]token.Token{
	token.LSS: {token.LEQ, token.GEQ}, token.LEQ: {token.LSS, token.GTR}, token.GTR: {token.GEQ, token.LEQ}, token.GEQ: {token.GTR, token.LSS},
	token.EQL: {token.NEQ}, token.NEQ: {token.EQL}, token.LAND: {token.LOR}, token.LOR: {token.LAND},
	token.ADD: {token.SUB}, token.SUB: {token.ADD}, token.MUL: {token.QUO}, token.QUO: {token.MUL}, token.REM: {token.MUL},
	token.AND: {token.OR}, token.OR: {token.AND}, token.XOR: {token.AND}, token.SHL: {token.SHR}, token.SHR: {token.SHL},
}

func (g *goMutants) binary(n *ast.BinaryExpr) {
	operator := Condition
	switch n.Op {
	case token.ADD, token.SUB, token.MUL, token.QUO, token.REM, token.AND, token.OR, token.XOR, token.SHL, token.SHR:
		operator = Arithmetic
	}
	if n.Op == token.ADD && (isText(n.X) || isText(n.Y)) {
		return // no other operator joins texts
	}
	for _, op := range others[n.Op] {
		g.edit(operator, n, n.OpPos, n.OpPos+token.Pos(len(n.Op.String())), op.String(), fmt.Sprintf("%s: %s -> %s", short(g.text(n)), n.Op, op))
	}
}

func isText(x ast.Expr) bool {
	l, ok := x.(*ast.BasicLit)
	return ok && l.Kind == token.STRING
}

func (g *goMutants) literal(n *ast.BasicLit) {
	switch n.Kind {
	case token.INT:
		if v, err := strconv.ParseInt(n.Value, 0, 64); err == nil {
			g.replace(Constant, n, strconv.FormatInt(v+1, 10))
		}
	case token.FLOAT:
		if v, err := strconv.ParseFloat(n.Value, 64); err == nil {
			g.replace(Constant, n, strconv.FormatFloat(v+1, 'f', -1, 64)+map[bool]string{true: ".0"}[v == float64(int64(v))])
		}
	}
}

// branch leaves out what a condition decides.
func (g *goMutants) branch(n *ast.IfStmt) {
	if len(n.Body.List) > 0 {
		last := n.Body.List[len(n.Body.List)-1]
		g.edit(Condition, n, n.Body.List[0].Pos(), last.End(), "", "if "+short(g.text(n.Cond))+": body left out")
	}
	if b, ok := n.Else.(*ast.BlockStmt); ok && len(b.List) > 0 {
		g.edit(Condition, b, b.List[0].Pos(), b.List[len(b.List)-1].End(), "", "if "+short(g.text(n.Cond))+": else left out")
	}
}

// statements leaves out one simple statement of a list.
func (g *goMutants) statements(list []ast.Stmt) {
	for _, s := range list {
		switch s := s.(type) {
		case *ast.ExprStmt, *ast.IncDecStmt, *ast.SendStmt, *ast.DeferStmt, *ast.GoStmt:
		case *ast.AssignStmt:
			if s.Tok == token.DEFINE {
				continue
			}
		default:
			continue
		}
		g.edit(Statement, s, s.Pos(), s.End(), "", "left out: "+short(g.text(s)))
	}
}

// returned exchanges one returned value for the plain one of its type.
func (g *goMutants) returned(t *ast.FuncType, n *ast.ReturnStmt) {
	if t.Results == nil {
		return
	}
	var types []ast.Expr
	for _, f := range t.Results.List {
		for range max(1, len(f.Names)) {
			types = append(types, f.Type)
		}
	}
	if len(types) != len(n.Results) {
		return
	}
	for i, x := range n.Results {
		if text := plain(types[i], g.text(x)); text != "" && text != g.text(x) {
			g.replace(Return, x, text)
		}
	}
}

// plain is a value of a type that differs from another one; "" where the text of
// the type does not tell.
func plain(t ast.Expr, value string) string {
	other := func(zero, one string) string {
		if value == zero {
			return one
		}
		return zero
	}
	switch t := t.(type) {
	case *ast.Ident:
		switch t.Name {
		case "bool":
			return "!(" + value + ")"
		case "int", "int8", "int16", "int32", "int64", "uint", "uint8", "uint16", "uint32", "uint64", "uintptr", "byte", "rune", "float32", "float64":
			return other("0", "1")
		case "string":
			return other(`""`, `"mutant"`)
		case "error":
			return other("nil", "")
		}
	case *ast.StarExpr, *ast.MapType, *ast.FuncType, *ast.ChanType, *ast.InterfaceType:
		return other("nil", "")
	case *ast.ArrayType:
		if t.Len == nil {
			return other("nil", "")
		}
	}
	return ""
}

// short is a text on one line, not too long.
func short(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if r := []rune(text); len(r) > 60 {
		return string(r[:57]) + "..."
	}
	return text
}

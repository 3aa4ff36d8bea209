package idiom

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
)

// grows gathers a local text to which the function adds again and again in a slice
// of bytes.
func (x *finder) grows(n ast.Node) {
	if !x.statement() {
		return
	}
	g := growing{finder: x, made: map[ast.Node]bool{}}
	var empty string
	if g.obj, empty = x.emptyText(n); g.obj == nil {
		return
	}
	g.name = g.obj.Name()
	block := x.parent()
	var stack []ast.Node
	ast.Inspect(block, func(n ast.Node) bool {
		if n == nil {
			stack = stack[:len(stack)-1]
			return true
		}
		g.look(n, stack)
		stack = append(stack, n)
		return !g.refused
	})
	if g.refused || g.adds < 2 && !g.again {
		return
	}
	x.offer("a slice of bytes for a text that grows", n, nil, append(g.edits, x.replace(n, empty))...)
}

// emptyText reads the declaration of an empty local text, and what declares empty
// bytes in its place.
func (x *function) emptyText(n ast.Node) (types.Object, string) {
	id, _, value := declares(n)
	if id == nil {
		return nil, ""
	}
	obj := x.f.Info.Defs[id]
	if obj == nil || !types.Identical(obj.Type(), types.Typ[types.String]) {
		return nil, ""
	}
	if value != nil {
		v := x.f.Info.Types[value].Value
		if v == nil || v.Kind() != constant.String || constant.StringVal(v) != "" {
			return nil, ""
		}
	}
	return obj, "var " + id.Name + " []byte"
}

// growing turns the uses of a text into those of a slice of bytes.
type growing struct {
	*finder
	obj     types.Object
	name    string
	edits   []Edit
	made    map[ast.Node]bool // names that an edit has turned
	adds    int
	again   bool // something is added in a loop
	refused bool
}

func (g *growing) is(e ast.Expr) bool {
	id, ok := e.(*ast.Ident)
	return ok && g.f.Info.Uses[id] == g.obj
}

// look turns one use; stack is what is around it, from the block of the text on.
func (g *growing) look(n ast.Node, stack []ast.Node) {
	switch n := n.(type) {
	case *ast.AssignStmt:
		g.assign(n, stack)
	case *ast.UnaryExpr:
		g.refused = g.refused || n.Op == token.AND && g.is(n.X)
	case *ast.RangeStmt:
		g.refused = g.refused || n.Key != nil && g.is(n.Key) || n.Value != nil && g.is(n.Value)
	case *ast.CallExpr:
		if len(n.Args) == 1 && g.is(n.Args[0]) && g.text(n.Fun) == "len" {
			g.made[n.Args[0]] = true
		}
	case *ast.IndexExpr:
		if g.is(n.X) {
			g.made[n.X] = true
		}
	case *ast.BinaryExpr:
		if (n.Op == token.EQL || n.Op == token.NEQ) && g.is(n.X) && g.text(n.Y) == `""` {
			g.made[n.X] = true
			g.edits = append(g.edits, g.replace(n, "len("+g.name+") "+n.Op.String()+" 0"))
		}
	case *ast.Ident:
		if g.is(n) && !g.made[n] {
			g.edits = append(g.edits, g.replace(n, "string("+g.name+")"))
		}
	}
}

// assign turns an assignment to the text.
func (g *growing) assign(s *ast.AssignStmt, stack []ast.Node) {
	at := -1
	for i, l := range s.Lhs {
		if g.is(l) {
			at = i
		}
	}
	if at < 0 {
		return
	}
	if len(s.Lhs) != 1 || len(s.Rhs) != 1 || !inBlock(stack) {
		g.refused = true
		return
	}
	g.made[s.Lhs[0]] = true
	value := s.Rhs[0]
	if sum, ok := value.(*ast.BinaryExpr); ok && s.Tok == token.ASSIGN && sum.Op == token.ADD {
		parts := sumOf(sum)
		if g.is(parts[0]) && len(parts) > 1 {
			g.made[parts[0]] = true
			g.add(s, parts[1:], nil, stack)
			return
		}
	}
	from, to := g.f.Offset(s.Pos()), g.f.Offset(value.Pos())
	end := g.f.Offset(s.End())
	switch s.Tok {
	case token.ADD_ASSIGN:
		g.add(s, sumOf(value), value, stack)
	case token.ASSIGN:
		g.edits = append(g.edits, Edit{from, to, g.name + " = append(" + g.name + "[:0], "}, Edit{end, end, "...)"})
	default:
		g.refused = true
	}
}

// inBlock reports whether what has this stack is a statement of a block.
func inBlock(stack []ast.Node) bool {
	if len(stack) == 0 {
		return false
	}
	switch stack[len(stack)-1].(type) {
	case *ast.BlockStmt, *ast.CaseClause:
		return true
	}
	return false
}

// sumOf is the parts of a sum, from the left.
func sumOf(e ast.Expr) []ast.Expr {
	if s, ok := e.(*ast.BinaryExpr); ok && s.Op == token.ADD {
		return append(sumOf(s.X), s.Y)
	}
	return []ast.Expr{e}
}

// add appends parts one after the other where they are plain, else their sum.
func (g *growing) add(s *ast.AssignStmt, parts []ast.Expr, whole ast.Expr, stack []ast.Node) {
	g.adds++
	for _, n := range stack {
		switch n.(type) {
		case *ast.ForStmt, *ast.RangeStmt:
			g.again = true
		}
	}
	r, isRune := g.textOfRune(parts[0])
	if isRune && len(parts) == 1 {
		g.edits = append(g.edits, g.replace(s, g.appended(g.name, r, s)))
		return
	}
	plain := true
	for _, p := range parts {
		plain = plain && simple(p) && !g.is(p)
	}
	from, end := g.f.Offset(s.Pos()), g.f.Offset(s.End())
	switch {
	case plain:
		text := g.name
		for _, p := range parts {
			text = "append(" + text + ", " + g.text(p) + "...)"
		}
		g.edits = append(g.edits, Edit{from, end, g.name + " = " + text})
	case whole != nil:
		g.edits = append(g.edits, Edit{from, g.f.Offset(whole.Pos()), g.name + " = append(" + g.name + ", "}, Edit{end, end, "...)"})
	default: // the sum of all but the first, which is the text itself
		g.edits = append(g.edits, Edit{from, g.f.Offset(parts[0].Pos()), g.name + " = append(" + g.name + ", "}, Edit{end, end, "...)"})
	}
}

package idiom

import (
	"go/ast"
	"go/token"
	"go/types"
	"strconv"
)

// sized gives a slice or a map its room at once, where the loop behind its declaration
// adds to it in every turn and the number of turns is known before.
func (x *finder) sized(n ast.Node) {
	block, ok := n.(*ast.BlockStmt)
	if !ok {
		return
	}
	r := filling{x}
	for i, s := range block.List {
		l := r.counted(s)
		if l == nil {
			continue
		}
		adds := map[types.Object]int{}
		for _, add := range l.body.List {
			if obj, n := r.added(add); obj != nil {
				adds[obj] += n
			}
		}
		for at := i - 1; at >= 0 && len(adds) > 0; at-- {
			for obj, n := range adds {
				if r.sizeAt(l, obj, n, block.List[at]) || x.mentioned(block.List[at], obj) {
					delete(adds, obj)
				}
			}
		}
	}
}

// filling looks at what loops add to what was declared empty.
type filling struct{ *finder }

// countedLoop is a loop whose number of turns is known when it begins.
type countedLoop struct {
	body  *ast.BlockStmt
	over  *ast.Ident // what the number depends on
	turns string     // at most so many
	whole bool       // none is left out or cut short
}

// counted reads a loop over a slice, a text or a map that stands in a variable, by range or
// by its index.
func (x filling) counted(s ast.Stmt) *countedLoop {
	l := &countedLoop{}
	var of ast.Expr
	switch s := s.(type) {
	case *ast.RangeStmt:
		l.body, of = s.Body, s.X
	case *ast.ForStmt:
		cond, ok := s.Cond.(*ast.BinaryExpr)
		if _, up := s.Post.(*ast.IncDecStmt); !ok || !up || cond.Op != token.LSS || s.Init == nil {
			return nil
		}
		c, ok := cond.Y.(*ast.CallExpr)
		if !ok || len(c.Args) != 1 || x.text(c.Fun) != "len" {
			return nil
		}
		l.body, of = s.Body, c.Args[0]
	default:
		return nil
	}
	l.over = rootOf(of)
	if l.over == nil || !simple(of) || x.f.Info.Types[of].Type == nil {
		return nil
	}
	switch t := x.f.Info.Types[of].Type.Underlying().(type) {
	case *types.Slice, *types.Map:
		l.whole = !cutShort(l.body)
	case *types.Basic:
		if t.Info()&types.IsString == 0 {
			return nil
		}
	default:
		return nil
	}
	l.turns = "len(" + x.text(of) + ")"
	return l
}

// cutShort reports a body of a loop with a statement that ends a turn early, or the loop.
func cutShort(body *ast.BlockStmt) bool {
	found := false
	ast.Inspect(body, func(n ast.Node) bool {
		switch n.(type) {
		case *ast.BranchStmt, *ast.ReturnStmt:
			found = true
		case *ast.FuncLit:
			return false
		}
		return !found
	})
	return found
}

// added reads a statement that adds to a local slice or map: v = append(v, a, b) adds 2.
func (x filling) added(s ast.Stmt) (types.Object, int) {
	a, ok := s.(*ast.AssignStmt)
	if !ok || a.Tok != token.ASSIGN || len(a.Lhs) != 1 || len(a.Rhs) != 1 {
		return nil, 0
	}
	if to, ok := a.Lhs[0].(*ast.IndexExpr); ok && x.isMap(to) {
		id, _ := to.X.(*ast.Ident)
		return x.f.Info.Uses[id], 1
	}
	id, ok := a.Lhs[0].(*ast.Ident)
	c, isCall := a.Rhs[0].(*ast.CallExpr)
	if !ok || !isCall || c.Ellipsis.IsValid() || !isAppend(x.f, c) || x.text(c.Args[0]) != id.Name {
		return nil, 0
	}
	return x.f.Info.Uses[id], len(c.Args) - 1
}

// sizeAt offers the room for what a loop adds to a variable, where a statement declares
// it empty.
func (x filling) sizeAt(l *countedLoop, obj types.Object, adds int, at ast.Stmt) bool {
	d, ok := x.emptied(at)
	if !ok || x.f.Info.Defs[d.name] != obj || x.asksRoom(obj) || x.assignedBetween(at, l) {
		return false
	}
	if over := x.f.Info.Uses[l.over]; over == nil || over.Pos() >= at.Pos() && over.Pos() < l.body.Pos() {
		return false
	}
	room, what := l.turns, "room for a slice that a loop fills"
	if adds > 1 {
		room = strconv.Itoa(adds) + "*" + room
	}
	switch d.of.Underlying().(type) {
	case *types.Slice:
		room = "make(" + d.text + ", 0, " + room + ")"
	case *types.Map:
		what = "room for a map that a loop fills"
		room = "make(" + d.text + ", " + room + ")"
	default:
		return false
	}
	end := x.f.Offset(at.End())
	switch {
	case d.value != nil:
		x.offer(what, at, nil, x.replace(d.value, room))
	case l.whole: // a slice that is nil stays so where there is no turn
		x.offer(what, at, nil, Edit{end, end, "\nif " + l.turns + " > 0 {\n" + obj.Name() + " = " + room + "\n}"})
	default:
		return false
	}
	return true
}

// assignedBetween reports whether what the turns are counted by may change between a
// declaration and its loop.
func (x filling) assignedBetween(at ast.Stmt, l *countedLoop) bool {
	found := false
	ast.Inspect(x.fn.Body, func(n ast.Node) bool {
		s, ok := n.(ast.Stmt)
		if ok && s.Pos() > at.End() && s.End() < l.body.Pos() {
			found = found || assigned(s, l.over.Name)
			return false
		}
		return !found
	})
	return found
}

// asksRoom reports whether the function asks for the room of a slice.
func (x filling) asksRoom(obj types.Object) bool {
	found := false
	ast.Inspect(x.fn.Body, func(n ast.Node) bool {
		if c, ok := n.(*ast.CallExpr); ok && len(c.Args) == 1 && x.text(c.Fun) == "cap" {
			id, isName := c.Args[0].(*ast.Ident)
			found = found || isName && x.f.Info.Uses[id] == obj
		}
		return !found
	})
	return found
}

// emptyValue is the declaration of a variable without elements.
type emptyValue struct {
	name  *ast.Ident
	of    types.Type
	text  string   // of the type
	value ast.Expr // nil where it declares the type alone
}

// emptied reads v := []T{}, v := make([]T, 0), var v []T, and the same of maps.
func (x filling) emptied(s ast.Stmt) (d emptyValue, ok bool) {
	name, of, value := declares(s)
	d.name, d.value = name, value
	if _, short := s.(*ast.AssignStmt); short {
		d.text = x.emptyOf(value)
	} else if of != nil && value == nil {
		d.text = x.text(of)
	}
	if d.name == nil || d.text == "" || x.f.Info.Defs[d.name] == nil {
		return d, false
	}
	d.of = x.f.Info.Defs[d.name].Type()
	return d, true
}

// emptyOf is the type of []T{}, make([]T, 0), map[K]V{} or make(map[K]V).
func (x filling) emptyOf(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.CompositeLit:
		if len(e.Elts) == 0 && e.Type != nil {
			return x.text(e.Type)
		}
	case *ast.CallExpr:
		if x.text(e.Fun) != "make" || len(e.Args) == 0 || len(e.Args) > 2 {
			return ""
		}
		if len(e.Args) == 2 && x.text(e.Args[1]) != "0" {
			return ""
		}
		return x.text(e.Args[0])
	}
	return ""
}

package idiom

import (
	"go/ast"
	"go/token"
	"go/types"
	"strconv"
	"strings"
)

// element reads an element that is the same in every round of a loop once: the
// row of a table, or the byte of a text that the other one is compared with. It is
// read where the first round would read it, so a loop without a round reads none.
func (x *finder) element(n ast.Node) {
	l := x.loopOf(n)
	if l == nil {
		return
	}
	seen := map[string]bool{}
	for _, e := range l.sure() {
		text := x.text(e)
		if seen[text] || !l.steadyElement(e) {
			continue
		}
		seen[text] = true
		name := x.fresh(e.X.(*ast.Ident).Name + "Here")
		if name == "" {
			continue
		}
		x.offer("an element read once", n, nil, l.with(name, text)...)
	}
}

// fresh is a name that begins so and that nothing in the function or the package
// has; "" where there is none.
func (x *function) fresh(name string) string {
	all := x.text(x.fn)
	for k := range 9 {
		full := name
		if k > 0 {
			full += strconv.Itoa(k + 1)
		}
		if !strings.Contains(all, full) && x.f.Pkg.Scope().Lookup(full) == nil {
			return full
		}
	}
	return ""
}

// loop is a loop without closures and labels, that asks a plain condition before
// each round.
type loop struct {
	x       *function
	node    ast.Node
	body    *ast.BlockStmt
	first   string                // holds where there is a first round
	changed map[types.Object]bool // variables that the loop gives a value
	stores  []types.Type          // of what is stored in elements, fields and behind pointers
	calls   bool                  // something is called that may change what it reaches
}

func (x *function) loopOf(n ast.Node) *loop {
	l := &loop{x: x, node: n, changed: map[types.Object]bool{}}
	switch s := n.(type) {
	case *ast.ForStmt:
		if s.Cond == nil || !plain(s.Cond) {
			return nil
		}
		l.body, l.first = s.Body, x.text(s.Cond)
	case *ast.RangeStmt:
		id, ok := s.X.(*ast.Ident)
		if !ok || !lengthy(x.f.Info.Types[s.X].Type) {
			return nil
		}
		l.body, l.first = s.Body, "len("+id.Name+") > 0"
	default:
		return nil
	}
	if _, labelled := x.parent().(*ast.LabeledStmt); labelled || closes(x.fn.Body) {
		return nil
	}
	ast.Inspect(n, func(n ast.Node) bool { l.note(n); return true })
	return l
}

// lengthy reports a slice or a text.
func lengthy(t types.Type) bool {
	if t == nil {
		return false
	}
	switch t := t.Underlying().(type) {
	case *types.Slice:
		return true
	case *types.Basic:
		return t.Info()&types.IsString != 0
	}
	return false
}

// closes reports a function in the function, a label, or an address that is taken.
func closes(body *ast.BlockStmt) bool {
	found := false
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit, *ast.LabeledStmt:
			found = true
		case *ast.UnaryExpr:
			found = found || n.Op == token.AND
		}
		return !found
	})
	return found
}

// plain reports a condition that may be asked twice: of names, numbers, lengths and
// comparisons.
func plain(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.BinaryExpr:
		return plain(e.X) && plain(e.Y)
	case *ast.ParenExpr:
		return plain(e.X)
	case *ast.CallExpr:
		id, ok := e.Fun.(*ast.Ident)
		return ok && id.Name == "len" && len(e.Args) == 1 && simple(e.Args[0])
	}
	return simple(e)
}

// note takes down what a part of the loop changes.
func (l *loop) note(n ast.Node) {
	info := l.x.f.Info
	stored := func(e ast.Expr) {
		if id, ok := e.(*ast.Ident); ok {
			if obj := info.ObjectOf(id); obj != nil {
				l.changed[obj] = true
			}
			return
		}
		l.stores = append(l.stores, info.Types[e].Type)
	}
	switch n := n.(type) {
	case *ast.AssignStmt:
		for _, e := range n.Lhs {
			stored(e)
		}
	case *ast.IncDecStmt:
		stored(n.X)
	case *ast.RangeStmt:
		for _, e := range []ast.Expr{n.Key, n.Value} {
			if e != nil {
				stored(e)
			}
		}
	case *ast.CallExpr:
		id, ok := n.Fun.(*ast.Ident)
		known := ok && (id.Name == "len" || id.Name == "cap" || id.Name == "min" || id.Name == "max")
		l.calls = l.calls || !known && !info.Types[n.Fun].IsType()
	case *ast.SendStmt, *ast.GoStmt, *ast.DeferStmt, *ast.SelectStmt:
		l.calls = true
	}
}

// sure lists the elements that every first round reads, whatever it finds.
func (l *loop) sure() []*ast.IndexExpr {
	var out []*ast.IndexExpr
	var in func(e ast.Node)
	in = func(e ast.Node) {
		ast.Inspect(e, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.BinaryExpr:
				if n.Op == token.LAND || n.Op == token.LOR {
					in(n.X)
					return false
				}
			case *ast.IndexExpr:
				if _, ok := n.X.(*ast.Ident); ok {
					out = append(out, n)
				}
			}
			return true
		})
	}
	for _, s := range l.body.List {
		switch s := s.(type) {
		case *ast.ExprStmt, *ast.AssignStmt, *ast.IncDecStmt:
			in(s)
		case *ast.IfStmt:
			if s.Init != nil {
				in(s.Init)
			}
			in(s.Cond)
		case *ast.SwitchStmt:
			if s.Init == nil && s.Tag != nil {
				in(s.Tag)
			}
		case *ast.DeclStmt, *ast.EmptyStmt:
		default:
			return out
		}
		if leaves(s) {
			return out
		}
	}
	return out
}

// leaves reports a statement that may end the round.
func leaves(s ast.Stmt) bool {
	found := false
	ast.Inspect(s, func(n ast.Node) bool {
		switch n.(type) {
		case *ast.ReturnStmt, *ast.BranchStmt, *ast.ForStmt, *ast.RangeStmt:
			found = true
		}
		return !found
	})
	return found
}

// steadyElement reports an element that no round changes: of a text, or of a slice
// of basic values or slices into which nothing of its type is stored meanwhile, and
// which nothing that is called can reach.
func (l *loop) steadyElement(e *ast.IndexExpr) bool {
	info := l.x.f.Info
	of := info.Uses[e.X.(*ast.Ident)]
	steady := l.local(of)
	ast.Inspect(e.Index, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			steady = steady && l.local(info.Uses[n])
		case *ast.BinaryExpr:
			steady = steady && (n.Op == token.ADD || n.Op == token.SUB)
		case *ast.BasicLit, *ast.ParenExpr, nil:
		default:
			steady = false
		}
		return steady
	})
	if !steady || info.Types[e.Index].Value != nil {
		return false // a constant place costs nothing
	}
	if b, ok := of.Type().Underlying().(*types.Basic); ok {
		return b.Info()&types.IsString != 0
	}
	slice, ok := of.Type().Underlying().(*types.Slice)
	if !ok {
		return false
	}
	switch slice.Elem().Underlying().(type) {
	case *types.Basic, *types.Slice:
	default:
		return false
	}
	for _, t := range l.stores {
		if t == nil || types.Identical(t.Underlying(), slice.Elem().Underlying()) {
			return false
		}
	}
	return !l.calls || l.x.private(of)
}

// local reports a variable of the function that the loop leaves as it is.
func (l *loop) local(obj types.Object) bool {
	v, ok := obj.(*types.Var)
	return ok && !l.changed[v] && v.Parent() != nil && v.Parent() != l.x.f.Pkg.Scope() && v.Parent() != types.Universe
}

// private reports a slice that the function makes and nobody else can name before
// it returns: all that is done with it is to take elements and its length.
func (x *function) private(obj types.Object) bool {
	made, others := false, 0
	ast.Inspect(x.fn.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			if name, _, _ := x.made(n, token.DEFINE); name != "" {
				id, ok := n.Lhs[0].(*ast.Ident)
				made = made || ok && x.f.Info.Defs[id] == obj
			}
		case *ast.Ident:
			if x.f.Info.Uses[n] == obj {
				others++
			}
		case *ast.IndexExpr:
			if id, ok := n.X.(*ast.Ident); ok && x.f.Info.Uses[id] == obj {
				others--
			}
		case *ast.CallExpr:
			if id, ok := n.Fun.(*ast.Ident); ok && id.Name == "len" && len(n.Args) == 1 {
				if of, ok := n.Args[0].(*ast.Ident); ok && x.f.Info.Uses[of] == obj {
					others--
				}
			}
		case *ast.ReturnStmt:
			for _, r := range n.Results {
				if id, ok := r.(*ast.Ident); ok && x.f.Info.Uses[id] == obj {
					others--
				}
			}
		}
		return true
	})
	return made && others == 0
}

// with is the loop with an element under a name.
func (l *loop) with(name, text string) []Edit {
	x, f := l.x, l.x.f
	var edits []Edit
	begin := f.Offset(l.node.Pos())
	head, tail := "if "+l.first+" {\n"+name+" := "+text+"\n", "\n}"
	from := begin
	if s, ok := l.node.(*ast.ForStmt); ok {
		from = f.Offset(s.Cond.Pos())
		head += "for ; "
		if s.Init != nil {
			head, tail = "{\n"+x.text(s.Init)+"\n"+head, "\n}\n}"
		}
		if s.Post == nil {
			head = head[:len(head)-len("; ")]
		}
	}
	edits = append(edits, Edit{begin, from, head})
	ast.Inspect(l.node, func(n ast.Node) bool {
		if s, ok := l.node.(*ast.ForStmt); ok && n == s.Init && n != nil {
			return false
		}
		if e, ok := n.(*ast.IndexExpr); ok && x.text(e) == text {
			edits = append(edits, x.replace(e, name))
			return false
		}
		return true
	})
	end := f.Offset(l.node.End())
	return append(edits, Edit{end, end, tail})
}

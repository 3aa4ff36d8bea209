package guard

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// goBegin is how a variable of a package begins.
type goBegin struct {
	safe  bool // a type of package sync that keeps nothing which a caller could see
	empty bool // without a value, or with room for values: who gets hold of it will write
	room  bool // empty, and a copy of it writes to the same
	once  bool // sync.Once, or a struct that embeds one
}

// goWriters begin the names of methods that change what they are called on, of types that are not
// known here.
var goWriters = []string{"Store", "LoadOrStore", "LoadAndDelete", "Swap", "CompareAnd", "Delete", "Set", "Add", "Write", "Reset", "Push", "Insert", "Append", "Remove", "Grow", "Truncate", "Clear"}

// declared notes how the variables of a file begin, and which fields are a sync.Once.
func (k *goKeeping) declared(f *ast.File) {
	ast.Inspect(f, func(n ast.Node) bool {
		if n, ok := n.(*ast.Field); ok && k.imported(n.Type) == "sync.Once" {
			for _, name := range n.Names {
				if v, ok := k.info.Defs[name].(*types.Var); ok {
					k.onces[v] = true
				}
			}
		}
		return true
	})
	for _, d := range f.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.VAR {
			continue
		}
		for _, s := range g.Specs {
			s := s.(*ast.ValueSpec)
			for i, name := range s.Names {
				if v, ok := k.info.Defs[name].(*types.Var); ok {
					k.begins[v] = k.begin(s, i)
				}
			}
		}
	}
}

func (k *goKeeping) begin(s *ast.ValueSpec, i int) *goBegin {
	b := &goBegin{empty: len(s.Values) == 0}
	of := s.Type
	if len(s.Values) == len(s.Names) {
		made, room := k.empty(s.Values[i])
		b.empty, b.room = room, room
		if of == nil {
			of = made
		}
	}
	switch name := k.imported(of); name {
	case "":
		b.once = k.embedsOnce(of)
	case "sync.Once":
		b.safe, b.once = true, true
	case "sync.Pool", "sync.Mutex", "sync.RWMutex", "sync.WaitGroup", "sync.Cond":
		b.safe = true
	}
	return b
}

func (k *goKeeping) embedsOnce(of ast.Expr) bool {
	s, ok := of.(*ast.StructType)
	return ok && slices.ContainsFunc(s.Fields.List, func(f *ast.Field) bool { return len(f.Names) == 0 && k.imported(f.Type) == "sync.Once" })
}

// empty says which type a value is made of, and whether there is room in it and no value yet.
func (k *goKeeping) empty(value ast.Expr) (of ast.Expr, room bool) {
	switch x := ast.Unparen(value).(type) {
	case *ast.UnaryExpr:
		return k.empty(x.X)
	case *ast.CompositeLit:
		list, ok := x.Type.(*ast.ArrayType)
		return x.Type, len(x.Elts) == 0 && !(ok && list.Len == nil)
	case *ast.CallExpr:
		switch name := k.builtin(x); name {
		case "make", "new":
			return x.Args[0], true
		}
	}
	return nil, false
}

// imported is the full name of what another package has; "" for all else.
func (k *goKeeping) imported(e ast.Expr) string {
	if s, ok := e.(*ast.StarExpr); ok {
		e = s.X
	}
	s, ok := e.(*ast.SelectorExpr)
	if !ok {
		return ""
	}
	id, ok := s.X.(*ast.Ident)
	if !ok {
		return ""
	}
	if p, ok := k.info.Uses[id].(*types.PkgName); ok {
		return p.Imported().Path() + "." + s.Sel.Name
	}
	return ""
}

// builtin is the name of the function of the language that a call calls.
func (k *goKeeping) builtin(c *ast.CallExpr) string {
	if id, ok := ast.Unparen(c.Fun).(*ast.Ident); ok {
		if b, ok := k.info.Uses[id].(*types.Builtin); ok && len(c.Args) > 0 {
			return b.Name()
		}
	}
	return ""
}

// root is the variable of the package, or the receiver, that an expression is a part of.
func (k *goKeeping) root(e ast.Expr, f *goFunction) *types.Var {
	if v := k.leftmost(e); v != nil && (v == f.receiver || k.begins[v] != nil && !k.begins[v].safe) {
		return v
	}
	return nil
}

// leftmost is the variable that an expression is a part of: x of x.f[i]; nil for none.
func (k *goKeeping) leftmost(e ast.Expr) *types.Var {
	for {
		switch x := e.(type) {
		case *ast.IndexExpr:
			e = x.X
		case *ast.SliceExpr:
			e = x.X
		case *ast.StarExpr:
			e = x.X
		case *ast.UnaryExpr:
			e = x.X
		case *ast.ParenExpr:
			e = x.X
		case *ast.SelectorExpr:
			e = x.X
		case *ast.Ident:
			v, _ := k.info.Uses[x].(*types.Var)
			return v
		default:
			return nil
		}
	}
}

// look notes what the body of a function writes, asks and mentions.
func (k *goKeeping) look(body ast.Node, f *goFunction) {
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			k.write(f, n.Lhs...)
			k.hand(f, n.Rhs...)
			if !slices.ContainsFunc(n.Lhs, func(e ast.Expr) bool { _, ok := e.(*ast.Ident); return !ok }) {
				k.address(f, n.Rhs...)
			}
		case *ast.IncDecStmt:
			k.write(f, n.X)
		case *ast.RangeStmt:
			k.write(f, n.Key, n.Value)
		case *ast.ValueSpec:
			k.hand(f, n.Values...)
			k.address(f, n.Values...)
		case *ast.ReturnStmt:
			k.hand(f, n.Results...)
		case *ast.CompositeLit:
			k.hand(f, n.Elts...)
		case *ast.KeyValueExpr:
			k.hand(f, n.Value)
		case *ast.FuncLit:
			f.closes = f.closes || k.outer(n)
		case *ast.CallExpr:
			return k.call(f, n)
		case *ast.Ident:
			if m, ok := k.info.Uses[n].(*types.Func); ok {
				f.mentions = append(f.mentions, m.Origin())
			}
		}
		return true
	})
}

func isList(t types.Type) bool {
	if t == nil {
		return false
	}
	switch u := t.Underlying().(type) {
	case *types.Array:
		return u.Len() > 0
	case *types.Slice:
		return true
	case *types.Pointer:
		return isList(u.Elem())
	}
	return false
}

// write notes what assignments write. What belongs to the receiver counts where its field or what it
// points to is set, not its name.
func (k *goKeeping) write(f *goFunction, to ...ast.Expr) {
	for _, e := range to {
		if v := k.root(e, f); v != nil {
			if v == f.receiver && !k.shared(e) {
				continue
			}
			f.writes[v] = true
		}
	}
}

// shared reports a part of a receiver that is not of a copy alone.
func (k *goKeeping) shared(e ast.Expr) bool {
	for {
		switch x := e.(type) {
		case *ast.ParenExpr:
			e = x.X
		case *ast.IndexExpr, *ast.StarExpr, *ast.SliceExpr:
			return true
		case *ast.SelectorExpr:
			if t := k.info.TypeOf(x.X); t != nil {
				if _, ok := t.Underlying().(*types.Pointer); ok {
					return true
				}
			}
			e = x.X
		default:
			return false
		}
	}
}

// outer reports a function within another that writes a variable of that one.
func (k *goKeeping) outer(lit *ast.FuncLit) (found bool) {
	is := func(e ast.Expr) {
		v := k.leftmost(e)
		found = found || v != nil && v.Pkg() == k.pkg && v.Parent() != k.pkg.Scope() && v.Pos() < lit.Pos()
	}
	ast.Inspect(lit.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, l := range n.Lhs {
				is(l)
			}
		case *ast.IncDecStmt:
			is(n.X)
		}
		return true
	})
	return found
}

func isFunction(t types.Type) bool {
	_, ok := t.Underlying().(*types.Signature)
	return ok
}

// hand notes that others get hold of what has room: they write to the same.
func (k *goKeeping) hand(f *goFunction, values ...ast.Expr) {
	for _, e := range values {
		if s, ok := ast.Unparen(e).(*ast.SliceExpr); ok {
			if v := k.root(s.X, f); v != nil && k.begins[v] != nil && k.begins[v].empty && isList(k.info.TypeOf(s.X)) {
				f.hands[v] = true
			}
			continue
		}
		id, ok := ast.Unparen(e).(*ast.Ident)
		if !ok {
			continue
		}
		v, ok := k.info.Uses[id].(*types.Var)
		if !ok || k.begins[v] == nil || !k.begins[v].room || k.begins[v].safe {
			continue
		}
		switch v.Type().Underlying().(type) {
		case *types.Slice, *types.Map, *types.Pointer:
			f.hands[v] = true
		}
	}
}

// address notes whose address a call or another name gets: what begins empty, and numbers. An address
// that is given back or put into something stands for "none" as a rule.
func (k *goKeeping) address(f *goFunction, values ...ast.Expr) {
	for _, e := range values {
		u, ok := ast.Unparen(e).(*ast.UnaryExpr)
		if !ok || u.Op != token.AND {
			continue
		}
		v := k.root(u.X, f)
		if v == nil {
			continue
		}
		switch {
		case isNumber(k.info.TypeOf(u.X)):
			f.writes[v] = true
		case v != f.receiver && k.begins[v].empty:
			f.hands[v] = true
		}
	}
}

// isNumber reports a number, a text or a truth value.
func isNumber(t types.Type) bool {
	if t == nil || t == types.Typ[types.Invalid] {
		return false
	}
	_, ok := t.Underlying().(*types.Basic)
	return ok
}

// call notes what a call changes; whether its parts are to be looked at.
func (k *goKeeping) call(f *goFunction, c *ast.CallExpr) bool {
	switch k.builtin(c) {
	case "delete", "clear", "copy":
		k.write(f, c.Args[0])
		return true
	case "append":
		if s, ok := ast.Unparen(c.Args[0]).(*ast.SliceExpr); ok {
			k.write(f, s)
		}
		k.hand(f, c.Args[0])
		return true
	case "":
		if s, ok := c.Fun.(*ast.SelectorExpr); !k.info.Types[c.Fun].IsType() && !(ok && strings.HasPrefix(s.Sel.Name, "Write")) { // a writer reads
			k.hand(f, c.Args...)
			k.address(f, c.Args...)
		}
	}
	s, ok := ast.Unparen(c.Fun).(*ast.SelectorExpr)
	if !ok {
		return true
	}
	if k.once(s) && len(c.Args) == 1 {
		if k.usesCall(c.Args[0]) {
			return true
		}
		if lit, ok := c.Args[0].(*ast.FuncLit); ok {
			once := newGoFunction(f.name, f.file)
			k.look(lit.Body, once)
			k.others = append(k.others, once)
		}
		return false
	}
	v := k.root(s.X, f)
	if v == nil {
		return true
	}
	if m, ok := k.info.Uses[s.Sel].(*types.Func); ok && k.functionOf(m) {
		f.asks[v] = append(f.asks[v], m.Origin())
	} else if _, field := k.info.Uses[s.Sel].(*types.Var); !field && slices.ContainsFunc(goWriters, func(name string) bool { return strings.HasPrefix(s.Sel.Name, name) }) {
		f.writes[v] = true
	}
	return true
}

// functionOf reports a method of the package whose body is there to be read.
func (k *goKeeping) functionOf(m *types.Func) bool {
	if m.Pkg() != k.pkg || m.Signature().Recv() == nil {
		return false
	}
	_, abstract := m.Signature().Recv().Type().Underlying().(*types.Interface)
	return !abstract
}

// once reports the method Do of a sync.Once that the package has in a variable.
func (k *goKeeping) once(s *ast.SelectorExpr) bool {
	if s.Sel.Name != "Do" {
		return false
	}
	switch x := s.X.(type) {
	case *ast.Ident:
		v, ok := k.info.Uses[x].(*types.Var)
		return ok && k.begins[v] != nil && k.begins[v].once
	case *ast.SelectorExpr:
		field, ok := k.info.Uses[x.Sel].(*types.Var)
		return ok && k.onces[field] && k.root(x, &goFunction{}) != nil
	}
	return false
}

// usesCall reports a function, called once, that uses something of the call which comes first:
// later ones would get its answer.
func (k *goKeeping) usesCall(e ast.Expr) bool {
	lit, ok := e.(*ast.FuncLit)
	if !ok {
		return false
	}
	uses := false
	ast.Inspect(lit.Body, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			v, ok := k.info.Uses[id].(*types.Var)
			uses = uses || ok && !v.IsField() && v.Parent() != k.pkg.Scope() && v.Pkg() == k.pkg && (v.Pos() < lit.Pos() || v.Pos() > lit.End())
		}
		return true
	})
	return uses
}

package survey

import (
	"go/ast"
	"go/constant"
	"go/token"
	"slices"
	"strings"
)

// given is what an expression of a test stands for, as far as its text tells: a constant, nil, a list, map or
// struct, a function, or something of which only the name is known. A nil pointer is what cannot be told.
type given struct {
	value  constant.Value // of a constant
	source string         // of a number or nil, as it is written
	null   bool           // it is nil, or the empty value of its type
	parts  []part         // of a list, map or struct, in order
	whole  bool           // it is one of these, if it has no parts, too
	fn     *testFunc      // that a test declares
	name   string         // what else it is called, as a function of the package or an error
	own    bool           // the name is one of the package
	tester bool           // it is a *testing.T or the like
	typ    ast.Expr       // the type that a list, map or struct is written with; nil: not known
	at     *scope         // where that is written
	points bool           // it is the address of the value
}

// part is an element of a list, map or struct: a field has a name, and others a key.
type part struct {
	name  string
	key   *given
	value *given
	left  bool // it is a field that is left out
}

// testFunc is one of a test, with what surrounds it.
type testFunc struct {
	params *ast.FieldList
	body   *ast.BlockStmt
	around *scope
}

// scope is what names stand for at a place in a test.
type scope struct {
	vars  map[string]*given
	types map[string]ast.Expr
	up    *scope
	file  *testFile
	fails bool // a row of a table is gone over that says that it fails
}

func (s *scope) inner() *scope {
	return &scope{vars: map[string]*given{}, types: map[string]ast.Expr{}, up: s, file: s.file, fails: s.fails}
}

// find is what a name stands for. known tells that the test declares it.
func (s *scope) find(name string) (g *given, known bool) {
	for ; s != nil; s = s.up {
		if g, known = s.vars[name]; known {
			return g, true
		}
	}
	return nil, false
}

// set gives a new value to a name where it is declared.
func (s *scope) set(name string, g *given) {
	for at := s; at != nil; at = at.up {
		if _, ok := at.vars[name]; ok {
			at.vars[name] = g
			return
		}
	}
}

// declare gives a name a value in this scope.
func (s *scope) declare(name string, g *given) {
	if g != nil && g.fn != nil && g.name == "" {
		named := *g
		named.name = name
		g = &named
	}
	s.vars[name] = g
}

// declaredType is the type that the tests declare under a name; nil where they do not.
func (s *scope) declaredType(name string) (found ast.Expr) {
	for at := s; at != nil && found == nil; at = at.up {
		found = at.types[name]
	}
	return found
}

// under is the type behind names that the tests declare.
func (s *scope) under(e ast.Expr) ast.Expr {
	for range 8 {
		switch t := e.(type) {
		case *ast.ParenExpr:
			e = t.X
		case *ast.StarExpr:
			e = t.X
		case *ast.Ident:
			found := s.declaredType(t.Name)
			if found == nil {
				return e
			}
			e = found
		default:
			return e
		}
	}
	return e
}

// constantOr is a given of a constant; nil where it has none.
func constantOr(v constant.Value) *given {
	if v == nil || v.Kind() == constant.Unknown {
		return nil
	}
	return &given{value: v}
}

// eval tells what an expression stands for.
func (r *callReader) eval(e ast.Expr, s *scope) *given {
	if r.steps++; r.steps > mostSteps {
		return nil
	}
	switch e := e.(type) {
	case *ast.ParenExpr:
		return r.eval(e.X, s)
	case *ast.StarExpr:
		return r.eval(e.X, s)
	case *ast.BasicLit:
		if g := constantOr(constant.MakeFromLiteral(e.Value, e.Kind, 0)); g != nil {
			g.source = e.Value
			return g
		}
	case *ast.Ident:
		return r.named(e.Name, s)
	case *ast.FuncLit:
		return &given{fn: &testFunc{e.Type.Params, e.Body, s}}
	case *ast.CompositeLit:
		return r.composite(e, e.Type, s)
	case *ast.UnaryExpr:
		return r.unary(e, s)
	case *ast.BinaryExpr:
		return binary(r.eval(e.X, s), e.Op, r.eval(e.Y, s))
	case *ast.SelectorExpr:
		return r.selected(e, s)
	case *ast.IndexExpr:
		return indexed(r.eval(e.X, s), r.eval(e.Index, s))
	case *ast.CallExpr:
		return r.converted(e, s)
	}
	return nil
}

// named is what a name alone stands for.
func (r *callReader) named(name string, s *scope) *given {
	if g, known := s.find(name); known {
		return g
	}
	switch name {
	case "true", "false":
		return &given{value: constant.MakeBool(name == "true")}
	case "nil":
		return &given{null: true, source: name}
	}
	if g, known := r.ofPackage(name, s.file); known {
		return g
	}
	return &given{name: name, own: s.file.inside}
}

// selected is a field, or what a package has under a name.
func (r *callReader) selected(e *ast.SelectorExpr, s *scope) *given {
	if id, ok := e.X.(*ast.Ident); ok {
		if _, shadowed := s.find(id.Name); !shadowed && s.file.imports[id.Name] != "" {
			return &given{name: e.Sel.Name, own: s.file.imports[id.Name] == ownImport}
		}
	}
	of := r.eval(e.X, s)
	if of == nil || !of.whole {
		return nil
	}
	for _, p := range of.parts {
		if p.name == e.Sel.Name {
			return p.value
		}
	}
	return nil
}

// indexed is an element of a list or map.
func indexed(of, at *given) *given {
	if of == nil || at == nil || at.value == nil {
		return nil
	}
	for _, p := range of.parts {
		if p.key != nil && p.key.value != nil && p.key.value.Kind() == at.value.Kind() && constant.Compare(p.key.value, token.EQL, at.value) {
			return p.value
		}
	}
	return nil
}

func (r *callReader) unary(e *ast.UnaryExpr, s *scope) *given {
	x := r.eval(e.X, s)
	switch {
	case x != nil && e.Op == token.AND && x.typ != nil:
		to := *x
		to.points = true
		return &to
	case x == nil || e.Op == token.AND:
		return x
	case x.value == nil:
		return nil
	case e.Op == token.NOT && x.value.Kind() == constant.Bool, (e.Op == token.SUB || e.Op == token.ADD) && numeric(x):
		g := constantOr(constant.UnaryOp(e.Op, x.value, 0))
		if g != nil && e.Op == token.SUB && x.source != "" && !strings.HasPrefix(x.source, "-") {
			g.source = "-" + x.source
		}
		return g
	}
	return nil
}

func numeric(g *given) bool {
	return g.value != nil && (g.value.Kind() == constant.Int || g.value.Kind() == constant.Float)
}

// binary is the value of an operation on constants, or of a comparison with nil.
func binary(x *given, op token.Token, y *given) *given {
	compares := op == token.EQL || op == token.NEQ
	switch {
	case x == nil || y == nil:
		return nil
	case compares && y.null && (x.null || x.whole || x.fn != nil):
		return &given{value: constant.MakeBool(x.null == (op == token.EQL))}
	case x.value == nil || y.value == nil:
		return nil
	case op == token.SHL && numeric(x) && y.value.Kind() == constant.Int:
		if n, exact := constant.Uint64Val(y.value); exact && n < 64 && x.value.Kind() == constant.Int {
			return constantOr(constant.Shift(x.value, op, uint(n)))
		}
		return nil
	case x.value.Kind() != y.value.Kind() && (!numeric(x) || !numeric(y)):
		return nil
	case compares, numeric(x) && (op == token.LSS || op == token.LEQ || op == token.GTR || op == token.GEQ):
		return &given{value: constant.MakeBool(constant.Compare(x.value, op, y.value))}
	}
	switch kind := x.value.Kind(); {
	case kind == constant.String && op == token.ADD, kind == constant.Bool && (op == token.LAND || op == token.LOR):
	case !numeric(x) || !slices.Contains([]token.Token{token.ADD, token.SUB, token.MUL, token.QUO}, op):
		return nil
	case op == token.QUO && constant.Sign(y.value) == 0:
		return nil
	case op == token.QUO && kind == constant.Int && y.value.Kind() == constant.Int:
		op = token.QUO_ASSIGN // of integers
	}
	return bounded(constantOr(constant.BinaryOp(x.value, op, y.value)))
}

// bounded leaves out what a loop makes larger and larger.
func bounded(g *given) *given {
	if g != nil && (g.value.Kind() == constant.Int && constant.BitLen(g.value) > 128 || g.value.Kind() == constant.String && len(constant.StringVal(g.value)) > 2*longestText) {
		return nil
	}
	return g
}

// converted is the value of a conversion to a basic type, of len, or the name of what is called.
func (r *callReader) converted(e *ast.CallExpr, s *scope) *given {
	name := ""
	switch f := e.Fun.(type) {
	case *ast.SelectorExpr:
		return &given{name: f.Sel.Name}
	case *ast.ArrayType:
		name = kindOf(f, nil)
	case *ast.Ident:
		if name = f.Name; kindOf(f, nil) == "" && name != "len" {
			return &given{name: name}
		}
	}
	if len(e.Args) != 1 {
		return nil
	}
	g := r.eval(e.Args[0], s)
	switch {
	case g == nil:
	case name == "len" && g.whole:
		return &given{value: constant.MakeInt64(int64(len(g.parts)))}
	case name == "len" || g.value == nil:
		return nil
	case g.value.Kind() == constant.String && (name == "string" || name == "[]byte" || name == "[]rune"):
		return g
	case numeric(g) && (name == "float64" || name == "float32"):
		return &given{value: constant.ToFloat(g.value), source: g.source}
	case numeric(g) && kindOf(ast.NewIdent(name), nil) == "int":
		return g
	}
	return nil
}

// composite is a list, map or struct that is written out; of is its type, which lists leave out for what
// they hold.
func (r *callReader) composite(lit *ast.CompositeLit, of ast.Expr, s *scope) *given {
	g := &given{whole: true, typ: of, at: s}
	var key, elem ast.Expr
	var fields []*ast.Field
	switch t := s.under(of).(type) {
	case *ast.ArrayType:
		elem = t.Elt
	case *ast.MapType:
		key, elem = t.Key, t.Value
	case *ast.StructType:
		fields = fieldsOf(t.Fields)
	}
	for i, e := range lit.Elts {
		p := part{key: &given{value: constant.MakeInt64(int64(i))}}
		if pair, ok := e.(*ast.KeyValueExpr); ok {
			e = pair.Value
			id, isName := pair.Key.(*ast.Ident)
			if isName && elem == nil {
				p.name = id.Name
			} else if _, isMap := s.under(of).(*ast.MapType); isMap {
				p.key = r.element(pair.Key, key, s)
			}
		} else if i < len(fields) {
			p.name = fields[i].Names[0].Name
		}
		p.value = r.element(e, elem, s)
		g.parts = append(g.parts, p)
	}
	for _, f := range fields {
		name := f.Names[0].Name
		if !slices.ContainsFunc(g.parts, func(p part) bool { return p.name == name }) {
			g.parts = append(g.parts, part{name: name, value: zero(f.Type), left: true})
		}
	}
	return g
}

// element is something in a list or map whose type may be left out.
func (r *callReader) element(e, of ast.Expr, s *scope) *given {
	if lit, ok := e.(*ast.CompositeLit); ok && lit.Type == nil {
		return r.composite(lit, of, s)
	}
	return r.eval(e, s)
}

// fieldsOf are the fields of a struct, each with one name: that of the type where it has none.
func fieldsOf(list *ast.FieldList) []*ast.Field {
	return flat(list, func(of ast.Expr) string {
		if sel, ok := of.(*ast.SelectorExpr); ok {
			return sel.Sel.Name
		}
		name, _ := typeName(of)
		return name
	})
}

// zero is the empty value of a type.
func zero(of ast.Expr) *given {
	switch kindOf(of, nil) {
	case "string":
		return &given{value: constant.MakeString("")}
	case "bool":
		return &given{value: constant.MakeBool(false)}
	case "int", "float64":
		return &given{value: constant.MakeInt64(0)}
	}
	_, list := of.(*ast.ArrayType)
	return &given{null: true, whole: list}
}

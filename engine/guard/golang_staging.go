package guard

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// staging goes through a declaration of the tests.
type staging struct {
	*stager
	f        *testFile
	still    map[ast.Node]bool // literals, and parts whose literals stay as they are
	quiet    map[ast.Node]bool // calls that are not told, and statements that are made once
	held     map[ast.Node]bool // structs and lists that are taken by their address
	literals []int
}

// expected are fields of the tests' own tables that hold what should come out, or names for people.
var expected = regexp.MustCompile(`(?i)^(want|expect|exp$|name$|desc|title$|msg|message|err|out$|output|result|res$|test|label$|comment|note|reason|skip)`)

// reporting are the methods of a test that tell something to people.
var reporting = regexp.MustCompile(`^(Error|Fatal|Log|Skip|Run|Name|Helper|Setenv|TempDir|Cleanup)`)

// elsewhere are packages whose answers hang on the moment, on chance or on the machine.
var elsewhere = []string{"time", "rand", "os", "runtime", "exec", "testing", "debug", "filepath", "httptest", "net", "context", "sync", "atomic", "user"}

func (w *staging) visit(n ast.Node) bool {
	if n == nil || w.still[n] {
		return false
	}
	switch n := n.(type) {
	case *ast.GenDecl:
		return n.Tok == token.VAR
	case *ast.Field:
		if n.Tag != nil {
			w.still[n.Tag] = true
		}
	case *ast.ArrayType:
		if n.Len != nil {
			w.keep(n.Len)
		}
	case *ast.ForStmt:
		w.quieten(n.Init)
		w.quieten(n.Post)
		w.keepLoop(n)
	case *ast.SwitchStmt:
		w.quieten(n.Init)
	case *ast.TypeSwitchStmt:
		w.quieten(n.Init)
	case *ast.IndexExpr:
		w.keepPlace(n.X, n.Index)
	case *ast.SliceExpr:
		w.keepPlace(n.X, n.Low, n.High, n.Max)
	case *ast.BinaryExpr:
		if n.Op == token.EQL || n.Op == token.NEQ {
			w.keepLiteral(n.X)
			w.keepLiteral(n.Y)
		}
	case *ast.GoStmt:
		w.quieten(n.Call)
	case *ast.DeferStmt:
		w.quieten(n.Call)
	case *ast.FuncDecl:
		w.catch(n.Type, n.Body)
	case *ast.FuncLit:
		w.catch(n.Type, n.Body)
	case *ast.CompositeLit:
		w.composite(n)
		w.list(n)
	case *ast.UnaryExpr:
		if lit, ok := n.X.(*ast.CompositeLit); ok && n.Op == token.AND {
			w.object(n, lit)
		}
	case *ast.ExprStmt:
		w.step(n, n.X)
	case *ast.AssignStmt:
		w.assign(n)
		if n.Tok == token.ASSIGN {
			w.step(n, n.Rhs[0])
		}
	case *ast.IfStmt:
		w.checkedStep(n)
	case *ast.CallExpr:
		w.call(n)
	case *ast.BasicLit:
		w.literal(n)
	case *ast.Ident:
		w.constant(n)
	}
	return true
}

// keep leaves all literals of a part as they are.
func (w *staging) keep(n ast.Node) {
	ast.Inspect(n, func(n ast.Node) bool {
		switch n.(type) {
		case *ast.BasicLit, *ast.CompositeLit:
			w.still[n] = true
		}
		return true
	})
}

// keepLoop leaves how often a loop runs as it is.
func (w *staging) keepLoop(n *ast.ForStmt) {
	if n.Init != nil {
		w.keep(n.Init)
	}
	if n.Cond != nil {
		w.keep(n.Cond)
	}
	if n.Post != nil {
		w.keep(n.Post)
	}
}

// keepPlace leaves places of lists and texts as they are; keys of tables are values like others.
func (w *staging) keepPlace(of ast.Expr, places ...ast.Expr) {
	if t := w.info.TypeOf(of); t != nil {
		if _, table := t.Underlying().(*types.Map); table {
			return
		}
	}
	for _, x := range places {
		if x != nil {
			w.keepLiteral(x)
		}
	}
}

// keepLiteral leaves a literal as it is, and not what stands within calls.
func (w *staging) keepLiteral(x ast.Expr) {
	if l, ok := ast.Unparen(x).(*ast.BasicLit); ok {
		w.still[l] = true
	}
}

// quieten has a call not told, or a statement made once.
func (w *staging) quieten(n ast.Node) {
	if w.quiet == nil {
		w.quiet = map[ast.Node]bool{}
	}
	w.quiet[n] = true
}

// add wraps a part of the file.
func (w *staging) add(from, to token.Pos, open, end string) {
	w.f.wraps = append(w.f.wraps, wrap{from: w.offset(from), to: w.offset(to), line: w.fset.Position(from).Line, open: open, close: end})
}

// catch has a function of a test end with a panic of its own.
func (w *staging) catch(t *ast.FuncType, body *ast.BlockStmt) {
	if body == nil {
		return
	}
	for _, p := range t.Params.List {
		if types.ExprString(p.Type) == "*testing.T" {
			w.add(body.Lbrace+1, body.Lbrace+1, " defer atollguard.Fell(); ", "")
			return
		}
	}
}

// composite leaves keys of lists and what a table of the tests expects as they are.
func (w *staging) composite(n *ast.CompositeLit) {
	t := w.info.TypeOf(n)
	if t == nil {
		t = types.Typ[types.Invalid]
	}
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	fields, _ := t.Underlying().(*types.Struct)
	_, table := t.Underlying().(*types.Map)
	own := true
	if named, ok := t.(*types.Named); ok {
		own = strings.HasSuffix(w.fset.Position(named.Obj().Pos()).Filename, "_test.go")
	}
	for i, e := range n.Elts {
		value, name := e, ""
		if kv, ok := e.(*ast.KeyValueExpr); ok {
			if value = kv.Value; !table {
				w.keep(kv.Key)
			}
			if key, ok := kv.Key.(*ast.Ident); ok {
				name = key.Name
			}
		} else if fields != nil && i < fields.NumFields() {
			name = fields.Field(i).Name()
		}
		switch {
		case own && name != "" && expected.MatchString(name):
			w.keep(value)
		default:
			w.truth(value)
		}
	}
}

// list exchanges the items of a list of plain things.
func (w *staging) list(n *ast.CompositeLit) {
	t := w.info.TypeOf(n)
	if n.Type == nil || t == nil || len(n.Elts) == 0 || w.f.keyed(n) || w.held[n] {
		return
	}
	switch u := t.Underlying().(type) {
	case *types.Slice:
		if _, plain := u.Elem().Underlying().(*types.Basic); !plain && !types.IsInterface(u.Elem()) {
			return
		}
		if name := w.f.written(t); name != "" || isUnnamed(t) {
			text := string(w.f.data[w.offset(n.Type.Pos()):w.offset(n.Type.End())])
			w.part(n, "atollguard.List("+w.next()+", ", ")", "List", fmt.Sprintf("%s(nil), %d", text, len(n.Elts)))
		}
	case *types.Struct:
		w.object(n, n)
	}
}

func isUnnamed(t types.Type) bool { _, named := t.(*types.Named); return !named }

// keyed reports a list with places written out.
func (f *testFile) keyed(n *ast.CompositeLit) bool {
	_, struc := n.Elts[0].(*ast.KeyValueExpr)
	_, array := n.Type.(*ast.ArrayType)
	return struc && array
}

// object sets fields of a struct of the package under test that the tests leave alone.
func (w *staging) object(n ast.Expr, lit *ast.CompositeLit) {
	if w.held == nil {
		w.held = map[ast.Node]bool{}
	}
	w.held[lit] = true
	named, ok := w.info.TypeOf(lit).(*types.Named)
	if !ok || lit.Type == nil || !w.own(named.Obj()) || strings.HasSuffix(w.fset.Position(named.Obj().Pos()).Filename, "_test.go") {
		return
	}
	name := w.f.written(named)
	if _, ok := named.Underlying().(*types.Struct); !ok || name == "" {
		return
	}
	value := name + "{}"
	for _, e := range lit.Elts {
		kv, ok := e.(*ast.KeyValueExpr)
		if !ok {
			return
		}
		value += fmt.Sprintf(", %q", types.ExprString(kv.Key))
	}
	w.part(n, "atollguard.Fields("+w.next()+", ", ")", "Fields", value)
}

// checkedStep is a call that is a statement of its own but for a look at its error.
func (w *staging) checkedStep(n *ast.IfStmt) {
	w.quieten(n.Init)
	w.quieten(n.Else) // an if behind it is no statement of its own
	set, ok := n.Init.(*ast.AssignStmt)
	if !ok || n.Else != nil || len(set.Rhs) != 1 || w.quiet[n] {
		return
	}
	leaves := false
	ast.Inspect(n.Body, func(n ast.Node) bool {
		switch n.(type) {
		case *ast.BranchStmt, *ast.ReturnStmt:
			leaves = true
		}
		return !leaves
	})
	if !leaves {
		w.step(n, set.Rhs[0])
	}
}

// step exchanges how often a call is made that is a statement of its own.
func (w *staging) step(n ast.Stmt, x ast.Expr) {
	call, ok := ast.Unparen(x).(*ast.CallExpr)
	if !ok || w.quiet[n] {
		return
	}
	if f := w.tested(call); f == nil || !f.Exported() && !w.program {
		return
	}
	w.part(n, "for range atollguard.Often("+w.next()+") { ", " }", "Call", strconv.Quote(types.ExprString(call.Fun)))
}

// assign tells what calls of other packages give, of which the number of results is seen here, and exchanges
// truths that are put into objects.
func (w *staging) assign(n *ast.AssignStmt) {
	for i, x := range n.Rhs {
		if i < len(n.Lhs) {
			if _, ok := n.Lhs[i].(*ast.SelectorExpr); ok {
				w.truth(x)
			}
		}
	}
	call, ok := ast.Unparen(n.Rhs[0]).(*ast.CallExpr)
	if !ok || len(n.Rhs) != 1 || w.quiet[call] || w.info.TypeOf(call.Fun) != nil && w.info.TypeOf(call.Fun) != types.Typ[types.Invalid] {
		return
	}
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return
	}
	if x, ok := sel.X.(*ast.Ident); ok && slices.Contains(elsewhere, x.Name) || ok && x.Name == "t" {
		return
	}
	w.tell(call, len(n.Lhs))
}

// truth exchanges true and false.
func (w *staging) truth(x ast.Expr) {
	id, ok := x.(*ast.Ident)
	if !ok || id.Name != "true" && id.Name != "false" || w.info.Uses[id] != types.Universe.Lookup(id.Name) {
		return
	}
	w.exchange(id, id.Name)
}

// tell tells the results of a call.
func (w *staging) tell(call *ast.CallExpr, results int) {
	if results < 1 || results > 3 {
		return
	}
	w.quieten(call)
	w.add(call.Pos(), call.End(), "atollguard.Seen"+[]string{"", "2", "3"}[results-1]+"(", ")")
}

// call tells what a call of the module, or of a function that it gave, gives, and what becomes of the objects that it has. What
// only the package itself may call is not told: it may be anything. Its arguments stay as they are, and so does what a test says to
// people and what says how large something is.
func (w *staging) call(n *ast.CallExpr) {
	f := w.tested(n)
	sel, _ := n.Fun.(*ast.SelectorExpr)
	offered := f != nil && (f.Exported() || w.program)
	if offered && !w.quiet[n] {
		w.tell(n, f.Signature().Results().Len())
	}
	if v, ok := w.named(n).(*types.Var); ok && !w.quiet[n] {
		if signature, ok := v.Type().Underlying().(*types.Signature); ok {
			w.tell(n, signature.Results().Len())
		}
	}
	if offered && sel != nil {
		w.receiver(sel)
	}
	for _, a := range n.Args {
		if u, ok := a.(*ast.UnaryExpr); ok && u.Op == token.AND {
			w.add(a.Pos(), a.End(), "atollguard.On(", ")")
		}
		switch {
		case offered:
			w.truth(a)
		case f != nil:
			w.keep(a)
		case w.forPeople(n, sel):
			w.keepLiteral(a)
		}
	}
}

// forPeople reports calls whose literals say nothing of an input: reports, comparisons with what is expected, sizes.
func (w *staging) forPeople(n *ast.CallExpr, sel *ast.SelectorExpr) bool {
	if sel != nil {
		if x, ok := sel.X.(*ast.Ident); ok && (reporting.MatchString(sel.Sel.Name) && isTest(x) || sel.Sel.Name == "Repeat" || slices.Contains(elsewhere, x.Name) && x.Name != "httptest") {
			return true
		}
	}
	if x, ok := n.Fun.(*ast.Ident); ok && x.Name == "make" {
		return true
	}
	x, ok := n.Args[0].(*ast.Ident)
	return ok && isTest(x) && w.named(n) == nil
}

// isTest reports the usual names of a test that runs.
func isTest(x *ast.Ident) bool {
	return x.Name == "t" || x.Name == "tt" || x.Name == "tb" || x.Name == "b"
}

// receiver has an object looked at when the test has ended.
func (w *staging) receiver(sel *ast.SelectorExpr) {
	s := w.info.Selections[sel]
	x, ok := sel.X.(*ast.Ident)
	if s == nil || s.Kind() != types.MethodVal || !ok {
		return
	}
	switch t := s.Recv().Underlying().(type) {
	case *types.Pointer, *types.Interface:
		w.add(x.Pos(), x.End(), "atollguard.On(", ")")
	default:
		v, isVar := w.info.Uses[x].(*types.Var)
		if f, ok := s.Obj().(*types.Func); ok && isVar && v != nil && t != nil && f.Signature().Recv() != nil {
			if _, pointer := f.Signature().Recv().Type().(*types.Pointer); pointer {
				w.add(x.Pos(), x.End(), "atollguard.On(&", ")")
			}
		}
	}
}

// literal exchanges a constant.
func (w *staging) literal(l *ast.BasicLit) {
	if l.Kind == token.IMAG {
		return
	}
	w.exchange(l, string(w.f.data[w.offset(l.Pos()):w.offset(l.End())]))
}

// constant exchanges a text of the tests that has a name, where it is used.
func (w *staging) constant(id *ast.Ident) {
	c, ok := w.info.Uses[id].(*types.Const)
	if !ok || c.Pkg() == nil || !strings.HasSuffix(w.fset.Position(c.Pos()).Filename, "_test.go") {
		return
	}
	if b, ok := c.Type().Underlying().(*types.Basic); ok && b.Info()&types.IsString != 0 {
		w.exchange(id, strconv.Quote(constant.StringVal(c.Val())))
	}
}

// exchange lets another value stand for a constant, of that value as it is written, that has a type which the file can write.
func (w *staging) exchange(x ast.Expr, value string) {
	t := w.info.TypeOf(x)
	if w.still[x] || t == nil {
		return
	}
	name := w.f.written(t)
	if name == "" {
		return
	}
	w.still[x] = true
	w.part(x, "atollguard.Literal("+w.next()+", "+name+"(", "))", "Literal", name+"("+value+")")
}

// next is the number of the next part that can be exchanged.
func (w *staging) next() string { return strconv.Itoa(w.count + 1) }

// part wraps what can be exchanged, under the next number.
func (w *staging) part(n ast.Node, open, end, register, value string) {
	w.count++
	w.add(n.Pos(), n.End(), open, end)
	last := &w.f.wraps[len(w.f.wraps)-1]
	last.literal, last.register, last.value = w.count, register, value
	w.literals = append(w.literals, w.count)
}

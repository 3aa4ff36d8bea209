package guard

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strings"
)

// staging goes through a declaration of the tests.
type staging struct {
	*stager
	f        *testFile
	still    map[ast.Node]bool // literals, and parts whose literals stay as they are
	quiet    map[ast.Node]bool // calls that are not told
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
		w.keepLoop(n)
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
	case *ast.AssignStmt:
		w.assign(n)
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
		if l, ok := n.(*ast.BasicLit); ok {
			w.still[l] = true
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

func (w *staging) quieten(call *ast.CallExpr) {
	if w.quiet == nil {
		w.quiet = map[ast.Node]bool{}
	}
	w.quiet[call] = true
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
		w.exchange(id, id.Name)
	}
}

// exchange lets another value stand for a constant that has a type which the file can write.
func (w *staging) exchange(x ast.Expr, text string) {
	t := w.info.TypeOf(x)
	if w.still[x] || t == nil {
		return
	}
	name := w.f.written(t)
	if name == "" {
		return
	}
	w.still[x] = true
	w.count++
	value := name + "(" + text + ")"
	w.add(x.Pos(), x.End(), fmt.Sprintf("atollguard.Literal(%d, %s(", w.count, name), "))")
	last := &w.f.wraps[len(w.f.wraps)-1]
	last.literal, last.value = w.count, value
	w.literals = append(w.literals, w.count)
}

// script is a test or an example that can be played.
type script struct {
	file     *testFile
	name     string
	register string // what tells the probe of it
	literals []int
	near     bool // it names what changed itself
}

// mostScripts bounds the tests of a package that are played.
const mostScripts = 120

// waiting are names of what takes time or ends the process.
var waiting = map[string]bool{"Sleep": true, "After": true, "AfterFunc": true, "NewTimer": true, "NewTicker": true, "Tick": true, "Exit": true, "ListenAndServe": true}

// scripts are the tests whose names lead to one of some names, those first that name one of the others.
func (s *stager) scripts(names, direct map[string]bool) []script {
	var out []script
	for _, f := range s.files {
		for _, d := range f.file.Decls {
			d, ok := d.(*ast.FuncDecl)
			if !ok || d.Recv != nil || d.Body == nil || d.Type.TypeParams != nil {
				continue
			}
			t := script{file: f, name: d.Name.Name}
			params := d.Type.Params.List
			switch {
			case strings.HasPrefix(t.name, "Test") && t.name != "TestMain" && len(params) == 1 && types.ExprString(params[0].Type) == "*testing.T":
				t.register = "RegisterTest"
			case strings.HasPrefix(t.name, "Example") && len(params) == 0 && d.Type.Results == nil:
				t.register = "RegisterExample"
			default:
				continue
			}
			mentions, literals := s.closure(t.name)
			if !overlaps(mentions, names) || len(literals) == 0 || overlaps(mentions, waiting) {
				continue
			}
			t.literals, t.near = literals, overlaps(mentions, direct)
			out = append(out, t)
		}
	}
	slices.SortStableFunc(out, func(a, b script) int { return -compareBool(a.near, b.near) })
	return out[:min(len(out), mostScripts)]
}

// closure is all that a declaration of the tests leads to within the tests: the names there, and the literals, its own first.
func (s *stager) closure(name string) (all map[string]bool, literals []int) {
	all = map[string]bool{}
	list := []string{name}
	for i := 0; i < len(list); i++ {
		d := s.decls[list[i]]
		literals = append(literals, d.literals...)
		var more []string
		for m := range d.mentions {
			if all[m] = true; s.decls[m] != nil && !slices.Contains(list, m) {
				more = append(more, m)
			}
		}
		slices.Sort(more)
		list = append(list, more...)
	}
	return all, literals
}

package survey

import (
	"go/ast"
	"go/constant"
	"go/token"
	"maps"
	"path"
	"strconv"
	"strings"
)

// testCall is a call that a test makes of a function of its package.
type testCall struct {
	of    string // the name of the function; that of a method behind a dot
	args  []*given
	fails bool // as the test says
}

// callReader follows the text of tests: it goes over the rows of their tables, and into functions that they
// declare, and notes what is called with what. Nothing runs.
type callReader struct {
	files  []*testFile
	calls  []testCall
	handed map[string]bool                // texts that something is called with
	names  map[string]bool                // of tests within tests
	types  map[string]map[string]ast.Expr // that the tests of a package declare, by its name
	steps  int
	depth  int            // of functions of the tests in each other
	unsure int            // conditions around it of which nothing is known
	errs   map[string]int // of an error: the first of the calls that gave it
}

// Bounds of what is followed.
const (
	mostSteps = 400_000
	mostLoop  = 256 // of a loop
	mostDepth = 8
)

// testFile is a file of tests.
type testFile struct {
	*ast.File
	inside  bool // names of the package need no qualifier
	imports map[string]string
	top     *scope
	decls   map[string]func() *given // at the top of the file, not looked at yet
}

// ownImport stands for the path of the package that is tested.
const ownImport = "."

// readCalls reads the calls in the tests of a package.
func readCalls(files []*ast.File) *callReader {
	r := &callReader{handed: map[string]bool{}, names: map[string]bool{}, types: map[string]map[string]ast.Expr{}, errs: map[string]int{}}
	for _, f := range files {
		r.files = append(r.files, r.open(f))
	}
	for _, f := range r.files {
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Body == nil {
				continue
			}
			for _, sign := range []string{"Test", "Example", "Fuzz"} {
				if strings.HasPrefix(fn.Name.Name, sign) {
					r.enter(&testFunc{fn.Type.Params, fn.Body, f.top}, nil, f.top)
				}
			}
		}
	}
	return r
}

// open notes what a file declares.
func (r *callReader) open(file *ast.File) *testFile {
	tested, external := strings.CutSuffix(file.Name.Name, "_test")
	f := &testFile{File: file, inside: !external, imports: map[string]string{}, decls: map[string]func() *given{}}
	f.top = (&scope{file: f}).inner()
	if r.types[file.Name.Name] == nil {
		r.types[file.Name.Name] = f.top.types
	}
	f.top.types = r.types[file.Name.Name]
	for _, spec := range file.Imports {
		p, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			continue
		}
		base := path.Base(p)
		if majorVersion.MatchString(base) {
			base = path.Base(path.Dir(p))
		}
		own := external && strings.Contains(p, "/") && plainName(base) == plainName(tested)
		name := base
		if own {
			name, p = tested, ownImport
		}
		if spec.Name != nil {
			name = spec.Name.Name
		}
		if f.imports[name] = p; own && name == "." {
			f.inside = true
		}
	}
	if external && f.imports[tested] == "" { // its path ends in another way
		f.imports[tested] = ownImport
	}
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil && d.Body != nil {
				fn := &given{fn: &testFunc{d.Type.Params, d.Body, f.top}, name: d.Name.Name}
				f.decls[d.Name.Name] = func() *given { return fn }
			}
		case *ast.GenDecl:
			for _, v := range r.declared(d, f.top) {
				f.decls[v.name] = v.value
			}
		}
	}
	return f
}

// declaredValue is a name with how its value is found.
type declaredValue struct {
	name  string
	value func() *given
}

// declared are the names of variables and constants that a declaration declares. It notes its types.
func (r *callReader) declared(d *ast.GenDecl, s *scope) (values []declaredValue) {
	for _, spec := range d.Specs {
		switch spec := spec.(type) {
		case *ast.TypeSpec:
			s.types[spec.Name.Name] = spec.Type
		case *ast.ValueSpec:
			for i, n := range spec.Names {
				values = append(values, declaredValue{n.Name, func() *given {
					switch {
					case len(spec.Values) == len(spec.Names):
						return r.eval(spec.Values[i], s)
					case len(spec.Values) == 0 && spec.Type != nil && d.Tok == token.VAR:
						return zero(spec.Type)
					}
					return nil
				}})
			}
		}
	}
	return values
}

// ofPackage is what a name stands for at the top of the tests' files.
func (r *callReader) ofPackage(name string, from *testFile) (g *given, known bool) {
	for _, f := range r.files {
		if f.Name.Name != from.Name.Name {
			continue
		}
		if value, ok := f.decls[name]; ok {
			delete(f.decls, name)
			f.top.vars[name] = nil // while it is looked at
			f.top.vars[name] = value()
		}
		if g, ok := f.top.vars[name]; ok {
			return g, true
		}
	}
	return nil, false
}

// enter goes through a function of a test that is called with args; nil: nothing is known of them.
func (r *callReader) enter(fn *testFunc, args []*given, from *scope) {
	if r.depth >= mostDepth {
		return
	}
	r.depth++
	defer func() { r.depth-- }()
	s := fn.around.inner()
	s.fails = s.fails || from.fails
	for i, p := range flatParams(fn.params) {
		var g *given
		switch _, many := p.Type.(*ast.Ellipsis); {
		case isTester(p.Type):
			g = &given{tester: true}
		case many && args != nil:
			g = &given{whole: true}
			for n, a := range args[min(i, len(args)):] {
				g.parts = append(g.parts, part{key: &given{value: constant.MakeInt64(int64(n))}, value: a})
			}
		case i < len(args):
			g = args[i]
		}
		s.declare(p.Names[0].Name, g)
	}
	r.block(fn.body.List, s)
}

// flatParams are parameters, each with one name.
func flatParams(list *ast.FieldList) []*ast.Field {
	return flat(list, func(ast.Expr) string { return "_" })
}

// flat are fields, each with one name; unnamed names one that has none, by its type.
func flat(list *ast.FieldList, unnamed func(of ast.Expr) string) (fields []*ast.Field) {
	for _, f := range list.List {
		names := f.Names
		if len(names) == 0 {
			names = []*ast.Ident{ast.NewIdent(unnamed(f.Type))}
		}
		for _, n := range names {
			fields = append(fields, &ast.Field{Names: []*ast.Ident{n}, Type: f.Type})
		}
	}
	return fields
}

// isTester reports the type of what a test reports to: *testing.T, testing.TB and the like.
func isTester(of ast.Expr) bool {
	star, pointer := of.(*ast.StarExpr)
	if pointer {
		of = star.X
	}
	name := ""
	switch t := of.(type) {
	case *ast.Ident:
		name = t.Name
	case *ast.SelectorExpr:
		name = t.Sel.Name
	}
	return pointer && (name == "T" || name == "B" || name == "F" || name == "C") || name == "TB"
}

// look notes the calls within an expression or a simple statement.
func (r *callReader) look(n ast.Node, s *scope) {
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			r.enter(&testFunc{n.Type.Params, n.Body, s}, nil, s)
			return false
		case *ast.CallExpr:
			r.call(n, s)
		}
		return true
	})
}

// call notes a call, or follows it into a function of the tests.
func (r *callReader) call(e *ast.CallExpr, s *scope) {
	if r.steps++; r.steps > mostSteps {
		return
	}
	var to *given
	method := ""
	switch f := e.Fun.(type) {
	case *ast.Ident:
		to = r.named(f.Name, s)
	case *ast.SelectorExpr:
		if on, ok := f.X.(*ast.Ident); ok {
			if g := r.eval(on, s); g != nil && g.tester {
				if f.Sel.Name == "Run" && len(e.Args) == 2 {
					if g := r.eval(e.Args[0], s); g != nil && g.value != nil && g.value.Kind() == constant.String {
						r.names[constant.StringVal(g.value)] = true
					}
				}
				return
			}
		}
		if to = r.selected(f, s); to == nil {
			method = "." + f.Sel.Name
		}
	}
	var args []*given
	for _, a := range e.Args {
		g := r.eval(a, s)
		if g != nil && g.value != nil && g.value.Kind() == constant.String {
			r.handed[constant.StringVal(g.value)] = true
		}
		args = append(args, g)
	}
	if e.Ellipsis.IsValid() {
		args = spreadOut(args)
	}
	switch {
	case to != nil && to.fn != nil:
		r.enter(to.fn, args, s)
	case to != nil && to.own:
		r.calls = append(r.calls, testCall{to.name, args, s.fails})
	case method != "":
		r.calls = append(r.calls, testCall{method, args, s.fails})
	}
}

// spreadOut has the elements of the last argument in its place.
func spreadOut(args []*given) []*given {
	last := args[len(args)-1]
	args = args[:len(args)-1]
	if last == nil || !last.whole {
		return append(args, nil)
	}
	for _, p := range last.parts {
		args = append(args, p.value)
	}
	return args
}

// onlyNames are the texts that name tests within tests, and are handed to nothing else.
func (r *callReader) onlyNames() map[string]bool {
	maps.DeleteFunc(r.names, func(name string, _ bool) bool { return r.handed[name] })
	return r.names
}

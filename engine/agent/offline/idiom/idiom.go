// Package idiom knows rewrites that keep the meaning of a program and often
// make it faster.
//
// Its three nouns are [Rewrite] (one idiom at one place), [Edit] (bytes that are
// replaced) and the form (a function that recognises one idiom in a Go function
// by its syntax and types). [Go] lists all rewrites of a file, [Python] those of
// one in Python; each is made alone.
//
// Caveats: a rewrite is offered only where types say that it holds, as far as
// one file and its siblings tell; what imports declare is unknown, so package
// functions are known by name. Nothing here says that a rewrite pays: most do
// not, and measuring decides.
package idiom

import (
	"bytes"
	"cmp"
	"errors"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"strings"

	"atoll/engine/agent/offline/language"
)

// Edit replaces bytes Start to End by Text.
type Edit struct {
	Start, End int
	Text       string
}

// Rewrite is one idiom at one place.
type Rewrite struct {
	Name  string  // of the idiom, in words
	Func  string  // the function it is in
	Line  int     // from 1
	Loops int     // how many loops are around it
	Pays  float64 // how often its like was worth it beside others: 1 is seldom
	Edits []Edit
	Tidy  []Edit // what else goes where it may: a variable that nothing uses then

	needs []string // packages that the new text names
	plain bool     // the language has no form that all files are written in
}

// ErrBroken reports a rewrite whose result does not parse. Test with errors.Is.
var ErrBroken = errors.New("the rewrite does not parse")

// finder looks for idioms in one function after another.
type finder struct {
	function
	out []Rewrite
}

// Go lists the rewrites of a file in the order of their places. minor is that
// of the Go version of the module (1.x); newer library functions are used only
// where it has them.
func Go(f *language.GoFile, src []byte, minor int) []Rewrite {
	x := &finder{function: function{f: f, src: src, minor: minor, names: map[string]string{}}}
	for _, spec := range f.File.Imports {
		path, err := strconv.Unquote(spec.Path.Value)
		if err == nil && spec.Name == nil {
			x.names[path[strings.LastIndexByte(path, '/')+1:]] = path
		}
	}
	for _, d := range f.File.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Body == nil {
			continue
		}
		x.fn, x.stack = fn, nil
		ast.Inspect(fn, func(n ast.Node) bool {
			if n == nil {
				x.stack = x.stack[:len(x.stack)-1]
				return true
			}
			for _, form := range goForms {
				form(x, n)
			}
			x.stack = append(x.stack, n)
			return true
		})
	}
	slices.SortStableFunc(x.out, func(a, b Rewrite) int { return cmp.Compare(a.Edits[0].Start, b.Edits[0].Start) })
	return x.out
}

// goForms are the idioms of Go.
var goForms = []func(*finder, ast.Node){
	(*finder).sprintf, (*finder).sortByFunc, (*finder).builder, (*finder).grow, (*finder).writeOne, (*finder).writeConcat,
	(*finder).unroll, (*finder).unrollTable, (*finder).slab, (*finder).hoistCompiled, (*finder).hoistTable, (*finder).splitRange,
	(*finder).splitFirst, (*finder).splitParts, (*finder).fprintf, (*finder).sprintfOneOf, (*finder).overRunes, (*finder).square,
	(*finder).class, (*finder).runs, (*finder).automaton, (*finder).containsByte, (*finder).element, (*finder).appendRune, (*finder).runes, (*finder).grows, (*finder).lookup,
	(*finder).sized, (*finder).sortByMethods, (*finder).errorOf, (*finder).partsRoom, (*finder).readerOf,
	member,
	func(x *finder, n ast.Node) { characters{x}.one(n) }, func(x *finder, n ast.Node) { characters{x}.several(n) },
	func(x *finder, n ast.Node) { switching{x}.look(n) }, func(x *finder, n ast.Node) { matching{x}.look(n) },
	func(x *finder, n ast.Node) { grouping{matching{x}}.look(n) },
	func(x *finder, n ast.Node) { splitting{x}.parts(n); splitting{x}.walked(n) }, func(x *finder, n ast.Node) { splitting{x}.count(n) },
}

// pays are the idioms that paid on libraries which they were tried on one by one
// (docs/benchmarks.md), by how their names begin; all others count 1.
var pays = []struct {
	name string
	by   float64
}{
	{"a loop for an expression", 8},
	{"an expression compiled once", 8},
	{"an automaton for", 6},
	{"an automaton that finds", 7},
	{"an automaton before", 0.5},
	{"a slice of bytes for a text", 4},
	{"bytes for a slice of runes", 3},
	{"a byte for the text", 3},
	{"strconv for", 5},
	{"Grow before", 4},
	{"WriteByte for runes", 4},
	{"bytes on the stack", 4},
	{"a slice of bytes", 3},
	{"a loop over a table unrolled", 4},
	{"rows of one slab", 4},
	{"SortStableFunc", 4},
	{"SortFunc", 3},
	{"Cut for", 3},
	{"an element read once", 2},
	{"a replacer made once", 2},
	{"one look into a map", 3},
	{"a product for Pow", 2},
	{"ContainsRune", 2},
	{"comparisons for a constant set", 4},
	{"the text of a character", 2},
	{"a text of runes made on the stack", 2},
	{"a switch for a map", 4},
	{"parts of a text on the stack", 2},
	{"runes counted at once", 2},
	{"a buffer as long", 4},
}

func paysOf(name string) float64 {
	for _, p := range pays {
		if strings.HasPrefix(name, p.name) {
			return p.by
		}
	}
	return 1
}

// offer adds a rewrite at a node.
func (x *finder) offer(name string, at ast.Node, needs []string, edits ...Edit) {
	loops := 0
	for _, n := range x.stack {
		switch n.(type) {
		case *ast.ForStmt, *ast.RangeStmt:
			loops++
		}
	}
	x.out = append(x.out, Rewrite{Name: name, Func: x.fn.Name.Name, Line: x.f.Fset.Position(at.Pos()).Line, Loops: loops, Pays: paysOf(name), Edits: edits, needs: needs})
}

// tidy has the rewrite that was offered last remove a variable of the package whose
// only use it took, as far as all files of the package tell.
func (x *finder) tidy(id *ast.Ident) {
	obj := x.f.Info.Uses[id]
	uses := 0
	for _, o := range x.f.Info.Uses {
		if o == obj {
			uses++
		}
	}
	if uses != 1 || x.f.Elsewhere == nil || x.f.Elsewhere(id.Name) {
		return
	}
	g, spec := x.variable(id.Name)
	if spec == nil {
		return
	}
	from, to, doc := spec.Pos(), spec.End(), spec.Doc
	if len(g.Specs) == 1 {
		from, to, doc = g.Pos(), g.End(), g.Doc
	}
	if doc != nil {
		from = doc.Pos()
	}
	cut := language.WholeLines(x.src, x.f.Offset(from), x.f.Offset(to))
	r := &x.out[len(x.out)-1]
	r.Tidy = append(r.Tidy, Edit{cut[0], cut[1], ""})
}

// simple reports an expression whose value costs nothing and changes nothing.
func simple(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.Ident, *ast.BasicLit:
		return true
	case *ast.SelectorExpr:
		return simple(e.X)
	case *ast.ParenExpr:
		return simple(e.X)
	}
	return false
}

// assigned reports whether anything within n may change the variable named.
func assigned(n ast.Node, name string) bool {
	is := func(e ast.Expr) bool {
		for {
			switch t := e.(type) {
			case *ast.IndexExpr:
				e = t.X
			case *ast.SelectorExpr:
				e = t.X
			case *ast.ParenExpr:
				e = t.X
			case *ast.StarExpr:
				e = t.X
			case *ast.Ident:
				return t.Name == name
			default:
				return false
			}
		}
	}
	found := false
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			found = found || slices.ContainsFunc(n.Lhs, is)
		case *ast.IncDecStmt:
			found = found || is(n.X)
		case *ast.UnaryExpr:
			found = found || n.Op == token.AND && is(n.X)
		case *ast.RangeStmt:
			found = found || n.Key != nil && is(n.Key) || n.Value != nil && is(n.Value)
		}
		return !found
	})
	return found
}

// Apply makes the rewrite: its edits, the imports that it needs, and without
// those that nothing names any more. A file that was formatted stays so; of another
// the changed functions are formatted.
func (r Rewrite) Apply(src []byte) ([]byte, error) {
	edits := slices.Concat(r.Edits, r.Tidy)
	slices.SortStableFunc(edits, func(a, b Edit) int { return cmp.Compare(b.Start, a.Start) })
	out := slices.Clone(src)
	for _, e := range edits {
		out = slices.Concat(out[:e.Start], []byte(e.Text), out[e.End:])
	}
	if r.plain {
		return out, nil
	}
	out, err := mendImports(src, out, r.needs)
	if err != nil {
		return nil, err
	}
	if was, err := format.Source(src); err != nil || !bytes.Equal(was, src) {
		return formatChanged(src, out)
	}
	return format.Source(out)
}

// formatChanged formats the functions of a file that were not in it before, and
// leaves the rest as it is.
func formatChanged(src, out []byte) ([]byte, error) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "", out, parser.SkipObjectResolution)
	if err != nil {
		return nil, ErrBroken
	}
	for _, d := range slices.Backward(f.Decls) {
		fn, ok := d.(*ast.FuncDecl)
		if !ok {
			continue
		}
		from, to := fset.Position(fn.Pos()).Offset, fset.Position(fn.End()).Offset
		if bytes.Contains(src, out[from:to]) {
			continue
		}
		text, err := format.Source(out[from:to])
		if err != nil {
			return nil, ErrBroken
		}
		out = slices.Concat(out[:from], text, out[to:])
	}
	return out, nil
}

// mendImports adds imports and removes those that before named and out does
// not.
func mendImports(before, out []byte, needs []string) ([]byte, error) {
	old, err := named(before)
	if err != nil {
		return nil, err
	}
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "", out, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, ErrBroken
	}
	now, err := named(out)
	if err != nil {
		return nil, err
	}
	have := map[string]bool{}
	var edits []Edit
	for _, spec := range f.Imports {
		path, _ := strconv.Unquote(spec.Path.Value)
		have[path] = true
		name := path[strings.LastIndexByte(path, '/')+1:]
		if spec.Name != nil || !old[name] || now[name] {
			continue
		}
		at, end := fset.Position(spec.Pos()).Offset, fset.Position(spec.End()).Offset
		for _, d := range f.Decls {
			if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.IMPORT && len(g.Specs) == 1 && g.Specs[0] == ast.Spec(spec) {
				at, end = fset.Position(g.Pos()).Offset, fset.Position(g.End()).Offset
			}
		}
		cut := language.WholeLines(out, at, end)
		edits = append(edits, Edit{cut[0], cut[1], ""})
	}
	var specs []string
	for _, path := range needs {
		if !have[path] {
			have[path] = true
			specs = append(specs, strconv.Quote(path))
		}
	}
	slices.SortStableFunc(edits, func(a, b Edit) int { return cmp.Compare(b.Start, a.Start) })
	for _, e := range edits {
		out = slices.Concat(out[:e.Start], []byte(e.Text), out[e.End:])
	}
	return language.AddImports(out, specs...), nil
}

// named lists the names before a dot in a file: packages among them.
func named(src []byte) (map[string]bool, error) {
	f, err := parser.ParseFile(token.NewFileSet(), "", src, parser.SkipObjectResolution)
	if err != nil {
		return nil, ErrBroken
	}
	out := map[string]bool{}
	ast.Inspect(f, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if id, ok := s.X.(*ast.Ident); ok {
				out[id.Name] = true
			}
		}
		return true
	})
	return out, nil
}

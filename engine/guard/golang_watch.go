package guard

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path"
	"slices"
	"strconv"
	"strings"

	"atoll/store/record"
)

// The bounds of what is watched in a package: things that can happen, and comparisons whose
// sides are told.
const (
	watchSize = 1 << 14
	mostSides = 800
)

// watches reports a package whose changed code can be watched: its own, for the
// probe sees no other.
func (m *goCheck) watches(p *goPackage) bool {
	for key := range m.direct {
		if p.decls[key] != nil {
			return true
		}
	}
	return false
}

// watched are the files of a package with marks in the changed declarations and
// in those beside them: which blocks run, and how comparisons stand. Lines stay
// where they are, and nothing else changes.
func (m *goCheck) watched(v *view, p *goPackage) []record.Change {
	if !m.watches(p) {
		return nil
	}
	w := &watcher{numbers: &m.numbers, blind: m.blind, getters: getters(p), changed: m.onlyHere(p), way: m.way(p.dir)}
	var out []record.Change
	for _, name := range p.names {
		data := v.read(name)
		if text := w.file(name, data, func(key string) bool { return m.close(p.dir, key) }); text != nil {
			out = append(out, record.Change{Path: name, Mode: record.Regular, Data: text})
		}
	}
	return append(out, record.Change{Path: path.Join(p.dir, "atoll_guard_watch.go"), Mode: record.Regular, Data: fmt.Appendf(nil, watchSource, p.name, watchSize, mostSides)})
}

// close reports a function that in either version changed, mentions a changed one or a field
// that one assigns, or is mentioned by one: so that the way through both trees is told alike.
func (m *goCheck) close(dir, key string) bool {
	return m.direct[key] || m.closeIn(m.was.packages[dir], key) || m.closeIn(m.is.packages[dir], key)
}

func (m *goCheck) closeIn(p *goPackage, key string) bool {
	own := p.decls[key]
	for changed := range m.direct {
		other := p.decls[changed]
		if other == nil || own == nil {
			continue
		}
		if other.mentions[own.name] || own.mentions[other.name] || slices.ContainsFunc(other.fields, func(f string) bool { return own.mentions[f] }) {
			return true
		}
	}
	return false
}

// numbers are those of marks, by what they stand in: a block or a comparison that two trees
// have in one place of one function has one number in both.
type numbers struct{ blocks, comparisons map[string]int }

func numbered(list *map[string]int, of string) int {
	if *list == nil {
		*list = map[string]int{}
	}
	n, ok := (*list)[of]
	if !ok {
		n = len(*list) + 1
		(*list)[of] = n
	}
	return n
}

// watcher puts marks into sources.
type watcher struct {
	numbers *numbers
	blind   map[string]bool                          // lines, "file.go:12", whose comparisons do not compile with a mark
	getters map[string]bool                          // methods that only read a field
	way     func(key string) bool                    // functions whose blocks are the way that is told
	changed func(key string, e *ast.BinaryExpr) bool // a comparison that only this version has
}

// way reports the functions whose blocks tell the way through a package: those that changed, and
// all that are watched where none is a function.
func (m *goCheck) way(dir string) func(key string) bool {
	for _, p := range []*goPackage{m.was.packages[dir], m.is.packages[dir]} {
		for key := range m.direct {
			if d := p.decls[key]; d != nil {
				if _, ok := d.node.(*ast.FuncDecl); ok {
					return func(key string) bool { return m.direct[key] }
				}
			}
		}
	}
	return func(string) bool { return true }
}

// marks are the numbers of the blocks of changed functions: those that were edited, where that is known.
func (m *goCheck) marks() []int {
	if edited := m.edited(); len(edited) > 0 {
		return edited
	}
	var out []int
	for of, n := range m.numbers.blocks {
		if key, _, _ := strings.Cut(of, " "); m.direct[key] {
			out = append(out, n)
		}
	}
	slices.Sort(out)
	return out
}

// getters are the names of a package's methods that do nothing but give a field, whatever
// type of it they belong to.
func getters(p *goPackage) map[string]bool {
	out := map[string]bool{}
	for _, f := range p.files {
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Recv == nil {
				continue
			}
			before, known := out[fn.Name.Name]
			out[fn.Name.Name] = (before || !known) && gets(fn)
		}
	}
	return out
}

func gets(fn *ast.FuncDecl) bool {
	if fn.Body == nil || len(fn.Body.List) != 1 || fn.Type.Params.NumFields() > 0 {
		return false
	}
	r, ok := fn.Body.List[0].(*ast.ReturnStmt)
	if !ok || len(r.Results) != 1 {
		return false
	}
	x := r.Results[0]
	for {
		s, ok := x.(*ast.SelectorExpr)
		if !ok {
			break
		}
		x = s.X
	}
	_, ok = x.(*ast.Ident)
	return ok
}

// onlyHere reports comparisons of a package that its other version has not in the same
// declaration, or that mention what changed.
func (m *goCheck) onlyHere(p *goPackage) func(key string, e *ast.BinaryExpr) bool {
	other := m.was.packages[p.dir]
	if other == p {
		other = m.is.packages[p.dir]
	}
	there := map[string]map[string]bool{}
	for key := range m.direct {
		there[key] = map[string]bool{}
		if other == nil || other.decls[key] == nil {
			continue
		}
		ast.Inspect(other.decls[key].node, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.BinaryExpr:
				if compares(n.Op) {
					there[key][written(n)] = true
				}
			case *ast.SwitchStmt:
				for _, e := range choices(n) {
					there[key][written(e)] = true
				}
			}
			return true
		})
	}
	return func(key string, e *ast.BinaryExpr) bool {
		if m.direct[key] && !there[key][written(e)] {
			return true
		}
		for name := range mentions(e) {
			if m.direct[name] {
				return true
			}
		}
		return false
	}
}

// written is a comparison as text.
func written(e *ast.BinaryExpr) string { return types.ExprString(e) }

// mark is text that is put in before a byte.
type mark struct {
	at   int
	text string
}

// file is a source with marks, nil where nothing is marked.
func (w *watcher) file(name string, data []byte, wanted func(key string) bool) []byte {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "", data, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil || strings.Contains(string(data), "import \"C\"") {
		return nil
	}
	var marks []mark
	put := func(p token.Pos, text string) { marks = append(marks, mark{fset.PositionFor(p, false).Offset, text}) }
	for _, d := range f.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Body == nil {
			continue
		}
		key := fn.Name.Name
		if r := receiverName(fn); r != "" {
			key = r + "." + key
		}
		if wanted(key) {
			w.function(key, fn, put, func(p token.Pos) bool { return w.blind[name+":"+strconv.Itoa(fset.Position(p).Line)] })
		}
	}
	if len(marks) == 0 {
		return nil
	}
	slices.SortStableFunc(marks, func(a, b mark) int { return cmp.Compare(a.at, b.at) })
	var out []byte
	at := 0
	for _, k := range marks {
		out = append(append(out, data[at:k.at]...), k.text...)
		at = k.at
	}
	return append(out, data[at:]...)
}

// function marks the blocks and comparisons of one function.
func (w *watcher) function(key string, fn *ast.FuncDecl, put func(token.Pos, string), blind func(token.Pos) bool) {
	blocks, comparisons := 0, 0
	ran := func(p token.Pos) {
		blocks++
		mark := " atollGuardRan("
		if w.way(key) {
			mark = " atollGuardWent("
		}
		put(p, mark+strconv.Itoa(numbered(&w.numbers.blocks, key+" "+strconv.Itoa(blocks)))+"); ")
	}
	labels := map[ast.Stmt]token.Pos{}
	ast.Inspect(fn.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.LabeledStmt:
			labels[n.Stmt] = n.Pos()
		case *ast.SwitchStmt:
			if n.Init != nil || !w.harmless(n.Tag) || constantLooks(n.Tag) {
				return true
			}
			at, labeled := labels[n]
			if !labeled {
				at = n.Switch
			}
			for _, e := range choices(n) {
				comparisons++
				if !blind(n.Pos()) {
					put(at, w.look(key, comparisons, strconv.FormatBool(w.changed(key, e)), source(e.X), source(e.Y)))
				}
			}
		case *ast.BlockStmt:
			if len(n.List) == 0 || !isClause(n.List[0]) {
				ran(n.Lbrace + 1)
			}
		case *ast.CaseClause:
			ran(n.Colon + 1)
		case *ast.CommClause:
			ran(n.Colon + 1)
		case *ast.BinaryExpr:
			for _, x := range [2]ast.Expr{n.X, n.Y} {
				leaf := unnegated(x)
				if _, told := leaf.(*ast.BinaryExpr); told || n.Op != token.LAND && n.Op != token.LOR || !w.harmless(leaf) || constantLooks(leaf) {
					continue
				}
				comparisons++
				if !blind(x.Pos()) {
					put(x.Pos(), w.sides(key, comparisons, "false", source(leaf), "true"))
					put(x.End(), ")")
				}
			}
			if !compares(n.Op) || !w.harmless(n.X) || !w.harmless(n.Y) || constantLooks(n.X) && constantLooks(n.Y) {
				return true
			}
			comparisons++
			if !blind(n.Pos()) {
				put(n.Pos(), w.sides(key, comparisons, strconv.FormatBool(w.changed(key, n)), source(n.X), source(n.Y)))
				put(n.End(), ")")
			}
			return false
		}
		return true
	})
}

// mostChoices is how many values of one switch are marked.
const mostChoices = 24

// choices are the comparisons that a switch makes of its tag and values which can be asked for at any time.
func choices(n *ast.SwitchStmt) []*ast.BinaryExpr {
	var out []*ast.BinaryExpr
	if n.Tag == nil {
		return nil
	}
	for _, c := range n.Body.List {
		c, ok := c.(*ast.CaseClause)
		if !ok {
			continue
		}
		for _, x := range c.List {
			if name, isName := x.(*ast.Ident); len(out) < mostChoices && (plainLiteral(x) || isName && name.Name != "nil") {
				out = append(out, &ast.BinaryExpr{X: n.Tag, Op: token.EQL, Y: x})
			}
		}
	}
	return out
}

// plainLiteral reports a literal, also with a sign.
func plainLiteral(x ast.Expr) bool {
	if u, ok := x.(*ast.UnaryExpr); ok {
		x = u.X
	}
	_, ok := x.(*ast.BasicLit)
	return ok
}

// look is the mark before a switch, as sides is before a comparison.
func (w *watcher) look(key string, comparison int, changed, x, y string) string {
	return "_ = " + w.asked(key, comparison, changed, x, y) + "; "
}

// sides is the mark before a comparison. Where nobody asks, or it was made often in a case, its
// sides are not looked at: that takes a hundred times as long as a comparison.
func (w *watcher) sides(key string, comparison int, changed, x, y string) string {
	return "((" + w.asked(key, comparison, changed, x, y) + ") && "
}

// asked is what looks at the sides; it is true.
func (w *watcher) asked(key string, comparison int, changed, x, y string) string {
	n := strconv.Itoa(numbered(&w.numbers.comparisons, key+" "+strconv.Itoa(comparison)))
	return "atollGuardEnough(" + n + ") || atollGuardSides(" + n + ", " + changed + ", " + x + ", " + y + ")"
}

// unnegated is what a condition asks without its negation.
func unnegated(e ast.Expr) ast.Expr {
	for {
		switch x := e.(type) {
		case *ast.ParenExpr:
			e = x.X
		case *ast.UnaryExpr:
			if x.Op != token.NOT {
				return e
			}
			e = x.X
		default:
			return e
		}
	}
}

func isClause(s ast.Stmt) bool {
	switch s.(type) {
	case *ast.CaseClause, *ast.CommClause:
		return true
	}
	return false
}

func compares(op token.Token) bool {
	switch op {
	case token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ:
		return true
	}
	return false
}

// harmless reports an expression that may be evaluated twice.
func (w *watcher) harmless(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.Ident, *ast.BasicLit:
		return true
	case *ast.SelectorExpr:
		return w.harmless(e.X)
	case *ast.ParenExpr:
		return w.harmless(e.X)
	case *ast.StarExpr:
		return w.harmless(e.X)
	case *ast.UnaryExpr:
		return (e.Op == token.SUB || e.Op == token.NOT || e.Op == token.XOR) && w.harmless(e.X)
	case *ast.IndexExpr:
		return w.harmless(e.X) && w.harmless(e.Index)
	case *ast.BinaryExpr:
		return e.Op != token.LAND && e.Op != token.LOR && w.harmless(e.X) && w.harmless(e.Y)
	case *ast.CallExpr:
		if method, ok := e.Fun.(*ast.SelectorExpr); ok {
			return len(e.Args) == 0 && w.getters[method.Sel.Name] && w.harmless(method.X)
		}
		id, ok := e.Fun.(*ast.Ident)
		return ok && len(e.Args) == 1 && slices.Contains(sizes, id.Name) && w.harmless(e.Args[0])
	}
	return false
}

// sizes are calls without an effect: lengths and conversions.
var sizes = []string{"len", "cap", "int", "int8", "int16", "int32", "int64", "uint", "uint8", "uint16", "uint32", "uint64", "byte", "rune", "float64", "float32", "string"}

// constantLooks reports a literal, or nil.
func constantLooks(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.BasicLit:
		return true
	case *ast.Ident:
		return e.Name == "nil" || e.Name == "true" || e.Name == "false"
	}
	return false
}

// source writes a harmless expression in one line.
func source(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.BasicLit:
		return e.Value
	case *ast.SelectorExpr:
		return source(e.X) + "." + e.Sel.Name
	case *ast.ParenExpr:
		return "(" + source(e.X) + ")"
	case *ast.StarExpr:
		return "(*" + source(e.X) + ")"
	case *ast.UnaryExpr:
		return e.Op.String() + source(e.X)
	case *ast.IndexExpr:
		return source(e.X) + "[" + source(e.Index) + "]"
	case *ast.BinaryExpr:
		return "(" + source(e.X) + " " + e.Op.String() + " " + source(e.Y) + ")"
	case *ast.CallExpr:
		if len(e.Args) == 0 {
			return source(e.Fun) + "()"
		}
		return source(e.Fun) + "(" + source(e.Args[0]) + ")"
	}
	return ""
}

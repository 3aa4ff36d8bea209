package guard

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"slices"
	"strconv"
	"strings"

	"atoll/store/record"
)

// watchSize is how many things can happen that are watched in a package.
const watchSize = 1 << 14

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
	w := &watcher{}
	var out []record.Change
	for _, name := range p.names {
		data := v.read(name)
		if text := w.file(data, func(key string, d *ast.FuncDecl) bool { return m.close(p, key, d) }); text != nil {
			out = append(out, record.Change{Path: name, Mode: record.Regular, Data: text})
		}
	}
	return append(out, record.Change{Path: path.Join(p.dir, "atoll_guard_watch.go"), Mode: record.Regular, Data: fmt.Appendf(nil, watchSource, p.name, watchSize)})
}

// close reports a function that changed, mentions a changed one or a field that
// one assigns, or is mentioned by one.
func (m *goCheck) close(p *goPackage, key string, d *ast.FuncDecl) bool {
	if m.direct[key] {
		return true
	}
	own := p.decls[key]
	for changed := range m.direct {
		other := p.decls[changed]
		if other == nil || own == nil {
			continue
		}
		if other.mentions[d.Name.Name] || own.mentions[other.name] || slices.ContainsFunc(other.fields, func(f string) bool { return own.mentions[f] }) {
			return true
		}
	}
	return false
}

// watcher puts marks into sources.
type watcher struct {
	blocks, comparisons int
}

// mark is text that is put in before a byte.
type mark struct {
	at   int
	text string
}

// file is a source with marks, nil where nothing is marked.
func (w *watcher) file(data []byte, wanted func(key string, d *ast.FuncDecl) bool) []byte {
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
		if wanted(key, fn) {
			w.function(fn, put)
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
func (w *watcher) function(fn *ast.FuncDecl, put func(token.Pos, string)) {
	ran := func(p token.Pos) {
		w.blocks++
		put(p, " atollGuardRan("+strconv.Itoa(w.blocks)+"); ")
	}
	ast.Inspect(fn.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BlockStmt:
			if len(n.List) == 0 || !isClause(n.List[0]) {
				ran(n.Lbrace + 1)
			}
		case *ast.CaseClause:
			ran(n.Colon + 1)
		case *ast.CommClause:
			ran(n.Colon + 1)
		case *ast.BinaryExpr:
			if compares(n.Op) && harmless(n.X) && harmless(n.Y) && (!constantLooks(n.X) || !constantLooks(n.Y)) {
				w.comparisons++
				put(n.Pos(), "(atollGuardSides("+strconv.Itoa(w.comparisons)+", "+source(n.X)+", "+source(n.Y)+") && ")
				put(n.End(), ")")
				return false
			}
		}
		return true
	})
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
func harmless(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.Ident, *ast.BasicLit:
		return true
	case *ast.SelectorExpr:
		return harmless(e.X)
	case *ast.ParenExpr:
		return harmless(e.X)
	case *ast.StarExpr:
		return harmless(e.X)
	case *ast.UnaryExpr:
		return (e.Op == token.SUB || e.Op == token.NOT || e.Op == token.XOR) && harmless(e.X)
	case *ast.IndexExpr:
		return harmless(e.X) && harmless(e.Index)
	case *ast.BinaryExpr:
		return e.Op != token.LAND && e.Op != token.LOR && harmless(e.X) && harmless(e.Y)
	case *ast.CallExpr:
		id, ok := e.Fun.(*ast.Ident)
		return ok && len(e.Args) == 1 && slices.Contains(sizes, id.Name) && harmless(e.Args[0])
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
		return source(e.Fun) + "(" + source(e.Args[0]) + ")"
	}
	return ""
}

// watchSource is the file that takes the marks. It is written for any version of
// the language.
const watchSource = `package %s

import atollGuardReflect "reflect"

// AtollGuardWatch is what the case did that runs.
var AtollGuardWatch [%d]byte

func atollGuardRan(n int) { AtollGuardWatch[n%%len(AtollGuardWatch)] = 1 }

func atollGuardStands(n, how int) {
	AtollGuardWatch[(len(AtollGuardWatch)/2+8*n+how)%%len(AtollGuardWatch)] = 1
}

func atollGuardSides(n int, a, b interface{}) bool {
	x, y := atollGuardReflect.ValueOf(a), atollGuardReflect.ValueOf(b)
	if !x.IsValid() || !y.IsValid() {
		how := 0
		if x.IsValid() == y.IsValid() {
			how = 1
		}
		atollGuardStands(n, how)
		return true
	}
	if x.Kind() == atollGuardReflect.String && y.Kind() == atollGuardReflect.String {
		s, t := x.String(), y.String()
		switch {
		case s == t:
			atollGuardStands(n, 0)
		case s < t:
			atollGuardStands(n, 1)
		default:
			atollGuardStands(n, 2)
		}
		return true
	}
	f, ok := atollGuardNumber(x)
	g, ok2 := atollGuardNumber(y)
	if !ok || !ok2 {
		return true
	}
	switch d := f - g; {
	case d == 0:
		atollGuardStands(n, 0)
	case d == 1:
		atollGuardStands(n, 1)
	case d == -1:
		atollGuardStands(n, 2)
	case d > 0 && d < 1:
		atollGuardStands(n, 3)
	case d < 0 && d > -1:
		atollGuardStands(n, 4)
	case d > 0:
		atollGuardStands(n, 5)
	default:
		atollGuardStands(n, 6)
	}
	return true
}

func atollGuardNumber(v atollGuardReflect.Value) (float64, bool) {
	switch k := v.Kind(); {
	case k == atollGuardReflect.Bool:
		if v.Bool() {
			return 1, true
		}
		return 0, true
	case k >= atollGuardReflect.Int && k <= atollGuardReflect.Int64:
		return float64(v.Int()), true
	case k >= atollGuardReflect.Uint && k <= atollGuardReflect.Uintptr:
		return float64(v.Uint()), true
	case k == atollGuardReflect.Float32 || k == atollGuardReflect.Float64:
		return v.Float(), true
	}
	return 0, false
}
`

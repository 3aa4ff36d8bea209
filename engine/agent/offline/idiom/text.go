package idiom

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"strings"
)

// splitRange walks over the parts of a text without a slice of them.
func (x *finder) splitRange(n ast.Node) {
	r, ok := n.(*ast.RangeStmt)
	if !ok || x.minor < 24 || r.Value == nil {
		return
	}
	if key, blank := r.Key.(*ast.Ident); !blank || key.Name != "_" {
		return
	}
	name, c := x.call(r.X)
	with := map[string]string{"strings.Split": "SplitSeq", "strings.Fields": "FieldsSeq", "bytes.Split": "SplitSeq", "bytes.Fields": "FieldsSeq"}[name]
	if with == "" || strings.HasPrefix(name, "bytes.") {
		return // the parts of bytes may be written to while they are walked
	}
	sel := c.Fun.(*ast.SelectorExpr)
	x.offer(with+" for a slice of parts", n, nil, Edit{x.f.Offset(r.Key.Pos()), x.f.Offset(r.Value.Pos()), ""}, x.replace(sel.Sel, with))
}

// splitFirst takes the part before a separator without splitting all of it.
func (x *finder) splitFirst(n ast.Node) {
	a, ok := n.(*ast.AssignStmt)
	if !ok || len(a.Lhs) != 1 || len(a.Rhs) != 1 || x.minor < 18 || a.Tok != token.DEFINE && a.Tok != token.ASSIGN {
		return
	}
	at, ok := a.Rhs[0].(*ast.IndexExpr)
	if !ok || x.text(at.Index) != "0" {
		return
	}
	name, c := x.call(at.X)
	if name != "strings.Split" && (name != "strings.SplitN" || len(c.Args) != 3 || x.text(c.Args[2]) != "2") {
		return
	}
	if sep := x.f.Info.Types[c.Args[1]].Value; sep == nil || sep.Kind() != constant.String || constant.StringVal(sep) == "" {
		return
	}
	x.offer("Cut for Split", n, nil, x.replace(a, x.text(a.Lhs[0])+", _, _ "+a.Tok.String()+" strings.Cut("+x.text(c.Args[0])+", "+x.text(c.Args[1])+")"))
}

// splitParts takes the first two parts of a text without splitting all of it,
// where no more are looked at: p[0], p[1] and whether there are two.
func (x *finder) splitParts(n ast.Node) {
	a, ok := n.(*ast.AssignStmt)
	if !ok || len(a.Lhs) != 1 || len(a.Rhs) != 1 || x.minor < 18 || a.Tok != token.DEFINE {
		return
	}
	id, ok := a.Lhs[0].(*ast.Ident)
	name, c := x.call(a.Rhs[0])
	if !ok || name != "strings.Split" || len(c.Args) != 2 || x.f.Info.Defs[id] == nil {
		return
	}
	if sep := x.f.Info.Types[c.Args[1]].Value; sep == nil || sep.Kind() != constant.String || constant.StringVal(sep) == "" {
		return
	}
	p := parts{x: x, of: id}
	if !p.read() {
		return
	}
	first, more, second := p.names()
	if first == "" {
		return
	}
	sep := x.text(c.Args[1])
	text := first + ", " + second + ", " + more + " := strings.Cut(" + x.text(c.Args[0]) + ", " + sep + ")\n" + second + ", _, _ = strings.Cut(" + second + ", " + sep + ")\n_, _, _ = " + first + ", " + second + ", " + more
	x.offer("Cut for the parts of a text", n, nil, append(p.edits, x.replace(a, text))...)
}

// parts are the uses of a slice of two parts.
type parts struct {
	x      *finder
	of     *ast.Ident
	edits  []Edit
	looked bool // whether there are two is asked
}

// names are new ones for the first part, whether there are two, and the second.
func (p *parts) names() (first, more, second string) {
	first, more, second = p.of.Name+"First", p.of.Name+"More", p.of.Name+"Second"
	all := p.x.text(p.x.fn)
	for _, name := range []string{first, more, second} {
		if strings.Contains(all, name) || p.x.f.Pkg.Scope().Lookup(name) != nil {
			return "", "", ""
		}
	}
	return first, more, second
}

// read turns every use; false where one is of another kind.
func (p *parts) read() bool {
	x, obj := p.x, p.x.f.Info.Defs[p.of]
	first, more, second := p.of.Name+"First", p.of.Name+"More", p.of.Name+"Second"
	uses := 0
	mine := func(e ast.Expr) bool {
		id, ok := e.(*ast.Ident)
		return ok && x.f.Info.Uses[id] == obj
	}
	ast.Inspect(x.fn.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			if x.f.Info.Uses[n] == obj {
				uses++
			}
		case *ast.IndexExpr:
			if mine(n.X) && (x.text(n.Index) == "0" || x.text(n.Index) == "1") {
				uses--
				p.edits = append(p.edits, x.replace(n, map[string]string{"0": first, "1": second}[x.text(n.Index)]))
			}
		case *ast.BinaryExpr:
			c, ok := n.X.(*ast.CallExpr)
			if !ok || x.text(c.Fun) != "len" || len(c.Args) != 1 || !mine(c.Args[0]) {
				return true
			}
			if how := n.Op.String() + x.text(n.Y); how == ">1" || how == ">=2" {
				uses--
				p.looked = true
				p.edits = append(p.edits, x.replace(n, more))
			}
		}
		return true
	})
	// The second part is only there where somebody asked.
	return uses == 0 && len(p.edits) > 0 && p.looked
}

// overRunes walks over a text instead of over a slice of its runes.
func (x *finder) overRunes(n ast.Node) {
	r, ok := n.(*ast.RangeStmt)
	if !ok || r.Value == nil {
		return
	}
	if key, ok := r.Key.(*ast.Ident); !ok || key.Name != "_" {
		return
	}
	c, ok := r.X.(*ast.CallExpr)
	if !ok || len(c.Args) != 1 || x.text(c.Fun) != "[]rune" {
		return
	}
	if b := x.basic(c.Args[0]); b != nil && b.Info()&types.IsString != 0 {
		x.offer("a text walked over without a slice of runes", n, nil, x.replace(c, x.text(c.Args[0])))
	}
}

// square multiplies instead of raising to the power of two.
func (x *finder) square(n ast.Node) {
	name, c := x.call(n)
	if name != "math.Pow" || len(c.Args) != 2 || !repeatable(c.Args[0]) {
		return
	}
	if two := x.f.Info.Types[c.Args[1]].Value; two == nil || constant.Compare(constant.ToFloat(two), token.NEQ, constant.MakeFloat64(2)) {
		return
	}
	b := x.basic(c.Args[0])
	if b == nil || b.Kind() != types.Float64 {
		return
	}
	v := "(" + x.text(c.Args[0]) + ")"
	x.offer("a product for Pow", n, nil, x.replace(n, "("+v+" * "+v+")"))
}

// repeatable reports an expression that may be evaluated twice: names, their
// elements, and sums and products of them.
func repeatable(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.BinaryExpr:
		return repeatable(e.X) && repeatable(e.Y)
	case *ast.ParenExpr:
		return repeatable(e.X)
	case *ast.IndexExpr:
		return simple(e.X) && simple(e.Index)
	}
	return simple(e)
}

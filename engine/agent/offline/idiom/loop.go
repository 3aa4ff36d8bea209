package idiom

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"regexp"
	"strconv"
	"strings"
)

// maxUnrolled bounds how often a body is repeated, unrolledBytes its text.
const (
	maxUnrolled   = 16
	unrolledBytes = 400
)

// unrollable reports a body that may be repeated: nothing leaves the loop but
// by return, and nothing in it is named from outside or kept.
func (x *function) unrollable(body *ast.BlockStmt) bool {
	good := len(body.List) > 0 && body.End()-body.Pos() <= unrolledBytes
	ast.Inspect(body, func(n ast.Node) bool {
		switch n.(type) {
		case *ast.BranchStmt, *ast.LabeledStmt, *ast.FuncLit, *ast.DeferStmt, *ast.GoStmt:
			good = false
		}
		return good
	})
	_, labelled := x.parent().(*ast.LabeledStmt)
	return good && !labelled
}

// inner is the text of a block without its braces.
func (x *function) inner(b *ast.BlockStmt) string {
	return string(x.src[x.f.Offset(b.Lbrace)+1 : x.f.Offset(b.Rbrace)])
}

// unroll repeats the body of a loop with a small constant number of rounds.
func (x *finder) unroll(n ast.Node) {
	f, ok := n.(*ast.ForStmt)
	if !ok || !x.unrollable(f.Body) {
		return
	}
	init, ok := f.Init.(*ast.AssignStmt)
	if !ok || init.Tok != token.DEFINE || len(init.Lhs) != 1 {
		return
	}
	id, ok := init.Lhs[0].(*ast.Ident)
	cond, ok2 := f.Cond.(*ast.BinaryExpr)
	post, ok3 := f.Post.(*ast.IncDecStmt)
	if !ok || !ok2 || !ok3 || post.Tok != token.INC || x.text(post.X) != id.Name || x.text(cond.X) != id.Name || cond.Op != token.LSS || assigned(f.Body, id.Name) {
		return
	}
	obj := x.f.Info.Defs[id]
	from, good := whole(x.f.Info.Types[init.Rhs[0]].Value)
	to, good2 := whole(x.f.Info.Types[cond.Y].Value)
	if obj == nil || !types.Identical(obj.Type(), types.Typ[types.Int]) || !good || !good2 || to-from < 2 || to-from > maxUnrolled {
		return
	}
	var b strings.Builder
	for i := from; i < to; i++ {
		b.WriteString("{\n" + id.Name + " := " + strconv.FormatInt(i, 10) + "\n_ = " + id.Name + "\n" + x.inner(f.Body) + "\n}\n")
	}
	x.offer("a short loop unrolled", n, nil, x.replace(f, "{\n"+b.String()+"}"))
}

// whole is a constant as a whole number.
func whole(v constant.Value) (int64, bool) {
	if v == nil || v.Kind() != constant.Int {
		return 0, false
	}
	return constant.Int64Val(v)
}

// table reads a composite literal of constant basic values, written one by one.
func (x *function) table(e ast.Expr) (*ast.CompositeLit, bool) {
	lit, ok := e.(*ast.CompositeLit)
	if !ok || len(lit.Elts) == 0 {
		return nil, false
	}
	array, ok := lit.Type.(*ast.ArrayType)
	if !ok {
		return nil, false
	}
	if _, ok := x.f.Info.Types[array.Elt].Type.(*types.Basic); !ok {
		return nil, false
	}
	for _, e := range lit.Elts {
		if x.f.Info.Types[e].Value == nil {
			return nil, false
		}
	}
	return lit, true
}

// unrollTable repeats the body of a loop over a short table of constants.
func (x *finder) unrollTable(n ast.Node) {
	r, ok := n.(*ast.RangeStmt)
	if !ok || r.Tok != token.DEFINE || !x.unrollable(r.Body) {
		return
	}
	lit, ok := x.table(r.X)
	if !ok || len(lit.Elts) > maxUnrolled {
		return
	}
	array := lit.Type.(*ast.ArrayType)
	if array.Len != nil && x.text(array.Len) != "..." {
		if n, ok := whole(x.f.Info.Types[array.Len].Value); !ok || n != int64(len(lit.Elts)) {
			return
		}
	}
	var b strings.Builder
	for i, e := range lit.Elts {
		b.WriteString("{\n")
		for k, v := range []ast.Expr{r.Key, r.Value} {
			id, ok := v.(*ast.Ident)
			if !ok || id.Name == "_" {
				continue
			}
			if assigned(r.Body, id.Name) {
				return
			}
			if k == 0 {
				b.WriteString(id.Name + " := " + strconv.Itoa(i) + "\n_ = " + id.Name + "\n")
			} else {
				b.WriteString("var " + id.Name + " " + x.text(array.Elt) + " = " + x.text(e) + "\n_ = " + id.Name + "\n")
			}
		}
		b.WriteString(x.inner(r.Body) + "\n}\n")
	}
	x.offer("a loop over a table unrolled", n, nil, x.replace(r, "{\n"+b.String()+"}"))
}

// hoistTable makes a table of constants once instead of at each call.
func (x *finder) hoistTable(n ast.Node) {
	r, ok := n.(*ast.RangeStmt)
	if !ok {
		return
	}
	if lit, ok := x.table(r.X); ok {
		x.hoist("a table of constants made once", "table", lit)
	}
}

// hoist moves an expression into a variable of the package.
func (x *finder) hoist(what, name string, e ast.Expr) {
	full := x.fn.Name.Name + strings.ToUpper(name[:1]) + name[1:] + strconv.Itoa(x.f.Fset.Position(e.Pos()).Line)
	if full[0] < 'a' {
		full = strings.ToLower(full[:1]) + full[1:]
	}
	if x.f.Pkg.Scope().Lookup(full) != nil {
		return
	}
	end := x.f.Offset(x.fn.End())
	x.offer(what, e, nil, x.replace(e, full), Edit{end, end, "\n\nvar " + full + " = " + x.text(e) + "\n"})
}

// hoistCompiled compiles a constant expression or replacer once.
func (x *finder) hoistCompiled(n ast.Node) {
	name, c := x.call(n)
	if c == nil || len(c.Args) == 0 {
		return
	}
	for _, a := range c.Args {
		if _, ok := x.constantText(a); !ok || !(fixed{&x.function}).ofPackage(a) {
			return
		}
	}
	switch name {
	case "regexp.MustCompile":
		text, _ := x.constantText(c.Args[0])
		if _, err := regexp.Compile(text); err == nil {
			x.hoist("an expression compiled once", "pattern", c)
		}
	case "strings.NewReplacer":
		if len(c.Args)%2 == 0 {
			x.hoist("a replacer made once", "replacer", c)
		}
	}
}

// sortByFunc sorts by a function of two elements instead of two places.
func (x *finder) sortByFunc(n ast.Node) {
	name, c := x.call(n)
	with := map[string]string{"sort.Slice": "SortFunc", "sort.SliceStable": "SortStableFunc"}[name]
	if with == "" || len(c.Args) != 2 || !simple(c.Args[0]) || x.minor < 21 || !x.usable("slices") {
		return
	}
	less, ok := c.Args[1].(*ast.FuncLit)
	if !ok || len(less.Body.List) != 1 {
		return
	}
	ret, ok := less.Body.List[0].(*ast.ReturnStmt)
	params := paramsOf(less.Type)
	if !ok || len(ret.Results) != 1 || len(params) != 2 {
		return
	}
	tv, known := x.f.Info.Types[c.Args[0]]
	if !known || tv.Type == nil {
		return
	}
	slice, ok := tv.Type.Underlying().(*types.Slice)
	if !ok {
		return
	}
	by, ok := order{&x.function}.comparison(ret.Results[0], x.text(c.Args[0]), params, slice.Elem(), [2]string{"p", "q"})
	if !ok {
		return
	}
	x.offer(with+" of package slices", n, []string{"slices"}, x.replace(c, "slices."+with+"("+x.text(c.Args[0])+", "+by+")"))
}

// elements writes an expression over s[i] and s[j] as one over two names; ok is
// false where i, j or s stand alone, or the names are taken.
func (x *function) elements(e ast.Expr, s string, places []string, names [2]string) (string, bool) {
	base := x.f.Offset(e.Pos())
	text, ok := x.text(e), true
	var edits []Edit
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.IndexExpr:
			if x.text(n.X) != s {
				return true
			}
			for k, place := range places {
				if x.text(n.Index) == place {
					edits = append(edits, Edit{x.f.Offset(n.Pos()) - base, x.f.Offset(n.End()) - base, names[k]})
					return false
				}
			}
		case *ast.CallExpr, *ast.FuncLit:
			if c, isCall := n.(*ast.CallExpr); !isCall || !x.pure(c) {
				ok = false
			}
		case *ast.Ident:
			if n.Name == places[0] || n.Name == places[1] || n.Name == "p" || n.Name == "q" || n.Name == s {
				ok = false
			}
		}
		return ok
	})
	for i := len(edits) - 1; i >= 0; i-- {
		text = text[:edits[i].Start] + edits[i].Text + text[edits[i].End:]
	}
	return text, ok && len(edits) > 0
}

// pure reports calls that change nothing: len, and conversions.
func (x *function) pure(c *ast.CallExpr) bool {
	return x.text(c.Fun) == "len" || x.f.Info.Types[c.Fun].IsType()
}

// slab makes the rows of a table in one piece.
func (x *finder) slab(n ast.Node) {
	block, ok := n.(*ast.BlockStmt)
	if !ok {
		return
	}
	for k := range block.List {
		rows, _, _ := x.made(block.List[k], token.DEFINE)
		if rows == "" {
			continue
		}
		for _, s := range block.List[k+1:] {
			if x.slabIn(s, rows) || assigned(s, rows) || mentions(s, rows) {
				break
			}
		}
	}
}

// slabIn offers a slab where a loop begins each round by making a row.
func (x *finder) slabIn(s ast.Stmt, rows string) bool {
	key, body := x.overRows(s, rows)
	if key == "" || key == "_" || len(body.List) == 0 {
		return false
	}
	row, elem, size := x.made(body.List[0], token.ASSIGN)
	if row != rows+"["+key+"]" || !x.steady(size, body) || mentions(size, key) || assigned(body, key) {
		return false
	}
	array, ok := elem.(*ast.ArrayType)
	name := x.fresh(rows + "Slab")
	if !ok || array.Len != nil || name == "" {
		return false
	}
	at, w := x.f.Offset(s.Pos()), "("+x.text(size)+")"
	x.offer("rows of one slab", s, nil, Edit{at, at, name + " := make([]" + x.text(array.Elt) + ", len(" + rows + ")*" + w + ")\n"},
		x.replace(body.List[0], row+" = "+name+"["+key+"*"+w+":("+key+"+1)*"+w+":("+key+"+1)*"+w+"]"))
	return true
}

// overRows reads a loop that comes to each row once at most, by its place, and in
// which a place behind the last row ends in a panic.
func (x *function) overRows(s ast.Stmt, rows string) (key string, body *ast.BlockStmt) {
	switch r := s.(type) {
	case *ast.RangeStmt:
		id, ok := r.Key.(*ast.Ident)
		if ok && r.Value == nil && r.Tok == token.DEFINE && x.text(r.X) == rows {
			return id.Name, r.Body
		}
	case *ast.ForStmt:
		init, ok := r.Init.(*ast.AssignStmt)
		cond, ok2 := r.Cond.(*ast.BinaryExpr)
		post, ok3 := r.Post.(*ast.IncDecStmt)
		if !ok || !ok2 || !ok3 || init.Tok != token.DEFINE || len(init.Lhs) != 1 || x.text(init.Rhs[0]) != "0" || post.Tok != token.INC || cond.Op != token.LSS && cond.Op != token.LEQ {
			return "", nil
		}
		if name := x.text(init.Lhs[0]); x.text(cond.X) == name && x.text(post.X) == name && plain(cond.Y) {
			return name, r.Body
		}
	}
	return "", nil
}

// mentions reports whether a piece of code holds a name.
func mentions(e ast.Node, name string) bool {
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		found = found || ok && id.Name == name
		return !found
	})
	return found
}

// made reads "name := make([]T, n)".
func (x *function) made(s ast.Stmt, tok token.Token) (name string, typ, size ast.Expr) {
	a, ok := s.(*ast.AssignStmt)
	if !ok || a.Tok != tok || len(a.Lhs) != 1 || len(a.Rhs) != 1 {
		return "", nil, nil
	}
	c, ok := a.Rhs[0].(*ast.CallExpr)
	if !ok || len(c.Args) != 2 || x.text(c.Fun) != "make" {
		return "", nil, nil
	}
	return x.text(a.Lhs[0]), c.Args[0], c.Args[1]
}

// steady reports a size that is the same in every round of a loop: of names
// that the loop does not change, numbers, sums and lengths.
func (x *function) steady(size ast.Expr, body *ast.BlockStmt) bool {
	switch e := size.(type) {
	case *ast.BasicLit:
		return true
	case *ast.Ident:
		return !assigned(body, e.Name)
	case *ast.ParenExpr:
		return x.steady(e.X, body)
	case *ast.BinaryExpr:
		return e.Op == token.ADD && x.steady(e.X, body) && x.steady(e.Y, body)
	case *ast.CallExpr:
		return x.text(e.Fun) == "len" && len(e.Args) == 1 && x.steady(e.Args[0], body)
	}
	return false
}

package idiom

import (
	"go/ast"
	"go/token"
	"go/types"
)

// textOfRune reads string(r) of a rune that has a name.
func (x *function) textOfRune(e ast.Expr) (ast.Expr, bool) {
	conv, ok := e.(*ast.CallExpr)
	if !ok || len(conv.Args) != 1 || x.text(conv.Fun) != "string" || !simple(conv.Args[0]) {
		return nil, false
	}
	t := x.basic(conv.Args[0])
	return conv.Args[0], t != nil && t.Kind() == types.Int32
}

// appendRune appends a byte for the text of a rune of ASCII.
func (x *finder) appendRune(n ast.Node) {
	s, ok := n.(*ast.AssignStmt)
	if !ok || s.Tok != token.ASSIGN || len(s.Lhs) != 1 || len(s.Rhs) != 1 || !x.statement() {
		return
	}
	c, ok := s.Rhs[0].(*ast.CallExpr)
	if !ok || !c.Ellipsis.IsValid() || len(c.Args) != 2 || x.text(c.Fun) != "append" || !simple(c.Args[0]) || x.text(c.Args[0]) != x.text(s.Lhs[0]) {
		return
	}
	r, ok := x.textOfRune(c.Args[1])
	if ok && x.runeAt(r, s) != settled {
		x.offer("a byte for the text of a rune", n, nil, x.replace(s, x.appended(x.text(s.Lhs[0]), r, s)))
	}
}

// statement reports whether what is looked at is one of the statements of a block.
func (x *function) statement() bool {
	switch x.parent().(type) {
	case *ast.BlockStmt, *ast.CaseClause:
		return true
	}
	return false
}

// runes gathers text in a slice of bytes instead of in one of runes.
func (x *finder) runes(n ast.Node) {
	if !x.statement() {
		return
	}
	obj, typ := x.emptyRunes(n)
	if obj == nil {
		return
	}
	helper := x.fresh(lower(x.fn.Name.Name) + "Rune")
	if helper == "" {
		return
	}
	edits := []Edit{x.replace(typ, "[]byte")}
	known, taken := 1, false
	name := obj.Name()
	use := func(e ast.Expr) bool {
		id, ok := e.(*ast.Ident)
		return ok && x.f.Info.Uses[id] == obj
	}
	total := 1
	ast.Inspect(x.fn.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			if x.f.Info.Uses[n] == obj {
				total++
			}
		case *ast.AssignStmt:
			if len(n.Lhs) != 1 || len(n.Rhs) != 1 || n.Tok != token.ASSIGN || !use(n.Lhs[0]) {
				return true
			}
			switch r := n.Rhs[0].(type) {
			case *ast.SliceExpr: // b = b[:0]
				if use(r.X) && r.Low == nil && r.High != nil && x.text(r.High) == "0" && r.Max == nil {
					known += 2
				}
			case *ast.CallExpr:
				if x.text(r.Fun) == "append" && len(r.Args) == 2 && !r.Ellipsis.IsValid() && use(r.Args[0]) {
					known += 2
					edits = append(edits, x.replace(r.Fun, helper))
				}
			}
		case *ast.CallExpr:
			if len(n.Args) == 1 && use(n.Args[0]) && x.text(n.Fun) == "string" {
				known, taken = known+1, true
			}
		case *ast.BinaryExpr: // len(b) > 0
			if c, ok := n.X.(*ast.CallExpr); ok && x.text(c.Fun) == "len" && len(c.Args) == 1 && use(c.Args[0]) && x.text(n.Y) == "0" {
				known++
			}
		}
		return true
	})
	if known != total || !taken || len(edits) < 2 {
		return
	}
	end := x.f.Offset(x.fn.End())
	x.offer("bytes for a slice of runes", n, nil, append(edits, Edit{end, end, "\n\n// " + helper + " appends the text of a rune to " + name + ".\nfunc " + helper +
		"(to []byte, r rune) []byte {\nif uint32(r) < 0x80 {\nreturn append(to, byte(r))\n}\nreturn append(to, string(r)...)\n}\n"})...)
}

// emptyRunes reads the declaration of an empty slice of runes, and where its type
// stands.
func (x *function) emptyRunes(n ast.Node) (types.Object, ast.Expr) {
	switch d := n.(type) {
	case *ast.DeclStmt:
		g, ok := d.Decl.(*ast.GenDecl)
		if !ok || g.Tok != token.VAR || len(g.Specs) != 1 {
			return nil, nil
		}
		spec, ok := g.Specs[0].(*ast.ValueSpec)
		if !ok || len(spec.Names) != 1 || len(spec.Values) != 0 || spec.Type == nil || x.text(spec.Type) != "[]rune" {
			return nil, nil
		}
		return x.f.Info.Defs[spec.Names[0]], spec.Type
	case *ast.AssignStmt:
		if d.Tok != token.DEFINE || len(d.Lhs) != 1 || len(d.Rhs) != 1 {
			return nil, nil
		}
		id, ok := d.Lhs[0].(*ast.Ident)
		if !ok || x.f.Info.Defs[id] == nil {
			return nil, nil
		}
		switch v := d.Rhs[0].(type) {
		case *ast.CompositeLit:
			if len(v.Elts) == 0 && v.Type != nil && x.text(v.Type) == "[]rune" {
				return x.f.Info.Defs[id], v.Type
			}
		case *ast.CallExpr:
			if x.text(v.Fun) == "make" && len(v.Args) >= 2 && x.text(v.Args[0]) == "[]rune" && x.text(v.Args[1]) == "0" {
				return x.f.Info.Defs[id], v.Args[0]
			}
		}
	}
	return nil, nil
}

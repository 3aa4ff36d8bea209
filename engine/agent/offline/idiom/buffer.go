package idiom

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"
)

// buffer is a variable of the function that gathers text.
type buffer struct {
	obj  types.Object
	kind string // strings.Builder or bytes.Buffer
	decl *ast.DeclStmt
}

// bufferOf is the buffer that an expression names: declared in this function as
// "var b strings.Builder"; nil for anything else.
func (x *finder) bufferOf(e ast.Expr) *buffer {
	id, ok := e.(*ast.Ident)
	if !ok {
		return nil
	}
	obj := x.f.Info.Uses[id]
	if obj == nil {
		return nil
	}
	var found *buffer
	ast.Inspect(x.fn.Body, func(n ast.Node) bool {
		if d, ok := n.(*ast.DeclStmt); ok {
			if b := x.declared(d); b != nil && b.obj == obj {
				found = b
			}
		}
		return found == nil
	})
	return found
}

// declared reads "var b strings.Builder".
func (x *finder) declared(d *ast.DeclStmt) *buffer {
	g, ok := d.Decl.(*ast.GenDecl)
	if !ok || g.Tok != token.VAR || len(g.Specs) != 1 {
		return nil
	}
	spec, ok := g.Specs[0].(*ast.ValueSpec)
	if !ok || len(spec.Names) != 1 || spec.Type == nil || len(spec.Values) != 0 {
		return nil
	}
	kind := x.text(spec.Type)
	if kind != "strings.Builder" && kind != "bytes.Buffer" || x.names[kind[:strings.IndexByte(kind, '.')]] == "" {
		return nil
	}
	return &buffer{obj: x.f.Info.Defs[spec.Names[0]], kind: kind, decl: d}
}

// method reads b.name(args) of a buffer.
func (x *finder) method(n ast.Node) (*buffer, string, *ast.CallExpr) {
	c, ok := n.(*ast.CallExpr)
	if !ok {
		return nil, "", nil
	}
	sel, ok := c.Fun.(*ast.SelectorExpr)
	if !ok {
		return nil, "", nil
	}
	b := x.bufferOf(sel.X)
	if b == nil {
		return nil, "", nil
	}
	return b, sel.Sel.Name, c
}

// builder gathers text in a slice of bytes instead of in a strings.Builder.
func (x *finder) builder(n ast.Node) {
	d, ok := n.(*ast.DeclStmt)
	if !ok {
		return
	}
	b := x.declared(d)
	if b == nil || b.kind != "strings.Builder" {
		return
	}
	uses, good := 0, true
	var edits []Edit
	var needs []string
	ast.Inspect(x.fn.Body, func(n ast.Node) bool {
		switch s := n.(type) {
		case *ast.Ident:
			if x.f.Info.Uses[s] == b.obj {
				uses++
			}
		case *ast.FuncLit:
			good = false
		case *ast.ExprStmt, *ast.CallExpr:
			text, arg := x.inBytes(b, s)
			if text == "" {
				return true
			}
			edits = append(edits, x.replace(s, text))
			good = good && !strings.Contains(arg, b.obj.Name()+".")
			if strings.HasPrefix(text, b.obj.Name()+" = utf8.") {
				needs = []string{"unicode/utf8"}
			}
		}
		return true
	})
	if !good || uses != len(edits) || uses < 2 || len(needs) > 0 && (x.minor < 18 || !x.usable("unicode/utf8")) {
		return
	}
	x.offer("a slice of bytes for a Builder", n, needs, slices.Insert(edits, 0, x.replace(d, "var "+b.obj.Name()+" []byte"))...)
}

// inBytes is what a use of a Builder becomes when the text is in a slice of
// bytes of the same name, with the argument in it; "" for what is no such use.
func (x *finder) inBytes(b *buffer, n ast.Node) (text, arg string) {
	want := 0
	if s, ok := n.(*ast.ExprStmt); ok {
		n, want = s.X, 1
	}
	of, method, c := x.method(n)
	if of == nil || of.obj != b.obj || len(c.Args) != want {
		return "", ""
	}
	name := b.obj.Name()
	if want == 0 {
		return map[string]string{"String": "string(" + name + ")", "Len": "len(" + name + ")"}[method], ""
	}
	arg = x.text(c.Args[0])
	switch method {
	case "WriteString":
		return name + " = append(" + name + ", " + arg + "...)", arg
	case "WriteByte":
		return name + " = append(" + name + ", " + arg + ")", arg
	case "WriteRune":
		return name + " = utf8.AppendRune(" + name + ", " + arg + ")", arg
	case "Grow":
		return name + " = append(make([]byte, 0, len(" + name + ")+" + arg + "), " + name + "...)", arg
	}
	return "", ""
}

// grow gives a buffer the size of the text that the function reads.
func (x *finder) grow(n ast.Node) {
	d, ok := n.(*ast.DeclStmt)
	if !ok {
		return
	}
	b := x.declared(d)
	if b == nil {
		return
	}
	grown := false
	ast.Inspect(x.fn.Body, func(n ast.Node) bool {
		of, method, _ := x.method(n)
		grown = grown || of != nil && of.obj == b.obj && method == "Grow"
		return !grown
	})
	if grown || x.fn.Type.Params == nil {
		return
	}
	for _, field := range x.fn.Type.Params.List {
		kind := x.text(field.Type)
		if kind != "string" && kind != "[]byte" || len(field.Names) == 0 || field.Names[0].Name == "_" {
			continue
		}
		end := x.f.Offset(d.End())
		x.offer("Grow before writing", n, nil, Edit{end, end, "\n" + b.obj.Name() + ".Grow(len(" + field.Names[0].Name + "))"})
		return
	}
}

// writeOne writes a byte for a text or rune of one byte, and a rune for the
// text of a rune.
func (x *finder) writeOne(n ast.Node) {
	s, ok := n.(*ast.ExprStmt)
	if !ok {
		return
	}
	b, method, c := x.method(s.X)
	if b == nil || len(c.Args) != 1 {
		return
	}
	sel := c.Fun.(*ast.SelectorExpr)
	lit, ok := c.Args[0].(*ast.BasicLit)
	switch {
	case ok && method == "WriteString" && lit.Kind == token.STRING:
		if v, err := strconv.Unquote(lit.Value); err == nil && len(v) == 1 && v[0] < 0x80 {
			x.offer("WriteByte for a text of one byte", n, nil, x.replace(sel.Sel, "WriteByte"), x.replace(lit, strconv.QuoteRune(rune(v[0]))))
		}
	case ok && method == "WriteRune" && lit.Kind == token.CHAR:
		if v, _, _, err := strconv.UnquoteChar(lit.Value[1:len(lit.Value)-1], '\''); err == nil && v < 0x80 {
			x.offer("WriteByte for a rune of one byte", n, nil, x.replace(sel.Sel, "WriteByte"))
		}
	case method == "WriteRune" && x.basic(c.Args[0]) != nil && x.basic(c.Args[0]).Kind() == types.Int32 && simple(c.Args[0]):
		v, to := x.text(c.Args[0]), x.text(sel.X)
		x.offer("WriteByte for runes of ASCII", n, nil, x.replace(s, "if "+v+" >= 0 && "+v+" < 0x80 {\n"+to+".WriteByte(byte("+v+"))\n} else {\n"+x.text(s)+"\n}"))
	case method == "WriteString":
		conv, ok := c.Args[0].(*ast.CallExpr)
		if !ok || x.text(conv.Fun) != "string" || len(conv.Args) != 1 {
			return
		}
		if t := x.basic(conv.Args[0]); t != nil && t.Kind() == types.Int32 {
			x.offer("WriteRune for the text of a rune", n, nil, x.replace(sel.Sel, "WriteRune"), x.replace(conv, x.text(conv.Args[0])))
		}
	}
}

// writeConcat writes the parts of a sum one after the other.
func (x *finder) writeConcat(n ast.Node) {
	s, ok := n.(*ast.ExprStmt)
	if !ok {
		return
	}
	b, method, c := x.method(s.X)
	if b == nil || method != "WriteString" || len(c.Args) != 1 {
		return
	}
	sum, ok := c.Args[0].(*ast.BinaryExpr)
	if !ok || sum.Op != token.ADD || x.f.Info.Types[sum].Value != nil {
		return
	}
	var parts []ast.Expr
	var flat func(e ast.Expr) bool
	flat = func(e ast.Expr) bool {
		if s, ok := e.(*ast.BinaryExpr); ok && s.Op == token.ADD {
			return flat(s.X) && flat(s.Y)
		}
		parts = append(parts, e)
		return simple(e)
	}
	if !flat(sum) {
		return
	}
	var lines []string
	for _, p := range parts {
		lines = append(lines, b.obj.Name()+".WriteString("+x.text(p)+")")
	}
	x.offer("parts written one by one", n, nil, x.replace(s, strings.Join(lines, "\n")))
}

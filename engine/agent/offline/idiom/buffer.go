package idiom

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// buffer is a variable of the function that gathers text.
type buffer struct {
	obj   types.Object
	kind  string   // strings.Builder or bytes.Buffer
	decl  ast.Stmt // that declares it, empty
	short bool     // declared by ":="
}

// bufferOf is the buffer that an expression names: declared in this function,
// empty; nil for anything else.
func (x *function) bufferOf(e ast.Expr) *buffer {
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
		if b := x.declared(n); b != nil && b.obj == obj {
			found = b
		}
		return found == nil
	})
	return found
}

// declared reads the declaration of an empty buffer: "var b strings.Builder",
// "b := strings.Builder{}", "b := &bytes.Buffer{}", "b := new(bytes.Buffer)".
func (x *function) declared(n ast.Node) *buffer {
	switch d := n.(type) {
	case *ast.DeclStmt:
		g, ok := d.Decl.(*ast.GenDecl)
		if !ok || g.Tok != token.VAR || len(g.Specs) != 1 {
			return nil
		}
		spec, ok := g.Specs[0].(*ast.ValueSpec)
		if !ok || len(spec.Names) != 1 || spec.Type == nil || len(spec.Values) != 0 || !x.isBuffer(spec.Type) {
			return nil
		}
		return &buffer{obj: x.f.Info.Defs[spec.Names[0]], kind: x.text(spec.Type), decl: d}
	case *ast.AssignStmt:
		if d.Tok != token.DEFINE || len(d.Lhs) != 1 || len(d.Rhs) != 1 {
			return nil
		}
		id, ok := d.Lhs[0].(*ast.Ident)
		if ok && x.newBuffer(d.Rhs[0]) && x.f.Info.Defs[id] != nil {
			return &buffer{obj: x.f.Info.Defs[id], kind: "bytes.Buffer", decl: d, short: true}
		}
		t := emptyOf(d.Rhs[0])
		if !ok || t == nil || !x.isBuffer(t) || x.f.Info.Defs[id] == nil {
			return nil
		}
		return &buffer{obj: x.f.Info.Defs[id], kind: x.text(t), decl: d, short: true}
	}
	return nil
}

// newBuffer reports bytes.NewBufferString("") and bytes.NewBuffer(nil).
func (x *function) newBuffer(e ast.Expr) bool {
	name, c := x.call(e)
	return name == "bytes.NewBufferString" && x.text(c.Args[0]) == `""` || name == "bytes.NewBuffer" && x.text(c.Args[0]) == "nil"
}

// isBuffer reports a type of the standard library that gathers text.
func (x *function) isBuffer(t ast.Expr) bool {
	kind := x.text(t)
	pkg, _, _ := strings.Cut(kind, ".")
	return (kind == "strings.Builder" || kind == "bytes.Buffer") && x.names[pkg] == pkg
}

// emptyOf is the type of T{}, &T{} and new(T); nil for all else.
func emptyOf(e ast.Expr) ast.Expr {
	if u, ok := e.(*ast.UnaryExpr); ok && u.Op == token.AND {
		e = u.X
	}
	switch e := e.(type) {
	case *ast.CompositeLit:
		if len(e.Elts) == 0 {
			return e.Type
		}
	case *ast.CallExpr:
		if id, ok := e.Fun.(*ast.Ident); ok && id.Name == "new" && len(e.Args) == 1 {
			return e.Args[0]
		}
	}
	return nil
}

// method reads b.name(args) of a buffer.
func (x *function) method(n ast.Node) (*buffer, string, *ast.CallExpr) {
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

// onStack is how many bytes a buffer of bytes begins with where it may lie on
// the stack.
const onStack = 64

// builder gathers text in a slice of bytes instead of in a buffer.
func (x *finder) builder(n ast.Node) {
	b := x.declared(n)
	if b == nil {
		return
	}
	inBytes := asBytes{x: x, b: b, name: b.obj.Name()}
	uses := 0
	ast.Inspect(x.fn.Body, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && x.f.Info.Uses[id] == b.obj {
			uses++
		}
		inBytes.look(n)
		return true
	})
	if inBytes.refused || uses != inBytes.known || uses < 2 || !inBytes.text {
		return
	}
	empty := "var " + inBytes.name + " []byte"
	if b.short {
		empty = inBytes.name + " := []byte(nil)"
	}
	x.offer("a slice of bytes for a "+b.kind[strings.IndexByte(b.kind, '.')+1:], n, inBytes.needs, slices.Concat(inBytes.edits, []Edit{x.replace(b.decl, empty)})...)
	small := inBytes.name + " := make([]byte, 0, " + strconv.Itoa(onStack) + ")"
	x.offer("bytes on the stack for a "+b.kind[strings.IndexByte(b.kind, '.')+1:], n, inBytes.needs, slices.Concat(inBytes.edits, []Edit{x.replace(b.decl, small)})...)
}

// asBytes turns the uses of a buffer into those of a slice of bytes.
type asBytes struct {
	x       *finder
	b       *buffer
	name    string
	edits   []Edit
	needs   []string // packages that the new text names
	known   int      // uses that were turned
	text    bool     // its text is taken
	refused bool
}

// look turns one use. The arguments stay as they are, for they may use the
// buffer too.
func (a *asBytes) look(n ast.Node) {
	switch s := n.(type) {
	case *ast.FuncLit:
		a.refused = true
	case *ast.ExprStmt:
		if of, method, c := a.x.method(s.X); of != nil && of.obj == a.b.obj && len(c.Args) == 1 {
			a.write(s, method, c.Args[0])
		}
	case *ast.CallExpr:
		of, method, c := a.x.method(s)
		if of == nil || of.obj != a.b.obj || len(c.Args) != 0 {
			return
		}
		switch method {
		case "String":
			a.text = true
			a.turn(a.x.replace(s, "string("+a.name+")"))
		case "Len":
			a.turn(a.x.replace(s, "len("+a.name+")"))
		}
	}
}

func (a *asBytes) turn(edits ...Edit) {
	a.known++
	a.edits = append(a.edits, edits...)
}

// around puts text before and behind an argument in the place of a statement.
func (a *asBytes) around(s ast.Stmt, arg ast.Expr, before, behind string) {
	f := a.x.f
	a.turn(Edit{f.Offset(s.Pos()), f.Offset(arg.Pos()), before}, Edit{f.Offset(arg.End()), f.Offset(s.End()), behind})
}

// write turns a call that writes.
func (a *asBytes) write(s *ast.ExprStmt, method string, arg ast.Expr) {
	name, add := a.name, a.name+" = append("+a.name+", "
	switch method {
	case "WriteString", "Write":
		if lit, ok := arg.(*ast.CompositeLit); ok && method == "Write" && a.x.text(lit.Type) == "[]byte" && len(lit.Elts) > 0 {
			if _, keyed := lit.Elts[0].(*ast.KeyValueExpr); !keyed {
				f := a.x.f
				a.turn(Edit{f.Offset(s.Pos()), f.Offset(lit.Lbrace) + 1, add}, Edit{f.Offset(lit.Rbrace), f.Offset(s.End()), ")"})
				return
			}
		}
		a.around(s, arg, add, "...)")
	case "WriteByte":
		a.around(s, arg, add, ")")
	case "WriteRune":
		a.rune(s, arg, add)
	case "Truncate":
		a.around(s, arg, name+" = "+name+"[:", "]")
	case "Grow":
		if simpleSize(arg) {
			size := a.x.text(arg)
			a.turn(a.x.replace(s, "if cap("+name+")-len("+name+") < "+size+" {\n"+name+" = append(make([]byte, 0, len("+name+")+"+size+"), "+name+"...)\n}"))
		}
	}
}

// rune turns a written rune: one of ASCII is a byte.
func (a *asBytes) rune(s *ast.ExprStmt, arg ast.Expr, add string) {
	if lit, ok := arg.(*ast.BasicLit); ok && lit.Kind == token.CHAR {
		if r, _, _, err := strconv.UnquoteChar(lit.Value[1:len(lit.Value)-1], '\''); err == nil && r < utf8.RuneSelf {
			a.around(s, arg, add, ")")
			return
		}
	}
	if t := a.x.basic(arg); simple(arg) && t != nil && t.Kind() == types.Int32 {
		a.turn(a.x.replace(s, a.x.appended(a.name, arg, s)))
		return
	}
	if a.x.minor >= 18 && a.x.usable("unicode/utf8") { // what is computed is computed once
		a.needs = []string{"unicode/utf8"}
		a.around(s, arg, a.name+" = utf8.AppendRune("+a.name+", ", ")")
		return
	}
	held := "written"
	if a.name == held {
		held += "Rune"
	}
	a.around(s, arg, "{\n"+held+" := rune(", ")\nif uint32("+held+") < 0x80 {\n"+add+"byte("+held+"))\n} else {\n"+add+"string("+held+")...)\n}\n}")
}

// simpleSize reports a size that may be written twice.
func simpleSize(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.BinaryExpr:
		return simpleSize(e.X) && simpleSize(e.Y)
	case *ast.CallExpr:
		id, ok := e.Fun.(*ast.Ident)
		return ok && (id.Name == "len" || id.Name == "max" || id.Name == "min") && !slices.ContainsFunc(e.Args, func(a ast.Expr) bool { return !simpleSize(a) })
	case *ast.ParenExpr:
		return simpleSize(e.X)
	}
	return simple(e)
}

// grow gives a buffer the size of the text that the function reads.
func (x *finder) grow(n ast.Node) {
	b := x.declared(n)
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
		end := x.f.Offset(b.decl.End())
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
		text := to + ".WriteByte(byte(" + v + "))"
		switch x.runeAt(c.Args[0], s) {
		case settled:
			return
		case open:
			text = "if " + v + " >= 0 && " + v + " < 0x80 {\n" + text + "\n} else {\n" + x.text(s) + "\n}"
		}
		x.offer("WriteByte for runes of ASCII", n, nil, x.replace(s, text))
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

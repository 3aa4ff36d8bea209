package idiom

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"strconv"
	"strings"
)

// sprintf writes a value by strconv instead of by a format.
func (x *finder) sprintf(n ast.Node) {
	name, c := x.call(n)
	if name != "fmt.Sprintf" || !x.usable("strconv") {
		return
	}
	if text, needs, ok := x.formatted(c.Args); ok {
		x.offer("strconv for Sprintf", n, needs, x.replace(n, text))
	}
}

// fprintf writes into a builder without a format.
func (x *finder) fprintf(n ast.Node) {
	name, c := x.call(n)
	if _, statement := x.parent().(*ast.ExprStmt); name != "fmt.Fprintf" || !statement || len(c.Args) < 2 || !x.usable("strconv") {
		return
	}
	to, ok := c.Args[0].(*ast.UnaryExpr)
	if !ok || to.Op != token.AND || x.bufferOf(to.X) == nil {
		return
	}
	if text, needs, ok := x.formatted(c.Args[1:]); ok {
		x.offer("WriteString for Fprintf", n, needs, x.replace(n, x.text(to.X)+".WriteString("+text+")"))
	}
}

// formatted is what a constant format with plain verbs makes of its arguments,
// as an expression.
func (x *finder) formatted(args []ast.Expr) (text string, needs []string, ok bool) {
	if len(args) == 0 {
		return "", nil, false
	}
	tv := x.f.Info.Types[args[0]]
	if tv.Value == nil || tv.Value.Kind() != constant.String {
		return "", nil, false
	}
	rest, args := constant.StringVal(tv.Value), args[1:]
	var parts []string
	for rest != "" {
		i := strings.IndexByte(rest, '%')
		if i < 0 {
			parts, rest = append(parts, strconv.Quote(rest)), ""
			break
		}
		if i > 0 {
			parts = append(parts, strconv.Quote(rest[:i]))
		}
		if i+1 >= len(rest) || len(args) == 0 {
			return "", nil, false
		}
		part, pkg, good := x.verb(rest[i+1], args[0])
		if !good {
			return "", nil, false
		}
		if pkg != "" {
			needs = append(needs, pkg)
		}
		parts, rest, args = append(parts, part), rest[i+2:], args[1:]
	}
	if len(args) > 0 || len(parts) == 0 || len(parts) > 6 {
		return "", nil, false
	}
	if text = strings.Join(parts, " + "); len(parts) > 1 {
		text = "(" + text + ")"
	}
	return text, needs, true
}

// verb is one verb with its argument, whose type is basic and has no methods.
func (x *finder) verb(verb byte, arg ast.Expr) (text, needs string, ok bool) {
	b := x.basic(arg)
	if b == nil {
		return "", "", false
	}
	s := x.text(arg)
	integer := func(base string) (string, string, bool) {
		switch {
		case b.Kind() == types.Int && base == "10":
			return "strconv.Itoa(" + s + ")", "strconv", true
		case b.Info()&types.IsUnsigned != 0:
			return "strconv.FormatUint(uint64(" + s + "), " + base + ")", "strconv", true
		}
		return "strconv.FormatInt(int64(" + s + "), " + base + ")", "strconv", true
	}
	switch info := b.Info(); {
	case info&types.IsString != 0 && (verb == 's' || verb == 'v'):
		if !simple(arg) {
			s = "(" + s + ")"
		}
		return s, "", true
	case info&types.IsString != 0 && verb == 'q':
		return "strconv.Quote(" + s + ")", "strconv", true
	case info&types.IsInteger != 0 && (verb == 'd' || verb == 'v'):
		return integer("10")
	case info&types.IsInteger != 0 && verb == 'x':
		return integer("16")
	case info&types.IsBoolean != 0 && (verb == 't' || verb == 'v'):
		return "strconv.FormatBool(" + s + ")", "strconv", true
	}
	return "", "", false
}

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

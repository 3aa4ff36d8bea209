package idiom

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"
)

// piece is a part of a format: text, or a verb.
type piece struct {
	text      string
	verb      byte
	precision string // an expression; "" = none is written
}

// pieces reads a format of plain verbs, and %f with a precision.
func pieces(format string) ([]piece, bool) {
	var out []piece
	var text strings.Builder
	flush := func() {
		if text.Len() > 0 {
			out = append(out, piece{text: text.String()})
			text.Reset()
		}
	}
	for i := 0; i < len(format); i++ {
		if format[i] != '%' {
			text.WriteByte(format[i])
			continue
		}
		if i++; i >= len(format) {
			return nil, false
		}
		if format[i] == '%' {
			text.WriteByte('%')
			continue
		}
		p := piece{}
		if format[i] == '.' {
			from := i + 1
			for i++; i < len(format) && '0' <= format[i] && format[i] <= '9'; i++ {
			}
			if i == len(format) || i == from || i > from+2 || format[i] != 'f' {
				return nil, false
			}
			p.precision = format[from:i]
		}
		p.verb = format[i]
		flush()
		out = append(out, p)
	}
	flush()
	return out, true
}

// formats reads a format with its arguments and writes what comes out without it.
type formats struct{ *function }

// format reads the format of a call: a constant, a variable that holds one, or
// a variable that holds a format made by another. drop takes variables away
// that nothing uses any more.
func (x formats) format(e ast.Expr) (list []piece, drop []Edit, ok bool) {
	if text, ok := x.constantText(e); ok {
		list, ok = pieces(text)
		return list, nil, ok
	}
	value, drop, ok := x.only(e)
	if !ok {
		return nil, nil, false
	}
	if text, ok := x.constantText(value); ok {
		list, ok = pieces(text)
		return list, drop, ok
	}
	name, c := x.call(value)
	if name != "fmt.Sprintf" || len(c.Args) == 0 {
		return nil, nil, false
	}
	outer, isConst := x.constantText(c.Args[0])
	if !isConst {
		v, more, ok := x.only(c.Args[0])
		if !ok {
			return nil, nil, false
		}
		if outer, isConst = x.constantText(v); !isConst {
			return nil, nil, false
		}
		drop = append(drop, more...)
	}
	list, ok = x.formatOfFormat(outer, c.Args[1:], c)
	return list, drop, ok
}

// only is the one value of a variable that is used once, with the edits that
// take its declaration away.
func (x formats) only(e ast.Expr) (value ast.Expr, drop []Edit, ok bool) {
	id, isName := e.(*ast.Ident)
	if !isName {
		return nil, nil, false
	}
	obj := x.f.Info.Uses[id]
	values, whole := x.values(obj)
	if !whole || len(values) != 1 {
		return nil, nil, false
	}
	uses := 0
	ast.Inspect(x.fn.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			if x.f.Info.Uses[n] == obj {
				uses++
			}
		case *ast.AssignStmt:
			if len(n.Lhs) == 1 && len(n.Rhs) == 1 && n.Rhs[0] == values[0] && n.Tok == token.DEFINE {
				drop = []Edit{x.replace(n, "")}
			}
		}
		return true
	})
	return values[0], drop, uses == 1 && len(drop) == 1
}

// formatOfFormat is the format that a format with "%%.%df" makes of numbers that
// are not negative and do not change any more.
func (x formats) formatOfFormat(outer string, args []ast.Expr, at ast.Node) ([]piece, bool) {
	const mark = "\x00"
	var numbers []string
	inner := ""
	for outer != "" {
		i := strings.IndexByte(outer, '%')
		if i < 0 || i+1 >= len(outer) {
			if i >= 0 {
				return nil, false
			}
			inner += outer
			break
		}
		inner += outer[:i]
		switch outer[i+1] {
		case '%':
			inner += "%"
		case 'd':
			if len(args) == 0 || !x.count(args[0], at) {
				return nil, false
			}
			numbers = append(numbers, x.text(args[0]))
			inner += mark
			args = args[1:]
		default:
			return nil, false
		}
		outer = outer[i+2:]
	}
	if len(args) > 0 || len(numbers) != strings.Count(inner, "%."+mark+"f") || len(numbers) == 0 {
		return nil, false
	}
	list, ok := pieces(strings.ReplaceAll(inner, mark, "0"))
	for i := range list {
		if list[i].precision == "0" && len(numbers) > 0 {
			list[i].precision, numbers = numbers[0], numbers[1:]
		}
	}
	return list, ok && len(numbers) == 0
}

// count reports a local number that is never negative and that nothing after a
// place changes.
func (x formats) count(e ast.Expr, at ast.Node) bool {
	id, ok := e.(*ast.Ident)
	b := x.basic(e)
	if !ok || b == nil || b.Kind() != types.Int {
		return false
	}
	values, whole := x.values(x.f.Info.Uses[id])
	if !whole {
		return false
	}
	for _, v := range values {
		if v.Pos() > at.Pos() || !x.positive(v) {
			return false
		}
	}
	return true
}

// positive reports a value that is 0 or more by its form.
func (x formats) positive(e ast.Expr) bool {
	if v, ok := whole(x.f.Info.Types[e].Value); ok {
		return v >= 0
	}
	c, ok := e.(*ast.CallExpr)
	if !ok {
		return false
	}
	switch id, _ := c.Fun.(*ast.Ident); {
	case id == nil:
		return false
	case id.Name == "len":
		return true
	case id.Name == "max":
		return slices.ContainsFunc(c.Args, x.positive)
	}
	return false
}

// formatted is what a format makes of its arguments, as an expression.
func (x formats) formatted(list []piece, args []ast.Expr) (text string, needs []string, ok bool) {
	var out []string
	for _, p := range list {
		if p.verb == 0 {
			out = append(out, strconv.Quote(p.text))
			continue
		}
		if len(args) == 0 {
			return "", nil, false
		}
		part, pkg, good := x.verb(p, args[0])
		if !good {
			return "", nil, false
		}
		if pkg != "" {
			needs = append(needs, pkg)
		}
		out, args = append(out, part), args[1:]
	}
	if len(args) > 0 || len(out) == 0 || len(out) > 6 {
		return "", nil, false
	}
	if text = strings.Join(out, " + "); len(out) > 1 {
		text = "(" + text + ")"
	}
	return text, needs, true
}

// verb is one verb with its argument, whose type is basic and has no methods.
func (x formats) verb(p piece, arg ast.Expr) (text, needs string, ok bool) {
	b := x.basic(arg)
	s := x.text(arg)
	if b == nil {
		if b = x.named(arg, p.verb); b == nil {
			return "", "", false
		}
		s = b.Name() + "(" + s + ")"
	}
	if p.verb == 'f' {
		return x.float(p, b, s)
	}
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
	case p.precision != "":
		return "", "", false
	case info&types.IsString != 0 && (p.verb == 's' || p.verb == 'v'):
		if !simple(arg) {
			s = "(" + s + ")"
		}
		return s, "", true
	case info&types.IsString != 0 && p.verb == 'q':
		return "strconv.Quote(" + s + ")", "strconv", true
	case info&types.IsInteger != 0 && (p.verb == 'd' || p.verb == 'v'):
		return integer("10")
	case info&types.IsInteger != 0 && p.verb == 'x':
		return integer("16")
	case info&types.IsBoolean != 0 && (p.verb == 't' || p.verb == 'v'):
		return "strconv.FormatBool(" + s + ")", "strconv", true
	}
	return "", "", false
}

// named is the basic type below the type of an argument with a name of its own,
// which no method of it makes fmt write in another way; nil for all others.
func (x formats) named(arg ast.Expr, verb byte) *types.Basic {
	tv, ok := x.f.Info.Types[arg]
	if !ok || tv.Type == nil || tv.Value != nil {
		return nil
	}
	t, ok := types.Unalias(tv.Type).(*types.Named)
	if !ok || t.Obj().Pkg() != x.f.Pkg || x.f.Partial {
		return nil
	}
	b, ok := t.Underlying().(*types.Basic)
	if !ok || b.Kind() == types.Invalid {
		return nil
	}
	methods := []string{"Format"}
	if strings.IndexByte("svxXq", verb) >= 0 {
		methods = append(methods, "Error", "String")
	}
	for _, m := range methods {
		if types.NewMethodSet(t).Lookup(x.f.Pkg, m) != nil {
			return nil
		}
	}
	return b
}

// float writes %f, which is six digits without a precision.
func (x formats) float(p piece, b *types.Basic, s string) (text, needs string, ok bool) {
	digits := p.precision
	if digits == "" {
		digits = "6"
	}
	switch b.Kind() {
	case types.Float64:
		return "strconv.FormatFloat(" + s + ", 'f', " + digits + ", 64)", "strconv", true
	case types.Float32:
		return "strconv.FormatFloat(float64(" + s + "), 'f', " + digits + ", 32)", "strconv", true
	}
	return "", "", false
}

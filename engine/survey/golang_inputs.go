package survey

import (
	"fmt"
	"go/ast"
	"go/constant"
	"slices"
	"strconv"
	"strings"
)

// inputs are what a function is called with in its benchmark: rows of arguments, each of one call of a test.
type inputs struct {
	name    string // of the list in the benchmark's file
	columns []column
	rows    [][]string // in Go, by column
}

// column is an argument that rows hold.
type column struct {
	param int
	name  string // of the field
	typ   string // of the field
	kind  string
	many  bool // it is what a variadic parameter takes
}

// parameter is how a function takes an argument.
type parameter struct {
	name, typ string
	many      bool // it is variadic
}

// Bounds of the rows of a function.
const (
	leastRows   = 3 // below them the texts of all tests are taken
	mostRows    = 24
	failingPart = 8 // one of so many may fail, as its test says
	longestText = 1000
)

// parametersOf are the parameters of a function, as they are written.
func parametersOf(fn *ast.FuncDecl) (list []parameter) {
	for _, f := range flatParams(fn.Type.Params) {
		of, many := f.Type, false
		if e, ok := of.(*ast.Ellipsis); ok {
			of, many = e.Elt, true
		}
		typ, _ := typeName(of)
		if a, ok := of.(*ast.ArrayType); ok {
			elem, _ := typeName(a.Elt)
			typ = "[]" + elem
		}
		list = append(list, parameter{f.Names[0].Name, typ, many})
	}
	return list
}

// row is a call of a test.
type row struct {
	cells []string // in Go
	size  int      // of its texts and lists
	fails bool
}

// inputsOf are the inputs that the tests have for a function; nil where they have too few. of is its name, that of
// a method behind a dot, and kinds are those of its parameters. Where it does not return an error none of the rows
// may fail: it could panic.
func (p *goPackage) inputsOf(name, of string, kinds []string, takes []parameter, returnsError bool) *inputs {
	in := &inputs{name: "atoll" + name + "Inputs", columns: columnsOf(kinds, takes)}
	if len(in.columns) == 0 {
		return nil
	}
	var rows []row
	for _, c := range p.calls {
		if c.of != of || !fits(len(c.args), len(kinds), takes) {
			continue
		}
		r, ok := in.row(c)
		if !ok {
			continue
		}
		at := slices.IndexFunc(rows, func(o row) bool { return slices.Equal(o.cells, r.cells) })
		if at < 0 {
			rows = append(rows, r)
		} else {
			rows[at].fails = rows[at].fails && r.fails
		}
	}
	rows = withoutLong(rows, func(r row) int { return r.size })
	var good, failing []row
	for _, r := range rows {
		switch {
		case !r.fails:
			good = append(good, r)
		case returnsError:
			failing = append(failing, r)
		}
	}
	least := leastRows
	if slices.ContainsFunc(in.columns, func(c column) bool { return c.kind == anyKind }) {
		least = 1 // what it takes tests alone tell
	}
	if len(good) < least {
		return nil
	}
	good = spread(good, mostRows)
	for _, r := range append(good, spread(failing, len(good)/failingPart)...) {
		in.rows = append(in.rows, r.cells)
	}
	return in
}

// columnsOf are the parameters that rows have arguments for: texts, numbers, bools and lists of them, and any value.
func columnsOf(kinds []string, takes []parameter) (list []column) {
	for i, k := range kinds {
		c := column{param: i, name: takes[i].name, typ: takes[i].typ, kind: k, many: takes[i].many}
		switch k {
		case "string", "int", "float64", "bool":
			if c.many {
				c.kind, c.typ = "[]"+k, "[]"+c.typ
			}
		case "[]byte", "[]rune":
			c.typ = "string"
		case "[]string", "[]int", "[]float64":
			c.typ = k
		case anyKind:
			c.typ = "interface{}"
		default:
			continue
		}
		if c.name == "_" || slices.ContainsFunc(list, func(o column) bool { return o.name == c.name }) {
			c.name = fmt.Sprintf("arg%d", i)
		}
		list = append(list, c)
	}
	return list
}

// fits reports whether a function of so many parameters that can be made takes so many arguments.
func fits(args, kinds int, takes []parameter) bool {
	if last := len(takes) - 1; last >= 0 && takes[last].many {
		return args >= last
	}
	return args == kinds
}

// row is a call in Go. ok is false where something of it cannot be told.
func (in *inputs) row(c testCall) (r row, ok bool) {
	r.fails = c.fails
	for _, col := range in.columns {
		var g *given
		if col.many {
			g = &given{whole: true}
			for _, a := range c.args[min(col.param, len(c.args)):] {
				g.parts = append(g.parts, part{value: a})
			}
		} else {
			g = c.args[col.param]
		}
		cell, size, ok := inGo(g, col)
		if !ok {
			return r, false
		}
		r.cells, r.size = append(r.cells, cell), r.size+size
	}
	return r, true
}

// inGo writes a value of a column in Go. Size is that of its texts or list.
func inGo(g *given, c column) (cell string, size int, ok bool) {
	elem, list := strings.CutPrefix(c.kind, "[]")
	switch {
	case g == nil:
		return "", 0, false
	case c.kind == anyKind:
		cell, ok = g.written()
		return cell, len(cell), ok
	case c.kind == "[]byte" || c.kind == "[]rune":
		return quoted(g)
	case list && g.null, list && c.many && len(g.parts) == 0:
		return "nil", 0, true
	case list && g.whole:
		var cells []string
		for _, p := range g.parts {
			cell, n, ok := inGo(p.value, column{kind: elem})
			if !ok {
				return "", 0, false
			}
			cells, size = append(cells, cell), size+n+1
		}
		cell = c.typ + "{" + strings.Join(cells, ", ") + "}"
		return cell, size, len(cell) < longestText
	case g.value == nil:
		return "", 0, false
	case elem == "string":
		return quoted(g)
	case elem == "bool" && g.value.Kind() == constant.Bool:
		return g.value.String(), 0, true
	case elem == "int" && numeric(g):
		if v := constant.ToInt(g.value); v.Kind() == constant.Int {
			return orElse(g.source, v.ExactString()), 0, true
		}
	case elem == "float64" && numeric(g):
		if v := constant.ToInt(g.value); v.Kind() == constant.Int && len(v.ExactString()) < 20 {
			return orElse(g.source, v.ExactString()), 0, true
		}
		if f, _ := constant.Float64Val(g.value); f-f == 0 { // it is not infinite
			return orElse(g.source, strconv.FormatFloat(f, 'g', -1, 64)), 0, true
		}
	}
	return "", 0, false
}

// quoted is a text in Go.
func quoted(g *given) (cell string, size int, ok bool) {
	if g.value == nil || g.value.Kind() != constant.String {
		return "", 0, false
	}
	text := constant.StringVal(g.value)
	if cell = strconv.Quote(text); strings.ContainsAny(text, "\"\\") && strconv.CanBackquote(text) {
		cell = "`" + text + "`"
	}
	return cell, len(text), len(text) <= longestText
}

// What is much longer than the middle one of a list would take most of the time.
const (
	muchLonger = 10
	leastOther = 6
)

// withoutLong leaves out what is much longer than the middle one, where that is little of the list.
func withoutLong[T any](list []T, size func(T) int) []T {
	if len(list) == 0 {
		return list
	}
	var sizes []int
	for _, x := range list {
		sizes = append(sizes, size(x))
	}
	slices.Sort(sizes)
	middle := max(1, sizes[len(sizes)/2])
	rest := slices.DeleteFunc(slices.Clone(list), func(x T) bool { return size(x) > muchLonger*middle })
	if left := len(list) - len(rest); len(rest) < leastOther || 4*left >= len(list) {
		return list
	}
	return rest
}

// spread takes n of a list, from all over it.
func spread[T any](list []T, n int) []T {
	if len(list) <= n {
		return list
	}
	var some []T
	for i := range n {
		some = append(some, list[i*len(list)/n])
	}
	return some
}

// same is the cell that all rows have in a column, where it can as well stand in the call; "" for none.
func (in *inputs) same(at int) string {
	if k := in.columns[at].kind; strings.HasPrefix(k, "[]") && k != "[]byte" && k != "[]rune" || len(in.columns) == 1 {
		return ""
	}
	for _, r := range in.rows {
		if r[at] != in.rows[0][at] {
			return ""
		}
	}
	return in.rows[0][at]
}

// differ are the columns that rows of the list hold.
func (in *inputs) differ() (at []int) {
	for i := range in.columns {
		if in.same(i) == "" {
			at = append(at, i)
		}
	}
	return at
}

// list are the rows in Go.
func (in *inputs) list() string {
	var b strings.Builder
	at := in.differ()
	if len(at) == 1 {
		fmt.Fprintf(&b, "[]%s{\n", in.columns[at[0]].typ)
	} else {
		b.WriteString("[]struct {\n")
		for _, i := range at {
			fmt.Fprintf(&b, "\t%s %s\n", in.columns[i].name, in.columns[i].typ)
		}
		b.WriteString("}{\n")
	}
	for _, r := range in.rows {
		var cells []string
		for _, i := range at {
			cells = append(cells, r[i])
		}
		line := strings.Join(cells, ", ")
		if len(at) > 1 {
			line = "{" + line + "}"
		}
		b.WriteString("\t" + line + ",\n")
	}
	b.WriteString("}\n")
	return b.String()
}

// arguments are those of a call within a loop over the rows, in which a row is in and its number i.
func (in *inputs) arguments(kinds []string) string {
	differ := in.differ()
	var args []string
	for n, k := range kinds {
		at := slices.IndexFunc(in.columns, func(c column) bool { return c.param == n })
		if at < 0 {
			args = append(args, argument(k, n))
			continue
		}
		c := in.columns[at]
		arg := in.same(at)
		if arg == "" {
			arg = "in"
			if len(differ) > 1 {
				arg += "." + c.name
			}
		}
		switch {
		case c.kind == "[]byte" || c.kind == "[]rune":
			arg = c.kind + "(" + arg + ")"
		case c.many:
			arg += "..."
		}
		args = append(args, arg)
	}
	return strings.Join(args, ", ")
}

// loop is the head of a loop over the rows.
func (in *inputs) loop(numbered bool) string {
	number := "_"
	if numbered {
		number = "i"
	}
	return "for " + number + ", in := range " + in.name + " {\n"
}

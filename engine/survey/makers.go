package survey

import (
	"go/ast"
	"slices"
	"strings"
)

// maker is a function that makes a value of a type.
type maker struct {
	name   string
	of     string   // what it returns, as it is written
	params []string // kinds, as those of goFunc
	takes  []parameter
	fails  bool // it returns an error, too
}

// better reports a maker that is rather taken than another: one that needs
// nothing, then one that says when it cannot.
func (m maker) better(o maker) bool {
	switch {
	case o.name == "":
		return true
	case (len(m.params) == 0) != (len(o.params) == 0):
		return len(m.params) == 0
	}
	return m.fails && !o.fails
}

// noteMakers notes the functions of a file that make a value of a type of the
// package out of nothing, or of texts and numbers.
func (p *goPackage) noteMakers(file *ast.File, types map[string]string) {
	for _, d := range file.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Recv != nil || !fn.Name.IsExported() || fn.Type.TypeParams != nil {
			continue
		}
		m := maker{name: fn.Name.Name}
		switch fn.Type.Results.NumFields() {
		case 1:
		case 2:
			if m.fails = returnsError(fn); !m.fails {
				continue
			}
		default:
			continue
		}
		of, pointer := typeName(fn.Type.Results.List[0].Type)
		if m.of = of; pointer {
			m.of = "*" + of
		}
		params, data := kindsOf(fn, types)
		m.params, m.takes = params, parametersOf(fn)
		if made := len(params) > 0; of == "" || made && !data || !made && (m.fails || !strings.HasPrefix(m.name, "New")) {
			continue
		}
		if m.better(p.makers[of]) {
			p.makers[of] = m
		}
	}
}

// returnsError reports a function whose last result is an error.
func returnsError(fn *ast.FuncDecl) bool {
	if fn.Type.Results.NumFields() == 0 {
		return false
	}
	list := fn.Type.Results.List
	id, ok := list[len(list)-1].Type.(*ast.Ident)
	return ok && id.Name == "error"
}

// anyKind is a kind that any value is of.
const anyKind = "any"

// anyValues are values for it, in the source of benchmarks.
const anyValues = `
var atollAny = []interface{}{
	atollTexts[0], atollTexts, 42, 2.5, true, atollInts, atollNumbers, []byte(atollTexts[1]),
	map[string]int{"one": 1, "two": 2, "three": 3}, [][]int{{1, 2}, {3}, nil},
	map[string]interface{}{"name": atollTexts[0], "list": []interface{}{1, "two", 3.5, nil}, "inner": map[string]interface{}{"on": true}},
	struct {
		Name string
		Tags []string
		At   map[string]float64
	}{"a name", []string{"x", "y"}, map[string]float64{"x": 1.5, "y": 2}},
}
`

// constantOf marks a constant of a type among what names stand for.
const constantOf = "the constant of "

// namedConstants notes an exported constant of each type that has some: where a number says which of
// several, few numbers are one of them.
func namedConstants(g *ast.GenDecl, types map[string]string) {
	of := ""
	for _, s := range g.Specs {
		v := s.(*ast.ValueSpec)
		switch {
		case v.Type != nil:
			of, _ = typeName(v.Type)
		case len(v.Values) > 0:
			of = ""
		}
		for _, n := range v.Names {
			if of != "" && n.IsExported() && kindOf(ast.NewIdent(of), nil) == "" && types[constantOf+of] == "" {
				types[constantOf+of] = variableKind + n.Name
			}
		}
	}
}

// kindsOf is what each argument of a function can be made of. data tells that all
// can be made, and that one of them is more than nil or a variable.
func kindsOf(fn *ast.FuncDecl, types map[string]string) (kinds []string, data bool) {
	for _, field := range fn.Type.Params.List {
		k := kindOf(field.Type, types)
		if k == anyKind && (slices.Contains(kinds, "string") || slices.Contains(kinds, "[]byte")) {
			k = "" // mostly where the answer goes
		}
		if _, many := field.Type.(*ast.Ellipsis); many && k == "" {
			continue // none is enough
		}
		data = data || k != "nil" && !strings.HasPrefix(k, variableKind)
		for range max(1, len(field.Names)) {
			kinds = append(kinds, k)
		}
	}
	return kinds, data && !slices.Contains(kinds, "")
}

// typeName is the name of a type, or of what it points to.
func typeName(e ast.Expr) (name string, pointer bool) {
	if star, ok := e.(*ast.StarExpr); ok {
		e, pointer = star.X, true
	}
	if id, ok := e.(*ast.Ident); ok {
		name = id.Name
	}
	return name, pointer
}

// named fills in how a function is called and measured. It reports false for a method
// whose receiver nothing makes.
func (p *goPackage) named(f *goFunc, fn *ast.FuncDecl, types map[string]string) bool {
	f.name, f.call, f.hot = fn.Name.Name, fn.Name.Name, fn.Name.Name
	if fn.Recv == nil {
		return true
	}
	of, pointer := typeName(fn.Recv.List[0].Type)
	f.name, f.call, f.hot = of+fn.Name.Name, "x."+fn.Name.Name, of+"."+fn.Name.Name
	if pointer {
		f.hot = "(*" + of + ")." + fn.Name.Name
	}
	m, ok := p.makers[of]
	kind := types[of]
	switch {
	case ok && len(m.params) == 0:
		f.maker, f.setup = m, "\tx := "+m.name+"()\n"
	case ok:
		f.maker, f.setup = m, m.receivers(nil)
	case pointer:
	case kind == "int":
		f.setup = converted(of, "n", "atollWhole")
	case kind == "float64":
		f.setup = converted(of, "n", "atollNumbers")
	case kind == "string":
		f.setup = converted(of, "s", "atollTexts")
	}
	return f.setup != ""
}

// receivers are statements that make receivers of texts of the tests, or of the inputs that the tests have for it.
func (m maker) receivers(in *inputs) string {
	head, args := "for i := range atollTexts {\n\t\t_ = i\n", arguments(m.params)
	if in != nil {
		head, args = in.loop(false), in.arguments(m.params)
	}
	call := m.name + "(" + args + ")"
	one := "xs = append(xs, " + call + ")"
	if m.fails {
		one = "if x, err := " + call + "; err == nil {\n\t\t\txs = append(xs, x)\n\t\t}"
	}
	return "\tvar xs []" + m.of + "\n\t" + head + "\t\t" + one + "\n\t}\n"
}

// converted are statements that make receivers of a type of the values of a list.
func converted(of, value, list string) string {
	return "\tvar xs []" + of + "\n\tfor _, " + value + " := range " + list + " {\n\t\txs = append(xs, " + of + "(" + value + "))\n\t}\n"
}

// many reports that there are several receivers, which are data enough.
func (f goFunc) many() bool { return strings.Contains(f.setup, "xs ") }

// accessor reports a body that has no loop and calls nothing but conversions to basic
// types: it takes no time worth a benchmark.
func accessor(body *ast.BlockStmt) bool {
	plain := true
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ForStmt, *ast.RangeStmt:
			plain = false
		case *ast.CallExpr:
			id, ok := n.Fun.(*ast.Ident)
			plain = plain && ok && kindOf(id, nil) != ""
		}
		return plain
	})
	return plain
}

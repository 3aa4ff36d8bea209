package guard

import (
	"go/ast"
	"go/token"
	"maps"
	"path"
	"slices"
	"strconv"
	"unicode/utf8"

	"atoll/engine/guard/probe"
)

// The bounds of what is taken from sources.
const (
	mostStrings   = 1500
	mostNumbers   = 200
	mostTuples    = 400
	longestString = 8 << 10
	longestList   = 64 // elements
	mostSamples   = 20 // files of testdata
)

// literals gathers the constants of a package and of what calls it: those of the
// tests first, for they are inputs.
// near are the declarations that changed, whose constants are told apart, and named
// those that they name.
func literals(v *view, pkgs []*goPackage, near [][2]ast.Node, named []ast.Node) probe.Literals {
	g := &gathering{seen: map[string]bool{}}
	g.changed(near)
	g.edges(near, named)
	for _, pair := range near {
		g.nearby(pair[0])
		g.nearby(pair[1])
	}
	for _, p := range pkgs {
		for _, f := range p.tests {
			g.file(f)
		}
	}
	for _, p := range pkgs {
		for _, f := range p.files {
			g.file(f)
		}
	}
	samples := 0
	for _, p := range pkgs {
		for _, name := range v.files {
			if samples >= mostSamples || !under(name, path.Join(p.dir, "testdata")) {
				continue
			}
			if data := v.read(name); len(data) <= longestString && utf8.Valid(data) {
				g.text(string(data))
				samples++
			}
		}
	}
	return g.out
}

// gathering collects constants, each once.
type gathering struct {
	out  probe.Literals
	seen map[string]bool
}

func (g *gathering) new(key string) bool {
	if g.seen[key] {
		return false
	}
	g.seen[key] = true
	return true
}

// weightOfChanged is how often a constant counts that only one version has.
const weightOfChanged = 12

// changed takes the constants that a declaration has more often in one version
// than in the other.
func (g *gathering) changed(near [][2]ast.Node) {
	for _, pair := range near {
		count := map[string]int{}
		value := map[string]probe.Constant{}
		for side, n := range pair {
			constants(n, func(c probe.Constant) {
				key := describe(c)
				count[key] += 1 - 2*side
				value[key] = c
			})
		}
		for _, key := range slices.Sorted(maps.Keys(count)) {
			if count[key] != 0 && len(g.out.NearInts)+len(g.out.NearStrings)+len(g.out.NearFloats) < mostNumbers {
				for range weightOfChanged {
					g.near(value[key])
				}
			}
		}
	}
}

// constants calls fn for the literals below a node, which may be nil.
func constants(n ast.Node, fn func(probe.Constant)) {
	if n == nil {
		return
	}
	ast.Inspect(n, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok {
			if c, ok := constantOf(lit); ok {
				fn(c)
			}
		}
		return true
	})
}

// nearby takes the constants of changed code. Its characters are numbers.
func (g *gathering) nearby(n ast.Node) {
	constants(n, func(c probe.Constant) {
		if len(g.out.NearInts)+len(g.out.NearFloats)+len(g.out.NearStrings) < 2*mostNumbers && g.new("n"+describe(c)) {
			g.near(c)
		}
	})
}

func (g *gathering) near(c probe.Constant) {
	switch {
	case c.Str != nil:
		g.out.NearStrings = append(g.out.NearStrings, *c.Str)
	case c.Int != nil:
		g.out.NearInts = append(g.out.NearInts, *c.Int)
		g.out.NearFloats = append(g.out.NearFloats, float64(*c.Int))
	case c.Float != nil:
		g.out.NearFloats = append(g.out.NearFloats, *c.Float)
	}
}

// list keeps the elements of a slice of constants.
func (g *gathering) list(n *ast.CompositeLit) {
	if a, ok := n.Type.(*ast.ArrayType); !ok || len(n.Elts) == 0 || len(n.Elts) > longestList {
		return
	} else if _, basic := a.Elt.(*ast.Ident); !basic {
		return
	}
	var list probe.Tuple
	key := "l"
	for _, x := range n.Elts {
		c, ok := constantOf(x)
		if !ok {
			return
		}
		list = append(list, c)
		key += "\x00" + describe(c)
	}
	if len(g.out.Lists) < mostTuples && g.new(key) {
		g.out.Lists = append(g.out.Lists, list)
	}
}

func (g *gathering) text(s string) {
	if len(g.out.Strings) < mostStrings && len(s) <= longestString && g.new("s"+s) {
		g.out.Strings = append(g.out.Strings, s)
	}
}

// file takes the literals of a file, and rows of them.
func (g *gathering) file(f *ast.File) {
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec:
			return false
		case *ast.Field:
			if n.Tag != nil {
				ast.Inspect(n.Type, func(ast.Node) bool { return false })
				return false
			}
		case *ast.BasicLit:
			g.literal(n)
		case *ast.CallExpr:
			g.row(n.Args)
		case *ast.CompositeLit:
			g.list(n)
			g.record(n)
			elements := make([]ast.Expr, len(n.Elts))
			for i, e := range n.Elts {
				elements[i] = e
				if kv, ok := e.(*ast.KeyValueExpr); ok {
					elements[i] = kv.Value
					if _, constant := constantOf(kv.Key); constant {
						g.row([]ast.Expr{kv.Key, kv.Value})
					}
				}
			}
			g.row(elements)
		}
		return true
	})
}

func (g *gathering) literal(n *ast.BasicLit) {
	switch c, ok := constantOf(n); {
	case !ok:
	case c.Str != nil:
		g.text(*c.Str)
	case c.Int != nil && len(g.out.Ints) < mostNumbers && g.new("i"+n.Value):
		g.out.Ints = append(g.out.Ints, *c.Int)
	case c.Float != nil && len(g.out.Floats) < mostNumbers && g.new("f"+n.Value):
		g.out.Floats = append(g.out.Floats, *c.Float)
	}
}

// row keeps constants that stand together: arguments, or fields of a table.
func (g *gathering) row(list []ast.Expr) {
	var row probe.Tuple
	key := "t"
	for _, x := range list {
		if c, ok := constantOf(x); ok && len(row) < 8 {
			row = append(row, c)
			key += "\x00" + describe(c)
		}
	}
	if len(row) > 0 && len(g.out.Tuples) < mostTuples && g.new(key) {
		g.out.Tuples = append(g.out.Tuples, row)
	}
}

func describe(c probe.Constant) string {
	switch {
	case c.Str != nil:
		return "s" + *c.Str
	case c.Int != nil:
		return "i" + strconv.FormatInt(*c.Int, 10)
	case c.Name != nil:
		return "n" + *c.Name
	case c.Float != nil:
		return "f" + strconv.FormatFloat(*c.Float, 'g', -1, 64)
	}
	return "b" + strconv.FormatBool(*c.Bool)
}

// constantOf reads a literal, with a sign or converted to []byte.
func constantOf(x ast.Expr) (probe.Constant, bool) {
	switch n := x.(type) {
	case *ast.Ident:
		if n.Name == "true" || n.Name == "false" {
			b := n.Name == "true"
			return probe.Constant{Bool: &b}, true
		}
	case *ast.UnaryExpr:
		c, ok := constantOf(n.X)
		if ok && n.Op == token.SUB && c.Int != nil {
			v := -*c.Int
			return probe.Constant{Int: &v}, true
		}
		if ok && n.Op == token.SUB && c.Float != nil {
			v := -*c.Float
			return probe.Constant{Float: &v}, true
		}
	case *ast.CallExpr:
		if a, ok := n.Fun.(*ast.ArrayType); ok && a.Len == nil && len(n.Args) == 1 {
			return constantOf(n.Args[0])
		}
	case *ast.BinaryExpr:
		a, okA := constantOf(n.X)
		b, okB := constantOf(n.Y)
		if okA && okB && n.Op == token.ADD && a.Str != nil && b.Str != nil {
			s := *a.Str + *b.Str
			return probe.Constant{Str: &s}, true
		}
	case *ast.BasicLit:
		return basic(n)
	}
	return probe.Constant{}, false
}

func basic(n *ast.BasicLit) (probe.Constant, bool) {
	switch n.Kind {
	case token.STRING:
		if s, err := strconv.Unquote(n.Value); err == nil && len(s) <= longestString {
			return probe.Constant{Str: &s}, true
		}
	case token.CHAR:
		if r, _, _, err := strconv.UnquoteChar(n.Value[1:len(n.Value)-1], '\''); err == nil {
			v := int64(r)
			return probe.Constant{Int: &v}, true
		}
	case token.INT:
		if v, err := strconv.ParseInt(n.Value, 0, 64); err == nil {
			return probe.Constant{Int: &v}, true
		}
	case token.FLOAT:
		if v, err := strconv.ParseFloat(n.Value, 64); err == nil {
			return probe.Constant{Float: &v}, true
		}
	}
	return probe.Constant{}, false
}

// near lists a package and those of its module that import it, which call it as
// users do.
func callers(m *goModule, p *goPackage) []*goPackage {
	out := []*goPackage{p}
	for _, dir := range sortedDirs(m) {
		if o := m.packages[dir]; o != p && o.imports[p.path] {
			out = append(out, o)
		}
	}
	return out[:min(len(out), 6)]
}

func sortedDirs(m *goModule) []string {
	var out []string
	for dir := range m.packages {
		out = append(out, dir)
	}
	slices.Sort(out)
	return out
}

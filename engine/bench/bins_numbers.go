package bench

import (
	_ "embed"
	"go/ast"
	goconstant "go/constant"
	"go/parser"
	"go/token"
	"math"
	"slices"
	"strconv"
	"strings"
)

// binsNumbers is the file beside a candidate whose numbers were taken out: it reads them.
//
//go:embed bins_numbers.go.txt
var binsNumbers string

// What stands for the numbers that were taken out, and the longest of those.
const (
	binsName       = "atollNumbers"
	longestLiteral = 40
)

// cutNumbers takes the numbers out of the tables of a package: out of each list of float64s
// that a variable of the package begins with. What is left reads them where they stood, so
// that programs that differ in them alone are the same. The package comes back as it is where it has no
// such table, where a number is none that a float64 holds, and where the start of another
// variable calls something, which could read a table before it is there.
func cutNumbers(files map[string]string) (rest map[string]string, numbers []float64) {
	rest = map[string]string{}
	names := make([]string, 0, len(files))
	for name := range files {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		text, more, ok := cutFile(files[name], len(numbers))
		if !ok {
			return files, nil
		}
		rest[name], numbers = text, append(numbers, more...)
	}
	return rest, numbers
}

// cutFile does so for one file, whose numbers are the ones from first on.
func cutFile(text string, first int) (rest string, numbers []float64, ok bool) {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, "", text, parser.SkipObjectResolution)
	if err != nil || strings.Contains(text, binsName) {
		return "", nil, false
	}
	var b strings.Builder
	from := 0
	for _, x := range firstValues(file) {
		if calls(x) {
			return "", nil, false
		}
		for _, e := range floatsOf(x) {
			v, plain, ok := plainNumber(e)
			if !ok {
				return "", nil, false
			}
			if !plain {
				continue
			}
			b.WriteString(text[from:set.Position(e.Pos()).Offset])
			b.WriteString(binsName + "[" + strconv.Itoa(first+len(numbers)) + "]")
			from = set.Position(e.End()).Offset
			numbers = append(numbers, v)
		}
	}
	b.WriteString(text[from:])
	return b.String(), numbers, true
}

// firstValues are what the variables of a package begin with.
func firstValues(file *ast.File) []ast.Expr {
	var out []ast.Expr
	for _, d := range file.Decls {
		if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.VAR {
			for _, s := range g.Specs {
				out = append(out, s.(*ast.ValueSpec).Values...)
			}
		}
	}
	return out
}

func calls(x ast.Expr) (found bool) {
	ast.Inspect(x, func(n ast.Node) bool {
		_, call := n.(*ast.CallExpr)
		found = found || call
		return !found
	})
	return found
}

// floatsOf are the elements of a list of float64s; none when it is something else.
func floatsOf(x ast.Expr) []ast.Expr {
	list, ok := x.(*ast.CompositeLit)
	if !ok {
		return nil
	}
	of, ok := list.Type.(*ast.ArrayType)
	if !ok {
		return nil
	}
	if name, ok := of.Elt.(*ast.Ident); !ok || name.Name != "float64" {
		return nil
	}
	return list.Elts
}

// plainNumber is the value of a number with or without a minus, as the compiler rounds it.
// What is written as something else is not plain; not ok is what the compiler may refuse.
func plainNumber(x ast.Expr) (v float64, plain, ok bool) {
	minus := false
	if u, is := x.(*ast.UnaryExpr); is && u.Op == token.SUB {
		minus, x = true, u.X
	}
	lit, is := x.(*ast.BasicLit)
	if !is || lit.Kind != token.INT && lit.Kind != token.FLOAT {
		return 0, false, true
	}
	c := goconstant.ToFloat(goconstant.MakeFromLiteral(lit.Value, lit.Kind, 0))
	if len(lit.Value) > longestLiteral || c.Kind() != goconstant.Float {
		return 0, false, false
	}
	v, _ = goconstant.Float64Val(c)
	switch {
	case math.IsInf(v, 0), v == 0 && strings.ContainsAny(lit.Value, "123456789"):
		return 0, false, false
	case minus && v != 0: // a constant has no zero below zero
		v = -v
	}
	return v, true, true
}

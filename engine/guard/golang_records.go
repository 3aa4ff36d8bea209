package guard

import (
	"go/ast"
	"slices"
	"strings"

	"atoll/engine/guard/probe"
)

const mostRecords = 200

// record keeps what a struct is filled with by name: options as callers set them.
func (g *gathering) record(n *ast.CompositeLit) {
	name := typeWord(n.Type)
	if name == "" || len(n.Elts) == 0 || len(g.out.Records) >= mostRecords {
		return
	}
	r := probe.Record{Type: name}
	key := "r" + name
	for _, e := range n.Elts {
		kv, ok := e.(*ast.KeyValueExpr)
		if !ok {
			return
		}
		field, ok := kv.Key.(*ast.Ident)
		if !ok {
			return
		}
		f := probe.Field{Name: field.Name}
		f.Values, f.List = valuesOf(kv.Value)
		r.Fields = append(r.Fields, f)
		key += "\x00" + f.Name
		for _, c := range f.Values {
			key += "\x01" + describe(c)
		}
	}
	if g.new(key) {
		g.out.Records = append(g.out.Records, r)
	}
}

// valuesOf reads a constant, a name, or a list of those; nothing where it is anything else.
func valuesOf(x ast.Expr) (values probe.Tuple, list bool) {
	if c, ok := constantOf(x); ok {
		return probe.Tuple{c}, false
	}
	if word := typeWord(x); word != "" && ast.IsExported(word) {
		return probe.Tuple{{Name: &word}}, false
	}
	n, ok := x.(*ast.CompositeLit)
	if !ok || len(n.Elts) == 0 || len(n.Elts) > longestList {
		return nil, false
	} else if _, ok := n.Type.(*ast.ArrayType); !ok {
		return nil, false
	}
	for _, e := range n.Elts {
		one, more := valuesOf(e)
		if more || len(one) != 1 {
			return nil, false
		}
		values = append(values, one[0])
	}
	return values, true
}

// typeWord is the last word of a name, with or without its package; "" for what is no name.
func typeWord(x ast.Expr) string {
	switch n := x.(type) {
	case *ast.Ident:
		return n.Name
	case *ast.SelectorExpr:
		if of, ok := n.X.(*ast.Ident); ok && !slices.Contains([]string{"time", "math"}, strings.ToLower(of.Name)) {
			return n.Sel.Name
		}
	}
	return ""
}

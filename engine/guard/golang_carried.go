package guard

import (
	"go/ast"
	"maps"
	"slices"
)

// uncalled are the identifiers of a declaration that do not stand before the arguments of a call: a
// function among them is kept, to be called by others. "func" stands for one that is written there
// and that no call takes, but for append.
func uncalled(n ast.Node) map[string]bool {
	called := map[ast.Node]bool{}
	out := map[string]bool{}
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			called[n.Name] = true
		case *ast.FuncLit:
			out["func"] = out["func"] || !called[n]
		case *ast.CallExpr:
			called[n.Fun] = true
			switch f := n.Fun.(type) {
			case *ast.SelectorExpr:
				called[f.Sel] = true
			case *ast.Ident:
				if f.Name == "append" {
					return true
				}
			}
			for _, x := range n.Args {
				if _, ok := x.(*ast.FuncLit); ok {
					called[x] = true
				}
			}
		case *ast.Ident:
			if !called[n] {
				out[n.Name] = true
			}
		}
		return true
	})
	return out
}

// given are the names of types in the results of a function.
func given(n ast.Node) []string {
	fn, ok := n.(*ast.FuncDecl)
	if !ok || fn.Type.Results == nil {
		return nil
	}
	var out []string
	for name := range mentions(fn.Type.Results) {
		out = append(out, name)
	}
	return out
}

// carriers are the types whose values may hold a function that can reach what changed: those given by
// functions that name such a one without calling it, or write one, and by all that mention those. Their
// methods can call it, and no name says so. So they are where a changed function, or one that calls it, gives a
// struct with fields that it hides: its methods alone show what was put there.
func carriers(was, is *goModule, direct map[string]bool) map[string]bool {
	all := func(fn func(p *goPackage, key string, d *goDecl)) {
		for _, m := range []*goModule{was, is} {
			for _, p := range m.packages {
				for key, d := range p.decls {
					fn(p, key, d)
				}
			}
		}
	}
	grow := func(names map[string]bool, joins func(d *goDecl) bool) {
		for grown := true; grown; {
			grown = false
			all(func(_ *goPackage, _ string, d *goDecl) {
				if !names[d.name] && joins(d) {
					names[d.name], grown = true, true
				}
			})
		}
	}
	reaching, carrying, out := map[string]bool{}, map[string]bool{}, map[string]bool{}
	all(func(_ *goPackage, key string, d *goDecl) {
		if _, ok := d.node.(*ast.FuncDecl); ok && direct[key] {
			reaching[d.name], carrying[d.name] = true, d.values["func"]
		}
	})
	changed := maps.Clone(reaching)
	grow(reaching, func(d *goDecl) bool {
		_, ok := d.node.(*ast.FuncDecl)
		return ok && overlaps(d.mentions, reaching)
	})
	grow(carrying, func(d *goDecl) bool { return overlaps(d.values, reaching) || overlaps(d.mentions, carrying) })
	all(func(p *goPackage, _ string, d *goDecl) {
		for _, name := range d.results {
			if t := p.decls[name]; t != nil && (carrying[d.name] || (changed[d.name] || overlaps(d.mentions, changed)) && hides(t.node)) {
				out[name] = true
			}
		}
	})
	return out
}

// hides reports a struct with fields that its methods alone show.
func hides(n ast.Node) bool {
	t, ok := n.(*ast.TypeSpec)
	if !ok {
		return false
	}
	s, ok := t.Type.(*ast.StructType)
	return ok && slices.ContainsFunc(s.Fields.List, func(f *ast.Field) bool {
		return slices.ContainsFunc(f.Names, func(name *ast.Ident) bool { return !name.IsExported() })
	})
}

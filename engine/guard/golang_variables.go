package guard

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"

	"atoll/engine/guard/probe"
)

// Exported variables are a part of what callers decide: what a function answers with another value in one
// is its behaviour. settings says which of them a function can read while it is called, in either version.

// goReading is what the declarations of one version of a package name while they are called.
type goReading struct {
	names  map[*goDecl]map[string]bool // of declarations of the package
	named  map[string][]*goDecl
	givers map[string][]*goDecl // functions by the types that they give
}

func readingOf(p *goPackage) *goReading {
	r := &goReading{names: map[*goDecl]map[string]bool{}, named: map[string][]*goDecl{}, givers: map[string][]*goDecl{}}
	for _, d := range p.decls {
		r.named[d.name] = append(r.named[d.name], d)
		for _, t := range d.results {
			r.givers[t] = append(r.givers[t], d)
		}
	}
	for _, d := range p.decls {
		r.names[d] = map[string]bool{}
		for name := range whileCalled(d) {
			if r.named[name] != nil {
				r.names[d][name] = true
			}
		}
	}
	return r
}

// whileCalled are the identifiers of a declaration, and of one of values those in functions that it holds: the others
// are read once, at the start.
func whileCalled(d *goDecl) map[string]bool {
	spec, ok := d.node.(*ast.ValueSpec)
	if !ok {
		return d.mentions
	}
	out := map[string]bool{}
	called := map[ast.Node]bool{}
	for _, v := range spec.Values {
		ast.Inspect(v, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				called[n.Fun] = true
			case *ast.FuncLit:
				for name := range mentions(n) {
					out[name] = out[name] || !called[n]
				}
				return false
			}
			return true
		})
	}
	for name, later := range out {
		if !later {
			delete(out, name)
		}
	}
	return out
}

// of are the names that a group can reach. A method is reached with what makes and sets up its receiver.
func (r *goReading) of(group string) map[string]bool {
	out := map[string]bool{}
	var queue []*goDecl
	reach := func(name string) {
		if !out[name] {
			out[name] = true
			queue = append(queue, r.named[name]...)
			queue = append(queue, r.givers[name]...)
		}
	}
	receiver, method, isMethod := strings.Cut(group, ".")
	reach(receiver)
	if isMethod {
		reach(method)
		for d := range r.names {
			if d.receiver == receiver {
				reach(d.name)
			}
		}
	}
	done := map[*goDecl]bool{}
	for len(queue) > 0 {
		d := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		if done[d] {
			continue
		}
		done[d] = true
		for name := range r.names[d] {
			reach(name)
		}
	}
	return out
}

// settings are the exported variables that a group reads, first those whose reading may have changed: that one version alone
// reaches, or that a changed declaration names. A function of a package that only its own module imports has none, as all
// who could set them are in the tree.
func (m *goCheck) settings(p *goPackage, variables []apiName) func(group string) probe.Reads {
	if !public(p) || len(variables) == 0 {
		return nil
	}
	was, is := readingOf(p), readingOf(m.is.packages[p.dir])
	near := map[string]bool{}
	for _, pair := range m.changedNodes() {
		for _, n := range pair {
			if n != nil {
				for name := range mentions(n) {
					near[name] = true
				}
			}
		}
	}
	known := map[string]probe.Reads{}
	return func(group string) (out probe.Reads) {
		group = ungeneric(group)
		if out, ok := known[group]; ok {
			return out
		}
		defer func() { known[group] = out }()
		before, now := was.of(group), is.of(group)
		for _, v := range variables {
			switch {
			case before[v.name] != now[v.name], before[v.name] && near[v.name]:
				out.Changed = append(out.Changed, v.name)
			case before[v.name]:
				out.Others = append(out.Others, v.name)
			}
		}
		return out
	}
}

// variablesOf are the exported variables of a package that are no errors.
func variablesOf(p *goPackage, sentinels []apiName) []apiName {
	var out []apiName
	for _, f := range p.files {
		for _, d := range f.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok || g.Tok != token.VAR {
				continue
			}
			for _, s := range g.Specs {
				for _, n := range s.(*ast.ValueSpec).Names {
					if name := (apiName{n.Name, n.Name}); token.IsExported(n.Name) && !slices.Contains(sentinels, name) {
						out = append(out, name)
					}
				}
			}
		}
	}
	return out
}

// bothSettable are the variables that two trees have with one type, and of which they can make other values.
func bothSettable(was, is *reply) []string {
	var out []string
	for _, v := range was.variables {
		if slices.ContainsFunc(is.variables, func(o probe.Answer) bool { return o.Group == v.Group && o.Signature == v.Signature }) {
			out = append(out, v.Group)
		}
	}
	return out
}

// variables are those to set for each of some groups.
func (p *pair) variables(groups []string) map[string]probe.Reads {
	if p.reads == nil || len(p.settable) == 0 {
		return nil
	}
	out := map[string]probe.Reads{}
	unsettable := func(name string) bool { return !slices.Contains(p.settable, name) }
	for _, group := range groups {
		r := p.reads(group)
		r.Changed, r.Others = slices.DeleteFunc(slices.Clone(r.Changed), unsettable), slices.DeleteFunc(slices.Clone(r.Others), unsettable)
		if len(r.Changed)+len(r.Others) > 0 {
			out[group] = r
		}
	}
	return out
}

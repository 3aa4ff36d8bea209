package guard

import (
	"fmt"
	"go/ast"
	"go/token"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"atoll/engine/guard/probe"
)

// goAPI are the names of a package that its test binary can call.
type goAPI struct {
	funcs, types, errors, values []apiName
	own                          []apiName // see ownTypes: the interface, and the declaration
	given                        []apiName // see givenTypes: a name, and its declaration
	variables                    []apiName // those of values that callers may set
}

// apiName is a name and how to write it: generic ones with type arguments.
type apiName struct{ name, written string }

// apiOf lists what a package offers, by name. A program offers what its tests
// call.
func apiOf(p *goPackage) goAPI {
	tested := map[string]bool{}
	if p.name == "main" {
		for _, f := range p.tests {
			for name := range mentions(f) {
				tested[name] = true
			}
		}
	}
	shown := shownTypes(p)
	offered := func(name string) bool {
		return token.IsExported(name) || shown[name] || tested[name] && name != "main" && name != "init"
	}
	constraints := map[string]ast.Expr{}
	for _, f := range p.files {
		for _, d := range f.Decls {
			if g, ok := d.(*ast.GenDecl); ok {
				for _, s := range g.Specs {
					if t, ok := s.(*ast.TypeSpec); ok {
						constraints[t.Name.Name] = t.Type
					}
				}
			}
		}
	}
	var api goAPI
	for _, f := range p.files {
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Recv == nil && offered(d.Name.Name) {
					api.funcs = append(api.funcs, instances(d.Name.Name, d.Type.TypeParams, constraints)...)
				}
			case *ast.GenDecl:
				api.declared(d, offered, constraints)
			}
		}
	}
	byName := func(a, b apiName) int { return strings.Compare(a.written, b.written) }
	slices.SortFunc(api.funcs, byName)
	slices.SortFunc(api.types, byName)
	slices.SortFunc(api.errors, byName)
	slices.SortFunc(api.values, byName)
	api.own, api.given, api.variables = ownTypes(p), givenTypes(p), variablesOf(p, api.errors)
	return api
}

// shownTypes are the types without an exported name that exported functions and methods give: their callers call the
// methods of such values.
func shownTypes(p *goPackage) map[string]bool {
	methods, out := map[string]bool{}, map[string]bool{}
	for _, d := range p.decls {
		if d.receiver != "" && token.IsExported(d.name) {
			methods[d.receiver] = true
		}
	}
	for _, d := range p.decls {
		for _, name := range d.results {
			t := p.decls[name]
			if !token.IsExported(d.name) || token.IsExported(name) || t == nil {
				continue
			}
			if s, ok := t.node.(*ast.TypeSpec); ok {
				_, isInterface := s.Type.(*ast.InterfaceType)
				out[name] = out[name] || methods[name] || isInterface
			}
		}
	}
	return out
}

func (api *goAPI) declared(d *ast.GenDecl, offered func(string) bool, constraints map[string]ast.Expr) {
	for _, s := range d.Specs {
		switch s := s.(type) {
		case *ast.TypeSpec:
			if offered(s.Name.Name) && !s.Assign.IsValid() && !isConstraint(s.Type) {
				list := instances(s.Name.Name, s.TypeParams, constraints)
				api.types = append(api.types, list[:min(1, len(list))]...)
			}
		case *ast.ValueSpec:
			for _, n := range s.Names {
				switch {
				case !token.IsExported(n.Name):
				case d.Tok == token.VAR && (strings.HasPrefix(n.Name, "Err") || strings.HasSuffix(n.Name, "Error") || strings.HasSuffix(n.Name, "Err")):
					api.errors = append(api.errors, apiName{n.Name, n.Name})
				default:
					api.values = append(api.values, apiName{n.Name, n.Name})
				}
			}
		}
	}
}

// isConstraint reports an interface that no variable can have as its type.
func isConstraint(x ast.Expr) bool {
	t, ok := x.(*ast.InterfaceType)
	if !ok || t.Methods == nil {
		return false
	}
	return slices.ContainsFunc(t.Methods.List, func(f *ast.Field) bool {
		switch x := f.Type.(type) {
		case *ast.BinaryExpr, *ast.UnaryExpr:
			return true
		case *ast.Ident:
			return len(f.Names) == 0 && x.Name == "comparable"
		case *ast.SelectorExpr:
			return len(f.Names) == 0 && strings.Contains("Ordered Integer Signed Unsigned Float Complex", x.Sel.Name)
		}
		return false
	})
}

// instances writes a name with type arguments that its constraints allow; once
// or twice for a generic one, not at all where none is known.
func instances(name string, params *ast.FieldList, constraints map[string]ast.Expr) []apiName {
	if params == nil {
		return []apiName{{name, name}}
	}
	constraints = maps.Clone(constraints)
	for _, f := range params.List {
		for _, n := range f.Names {
			constraints[n.Name] = f.Type // another parameter may name it: S ~[]E
		}
	}
	var out []apiName
	for round := range 2 {
		var args []string
		for _, f := range params.List {
			choices := typeArguments(f.Type, constraints, 0)
			if len(choices) == 0 {
				return out
			}
			for range f.Names {
				args = append(args, choices[min(round, len(choices)-1)])
			}
		}
		written := name + "[" + strings.Join(args, ", ") + "]"
		if !slices.ContainsFunc(out, func(a apiName) bool { return a.written == written }) {
			out = append(out, apiName{name, written})
		}
	}
	return out
}

// typeArguments are types that fit a constraint, as far as its text tells.
func typeArguments(x ast.Expr, constraints map[string]ast.Expr, depth int) []string {
	if depth > 5 {
		return nil
	}
	switch t := x.(type) {
	case *ast.Ident:
		switch t.Name {
		case "any", "comparable":
			return []string{"int", "string"}
		case "int", "int8", "int16", "int32", "int64", "uint", "uint8", "uint16", "uint32", "uint64", "float32", "float64", "string", "bool", "byte", "rune":
			return []string{t.Name}
		}
		if c := constraints[t.Name]; c != nil {
			return typeArguments(c, constraints, depth+1)
		}
	case *ast.SelectorExpr:
		switch t.Sel.Name {
		case "Ordered":
			return []string{"int", "string"}
		case "Integer", "Signed":
			return []string{"int"}
		case "Unsigned":
			return []string{"uint"}
		case "Float":
			return []string{"float64"}
		case "Complex":
			return []string{"complex128"}
		case "Stringer":
			return []string{"time.Duration"}
		}
	case *ast.UnaryExpr:
		return typeArguments(t.X, constraints, depth+1)
	case *ast.ArrayType, *ast.StarExpr, *ast.MapType:
		return composed(x, constraints, depth+1)
	case *ast.BinaryExpr:
		first := typeArguments(t.X, constraints, depth+1)
		last := typeArguments(t.Y, constraints, depth+1)
		return slices.Concat(first[:min(1, len(first))], last[:min(1, len(last))])
	case *ast.InterfaceType:
		if t.Methods == nil || len(t.Methods.List) == 0 {
			return []string{"int", "string"}
		}
		if len(t.Methods.List) == 1 && len(t.Methods.List[0].Names) == 0 {
			return typeArguments(t.Methods.List[0].Type, constraints, depth+1)
		}
	}
	return nil
}

// composed are lists, pointers and tables of types that fit.
func composed(x ast.Expr, constraints map[string]ast.Expr, depth int) []string {
	switch t := x.(type) {
	case *ast.ArrayType:
		if t.Len == nil {
			return each(typeArguments(t.Elt, constraints, depth), "[]")
		}
	case *ast.StarExpr:
		return each(typeArguments(t.X, constraints, depth), "*")
	case *ast.MapType:
		keys, values := typeArguments(t.Key, constraints, depth), typeArguments(t.Value, constraints, depth)
		var out []string
		for i := range max(len(keys), len(values)) {
			if len(keys) > 0 && len(values) > 0 {
				out = append(out, "map["+keys[min(i, len(keys)-1)]+"]"+values[min(i, len(values)-1)])
			}
		}
		return out
	}
	return nil
}

// each writes something before each of some types.
func each(types []string, before string) []string {
	var out []string
	for _, t := range types {
		out = append(out, before+t)
	}
	return out
}

// common are the names that two versions both have, in order.
func common(a, b []apiName) []apiName {
	return slices.DeleteFunc(slices.Clone(a), func(n apiName) bool { return !slices.Contains(b, n) })
}

// bridge is the file inside the package that hands its names out. Names that do
// not compile are left out by their lines.
func bridge(pkg string, api goAPI, without map[string]bool) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "package %s\n\nimport \"time\"\n\nvar _ time.Time\n\ntype AtollGuardEntry struct {\n\tName string\n\tValue interface{}\n}\n", pkg)
	list := func(name string, entries []apiName, format string) {
		fmt.Fprintf(&b, "\nvar %s = []AtollGuardEntry{\n", name)
		for _, e := range entries {
			if !without[e.written] {
				fmt.Fprintf(&b, "\t{%s, "+format+"},\n", strconv.Quote(e.written), e.written)
			}
		}
		b.WriteString("}\n")
	}
	list("AtollGuardFuncs", api.funcs, "%s")
	list("AtollGuardTypes", api.types, "(*%s)(nil)")
	list("AtollGuardErrors", api.errors, "%s")
	list("AtollGuardValues", api.values, "%s")
	list("AtollGuardVariables", api.variables, "&%s")
	b.WriteString(typesBridge("AtollGuardOwnTypes", ownNames(api.own), without))
	b.WriteString(typesBridge("AtollGuardGivenTypes", api.given, without))
	return []byte(b.String())
}

// starter is the test that serves the probe.
func starter(pkg, importPath string, watched bool) []byte {
	watch := ""
	if watched {
		watch = `	api.Watch, api.Path = target.AtollGuardWatch[:], target.AtollGuardPath
	api.Ask = func() { target.AtollGuardAsked = true }
	api.Pairs = func() (out []probe.Pair) {
		for _, p := range target.AtollGuardPairs() {
			out = append(out, probe.Pair{N: p.N, Changed: p.Changed, A: p.A, B: p.B})
		}
		return out
	}
`
	}
	return fmt.Appendf(nil, `//go:build go1.22

package %[1]s_test

import (
	"reflect"
	"testing"

	target %[2]q
	probe %[3]q
)

func TestAtollGuard(t *testing.T) {
	var api probe.API
	for _, e := range target.AtollGuardFuncs {
		api.Funcs = append(api.Funcs, probe.Func{Name: e.Name, Value: reflect.ValueOf(e.Value)})
	}
	for _, e := range target.AtollGuardTypes {
		api.Types = append(api.Types, probe.Type{Name: e.Name, Type: reflect.TypeOf(e.Value).Elem()})
	}
	for _, e := range target.AtollGuardOwnTypes {
		api.Own = append(api.Own, probe.Type{Name: e.Name, Type: reflect.TypeOf(e.Value).Elem()})
	}
	for _, e := range target.AtollGuardGivenTypes {
		api.Given = append(api.Given, reflect.TypeOf(e.Value).Elem())
	}
	for _, e := range target.AtollGuardErrors {
		api.Errors = append(api.Errors, probe.Sentinel{Name: e.Name, Value: e.Value})
	}
	for _, e := range target.AtollGuardValues {
		api.Values = append(api.Values, probe.Sentinel{Name: e.Name, Value: e.Value})
	}
	for _, e := range target.AtollGuardVariables {
		api.Variables = append(api.Variables, probe.Sentinel{Name: e.Name, Value: e.Value})
	}
%[4]s	if err := probe.Serve(api); err != nil {
		t.Fatal(err)
	}
}
`, pkg, importPath, importPath+"/"+probeDir, watch)
}

// probeDir is the folder of the probe, below the package that it asks: a package of its own is
// compiled once for many candidates.
const probeDir = "atollguardprobe"

// probeFiles are the sources of the probe, of a version of the language that a module may not name.
func probeFiles() (map[string][]byte, error) {
	entries, err := probe.Source.ReadDir(".")
	if err != nil {
		return nil, err
	}
	out := map[string][]byte{}
	for _, e := range entries {
		if e.Name() == "doc.go" || strings.HasSuffix(e.Name(), "_test.go") { // doc.go embeds the others
			continue
		}
		data, err := probe.Source.ReadFile(e.Name())
		if err != nil {
			return nil, err
		}
		out[path.Join(probeDir, e.Name())] = append([]byte("//go:build go1.22\n\n"), data...)
	}
	return out, nil
}

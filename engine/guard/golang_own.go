package guard

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"
)

// A caller may put a type of its own behind an interface, and much of what a package does with an
// interface only such a one shows. own writes one for each interface that the package exports and
// others can implement: a value in a field for a method that takes nothing and gives one thing, a
// function for any other.

// mostMethods is how many methods such a type may have.
const mostMethods = 8

func ownTypes(p *goPackage) []apiName {
	interfaces := map[string]*ast.InterfaceType{}
	for _, f := range p.files {
		for _, d := range f.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok {
				continue
			}
			for _, s := range g.Specs {
				t, ok := s.(*ast.TypeSpec)
				if !ok || t.TypeParams != nil || t.Assign.IsValid() {
					continue
				}
				if i, ok := t.Type.(*ast.InterfaceType); ok && !isConstraint(i) {
					interfaces[t.Name.Name] = i
				}
			}
		}
	}
	var out []apiName
	for name := range interfaces {
		methods, ok := methodsOf(name, interfaces, 0)
		if !token.IsExported(name) || !ok || len(methods) == 0 || len(methods) > mostMethods {
			continue
		}
		out = append(out, apiName{name, ownType(name, methods)})
	}
	slices.SortFunc(out, func(a, b apiName) int { return strings.Compare(a.name, b.name) })
	return out
}

// method is one of an interface.
type method struct {
	name string
	t    *ast.FuncType
}

// methodsOf lists the methods of an interface with those of what it embeds. It reports false where a caller
// cannot have them, and where one takes another such value for anything but a comparison.
func methodsOf(name string, interfaces map[string]*ast.InterfaceType, depth int) (out []method, ok bool) {
	switch i := interfaces[name]; {
	case name == "error":
		return []method{{"Error", giving("string")}}, true
	case i == nil || depth > 4:
		return nil, false
	default:
		for _, f := range i.Methods.List {
			t, isMethod := f.Type.(*ast.FuncType)
			switch {
			case isMethod && token.IsExported(f.Names[0].Name) && takesAnother(t, name):
				out = append(out, method{f.Names[0].Name, t})
			case isMethod && (!token.IsExported(f.Names[0].Name) || !expressible(t, name)):
				return nil, false
			case isMethod:
				out = append(out, method{f.Names[0].Name, t})
			default:
				embedded, ok := f.Type.(*ast.Ident)
				if s, foreign := f.Type.(*ast.SelectorExpr); foreign && types.ExprString(s) == "fmt.Stringer" {
					out = append(out, method{"String", giving("string")})
					continue
				}
				if !ok {
					return nil, false
				}
				more, ok := methodsOf(embedded.Name, interfaces, depth+1)
				if !ok {
					return nil, false
				}
				out = append(out, more...)
			}
		}
	}
	slices.SortFunc(out, func(a, b method) int { return strings.Compare(a.name, b.name) })
	return slices.CompactFunc(out, func(a, b method) bool { return a.name == b.name }), true
}

func giving(result string) *ast.FuncType {
	return &ast.FuncType{Params: &ast.FieldList{}, Results: &ast.FieldList{List: []*ast.Field{{Type: ast.NewIdent(result)}}}}
}

// takesAnother reports a method that takes another such value and tells how both stand.
func takesAnother(t *ast.FuncType, name string) bool {
	params, results := flat(t.Params), flat(t.Results)
	return len(params) == 1 && params[0] == name && len(results) == 1 && (results[0] == "bool" || results[0] == "int")
}

// comparison is the body of such a method: each value has a key, which is what they are compared by, and a tag.
func comparison(own string, m method) string {
	head := fmt.Sprintf("b, _ := a0.(*%s); ", own)
	if flat(m.t.Results)[0] == "int" {
		return head + "if b == nil || o.OfKey > b.OfKey { return 1 }; if o.OfKey < b.OfKey { return -1 }; return 0 }"
	}
	operator := "=="
	for sign, words := range map[string]string{"<": "less before lt smaller lower", ">": "greater after gt larger more higher"} {
		for _, word := range strings.Fields(words) {
			if strings.HasPrefix(strings.ToLower(m.name), word) {
				operator = sign
			}
		}
	}
	return head + "return b != nil && o.OfKey " + operator + " b.OfKey }"
}

// expressible reports a signature of types that are built in or exported by the package, none of which is
// the interface itself.
func expressible(t *ast.FuncType, name string) bool {
	ok := true
	look := func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr, *ast.StructType, *ast.InterfaceType, *ast.Ellipsis:
			if i, isInterface := n.(*ast.InterfaceType); !isInterface || len(i.Methods.List) > 0 {
				ok = false
			}
			return false
		case *ast.Ident:
			if n.Name == name || !token.IsExported(n.Name) && types.Universe.Lookup(n.Name) == nil {
				ok = false
			}
		}
		return ok
	}
	for _, list := range []*ast.FieldList{t.Params, t.Results} {
		if list == nil {
			continue
		}
		for _, f := range list.List {
			ast.Inspect(f.Type, look)
		}
	}
	return ok
}

// ownType is the declaration of such a type, in one line.
func ownType(name string, methods []method) string {
	var fields, bodies strings.Builder
	own := ownPrefix + name
	for _, m := range methods {
		params, args := "", ""
		for i, t := range flat(m.t.Params) {
			params += fmt.Sprintf("a%d %s, ", i, t)
			args += fmt.Sprintf("a%d, ", i)
		}
		results := flat(m.t.Results)
		head := fmt.Sprintf("; func (o *%s) %s(%s) (%s) { ", own, m.name, params, strings.Join(results, ", "))
		switch {
		case takesAnother(m.t, name):
			if !strings.Contains(fields.String(), "OfKey") {
				fields.WriteString("OfKey, OfTag int; ")
			}
			bodies.WriteString(head + comparison(own, m))
		case params == "" && len(results) == 1:
			fmt.Fprintf(&fields, "Of%s %s; ", m.name, results[0])
			fmt.Fprintf(&bodies, "%sreturn o.Of%s }", head, m.name)
		default:
			fmt.Fprintf(&fields, "Of%s %s; ", m.name, "func("+strings.Join(flat(m.t.Params), ", ")+") ("+strings.Join(results, ", ")+")")
			if len(results) > 0 {
				head += "return "
			}
			fmt.Fprintf(&bodies, "%so.Of%s(%s) }", head, m.name, args)
		}
	}
	return fmt.Sprintf("type %s struct { %s}%s", own, fields.String(), bodies.String())
}

// ownPrefix begins the names of such types.
const ownPrefix = "AtollGuardOwn"

// flat are the types of a list of parameters, one for each.
func flat(list *ast.FieldList) []string {
	var out []string
	if list == nil {
		return nil
	}
	for _, f := range list.List {
		for range max(1, len(f.Names)) {
			out = append(out, types.ExprString(f.Type))
		}
	}
	return out
}

// ownNames names the types that stand for those of a caller's own.
func ownNames(own []apiName) []apiName {
	var out []apiName
	for _, o := range own {
		out = append(out, apiName{ownPrefix + o.name, o.written})
	}
	return out
}

// typesBridge is what the bridge has of types that it declares: each in a line of its own, which may not compile.
func typesBridge(list string, types []apiName, without map[string]bool) string {
	var lines, entries strings.Builder
	for _, t := range types {
		if without[t.name] {
			continue
		}
		fmt.Fprintf(&lines, "/*%s, */ %s\n", strconv.Quote(t.name), t.written)
		fmt.Fprintf(&entries, "\t{%s, (*%s)(nil)},\n", strconv.Quote(t.name), t.name)
	}
	return lines.String() + "\nvar " + list + " = []AtollGuardEntry{\n" + entries.String() + "}\n"
}

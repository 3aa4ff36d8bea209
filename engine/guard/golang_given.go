package guard

import (
	"fmt"
	"go/ast"
	"go/types"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// What a package does with a value of any type hangs on the types that its callers have, and its tests show some: structs
// with tags above all, and any where it looks at them by package reflect. givenTypes writes those that tests name, of fields
// whose types the package can write, too; askedTypes what its own code asks such values for, by a type switch or an assertion.

// mostGiven is how many such types of a package are made.
const mostGiven = 40

// givenPrefix begins the names of such types.
const givenPrefix = "AtollGuardGiven"

func givenTypes(p *goPackage) []apiName {
	var out []apiName
	for _, f := range p.tests {
		w := givenWriter{p: p, named: map[string]ast.Expr{}}
		ast.Inspect(f, func(n ast.Node) bool {
			if t, ok := n.(*ast.TypeSpec); ok && t.TypeParams == nil {
				w.named[t.Name.Name] = t.Type
			}
			return true
		})
		ast.Inspect(f, func(n ast.Node) bool {
			t, ok := n.(*ast.StructType)
			if !ok {
				return true
			}
			text, ok := w.write(t, 0)
			if ok && (strings.Contains(text, "`") || p.imports["reflect"] && allExported(t)) {
				out = declared(out, givenPrefix, text)
			}
			return true
		})
	}
	return out
}

// declared has a type by a name of its own, where there is room and it has none yet.
func declared(list []apiName, prefix, text string) []apiName {
	if len(list) == mostGiven || slices.ContainsFunc(list, func(o apiName) bool { return strings.HasSuffix(o.written, "= "+text) }) {
		return list
	}
	name := prefix + strconv.Itoa(len(list))
	return append(list, apiName{name, "type " + name + " = " + text})
}

// allExported reports a struct that another package can fill.
func allExported(t *ast.StructType) bool {
	return !slices.ContainsFunc(t.Fields.List, func(f *ast.Field) bool {
		return slices.ContainsFunc(f.Names, func(n *ast.Ident) bool { return !n.IsExported() })
	})
}

// askedPrefix begins the names of types that code asks for.
const askedPrefix = "AtollGuardAsked"

// usual are types that are made of values of any type without being asked for.
var usual = []string{"int", "string", "float64", "bool", "int64", "error", "any", "nil"}

// askedTypes are the types that the code of either version asks values of any type for, which both can write: those of
// the changed declarations first. They have the same names in both.
func askedTypes(was, is *goPackage, changed map[string]bool) []apiName {
	var near, far []string
	a, b := givenWriter{p: was}, givenWriter{p: is}
	for _, p := range []*goPackage{was, is} {
		for _, name := range slices.Sorted(maps.Keys(p.decls)) {
			list := &far
			if changed[name] {
				list = &near
			}
			for _, x := range askedIn(p.decls[name].node) {
				_, isInterface := x.(*ast.InterfaceType)
				text, ok := a.write(x, 0)
				_, both := b.write(x, 0)
				if ok && both && !isInterface && !slices.Contains(usual, text) {
					*list = append(*list, text)
				}
			}
		}
	}
	var out []apiName
	for _, text := range append(near, far...) {
		out = declared(out, askedPrefix, text)
	}
	return out
}

// askedIn are the types of the type switches and assertions of a declaration.
func askedIn(decl ast.Node) []ast.Expr {
	var out []ast.Expr
	if decl == nil {
		return nil
	}
	ast.Inspect(decl, func(n ast.Node) bool {
		switch x := n.(type) {
		case *ast.TypeAssertExpr:
			if x.Type != nil {
				out = append(out, x.Type)
			}
		case *ast.TypeSwitchStmt:
			for _, c := range x.Body.List {
				if c, ok := c.(*ast.CaseClause); ok {
					out = append(out, c.List...)
				}
			}
		}
		return true
	})
	return out
}

// givenWriter writes types of a test file so that its package can have them.
type givenWriter struct {
	p     *goPackage
	named map[string]ast.Expr // types that the file declares
}

// deepestGiven is how deep types are within each other.
const deepestGiven = 6

func (w givenWriter) write(x ast.Expr, depth int) (string, bool) {
	if depth > deepestGiven {
		return "", false
	}
	inner := func(before string, x ast.Expr) (string, bool) {
		text, ok := w.write(x, depth+1)
		return before + text, ok
	}
	switch t := x.(type) {
	case *ast.Ident:
		if declared := w.named[t.Name]; declared != nil {
			return inner("", declared)
		}
		return t.Name, types.Universe.Lookup(t.Name) != nil || ast.IsExported(t.Name) && w.p.decls[t.Name] != nil
	case *ast.SelectorExpr:
		of, ok := t.X.(*ast.Ident)
		if ok && of.Name == w.p.name && w.p.decls[t.Sel.Name] != nil {
			return t.Sel.Name, true
		}
		return "time." + t.Sel.Name, ok && of.Name == "time"
	case *ast.StarExpr:
		return inner("*", t.X)
	case *ast.ArrayType:
		if t.Len == nil {
			return inner("[]", t.Elt)
		}
		if n, ok := t.Len.(*ast.BasicLit); ok {
			return inner("["+n.Value+"]", t.Elt)
		}
	case *ast.MapType:
		if key, ok := w.write(t.Key, depth+1); ok {
			return inner("map["+key+"]", t.Value)
		}
	case *ast.InterfaceType:
		return "interface{}", len(t.Methods.List) == 0
	case *ast.StructType:
		return w.fields(t, depth)
	}
	return "", false
}

// fields writes a struct in one line, without the fields whose types cannot be written.
func (w givenWriter) fields(t *ast.StructType, depth int) (string, bool) {
	var b strings.Builder
	for _, f := range t.Fields.List {
		text, ok := w.write(f.Type, depth+1)
		if len(f.Names) == 0 {
			return "", false
		}
		if !ok {
			continue
		}
		for _, name := range f.Names {
			fmt.Fprintf(&b, "%s %s", name.Name, text)
			if f.Tag != nil {
				tag, err := strconv.Unquote(f.Tag.Value)
				if err != nil || strings.ContainsAny(tag, "`\n") {
					return "", false
				}
				b.WriteString(" `" + tag + "`")
			}
			b.WriteString("; ")
		}
	}
	return "struct{ " + b.String() + "}", b.Len() > 0 || depth > 0 && len(t.Fields.List) == 0
}

package survey

import (
	"go/ast"
	"go/constant"
	"slices"
	"strconv"
	"strings"
)

// written is a value in Go with the types that the tests declare for it written out, so that it stands for itself in
// another file of the package: struct{ Name string }{Name: "x"}. ok is false where something of it cannot be told.
func (g *given) written() (text string, ok bool) {
	switch {
	case g == nil:
		return "", false
	case g.value != nil:
		return constantInGo(g)
	case g.null:
		return "nil", g.source != ""
	case !g.whole || g.typ == nil:
		return "", false
	}
	of := g.typ
	at := ""
	if star, isPointer := of.(*ast.StarExpr); isPointer { // of an element whose type is left out
		of, at = star.X, "&"
	}
	if text, ok = typeInGo(of, g.at, 0); !ok {
		return "", false
	}
	if g.points {
		at = "&"
	}
	under := g.at.under(of)
	var cells []string
	for _, p := range g.parts {
		if p.left {
			continue
		}
		cell, ok := p.value.written()
		if !ok {
			return "", false
		}
		switch under.(type) {
		case *ast.MapType:
			key, ok := p.key.written()
			if !ok {
				return "", false
			}
			cell = key + ": " + cell
		case *ast.ArrayType:
		default:
			if p.name == "" {
				return "", false
			}
			cell = p.name + ": " + cell
		}
		cells = append(cells, cell)
	}
	text = at + text + "{" + strings.Join(cells, ", ") + "}"
	return text, len(text) < longestText
}

// constantInGo is a constant in Go.
func constantInGo(g *given) (text string, ok bool) {
	switch g.value.Kind() {
	case constant.String:
		text, _, ok = quoted(g)
		return text, ok
	case constant.Bool:
		return g.value.String(), true
	case constant.Int:
		return orElse(g.source, g.value.ExactString()), true
	case constant.Float:
		f, _ := constant.Float64Val(g.value)
		return orElse(g.source, strconv.FormatFloat(f, 'g', -1, 64)), f-f == 0
	}
	return "", false
}

// deepestType is how far types that the tests declare are written into each other; one that holds itself has no end.
const deepestType = 8

// typeInGo is a type in Go, with those that the tests declare written out. ok is false for one of another package,
// which would have to be imported, and where a type of the tests is known by its name alone, as embedded ones are.
func typeInGo(e ast.Expr, s *scope, depth int) (text string, ok bool) {
	if depth > deepestType {
		return "", false
	}
	switch t := e.(type) {
	case *ast.ParenExpr:
		return typeInGo(t.X, s, depth)
	case *ast.Ident:
		if of := s.declaredType(t.Name); of != nil {
			return typeInGo(of, s, depth+1)
		}
		return t.Name, s.file.inside || kindOf(t, nil) != "" || t.Name == "error"
	case *ast.SelectorExpr:
		id, isName := t.X.(*ast.Ident)
		return t.Sel.Name, isName && s.file.imports[id.Name] == ownImport
	case *ast.StarExpr:
		text, ok = typeInGo(t.X, s, depth)
		return "*" + text, ok
	case *ast.ArrayType:
		length := ""
		switch n := t.Len.(type) {
		case nil:
		case *ast.BasicLit:
			length = n.Value
		case *ast.Ellipsis:
			length = "..."
		default:
			return "", false
		}
		text, ok = typeInGo(t.Elt, s, depth)
		return "[" + length + "]" + text, ok
	case *ast.MapType:
		key, ok := typeInGo(t.Key, s, depth)
		if !ok {
			return "", false
		}
		text, ok = typeInGo(t.Value, s, depth)
		return "map[" + key + "]" + text, ok
	case *ast.InterfaceType:
		return "interface{}", t.Methods.NumFields() == 0
	case *ast.StructType:
		return structInGo(t, s, depth)
	}
	return "", false
}

// structInGo is typeInGo of a struct.
func structInGo(t *ast.StructType, s *scope, depth int) (text string, ok bool) {
	var fields []string
	for _, f := range t.Fields.List {
		if id, _ := typeName(f.Type); len(f.Names) == 0 && (id == "" || s.declaredType(id) != nil) {
			return "", false
		}
		of, ok := typeInGo(f.Type, s, depth)
		if !ok {
			return "", false
		}
		var names []string
		for _, n := range f.Names {
			names = append(names, n.Name)
		}
		field := strings.TrimSpace(strings.Join(names, ", ") + " " + of)
		if f.Tag != nil {
			field += " " + f.Tag.Value
		}
		fields = append(fields, field)
	}
	return "struct{ " + strings.Join(fields, "; ") + " }", !slices.Contains(fields, "")
}

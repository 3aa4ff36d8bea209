package idiom

import (
	"go/ast"
	"go/constant"
	"go/types"
	"strings"
)

// mostKeys bounds the keys of a map that is written as a switch.
const mostKeys = 256

// switching knows maps of constants.
type switching struct{ *finder }

// look looks a key up by a switch instead of in a map of constants that nothing
// changes.
func (x switching) look(n ast.Node) {
	at, ok := n.(*ast.IndexExpr)
	if !ok {
		return
	}
	id, ok := at.X.(*ast.Ident)
	if !ok {
		return
	}
	lit := x.fixedMap(id)
	if lit == nil || x.f.Info.Types[at.Index].Value != nil {
		return
	}
	name, both := lower(id.Name)+"Of", false
	if a, ok := x.parent().(*ast.AssignStmt); ok && len(a.Lhs) == 2 && len(a.Rhs) == 1 {
		name, both = lower(id.Name)+"At", true
	}
	switch p := x.parent().(type) {
	case *ast.ValueSpec:
		if len(p.Names) != len(p.Values) {
			return
		}
	case *ast.ParenExpr: // v, ok := (m[k])
		return
	}
	said := "// " + name + " is what " + id.Name + " has for a key.\n"
	made := strings.Contains(string(x.src), said)
	if !made && x.f.Pkg.Scope().Lookup(name) != nil || (fixed{&x.function}).shadowed(name) {
		return
	}
	edits := []Edit{{x.f.Offset(at.Pos()), x.f.Offset(at.Index.Pos()), name + "("}, {x.f.Offset(at.Index.End()), x.f.Offset(at.End()), ")"}}
	if !made {
		end := x.f.Offset(x.fn.End())
		edits = append(edits, Edit{end, end, "\n\n" + said + x.switchText(name, lit, both)})
	}
	x.offer("a switch for a map of constants", n, nil, edits...)
	x.tidy(id)
}

// fixedMap is the literal of a map of the package, of constants by constants, that
// this file alone names and only reads from; nil for all others.
func (x switching) fixedMap(id *ast.Ident) *ast.CompositeLit {
	if !(fixed{&x.function}).unchanged(id) {
		return nil
	}
	_, spec := x.variable(id.Name)
	if spec == nil || len(spec.Values) != 1 || spec.Type != nil || !(fixed{&x.function}).onlyTaken(x.f.File, x.f.Info.Uses[id]) {
		return nil
	}
	lit, ok := spec.Values[0].(*ast.CompositeLit)
	if !ok || len(lit.Elts) < 2 || len(lit.Elts) > mostKeys {
		return nil
	}
	m, ok := lit.Type.(*ast.MapType)
	if !ok || !x.basicBelow(m.Key, types.IsInteger|types.IsString) || !x.basicBelow(m.Value, types.IsInteger|types.IsString|types.IsBoolean|types.IsFloat) {
		return nil
	}
	if mentions(lit, "key") || mentions(lit, "value") || mentions(lit, "ok") { // names of the function
		return nil
	}
	for _, e := range lit.Elts {
		kv, ok := e.(*ast.KeyValueExpr)
		if !ok || x.f.Info.Types[kv.Key].Value == nil || x.f.Info.Types[kv.Value].Value == nil {
			return nil
		}
		if v := x.f.Info.Types[kv.Value].Value; v.Kind() == constant.Unknown {
			return nil
		}
	}
	return lit
}

// basicBelow reports a type that is a basic one of a kind below its name.
func (x switching) basicBelow(e ast.Expr, info types.BasicInfo) bool {
	t := x.f.Info.Types[e].Type
	if t == nil {
		return false
	}
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Kind() != types.Invalid && b.Info()&info != 0
}

// switchText is a function that looks a key up, and tells whether it is there.
func (x switching) switchText(name string, lit *ast.CompositeLit, both bool) string {
	m := lit.Type.(*ast.MapType)
	value := x.text(m.Value)
	result, found := value, ""
	if both {
		result, found = "(value "+value+", ok bool)", ", true"
	} else {
		result = "(value " + value + ")"
	}
	var keys, order []string
	of := map[string][]string{}
	for _, e := range lit.Elts {
		kv := e.(*ast.KeyValueExpr)
		v := x.text(kv.Value)
		if of[v] == nil {
			order = append(order, v)
		}
		of[v] = append(of[v], x.text(kv.Key))
	}
	for _, v := range order {
		keys = append(keys, "case "+strings.Join(of[v], ", ")+":\nreturn "+v+found+"\n")
	}
	none := "return value\n"
	if both {
		none = "return value, false\n"
	}
	return "func " + name + "(key " + x.text(m.Key) + ") " + result + " {\nswitch key {\n" + strings.Join(keys, "") + "}\n" + none + "}\n"
}

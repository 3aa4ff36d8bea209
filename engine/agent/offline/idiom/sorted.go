package idiom

import (
	"go/ast"
	"go/types"
	"strings"
)

// order writes in which order elements come.
type order struct{ *function }

// sortByMethods sorts a slice by a function over its elements, where it is sorted by the
// methods Len, Less and Swap of its type. Both sort by the same steps
// (pattern-defeating quicksort; insertion and SymMerge where the order is stable), so
// elements that compare alike end in the same order.
func (x *finder) sortByMethods(n ast.Node) {
	name, c := x.call(n)
	with := map[string]string{"sort.Sort": "SortFunc", "sort.Stable": "SortStableFunc"}[name]
	if with == "" || len(c.Args) != 1 || x.minor < 21 || !x.usable("slices") {
		return
	}
	arg, names := c.Args[0], [2]string{"p", "q"}
	if back, r := x.call(arg); back == "sort.Reverse" && len(r.Args) == 1 {
		arg, names = r.Args[0], [2]string{"q", "p"}
	}
	named, ok := types.Unalias(x.f.Info.Types[arg].Type).(*types.Named)
	if !ok {
		return
	}
	slice, ok := named.Underlying().(*types.Slice)
	o := order{&x.function}
	less := o.methodsOfSort(named.Obj().Name())
	if !ok || less == nil {
		return
	}
	what := arg
	if conv, ok := arg.(*ast.CallExpr); ok && len(conv.Args) == 1 && x.text(conv.Fun) == named.Obj().Name() {
		what = conv.Args[0]
	}
	by, ok := o.ofMethod(less, slice.Elem(), names)
	if !ok || !simple(what) || x.f.Info.Types[what].Type == nil {
		return
	}
	x.offer(with+" of package slices", n, []string{"slices"}, x.replace(c, "slices."+with+"("+x.text(what)+", "+by+")"))
}

// methodsOfSort is the method Less of a type whose Len and Swap, beside it, are those of
// the slice itself.
func (x order) methodsOfSort(of string) (less *ast.FuncDecl) {
	plain := 0
	for _, d := range x.f.File.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Recv == nil || fn.Body == nil || len(fn.Body.List) != 1 || x.text(fn.Recv.List[0].Type) != of || len(fn.Recv.List[0].Names) != 1 {
			continue
		}
		r, body, p := fn.Recv.List[0].Names[0].Name, x.text(fn.Body.List[0]), paramsOf(fn.Type)
		switch {
		case fn.Name.Name == "Len" && body == "return len("+r+")":
			plain++
		case fn.Name.Name == "Swap" && len(p) == 2 && (body == r+"["+p[0]+"], "+r+"["+p[1]+"] = "+r+"["+p[1]+"], "+r+"["+p[0]+"]" ||
			body == r+"["+p[1]+"], "+r+"["+p[0]+"] = "+r+"["+p[0]+"], "+r+"["+p[1]+"]"):
			plain++
		case fn.Name.Name == "Less" && len(p) == 2:
			less = fn
		}
	}
	if plain != 2 {
		return nil
	}
	return less
}

// paramsOf are the names of parameters.
func paramsOf(t *ast.FuncType) (names []string) {
	for _, f := range t.Params.List {
		for _, id := range f.Names {
			names = append(names, id.Name)
		}
	}
	return names
}

// ofMethod writes a method Less as a function that compares two elements.
func (x order) ofMethod(less *ast.FuncDecl, elem types.Type, names [2]string) (string, bool) {
	ret, ok := less.Body.List[0].(*ast.ReturnStmt)
	if !ok || len(ret.Results) != 1 {
		return "", false
	}
	return x.comparison(ret.Results[0], less.Recv.List[0].Names[0].Name, paramsOf(less.Type), elem, names)
}

// comparison writes an expression over s[i] and s[j] that says which comes first as a
// function that compares two elements, by names.
func (x order) comparison(e ast.Expr, s string, places []string, elem types.Type, names [2]string) (string, bool) {
	of := types.TypeString(elem, types.RelativeTo(x.f.Pkg))
	forth, ok := x.elements(e, s, places, names)
	back, _ := x.elements(e, s, places, [2]string{names[1], names[0]})
	if !ok || strings.Contains(of, "invalid") || strings.Contains(of, "/") {
		return "", false
	}
	return "func(p, q " + of + ") int {\nif " + forth + " {\nreturn -1\n}\nif " + back + " {\nreturn 1\n}\nreturn 0\n}", true
}

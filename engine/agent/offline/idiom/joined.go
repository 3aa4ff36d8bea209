package idiom

import (
	"go/ast"
	"go/token"
	"go/types"
	"strconv"
	"strings"

	"atoll/engine/agent/offline/language"
)

// partsRoom makes room once for a slice that is put together of others:
// append([]T{a}, b...), append(append([]T{}, a...), b...).
func (x *finder) partsRoom(n ast.Node) {
	c, ok := n.(*ast.CallExpr)
	if !ok || !isAppend(x.f, c) {
		return
	}
	if outer, ok := x.parent().(*ast.CallExpr); ok && isAppend(x.f, outer) && outer.Args[0] == n {
		return
	}
	p := joined{finder: x}
	if !p.read(c) || p.spread == 0 || p.spread+p.single < 2 {
		return
	}
	text := "make(" + p.of + ", 0, " + strings.Join(p.room(), "+") + ")"
	for _, add := range p.adds {
		text = "append(" + text + ", " + add + ")"
	}
	x.offer("room for a slice of parts", n, nil, x.replace(n, text))
}

// isAppend reports a call of the builtin function with something to add.
func isAppend(f *language.GoFile, c *ast.CallExpr) bool {
	id, ok := c.Fun.(*ast.Ident)
	if !ok || id.Name != "append" || len(c.Args) < 2 {
		return false
	}
	_, builtin := f.Info.Uses[id].(*types.Builtin)
	return builtin
}

// joined is what a slice is put together of.
type joined struct {
	*finder
	of     string   // the type of the slice
	adds   []string // the arguments of each append
	lens   []string // of what is added whole
	single int      // elements
	spread int      // slices and texts that are added whole
}

// read reads appends whose first operand in the end is a literal of a slice.
func (p *joined) read(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.CompositeLit:
		if e.Type == nil || !p.isSlice(e) {
			return false
		}
		p.of = p.text(e.Type)
		return p.elements(e.Elts)
	case *ast.CallExpr:
		if !isAppend(p.f, e) || !p.read(e.Args[0]) {
			return false
		}
		if !e.Ellipsis.IsValid() {
			return p.elements(e.Args[1:])
		}
		of := e.Args[1]
		if !simple(of) || p.f.Info.Types[of].Value != nil || p.text(of) == "nil" {
			return false
		}
		p.spread++
		p.lens = append(p.lens, "len("+p.text(of)+")")
		p.adds = append(p.adds, p.text(of)+"...")
		return true
	}
	return false
}

func (p *joined) isSlice(e ast.Expr) bool {
	t := p.f.Info.Types[e].Type
	if t == nil {
		return false
	}
	_, ok := t.Underlying().(*types.Slice)
	return ok
}

// elements adds some that neither call anything nor have keys.
func (p *joined) elements(list []ast.Expr) bool {
	for _, e := range list {
		calls := false
		ast.Inspect(e, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr, *ast.FuncLit, *ast.KeyValueExpr:
				calls = true
			case *ast.CompositeLit:
				calls = calls || n.Type == nil
			case *ast.UnaryExpr:
				calls = calls || n.Op == token.ARROW
			}
			return !calls
		})
		if calls {
			return false
		}
	}
	if len(list) > 0 {
		texts := make([]string, 0, len(list))
		for _, e := range list {
			texts = append(texts, p.text(e))
		}
		p.single += len(list)
		p.adds = append(p.adds, strings.Join(texts, ", "))
	}
	return true
}

// room is the sum of all that is added.
func (p *joined) room() []string {
	if p.single == 0 {
		return p.lens
	}
	return append([]string{strconv.Itoa(p.single)}, p.lens...)
}

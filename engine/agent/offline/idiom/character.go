package idiom

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// characters makes texts of characters.
type characters struct{ *finder }

// one takes the text of a character of ASCII from a constant one, where it
// is kept: string(r) makes it anew each time.
func (x characters) one(n ast.Node) {
	conv, kind := x.conversion(n)
	if conv == nil || !x.kept(conv) || kind != types.Int32 && kind != types.Uint8 {
		return
	}
	if x.runeAt(conv.Args[0], x.around()) == settled { // hardly one of ASCII
		return
	}
	if _, sel := dotted(x.parent()); sel != nil && (sel.Sel.Name == "WriteString" || sel.Sel.Name == "ContainsAny" || sel.Sel.Name == "Contains") {
		return // these have forms of their own
	}
	name := x.fresh(lower(x.fn.Name.Name) + "Char")
	if name == "" {
		return
	}
	var ascii [128]byte
	for i := range ascii {
		ascii[i] = byte(i)
	}
	arg := x.text(conv.Args[0])
	if kind == types.Uint8 {
		arg = "rune(" + arg + ")"
	}
	end := x.f.Offset(x.fn.End())
	x.offer("the text of a character from a constant", n, nil, x.replace(n, name+"("+arg+")"), Edit{end, end, "\n\n// " + name +
		" is the text of a character.\nfunc " + name + "(r rune) string {\nif uint32(r) < 0x80 {\nreturn " + name + "All[r : r+1]\n}\nreturn string(r)\n}\n\nconst " +
		name + "All = " + bytesText(ascii[:]) + "\n"})
}

// around is the statement that what is looked at is in.
func (x characters) around() ast.Stmt {
	for _, n := range slices.Backward(x.stack) {
		if s, ok := n.(ast.Stmt); ok {
			return s
		}
	}
	return x.fn.Body
}

// conversion reads string(e) of a character, kind int32 or uint8, or of a slice of runes,
// kind invalid.
func (x characters) conversion(n ast.Node) (*ast.CallExpr, types.BasicKind) {
	conv, ok := n.(*ast.CallExpr)
	if !ok || len(conv.Args) != 1 || x.text(conv.Fun) != "string" || !x.f.Info.Types[conv.Fun].IsType() {
		return nil, 0
	}
	if b := x.basic(conv.Args[0]); b != nil {
		return conv, b.Kind()
	}
	t := x.f.Info.Types[conv.Args[0]].Type
	if t == nil {
		return nil, 0
	}
	if s, ok := t.Underlying().(*types.Slice); ok {
		if b, ok := types.Unalias(s.Elem()).(*types.Basic); ok && b.Kind() == types.Int32 {
			return conv, types.Invalid
		}
	}
	return nil, 0
}

// kept reports an expression that is given to what may keep it: a variable, a result, an
// element, a function. What the compiler makes on the stack stays as it is.
func (x characters) kept(e ast.Expr) bool {
	switch p := x.parent().(type) {
	case *ast.AssignStmt:
		return p.Tok == token.ASSIGN || p.Tok == token.DEFINE
	case *ast.ReturnStmt, *ast.CompositeLit, *ast.ValueSpec:
		return true
	case *ast.KeyValueExpr:
		return p.Value == e
	case *ast.CallExpr:
		return !p.Ellipsis.IsValid() && p.Fun != e && x.text(p.Fun) != "len" && !x.f.Info.Types[p.Fun].IsType()
	}
	return false
}

// saysText is the comment of the function that makes a text of runes.
const saysText = " is the text of some runes.\n"

// several makes a short text of runes in bytes on the stack, those of ASCII one by
// one: string(runes) goes over them twice and asks of each how long it is.
func (x characters) several(n ast.Node) {
	conv, kind := x.conversion(n)
	if conv == nil || kind != types.Invalid || !x.kept(conv) || strings.HasSuffix(x.fn.Doc.Text(), saysText) {
		return
	}
	if c, ok := x.parent().(*ast.CallExpr); ok && x.text(c.Fun) != "append" {
		return // on the stack for most functions of packages
	}
	name := x.fresh(lower(x.fn.Name.Name) + "Text")
	if name == "" {
		return
	}
	end := x.f.Offset(x.fn.End())
	x.offer("a text of runes made on the stack", n, nil, x.replace(n, name+"("+x.text(conv.Args[0])+")"), Edit{end, end, "\n\n// " + name + saysText + `func ` + name + `(from []rune) string {
	var room [128]byte
	if len(from) > len(room) {
		return string(from)
	}
	to := room[:0]
	for _, r := range from {
		if uint32(r) < 0x80 {
			to = append(to, byte(r))
		} else {
			to = append(to, string(r)...)
		}
	}
	return string(to)
}
`})
}

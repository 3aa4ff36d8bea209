package idiom

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"
)

// The bounds of a set of characters that is written as comparisons.
const (
	mostMembers = 64
	mostInline  = 3 // without a function of its own
)

// member compares a character with each of a constant set of ASCII instead of looking
// for it in a text: ContainsRune(" \t", r), IndexByte(" \t", c) >= 0,
// Contains(" \t", string(r)).
func member(x *finder, n ast.Node) {
	m := membership{finder: x}
	if !m.asked(n) || x.f.Info.Types[m.what].Value != nil {
		return
	}
	set, ok := (fixed{&x.function}).value(m.set)
	if !ok || set == "" || len(set) > mostMembers || strings.ContainsFunc(set, func(r rune) bool { return r >= 0x80 }) {
		return
	}
	chars := []byte(set)
	slices.Sort(chars)
	chars = slices.Compact(chars)
	if text := m.inline(chars); text != "" {
		x.offer("comparisons for a constant set of characters", n, nil, x.replace(n, text))
		return
	}
	name := x.fresh(lower(x.fn.Name.Name) + "Is" + strconv.Itoa(x.f.Fset.Position(n.Pos()).Line))
	if name == "" {
		return
	}
	of := m.of
	if of == "" {
		of = "rune"
	}
	not := ""
	if m.not {
		not = "!"
	}
	end := x.f.Offset(x.fn.End())
	x.offer("comparisons for a constant set of characters", n, nil, x.replace(n, not+name+"("+m.argument()+")"), Edit{end, end, "\n\n// " + name +
		" reports one of the characters " + strconv.QuoteToASCII(set) + ".\nfunc " + name + "(r " + of + ") bool {\nswitch r {\ncase " + quoted(chars, ", ") + ":\nreturn true\n}\nreturn false\n}\n"})
}

// quoted writes characters as constants, with a text between them.
func quoted(chars []byte, between string) string {
	var out []string
	for _, c := range chars {
		out = append(out, strconv.QuoteRuneToASCII(rune(c)))
	}
	return strings.Join(out, between)
}

// membership is a question whether a character is one of a set.
type membership struct {
	*finder
	set  ast.Expr
	what ast.Expr // a rune, or a byte
	of   string   // the type it has, or that it takes; "" where it has to become a rune
	not  bool     // whether it is none of them
}

// asked reads the question.
func (m *membership) asked(n ast.Node) bool {
	if b, ok := n.(*ast.BinaryExpr); ok {
		return m.found(b)
	}
	name, c := m.call(n)
	if c == nil || len(c.Args) != 2 {
		return false
	}
	switch name {
	case "strings.ContainsRune":
		m.set, m.what, m.of = c.Args[0], c.Args[1], "rune"
		return true
	case "strings.Contains":
		m.set = c.Args[0]
		return m.textOf(c.Args[1])
	case "strings.ContainsAny":
		m.set = c.Args[1]
		return m.textOf(c.Args[0])
	}
	return false
}

// textOf reads the text of a character.
func (m *membership) textOf(e ast.Expr) bool {
	conv, ok := e.(*ast.CallExpr)
	if !ok || len(conv.Args) != 1 || m.text(conv.Fun) != "string" || !m.f.Info.Types[conv.Fun].IsType() {
		return false
	}
	m.what = conv.Args[0]
	switch b := m.basic(m.what); {
	case b == nil:
		return false
	case b.Kind() == types.Int32:
		m.of = "rune"
	case b.Kind() == types.Uint8:
		m.of = "byte"
	default:
		return false
	}
	return true
}

// found reads a comparison of a place with what says that there is none.
func (m *membership) found(b *ast.BinaryExpr) bool {
	name, c := m.call(b.X)
	switch name {
	case "strings.IndexByte":
		m.of = "byte"
	case "strings.IndexRune":
		m.of = "rune"
	default:
		return false
	}
	if len(c.Args) != 2 {
		return false
	}
	m.set, m.what = c.Args[0], c.Args[1]
	n, ok := whole(m.f.Info.Types[b.Y].Value)
	switch {
	case !ok:
		return false
	case n == 0 && b.Op == token.LSS, n == -1 && (b.Op == token.EQL || b.Op == token.LEQ):
		m.not = true
	case n == 0 && b.Op == token.GEQ, n == -1 && (b.Op == token.NEQ || b.Op == token.GTR):
	default:
		return false
	}
	return true
}

// argument is what is looked for.
func (m *membership) argument() string { return m.text(m.what) }

// inline is the question as comparisons; "" where it needs a function.
func (m *membership) inline(chars []byte) string {
	if len(chars) > mostInline || !simple(m.what) {
		return ""
	}
	equal, join := " == ", " || "
	if m.not {
		equal, join = " != ", " && "
	}
	v := m.text(m.what) + equal
	return "(" + v + quoted(chars, join+v) + ")"
}

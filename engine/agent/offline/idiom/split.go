package idiom

import (
	"go/ast"
	"go/token"
	"go/types"
	"strconv"
	"strings"
)

// mostRoom is how many parts of a text have their room on the stack.
const mostRoom = 8

// splitting takes texts apart, and counts what is in them.
type splitting struct{ *finder }

// parts takes a text apart into room on the stack, where the function does nothing
// with the parts but take them one by one, count them and join them.
func (x splitting) parts(n ast.Node) {
	a, ok := n.(*ast.AssignStmt)
	if !ok || a.Tok != token.DEFINE || len(a.Lhs) != 1 || len(a.Rhs) != 1 || !x.statement() {
		return
	}
	if id, ok := a.Lhs[0].(*ast.Ident); ok && x.f.Info.Defs[id] != nil && x.taken(x.f.Info.Defs[id]) {
		x.onStack(a, a.Rhs[0], id.Name)
	}
}

// walked does so where a loop walks over the parts, which nothing else can see.
func (x splitting) walked(n ast.Node) {
	r, ok := n.(*ast.RangeStmt)
	if ok && x.statement() {
		x.onStack(r, r.X, "parts")
	}
}

// onStack has the parts that a call gives lie in room on the stack, before the statement that has the call.
func (x splitting) onStack(before ast.Stmt, of ast.Expr, as string) {
	name, c := x.call(of)
	room, bound := mostRoom, ""
	switch {
	case name == "strings.Split" && len(c.Args) == 2:
	case name == "strings.SplitN" && len(c.Args) == 3:
		most, ok := whole(x.f.Info.Types[c.Args[2]].Value)
		if !ok || most < 2 {
			return
		}
		room, bound = int(min(most, mostRoom)), "len(to) < "+strconv.FormatInt(most-1, 10)
	default:
		return
	}
	sep, ok := x.constantText(c.Args[1])
	if !ok || sep == "" || !(fixed{&x.function}).ofPackage(c.Args[1]) {
		return
	}
	helper, place := x.fresh(lower(x.fn.Name.Name)+"Parts"), x.fresh(as+"Room")
	if helper == "" || place == "" {
		return
	}
	find, size := "strings.Index(s, "+strconv.Quote(sep)+")", strconv.Itoa(len(sep))
	if len(sep) == 1 {
		find = "strings.IndexByte(s, " + strconv.QuoteRuneToASCII(rune(sep[0])) + ")"
		if sep[0] >= 0x80 {
			return
		}
	}
	at, end := x.f.Offset(before.Pos()), x.f.Offset(x.fn.End())
	x.offer("parts of a text on the stack", before, nil,
		Edit{at, at, "var " + place + " [" + strconv.Itoa(room) + "]string\n"}, x.replace(of, helper+"("+place+"[:0], "+x.text(c.Args[0])+")"),
		Edit{end, end, "\n\n// " + helper + " appends the parts of a text.\nfunc " + helper + "(to []string, s string) []string {\nfor " + bound + " {\ni := " + find +
			"\nif i < 0 {\nbreak\n}\nto = append(to, s[:i])\ns = s[i+" + size + ":]\n}\nreturn append(to, s)\n}\n"})
}

// taken reports whether all that the function does with a slice of texts is to take or to give
// elements, to walk over it, to ask for its length and to join it. No function in the function
// names it.
func (x splitting) taken(obj types.Object) bool {
	inner := false
	ast.Inspect(x.fn.Body, func(n ast.Node) bool {
		f, ok := n.(*ast.FuncLit)
		inner = inner || ok && mentions(f, obj.Name())
		return !inner
	})
	return !inner && (fixed{&x.function}).onlyTaken(x.fn.Body, obj, "strings.Join")
}

// count counts the runes of a text by a function of package utf8, which goes over
// those of ASCII by the way.
func (x splitting) count(n ast.Node) {
	r, ok := n.(*ast.RangeStmt)
	if !ok || !x.statement() || len(r.Body.List) != 1 || !blank(r.Key) || !blank(r.Value) || !x.usable("unicode/utf8") {
		return
	}
	inc, ok := r.Body.List[0].(*ast.IncDecStmt)
	if !ok || inc.Tok != token.INC {
		return
	}
	id, ok := inc.X.(*ast.Ident)
	b := x.basic(r.X)
	if !ok || b == nil || b.Kind() != types.String || x.basic(id) == nil || x.basic(id).Kind() != types.Int {
		return
	}
	what := "utf8.RuneCountInString(" + strings.TrimSpace(x.text(r.X)) + ")"
	x.offer("runes counted at once", n, []string{"unicode/utf8"}, x.replace(n, id.Name+" += "+what))
}

// blank reports no variable.
func blank(e ast.Expr) bool {
	if e == nil {
		return true
	}
	id, ok := e.(*ast.Ident)
	return ok && id.Name == "_"
}

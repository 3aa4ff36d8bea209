package idiom

import (
	"go/ast"
	"slices"
	"strconv"
	"strings"
)

// sprintf writes a value by strconv instead of by a format.
func (x *finder) sprintf(n ast.Node) {
	name, c := x.call(n)
	if name != "fmt.Sprintf" || len(c.Args) == 0 || !x.usable("strconv") {
		return
	}
	list, drop, ok := formats{&x.function}.format(c.Args[0])
	if !ok {
		return
	}
	text, needs, ok := (formats{&x.function}).formatted(list, c.Args[1:])
	switch bound := unbounded(list); {
	case !ok:
	case bound == "":
		x.offer("strconv for Sprintf", n, needs, append(drop, x.replace(n, text))...)
	case !strings.Contains(x.text(x.fn.Body), bound):
		x.earlyReturn(n, "if "+bound+" {\nreturn "+text+"\n}\n", needs, drop)
	}
}

// earlyReturn puts a statement that may return before the return of n, and before
// the variables that only that needs, which stand right before it.
func (x *finder) earlyReturn(n ast.Node, text string, needs []string, drop []Edit) {
	ret, ok := x.parent().(*ast.ReturnStmt)
	if !ok || len(ret.Results) != 1 {
		return
	}
	at := x.f.Offset(ret.Pos())
	slices.SortFunc(drop, func(a, b Edit) int { return b.Start - a.Start })
	for _, d := range drop {
		if d.End > at || strings.TrimSpace(string(x.src[d.End:at])) != "" {
			return
		}
		at = d.Start
	}
	x.offer("strconv for Sprintf", n, needs, Edit{at, at, text})
}

// sprintfOneOf returns by strconv where a variable holds one of a few formats.
func (x *finder) sprintfOneOf(n ast.Node) {
	ret, ok := n.(*ast.ReturnStmt)
	if !ok || len(ret.Results) != 1 {
		return
	}
	name, c := x.call(ret.Results[0])
	if name != "fmt.Sprintf" || len(c.Args) < 2 || !x.usable("strconv") {
		return
	}
	id, ok := c.Args[0].(*ast.Ident)
	if !ok {
		return
	}
	values, whole := x.values(x.f.Info.Uses[id])
	if !whole || len(values) < 2 || len(values) > 4 || x.switches(id.Name) {
		return
	}
	var b strings.Builder
	var needs []string
	b.WriteString("switch " + id.Name + " {\n")
	var done []string
	for _, v := range values {
		format, ok := x.constantText(v)
		if !ok {
			return
		}
		if slices.Contains(done, format) {
			continue
		}
		done = append(done, format)
		list, ok := pieces(format)
		if !ok {
			return
		}
		text, more, ok := formats{&x.function}.formatted(list, c.Args[1:])
		if !ok {
			return
		}
		needs = append(needs, more...)
		b.WriteString("case " + strconv.Quote(format) + ":\nreturn " + text + "\n")
	}
	x.offer("strconv for one of some formats", n, needs, x.replace(ret, b.String()+"}\n"+x.text(ret)))
}

// switches reports whether the function asks already which of its values a
// variable has.
func (x *function) switches(name string) bool {
	found := false
	ast.Inspect(x.fn.Body, func(n ast.Node) bool {
		if s, ok := n.(*ast.SwitchStmt); ok {
			id, named := s.Tag.(*ast.Ident)
			found = found || named && id.Name == name
		}
		return !found
	})
	return found
}

// fprintf writes into a builder without a format.
func (x *finder) fprintf(n ast.Node) {
	name, c := x.call(n)
	if _, statement := x.parent().(*ast.ExprStmt); name != "fmt.Fprintf" || !statement || len(c.Args) < 2 || !x.usable("strconv") {
		return
	}
	to := c.Args[0]
	if u, ok := to.(*ast.UnaryExpr); ok {
		to = u.X
	}
	if x.bufferOf(to) == nil {
		return
	}
	list, drop, ok := formats{&x.function}.format(c.Args[1])
	if !ok {
		return
	}
	if text, needs, ok := (formats{&x.function}).formatted(list, c.Args[2:]); ok && unbounded(list) == "" {
		x.offer("WriteString for Fprintf", n, needs, append(drop, x.replace(n, x.text(to)+".WriteString("+text+")"))...)
	}
}

// mostDigits is the largest precision that a format takes; with more it says that
// it has no verb.
const mostDigits = "1_000_000"

// unbounded is the condition under which precisions that are no constants mean what
// they say; "" where all are constants.
func unbounded(list []piece) string {
	var parts []string
	for _, p := range list {
		if _, err := strconv.Atoi(p.precision); p.precision != "" && err != nil {
			parts = append(parts, p.precision+" <= "+mostDigits)
		}
	}
	return strings.Join(parts, " && ")
}

// errorOf makes an error of a constant text without reading a format.
func (x *finder) errorOf(n ast.Node) {
	name, c := x.call(n)
	if name != "fmt.Errorf" || len(c.Args) != 1 || !x.usable("errors") {
		return
	}
	if text, ok := x.constantText(c.Args[0]); !ok || strings.Contains(text, "%") {
		return
	}
	x.offer("an error without a format", n, []string{"errors"}, x.replace(c.Fun, "errors.New"))
}

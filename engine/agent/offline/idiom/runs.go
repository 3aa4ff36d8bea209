package idiom

import (
	"go/ast"
	"regexp/syntax"
	"strconv"
	"strings"
)

// runs takes a text apart by a loop instead of by an expression, where that means one
// class of characters, or as many as follow each other of one class or else of another:
// in FindAllString and Split without a bound, and in FindString.
func (x *finder) runs(n ast.Node) {
	c, id, called := method(n)
	if c == nil || !x.usable("unicode/utf8") {
		return
	}
	classes := classesOf(x.pattern(id))
	name := x.fresh(lower(x.fn.Name.Name) + called + strconv.Itoa(x.f.Fset.Position(c.Pos()).Line))
	if len(classes) == 0 || name == "" {
		return
	}
	text := ""
	switch called {
	case "FindAllString":
		text = allText
	case "FindString":
		text = firstText
	case "Split":
		text = splitText
	default:
		return
	}
	if called != "FindString" {
		if len(c.Args) != 2 || !(matching{x}).negative(c.Args[1]) {
			return
		}
	}
	var cases strings.Builder
	for _, cl := range classes {
		cases.WriteString("		case " + cl.cond + ":\n			i += size\n")
		if cl.many {
			cases.WriteString("	" + strings.ReplaceAll(strings.ReplaceAll(moreText, "\n	", "\n		"), "COND", cl.cond))
		}
	}
	text = strings.NewReplacer("NAME", name, "CALL", x.text(c.Fun), "CASES", cases.String()).Replace(text)
	end := x.f.Offset(x.fn.End())
	edits := []Edit{x.replace(c.Fun, name), {end, end, "\n\n" + text}}
	if len(c.Args) == 2 { // a bound that is none
		edits = append(edits, Edit{x.f.Offset(c.Args[0].End()), x.f.Offset(c.Args[1].End()), ""})
	}
	x.offer("a loop for an expression of classes", n, []string{"unicode/utf8"}, edits...)
	x.tidy(id)
}

// The functions that stand for an expression. As many texts have room at first as where
// the expression makes them.
const (
	allText = `// NAME is CALL without an expression.
func NAME(s string) []string {
	var out []string
	for i := 0; i < len(s); {
		r, size := rune(s[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(s[i:])
		}
		from := i
		switch {
CASES		default:
			i += size
			continue
		}
		if out == nil {
			out = make([]string, 0, 10)
		}
		out = append(out, s[from:i])
	}
	return out
}
`
	firstText = `// NAME is CALL without an expression.
func NAME(s string) string {
	for i := 0; i < len(s); {
		r, size := rune(s[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(s[i:])
		}
		from := i
		switch {
CASES		default:
			i += size
			continue
		}
		return s[from:i]
	}
	return ""
}
`
	splitText = `// NAME is CALL without an expression.
func NAME(s string) []string {
	out := make([]string, 0, 10)
	last := 0
	for i := 0; i < len(s); {
		r, size := rune(s[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(s[i:])
		}
		from := i
		switch {
CASES		default:
			i += size
			continue
		}
		out = append(out, s[last:from])
		last = i
	}
	return append(out, s[last:])
}
`
)

// pieceOf is one class of characters that an expression takes.
type pieceOf struct {
	cond string // on r
	many bool   // it takes all that follow each other
}

// classesOf are the classes of characters that a pattern looks for, the first that fits
// first; none for other patterns.
func classesOf(pattern string) []pieceOf {
	if pattern == "" {
		return nil
	}
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return nil
	}
	for re.Op == syntax.OpCapture {
		re = re.Sub[0]
	}
	subs := []*syntax.Regexp{re}
	if re.Op == syntax.OpAlternate {
		subs = re.Sub
	}
	var out []pieceOf
	for _, sub := range subs {
		for sub.Op == syntax.OpCapture {
			sub = sub.Sub[0]
		}
		cond, many := classOf(sub.String())
		if cond == "" || len(out) == 3 {
			return nil
		}
		out = append(out, pieceOf{cond, many})
	}
	return out
}

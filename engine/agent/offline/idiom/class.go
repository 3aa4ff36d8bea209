package idiom

import (
	"go/ast"
	"go/constant"
	"go/types"
	"regexp/syntax"
	"strconv"
	"strings"
	"unicode"
)

// mostRanges bounds the ranges of a class that is written as conditions.
const mostRanges = 12

// class looks for one class of characters by a loop instead of by an expression:
// in ReplaceAllString with a text that is no template, and in MatchString.
func (x *finder) class(n ast.Node) {
	c, id, called := method(n)
	if c == nil || !x.usable("unicode/utf8") {
		return
	}
	cond, many := classOf(x.pattern(id))
	name := x.fresh(lower(x.fn.Name.Name) + called + strconv.Itoa(x.f.Fset.Position(c.Pos()).Line))
	if cond == "" || name == "" {
		return
	}
	text := ""
	switch {
	case called == "MatchString" && len(c.Args) == 1:
		text = matchText
	case called == "ReplaceAllString" && len(c.Args) == 2:
		with := x.f.Info.Types[c.Args[1]].Value
		if with == nil || with.Kind() != constant.String || strings.Contains(constant.StringVal(with), "$") {
			return
		}
		text = strings.ReplaceAll(replaceText, "MORE", "")
		if many {
			text = strings.ReplaceAll(replaceText, "MORE", moreText)
		}
	default:
		return
	}
	text = strings.NewReplacer("NAME", name, "CALL", x.text(c.Fun), "COND", cond).Replace(text)
	end := x.f.Offset(x.fn.End())
	x.offer("a loop for an expression of one class", n, []string{"unicode/utf8"}, x.replace(c.Fun, name), Edit{end, end, "\n\n" + text})
	x.tidy(id)
}

// The functions that stand for an expression.
const (
	matchText = `// NAME is CALL without an expression.
func NAME(s string) bool {
	for _, r := range s {
		if COND {
			return true
		}
	}
	return false
}
`
	replaceText = `// NAME is CALL without an expression.
func NAME(s, with string) string {
	var out []byte
	from := 0
	for i := 0; i < len(s); {
		r, size := rune(s[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(s[i:])
		}
		if !(COND) {
			i += size
			continue
		}
		if out == nil {
			out = make([]byte, 0, len(s)+len(with))
		}
		out = append(append(out, s[from:i]...), with...)
		i += size
MORE		from = i
	}
	if out == nil {
		return s
	}
	return string(append(out, s[from:]...))
}
`
	moreText = `		for i < len(s) {
			r, size = rune(s[i]), 1
			if r >= utf8.RuneSelf {
				r, size = utf8.DecodeRuneInString(s[i:])
			}
			if !(COND) {
				break
			}
			i += size
		}
`
)

func lower(name string) string { return strings.ToLower(name[:1]) + name[1:] }

// pattern is the constant expression that a variable of the package, which this
// file declares and nothing in it changes, was compiled from; "" for none.
func (x *function) pattern(id *ast.Ident) string {
	obj := x.f.Info.Uses[id]
	if obj == nil || obj.Parent() != x.f.Pkg.Scope() || ast.IsExported(id.Name) || assigned(x.f.File, id.Name) {
		return ""
	}
	_, spec := x.variable(id.Name)
	if spec == nil || len(spec.Values) != 1 {
		return ""
	}
	name, c := x.call(spec.Values[0])
	if name != "regexp.MustCompile" || len(c.Args) != 1 {
		return ""
	}
	text, _ := fixed{x}.value(c.Args[0])
	return text
}

// classOf is the condition on r for the one class of characters that a pattern
// looks for, and whether it takes all that follow each other; "" for other
// patterns.
func classOf(pattern string) (cond string, many bool) {
	if pattern == "" {
		return "", false
	}
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return "", false
	}
	if re.Op == syntax.OpPlus && re.Flags&syntax.NonGreedy == 0 {
		re, many = re.Sub[0], true
	}
	switch {
	case re.Op == syntax.OpLiteral && len(re.Rune) == 1 && re.Flags&syntax.FoldCase == 0:
		return "r == " + strconv.QuoteRuneToASCII(re.Rune[0]), many
	case re.Op != syntax.OpCharClass || len(re.Rune) == 0 || len(re.Rune) > 2*mostRanges:
		return "", false
	}
	var parts []string
	for i := 0; i < len(re.Rune); i += 2 {
		lo, hi := strconv.QuoteRuneToASCII(re.Rune[i]), strconv.QuoteRuneToASCII(re.Rune[i+1])
		switch {
		case lo == hi:
			parts = append(parts, "r == "+lo)
		case re.Rune[i] == 0:
			parts = append(parts, "r <= "+hi)
		case re.Rune[i+1] == unicode.MaxRune:
			parts = append(parts, "r >= "+lo)
		default:
			parts = append(parts, lo+" <= r && r <= "+hi)
		}
	}
	return strings.Join(parts, " || "), many
}

// containsByte asks whether a text holds a byte instead of any of a text made of
// that byte.
func (x *finder) containsByte(n ast.Node) {
	name, c := x.call(n)
	if name != "strings.ContainsAny" || len(c.Args) != 2 {
		return
	}
	conv, ok := c.Args[0].(*ast.CallExpr)
	if !ok || x.text(conv.Fun) != "string" || len(conv.Args) != 1 {
		return
	}
	if b := x.basic(conv.Args[0]); b == nil || b.Kind() != types.Uint8 || !repeatable(c.Args[1]) || !repeatable(conv.Args[0]) {
		return
	}
	sel := c.Fun.(*ast.SelectorExpr)
	x.offer("ContainsRune for ContainsAny", n, nil, x.replace(sel.Sel, "ContainsRune"), x.replace(c.Args[0], x.text(c.Args[1])), x.replace(c.Args[1], "rune("+x.text(conv.Args[0])+")"))
}

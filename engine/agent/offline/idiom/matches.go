package idiom

import (
	"go/ast"
	"go/constant"
	"slices"
	"strconv"
	"strings"
)

// matching knows the methods of expressions.
type matching struct{ *finder }

// look asks the automaton of a constant expression where it matches, for the methods
// of texts that tell no groups.
func (x matching) look(n ast.Node) {
	c, id, called := method(n)
	if c == nil {
		return
	}
	pattern := x.known(id)
	if pattern == "" {
		return
	}
	body := x.body(called, c, pattern)
	if body == "" {
		return
	}
	if m := NewMatcher(pattern); m != nil {
		x.instead(c, id, called, stand{"an automaton that finds what an expression does", lower(id.Name) + "Matches", " appends where " + id.Name + " matches,", body, m})
	}
}

// known is a constant expression of which an automaton may be asked; "" for none.
func (x matching) known(id *ast.Ident) string {
	if !x.usable("unicode/utf8") || slices.Contains(takenNames, id.Name) {
		return ""
	}
	pattern := x.pattern(id)
	if pattern != "" && x.longest() {
		return ""
	}
	return pattern
}

// stand is what stands for a method of an expression.
type stand struct {
	idiom string
	asks  string // the function of the automaton
	says  string // how its comment goes on
	body  string // of the function in the place of the method
	by    interface {
		text(name, expression string) string
	}
}

// instead offers a function in the place of a call, and that of the automaton which it asks where
// the file has none yet.
func (x matching) instead(c *ast.CallExpr, id *ast.Ident, called string, s stand) {
	made := strings.Contains(string(x.src), "// "+s.asks+s.says)
	around := x.fresh(lower(x.fn.Name.Name) + called + strconv.Itoa(x.f.Fset.Position(c.Pos()).Line))
	if around == "" || !made && x.f.Pkg.Scope().Lookup(s.asks) != nil || (fixed{&x.function}).shadowed(s.asks) {
		return
	}
	end := x.f.Offset(x.fn.End())
	text := "\n\n" + strings.NewReplacer("NAME", around, "CALL", x.text(c.Fun), "ASKS", s.asks).Replace(s.body)
	if !made {
		text += "\n" + s.by.text(s.asks, id.Name)
	}
	edits := []Edit{x.replace(c.Fun, around), {end, end, text}}
	if strings.Contains(s.body, "(s string)") && len(c.Args) == 2 { // a bound that is none
		edits = append(edits, Edit{x.f.Offset(c.Args[0].End()), x.f.Offset(c.Args[1].End()), ""})
	}
	x.offer(s.idiom, c, []string{"unicode/utf8"}, edits...)
}

// takenNames are those in the functions that are written, which an expression must not have.
var takenNames = strings.Fields("to s most steps from c state end size i class width next r n m with out at room trail last cell way e k slots ok")

// longest reports whether the file prefers the longest match of some expression.
func (x matching) longest() bool {
	return strings.Contains(string(x.src), ".Longest()") || x.f.Elsewhere != nil && x.f.Elsewhere("Longest")
}

// body is the function that stands for a method; "" for calls that have none, or a
// better one.
func (x matching) body(method string, c *ast.CallExpr, pattern string) string {
	one, _ := classOf(pattern)
	classes := classesOf(pattern)
	switch args := len(c.Args); {
	case args == 1 && method == "MatchString" && one == "" && NewAutomaton(pattern) == nil:
		return matchesAny
	case args == 1 && method == "FindString" && len(classes) == 0:
		return matchesFirst
	case args == 1 && method == "FindStringIndex":
		return matchesPlace
	case args == 2 && method == "ReplaceAllString":
		with := x.f.Info.Types[c.Args[1]].Value
		if one == "" && with != nil && with.Kind() == constant.String && !strings.Contains(constant.StringVal(with), "$") {
			return strings.NewReplacer("WITH", "with", "TYPE", "with string").Replace(matchesReplaced)
		}
	case args == 2 && method == "ReplaceAllLiteralString":
		return strings.NewReplacer("WITH", "with", "TYPE", "with string").Replace(matchesReplaced)
	case args == 2 && method == "ReplaceAllStringFunc":
		return strings.NewReplacer("WITH", "with(s[at[i]:at[i+1]])", "TYPE", "with func(string) string").Replace(matchesReplaced)
	case args == 2 && x.negative(c.Args[1]):
		switch {
		case method == "FindAllString" && len(classes) == 0:
			return matchesTexts
		case method == "FindAllStringIndex":
			return matchesPlaces
		case method == "Split" && len(classes) == 0:
			return matchesSplit
		}
	}
	return ""
}

// negative reports a constant number below 0.
func (x matching) negative(e ast.Expr) bool {
	v := x.f.Info.Types[e].Value
	return v != nil && v.Kind() == constant.Int && constant.Sign(v) < 0
}

// The functions that stand for the methods of an expression.
const (
	matchesAny = `// NAME is CALL by an automaton.
func NAME(s string) bool {
	var room [2]int
	return len(ASKS(room[:0], s, 1)) > 0
}
`
	matchesFirst = `// NAME is CALL by an automaton.
func NAME(s string) string {
	var room [2]int
	at := ASKS(room[:0], s, 1)
	if len(at) == 0 {
		return ""
	}
	return s[at[0]:at[1]]
}
`
	matchesPlace = `// NAME is CALL by an automaton.
func NAME(s string) []int {
	var room [2]int
	at := ASKS(room[:0], s, 1)
	if len(at) == 0 {
		return nil
	}
	return []int{at[0], at[1]}
}
`
	matchesReplaced = `// NAME is CALL by an automaton.
func NAME(s string, TYPE) string {
	var room [32]int
	at := ASKS(room[:0], s, -1)
	if len(at) == 0 {
		return s
	}
	out := make([]byte, 0, len(s))
	from := 0
	for i := 0; i < len(at); i += 2 {
		out = append(append(out, s[from:at[i]]...), WITH...)
		from = at[i+1]
	}
	return string(append(out, s[from:]...))
}
`
	matchesTexts = `// NAME is CALL by an automaton.
func NAME(s string) []string {
	var room [32]int
	at := ASKS(room[:0], s, -1)
	if len(at) == 0 {
		return nil
	}
	out := make([]string, 0, len(at)/2)
	for i := 0; i < len(at); i += 2 {
		out = append(out, s[at[i]:at[i+1]])
	}
	return out
}
`
	matchesPlaces = `// NAME is CALL by an automaton.
func NAME(s string) [][]int {
	var room [32]int
	at := ASKS(room[:0], s, -1)
	if len(at) == 0 {
		return nil
	}
	all := append([]int(nil), at...)
	out := make([][]int, 0, len(at)/2)
	for i := 0; i < len(at); i += 2 {
		out = append(out, all[i:i+2:i+2])
	}
	return out
}
`
	matchesSplit = `// NAME is CALL by an automaton.
func NAME(s string) []string {
	var room [32]int
	at := ASKS(room[:0], s, -1)
	out := make([]string, 0, len(at)/2+1)
	from := 0
	for i := 0; i < len(at); i += 2 {
		out = append(out, s[from:at[i]])
		from = at[i+1]
	}
	return append(out, s[from:])
}
`
)

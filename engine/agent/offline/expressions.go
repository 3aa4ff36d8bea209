package offline

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"atoll/engine/agent/offline/language"
)

// expressions finds the calls of package re, or of package regex, which has the same
// functions, in the functions of one file of Python.
type expressions struct {
	s     *language.Source
	pkg   string // by which name the file has the package
	lines []int  // the first token of each logical line
	depth []int  // its indentation
	at    int    // where declarations stand: behind all that the module imports
	late  bool   // which package it is follows from what is installed: nothing is compiled before its time

	names    map[string]string // of constants by their expression
	declared string
	kept     string // the function that keeps what was compiled; "" where none is needed
	edits    []textEdit
	n        int
}

// mostArgs is how many arguments a function of package re has besides flags.
var mostArgs = map[string]int{"match": 2, "search": 2, "fullmatch": 2, "findall": 2, "finditer": 2, "split": 2, "sub": 3, "subn": 3, "compile": 1}

// mostKept is how many compiled expressions a module keeps that it makes while it runs:
// as many as package re does.
const mostKept = 512

// compiledOnce has literals compiled once for the module, and other expressions kept
// from their first use on: package re keeps them too, and takes longer to find them. It
// changes nothing where the module uses the name of the package for anything else.
func compiledOnce(s *language.Source) (data []byte, n int) {
	x := &expressions{s: s, names: map[string]string{}}
	if !x.imported() {
		return nil, 0
	}
	for i := range s.Toks {
		if x.text(i) == x.pkg && x.text(i+1) == "." && x.text(i+3) == "(" && x.text(i-1) != "." && mostArgs[x.text(i+2)] > 0 && x.inFunction(i) {
			x.call(i)
		}
	}
	if x.n == 0 {
		return nil, 0
	}
	return applyEdits(s.Data, append(x.edits, textEdit{x.at, x.at, x.declared})), x.n
}

func (x *expressions) text(i int) string {
	if i < 0 || i >= len(x.s.Toks) {
		return ""
	}
	return x.s.Toks[i].Text(x.s.Data)
}

// imported finds the name of the package, and the end of the statement that imports it:
// a line, or a try with what it falls back to. It reports false where the module does
// not import it so, or means something else by that name at times.
func (x *expressions) imported() bool {
	var end int
	lines := language.LogicalLines(x.s.Data, x.s.Toks)
	for _, l := range lines {
		x.lines, x.depth = append(x.lines, l.First), append(x.depth, l.Indent)
	}
	for k, l := range lines {
		name := x.importOf(k)
		if name == "" {
			continue
		}
		if x.pkg != "" && name != x.pkg {
			return false
		}
		last := k
		if l.Indent > 0 {
			x.late = true
			top := k
			for top > 0 && lines[top].Indent > 0 {
				top--
			}
			if word := x.text(lines[top].First); word != "try" && word != "except" && word != "else" {
				return false
			}
			for last+1 < len(lines) && (lines[last+1].Indent > 0 || slices.Contains([]string{"except", "else", "finally"}, x.text(lines[last+1].First))) {
				last++
			}
		}
		x.pkg, end = name, max(end, last)
	}
	if x.pkg == "" {
		return false
	}
	for i := range x.s.Toks {
		if x.text(i) == x.pkg && x.text(i-1) != "." && x.text(i+1) != "." && !x.atImport(i) {
			return false
		}
	}
	x.at = language.LineAt(x.s.Data, max(lines[end].End-1, lines[end].Start))[1]
	return true
}

// importOf is the name that a line gives to package re; "" where it imports something
// else, or more than that.
func (x *expressions) importOf(k int) string {
	i, end := x.lines[k], len(x.s.Toks)
	if k+1 < len(x.lines) {
		end = x.lines[k+1]
	}
	if x.text(i) != "import" || x.text(i+1) != "re" && x.text(i+1) != "regex" {
		return ""
	}
	switch {
	case end == i+2:
		return x.text(i + 1)
	case end == i+4 && x.text(i+2) == "as":
		return x.text(i + 3)
	}
	return ""
}

// atImport reports whether a token is part of a line that imports the package.
func (x *expressions) atImport(i int) bool {
	k := x.line(i)
	return k >= 0 && x.importOf(k) != ""
}

// call rewrites one call of the package, whose name is token i.
func (x *expressions) call(i int) {
	word := x.text(i + 2)
	c, ok := x.arguments(i+3, mostArgs[word], word != "split" && mostArgs[word] < 3)
	if !ok {
		return
	}
	made := x.pkg + ".compile"
	var compiled string
	switch {
	case c.literal && !x.late:
		compiled = x.constant(made + "(" + c.expr + c.flags + ")")
	default:
		compiled = x.keeper(made) + "(" + c.expr + c.flags + ")"
	}
	x.n++
	toks := x.s.Toks
	if word == "compile" {
		x.edits = append(x.edits, textEdit{toks[i].Start, toks[c.close].End, compiled})
		return
	}
	x.edits = append(x.edits, textEdit{toks[i].Start, toks[i].End, compiled}, textEdit{toks[i+3].End, c.rest, ""})
	if c.flags != "" {
		x.edits = append(x.edits, textEdit{toks[c.flagsAt-1].Start, toks[c.close-1].End, ""})
	}
}

// constant is the name of what a module declares.
func (x *expressions) constant(value string) string {
	if name := x.names[value]; name != "" {
		return name
	}
	name := x.fresh("_EXPRESSION", 1)
	x.names[value] = name
	x.declared += name + " = " + value + "\n"
	return name
}

// keeper is the function that compiles an expression and keeps it.
func (x *expressions) keeper(made string) string {
	if x.kept == "" {
		tools := x.fresh("_functools", 0)
		x.kept = x.fresh("_compiled", 0)
		x.declared = "import functools as " + tools + "\n" + x.declared + x.kept + fmt.Sprintf(" = %s.lru_cache(maxsize=%d)(%s)\n", tools, mostKept, made)
	}
	return x.kept
}

// fresh is a name that the module does not have: the word itself for k = 0, else with a
// number.
func (x *expressions) fresh(word string, k int) string {
	for ; ; k++ {
		name := word
		if k > 0 {
			name = fmt.Sprintf("%s_%d", word, k)
		}
		if !bytes.Contains(x.s.Data, []byte(name)) && !strings.Contains(x.declared, name+" ") {
			return name
		}
	}
}

// inFunction reports whether a token lies in the body of a function: all else runs once
// anyway.
func (x *expressions) inFunction(i int) bool {
	k := x.line(i)
	if k < 0 {
		return false
	}
	for up, depth := k-1, x.depth[k]; up >= 0 && depth > 0; up-- {
		if x.depth[up] >= depth {
			continue
		}
		depth = x.depth[up]
		if at := x.lines[up]; x.text(at) == "def" || x.text(at) == "async" && x.text(at+1) == "def" {
			return true
		}
	}
	return false
}

// line is the logical line of a token; -1: none.
func (x *expressions) line(i int) int {
	k, found := slices.BinarySearch(x.lines, i)
	if !found {
		k--
	}
	return k
}

// reCall is a call of package re: its expression, the flags behind a comma, and where
// its other arguments begin.
type reCall struct {
	expr, flags    string
	literal        bool
	rest           int // position
	flagsAt, close int // tokens
}

// arguments reads a call whose parenthesis is token open. ok is false where it has other
// than the given number of arguments besides constant flags, or some of them by name;
// placed is whether flags may stand behind the others without their name.
func (x *expressions) arguments(open, want int, placed bool) (c reCall, ok bool) {
	first := []int{open + 1}
	depth := 0
	for i := open; i < len(x.s.Toks) && c.close == 0; i++ {
		switch t := x.s.Toks[i]; {
		case t.Kind == language.Open:
			depth++
		case t.Kind == language.Close:
			if depth--; depth == 0 {
				c.close = i
			}
		case depth == 1 && x.text(i) == ",":
			first = append(first, i+1)
		}
	}
	if c.close == 0 || c.close == open+1 {
		return c, false
	}
	if first[len(first)-1] == c.close { // a comma at the end
		return c, false
	}
	flagged := len(first) == want+1 && (x.text(first[want]) == "flags" && x.text(first[want]+1) == "=" || placed)
	if flagged {
		c.flagsAt = first[want]
		from := c.flagsAt
		if x.text(from) == "flags" {
			from += 2
		}
		if !x.constantFlags(from, c.close) {
			return c, false
		}
		c.flags = ", " + string(x.s.Data[x.s.Toks[from].Start:x.s.Toks[c.close-1].End])
	} else if len(first) != want {
		return c, false
	}
	for k, i := range first[:want] {
		if t := x.text(i); t == "*" || t == "**" || x.text(i+1) == "=" || k == 0 && bytes.ContainsRune(x.s.Data[x.s.Toks[i].Start:x.end(first, k, c.close)], '\n') && !x.plain(i, x.endToken(first, k, c.close)) {
			return c, false
		}
	}
	last := x.endToken(first, 0, c.close)
	for i := first[0]; i < last; i++ {
		if x.text(i) == x.pkg && x.text(i+1) == "." && mostArgs[x.text(i+2)] > 0 {
			return c, false
		}
		if slices.Contains([]string{"await", "yield", ":=", "lambda", "for", "if"}, x.text(i)) {
			return c, false
		}
	}
	c.expr = string(x.s.Data[x.s.Toks[first[0]].Start:x.s.Toks[last-1].End])
	if bytes.ContainsRune([]byte(c.expr), '#') && !x.plain(first[0], last) {
		return c, false
	}
	c.literal = x.plain(first[0], last)
	if want > 1 {
		c.rest = x.s.Toks[first[1]].Start
	}
	return c, true
}

// endToken is the token behind argument k.
func (x *expressions) endToken(first []int, k, end int) int {
	if k+1 < len(first) {
		return first[k+1] - 1
	}
	return end
}

// end is where argument k ends.
func (x *expressions) end(first []int, k, end int) int {
	return x.s.Toks[x.endToken(first, k, end)-1].End
}

// plain reports whether the tokens from to end-1 are a literal text.
func (x *expressions) plain(from, end int) bool {
	for i := from; i < end; i++ {
		text := x.text(i)
		if (x.s.Toks[i].Kind != language.String || strings.HasPrefix(strings.ToLower(text), "f")) && !slices.Contains([]string{"r", "b", "rb", "br", "R"}, text) {
			return false
		}
	}
	return from < end
}

// constantFlags reports whether the tokens from to end-1 are flags of the package.
func (x *expressions) constantFlags(from, end int) bool {
	for i := from; i < end; i++ {
		want := []string{x.pkg, ".", "", "|"}[(i-from)%4]
		if want != "" && x.text(i) != want || want == "" && x.text(i) != strings.ToUpper(x.text(i)) {
			return false
		}
	}
	return (end-from)%4 == 3
}

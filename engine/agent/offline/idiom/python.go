package idiom

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"atoll/engine/agent/offline/language"
)

// python looks for idioms in a file of Python, by its tokens. A name of Python can mean
// anything, so a form is offered only where tokens tell that it holds: what is a list
// literal, what is seen by nobody else, what cannot be interrupted and seen half done.
type python struct {
	s     *language.Source
	lines []pyLine
	at    []int // the line of each token
	defs  []pyDef
	stars bool // it imports names that it does not tell
	out   []Rewrite
}

// pyLine is one logical line: the tokens first to end-1.
type pyLine struct{ first, end, indent, start, stop int }

// pyDef is one function: the lines first to end-1, the first with def.
type pyDef struct {
	name       string
	first, end int
}

// Python lists the rewrites of a file in the order of their places.
func Python(s *language.Source) []Rewrite {
	x := &python{s: s}
	logical := language.LogicalLines(s.Data, s.Toks)
	for i, l := range logical {
		end := len(s.Toks)
		if i+1 < len(logical) {
			end = logical[i+1].First
		}
		x.lines = append(x.lines, pyLine{l.First, end, l.Indent, l.Start, s.Toks[end-1].End})
		for range end - l.First {
			x.at = append(x.at, i)
		}
	}
	for k, l := range x.lines {
		t := l.first
		if x.text(t) == "async" {
			t++
		}
		if x.text(t) == "def" {
			x.defs = append(x.defs, pyDef{x.text(t + 1), k, x.blockEnd(k)})
		}
		x.stars = x.stars || x.text(l.first) == "from" && x.text(l.end-1) == "*"
	}
	for k := range x.lines {
		for _, form := range pythonLines {
			form(x, k)
		}
	}
	for i := range s.Toks {
		for _, form := range pythonTokens {
			form(x, i)
		}
	}
	slices.SortStableFunc(x.out, func(a, b Rewrite) int { return cmp.Compare(a.Edits[0].Start, b.Edits[0].Start) })
	return x.out
}

// pythonLines are the idioms that begin with a line, pythonTokens those within one.
var (
	pythonLines  = []func(*python, int){(*python).collect, (*python).joined, (*python).bound, func(x *python, k int) { asking{x}.asks(k) }}
	pythonTokens = []func(*python, int){(*python).listed, (*python).display, (*python).members, (*python).lesser, (*python).pairs, (*python).mapped, (*python).formats, func(x *python, i int) { tables{x}.table(i) }}
)

// text is a token, "" outside of the file.
func (x *python) text(i int) string {
	if i < 0 || i >= len(x.s.Toks) {
		return ""
	}
	return x.s.Toks[i].Text(x.s.Data)
}

// source is the text of the tokens from to end-1.
func (x *python) source(from, end int) string {
	return string(x.s.Data[x.s.Toks[from].Start:x.s.Toks[end-1].End])
}

// blockEnd is the line after the block that a line begins.
func (x *python) blockEnd(k int) int {
	end := k + 1
	for end < len(x.lines) && x.lines[end].indent > x.lines[k].indent {
		end++
	}
	return end
}

// def is the innermost function around a line; nil for what runs once or in a class.
func (x *python) def(k int) *pyDef {
	indent := x.lines[k].indent
	for up := k - 1; up >= 0; up-- {
		l := x.lines[up]
		if l.indent >= indent {
			continue
		}
		indent = l.indent
		word := x.text(l.first)
		if word == "async" && x.text(l.first+1) == "def" {
			word = "def"
		}
		switch word {
		case "class":
			return nil
		case "def":
			for i := range x.defs {
				if x.defs[i].first == up {
					return &x.defs[i]
				}
			}
			return nil
		}
	}
	return nil
}

// loops counts the loops around a line in its function.
func (x *python) loops(k int, d *pyDef) int {
	n, indent := 0, x.lines[k].indent
	for up := k - 1; up > d.first; up-- {
		if l := x.lines[up]; l.indent < indent {
			indent = l.indent
			if word := x.text(l.first); word == "for" || word == "while" {
				n++
			}
		}
	}
	return n
}

// shielded reports whether a line lies where an exception may be caught in its
// function: what is half done would be seen.
func (x *python) shielded(k int, d *pyDef) bool {
	indent := x.lines[k].indent
	for up := k - 1; up > d.first; up-- {
		if l := x.lines[up]; l.indent < indent {
			indent = l.indent
			if word := x.text(l.first); word == "try" || word == "with" || word == "except" || word == "finally" || word == "async" {
				return true
			}
		}
	}
	return false
}

// mentions reports whether the tokens from to end-1 have a name, also in a text that is
// formatted; the attribute of another thing is none.
func (x *python) mentions(from, end int, name string) bool {
	for i := from; i < end; i++ {
		switch t := x.s.Toks[i]; {
		case t.Kind == language.String:
			if x.formatted(i) && strings.Contains(x.text(i), name) {
				return true
			}
		case x.text(i) == name && x.text(i-1) != ".":
			return true
		}
	}
	return false
}

// formatted reports whether a text names variables.
func (x *python) formatted(i int) bool {
	text := x.text(i)
	if q := strings.IndexAny(text, `"'`); q > 0 {
		return strings.ContainsAny(text[:q], "fFtT")
	}
	before := x.text(i - 1)
	return i > 0 && x.s.Toks[i-1].End == x.s.Toks[i].Start && len(before) <= 2 && strings.ContainsAny(before, "fFtT")
}

// hasWord reports whether the tokens from to end-1 have one of some words.
func (x *python) hasWord(from, end int, words ...string) bool {
	for i := from; i < end; i++ {
		if slices.Contains(words, x.text(i)) {
			return true
		}
	}
	return false
}

// strange are words in an expression that mean another thing in a comprehension, or look
// at the variables of a function.
var strange = []string{"yield", "await", "async", "lambda", ":=", "locals", "vars", "eval", "exec", "dir", "super", "__class__", "next", "del"}

// remarked reports whether comments or joined lines lie between the tokens from to end-1.
func (x *python) remarked(from, end int) bool {
	for i := from; i+1 < end; i++ {
		if bytes.ContainsAny(x.s.Data[x.s.Toks[i].End:x.s.Toks[i+1].Start], "#\\") {
			return true
		}
	}
	return false
}

// closing is the bracket that closes the one at open; -1: none.
func (x *python) closing(open int) int {
	depth := 0
	for i := open; i < len(x.s.Toks); i++ {
		switch x.s.Toks[i].Kind {
		case language.Open:
			depth++
		case language.Close:
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// top finds the first of some words outside of all brackets among the tokens from to
// end-1; -1: none.
func (x *python) top(from, end int, words ...string) int {
	depth := 0
	for i := from; i < end; i++ {
		switch x.s.Toks[i].Kind {
		case language.Open:
			depth++
		case language.Close:
			depth--
		default:
			if depth == 0 && slices.Contains(words, x.text(i)) {
				return i
			}
		}
	}
	return -1
}

// builtin reports whether a name means in this file what it means in Python.
func (x *python) builtin(name string) bool {
	if x.stars {
		return false
	}
	for i := range x.s.Toks {
		if x.text(i) != name || x.text(i-1) == "." {
			continue
		}
		l := x.lines[x.at[i]]
		word, before, after := x.text(l.first), x.text(i-1), x.text(i+1)
		switch {
		case word == "import" || word == "from" || word == "global" || word == "nonlocal",
			slices.Contains([]string{"def", "class", "as", "for", "del", "*", "**"}, before),
			after == ":=", after == "=" && x.top(l.first, i, "(") < 0 && before != "(" && before != ",",
			before == "," && i > l.first && x.top(l.first, i+1, "for") >= 0,
			(word == "def" || word == "async" || word == "lambda" || before == "lambda") && (before == "(" || before == "," || before == "lambda") && slices.Contains([]string{",", "=", ":", ")"}, after),
			after == "," && i == l.first:
			return false
		}
	}
	return true
}

// offer adds a rewrite of something in a line of a function.
func (x *python) offer(name string, k int, d *pyDef, more int, pays float64, edits ...Edit) {
	line := 1 + x.s.Toks[x.lines[k].first].Line
	x.out = append(x.out, Rewrite{Name: name, Func: d.name, Line: line, Loops: x.loops(k, d) + more, Pays: pays, Edits: edits, plain: true})
}

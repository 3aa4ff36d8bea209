package audit

import (
	"slices"
	"strings"

	"atoll/engine/agent/offline/language"
)

// pyScope is a def or class whose body is open.
type pyScope struct {
	name   string
	indent int // of the line that opened it
	fn     int // its function, -1 for a class
	class  int // its class, -1 for a function
}

// pyClass is a class with what its figure is made of.
type pyClass struct {
	Function
	own     int   // branches of its body outside of methods
	methods []int // functions
}

// pyBlock is a block that may have an else of its own.
type pyBlock struct {
	indent int
	word   string
}

// python walks the logical lines of a file once.
type python struct {
	src     []byte
	lang    *language.Language
	out     []Function
	classes []pyClass
	scopes  []pyScope
	blocks  []pyBlock
}

// pythonFunctions measures the functions of a Python file by the rules of radon: 1, and
// 1 for each if, elif, for, while, except, assert, comprehension with each of its
// conditions, conditional expression, and, or, for each else of a loop or a try, and for each
// case but case _. Expressions in the braces of an f-string count, what stands in an
// assert, in defaults and in decorators does not, an inner function counts by itself. The figure of
// a class is radon's too: 1, its own branches and those of its methods, divided by the
// number of methods.
func pythonFunctions(s Source, l *language.Language, toks []language.Token) (functions, classes []Function) {
	p := &python{src: s.Data, lang: l}
	for i := 0; i < len(toks); {
		end := p.lineEnd(toks, i)
		p.line(toks[i:end])
		i = end
	}
	for _, c := range p.classes {
		sum := 1 + c.own
		for _, m := range c.methods {
			sum += p.out[m].Cyclomatic
		}
		c.Cyclomatic = sum / max(len(c.methods), 1)
		if len(c.methods) > 1 {
			c.Cyclomatic++
		}
		classes = append(classes, c.Function)
	}
	return p.out, classes
}

// lineEnd is the end of the logical line that begins at token i: brackets and a
// backslash go on.
func (p *python) lineEnd(toks []language.Token, i int) int {
	depth := 0
	for ; i < len(toks); i++ {
		switch toks[i].Kind {
		case language.Open:
			depth++
		case language.Close:
			depth--
		}
		if i+1 == len(toks) {
			return len(toks)
		}
		next := toks[i+1]
		rest, _, ended := strings.Cut(string(p.src[toks[i].End:next.Start]), "\n")
		if depth <= 0 && ended && strings.TrimSpace(rest) != "\\" {
			return i + 1
		}
	}
	return i
}

func (p *python) indentOf(t language.Token) int {
	n := 0
	for _, c := range p.src[language.LineStart(p.src, t.Start):t.Start] {
		if c == '\t' {
			n = n/8*8 + 8
			continue
		}
		n++
	}
	return n
}

func (p *python) line(toks []language.Token) {
	indent := p.indentOf(toks[0])
	for len(p.scopes) > 0 && indent <= p.scopes[len(p.scopes)-1].indent {
		p.scopes = p.scopes[:len(p.scopes)-1]
	}
	for _, s := range p.scopes {
		fn := p.of(s)
		last := toks[len(toks)-1]
		fn.Lines = last.Line + strings.Count(last.Text(p.src), "\n") + 2 - fn.Line
	}
	words := toks
	if words[0].Text(p.src) == "async" && len(words) > 1 {
		words = words[1:]
	}
	switch first := words[0].Text(p.src); first {
	case "def", "class":
		p.open(first, words, indent)
		return
	case "else":
		p.orElse(indent, words)
		return
	case "@":
		return
	default:
		p.enter(first, indent)
	}
	p.count(words)
}

// open begins a function or class; its body may stand on the same line.
func (p *python) open(kind string, words []language.Token, indent int) {
	if len(words) < 2 {
		return
	}
	s := pyScope{name: words[1].Text(p.src), indent: indent, fn: -1, class: -1}
	around := -1 // the class whose method it is
	if n := len(p.scopes); n > 0 {
		s.name = p.scopes[n-1].name + "." + s.name
		around = p.scopes[n-1].class
	}
	first, last := words[0], words[len(words)-1]
	fn := Function{Name: s.name, Line: first.Line + 1, Lines: last.Line + 1 - first.Line, Cyclomatic: 1}
	if kind == "def" {
		s.fn = len(p.out)
		p.out = append(p.out, fn)
		if around >= 0 {
			p.classes[around].methods = append(p.classes[around].methods, s.fn)
		}
	} else {
		s.class = len(p.classes)
		p.classes = append(p.classes, pyClass{Function: fn})
	}
	p.scopes = append(p.scopes, s)
	if body := afterColon(p.src, words); len(body) > 0 {
		p.count(body)
	}
}

// enter remembers a block that may have an else.
func (p *python) enter(word string, indent int) {
	for len(p.blocks) > 0 && p.blocks[len(p.blocks)-1].indent > indent {
		p.blocks = p.blocks[:len(p.blocks)-1]
	}
	switch word {
	case "if", "for", "while", "try":
		if n := len(p.blocks); n > 0 && p.blocks[n-1].indent == indent {
			p.blocks = p.blocks[:n-1]
		}
		p.blocks = append(p.blocks, pyBlock{indent, word})
	}
}

// orElse counts the else of a loop or a try, and what stands on its line.
func (p *python) orElse(indent int, words []language.Token) {
	for len(p.blocks) > 0 && p.blocks[len(p.blocks)-1].indent > indent {
		p.blocks = p.blocks[:len(p.blocks)-1]
	}
	if n := len(p.blocks); n > 0 && p.blocks[n-1].indent == indent && p.blocks[n-1].word != "if" {
		p.add(1)
	}
	p.count(words[1:])
}

// of is the function or class of a scope.
func (p *python) of(s pyScope) *Function {
	if s.fn >= 0 {
		return &p.out[s.fn]
	}
	return &p.classes[s.class].Function
}

// count adds the branches of a line to what it stands in.
func (p *python) count(words []language.Token) { p.add(p.branches(p.src, words)) }

// branches counts them among tokens of a text.
func (p *python) branches(src []byte, words []language.Token) int {
	n := 0
	for i := 0; i < len(words); i++ {
		t := words[i]
		switch text := t.Text(src); {
		case t.Kind == language.String && i > 0 && words[i-1].End == t.Start && strings.EqualFold(strings.Trim(words[i-1].Text(src), "rR"), "f"):
			inBraces(text, func(expression string) {
				n += p.branches([]byte(expression), language.Lex([]byte(expression), p.lang))
			})
		case text == "case":
			if i == 0 && len(words) > 2 && words[len(words)-1].Text(src) == ":" && words[1].Text(src) != "_" && words[1].Text(src) != "=" {
				n++
			}
		case t.Kind != language.Word:
		case text == "assert":
			n++
			for i+1 < len(words) && words[i+1].Text(src) != ";" {
				i++
			}
		case slices.Contains(pyBranches, text):
			n++
		}
	}
	return n
}

// pyBranches are the words that add a way through a function.
var pyBranches = []string{"if", "elif", "for", "while", "except", "and", "or"}

// inBraces calls fn with each expression in the braces of an f-string, those of format
// specifications among them.
func inBraces(text string, fn func(string)) {
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] != '{':
		case strings.HasPrefix(text[i:], "{{"):
			i++
		default:
			end := i + 1 + expressionEnd(text[i+1:], ":!}")
			fn(text[i+1 : end])
			if end < len(text) && text[end] == ':' {
				spec := end + 1 + expressionEnd(text[end+1:], "}")
				inBraces(text[end+1:spec], fn)
				end = spec
			}
			i = end
		}
	}
}

// expressionEnd is where one of the signs stands outside of brackets and strings; != is
// a comparison.
func expressionEnd(text, signs string) int {
	depth := 0
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case depth == 0 && strings.IndexByte(signs, c) >= 0 && !strings.HasPrefix(text[i:], "!="):
			return i
		case strings.IndexByte("([{", c) >= 0:
			depth++
		case strings.IndexByte(")]}", c) >= 0:
			depth--
		case c == '!' && depth == 0:
			i++ // of !=
		case c == '"' || c == '\'':
			if n := strings.IndexByte(text[i+1:], c); n >= 0 {
				i += n + 1
			}
		}
	}
	return len(text)
}

func (p *python) add(n int) {
	if len(p.scopes) == 0 {
		return
	}
	if s := p.scopes[len(p.scopes)-1]; s.fn >= 0 {
		p.out[s.fn].Cyclomatic += n
	} else {
		p.classes[s.class].own += n
	}
}

// afterColon is what follows the colon that ends the head of a block.
func afterColon(src []byte, words []language.Token) []language.Token {
	depth := 0
	for i, t := range words {
		switch {
		case t.Kind == language.Open:
			depth++
		case t.Kind == language.Close:
			depth--
		case depth == 0 && t.Text(src) == ":":
			return words[i+1:]
		}
	}
	return nil
}

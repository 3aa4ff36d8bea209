package audit

import (
	"strings"

	"atoll/engine/agent/offline/language"
)

// pyScope is a def or class whose body is open.
type pyScope struct {
	name   string
	indent int // of the line that opened it
	fn     int // its function, -1 for a class
}

// pyBlock is a block that may have an else of its own.
type pyBlock struct {
	indent int
	word   string
}

// python walks the logical lines of a file once.
type python struct {
	src    []byte
	out    []Function
	scopes []pyScope
	blocks []pyBlock
}

// pythonFunctions measures the functions of a Python file by the rules of radon: 1, and
// 1 for each if, elif, for, while, except, assert, comprehension with each of its
// conditions, conditional expression, and, or, for each else of a loop or a try, and for each
// case but case _. Defaults and decorators count nowhere, an inner function by
// itself.
func pythonFunctions(src []byte, toks []language.Token) []Function {
	p := &python{src: src}
	for i := 0; i < len(toks); {
		end := p.lineEnd(toks, i)
		p.line(toks[i:end])
		i = end
	}
	return p.out
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
		between := p.src[toks[i].End:next.Start]
		if depth <= 0 && strings.ContainsRune(string(between), '\n') && !strings.Contains(string(between), "\\") {
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
		if s.fn >= 0 {
			fn := &p.out[s.fn]
			last := toks[len(toks)-1]
			fn.Lines = last.Line + strings.Count(last.Text(p.src), "\n") + 2 - fn.Line
		}
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
	s := pyScope{name: words[1].Text(p.src), indent: indent, fn: -1}
	if n := len(p.scopes); n > 0 {
		s.name = p.scopes[n-1].name + "." + s.name
	}
	if kind == "def" {
		s.fn = len(p.out)
		first, last := words[0], words[len(words)-1]
		p.out = append(p.out, Function{Name: s.name, Line: first.Line + 1, Lines: last.Line + 1 - first.Line, Cyclomatic: 1})
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

// count adds the branches of a line to the function that it stands in.
func (p *python) count(words []language.Token) {
	for i, t := range words {
		switch t.Text(p.src) {
		case "if", "elif", "for", "while", "except", "assert", "and", "or":
			if t.Kind == language.Word {
				p.add(1)
			}
		case "case":
			if i == 0 && len(words) > 2 && words[len(words)-1].Text(p.src) == ":" && words[1].Text(p.src) != "_" && words[1].Text(p.src) != "=" {
				p.add(1)
			}
		}
	}
}

func (p *python) add(n int) {
	if len(p.scopes) == 0 {
		return
	}
	if s := p.scopes[len(p.scopes)-1]; s.fn >= 0 {
		p.out[s.fn].Cyclomatic += n
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

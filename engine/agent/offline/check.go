package offline

import (
	"errors"
	"fmt"
	"go/parser"
	"go/token"
)

func goParses(src []byte) bool {
	_, err := parser.ParseFile(token.NewFileSet(), "", src, parser.SkipObjectResolution)
	return err == nil
}

var (
	errUnbalanced = errors.New("brackets do not match")
	errIndent     = errors.New("indentation does not match")
)

// balanced checks that every bracket has its partner.
func balanced(src []byte, toks []lexeme) error {
	for i, m := range brackets(src, toks) {
		if m < 0 && (toks[i].kind == tokOpen || toks[i].kind == tokClose) {
			return fmt.Errorf("line %d: %w", toks[i].line+1, errUnbalanced)
		}
	}
	return nil
}

// indented checks Python blocks: a line that ends in a colon opens a deeper
// block, nothing else does, and a block ends at an indentation that is open.
func indented(src []byte, toks []lexeme) error {
	lines := logicalLines(src, toks)
	stack := []int{0}
	opened := false
	for i, ln := range lines {
		top := stack[len(stack)-1]
		switch {
		case opened && ln.indent <= top, !opened && ln.indent > top && i > 0:
			return fmt.Errorf("line %d: %w", toks[ln.first].line+1, errIndent)
		case ln.indent > top:
			stack = append(stack, ln.indent)
		}
		for len(stack) > 1 && stack[len(stack)-1] > ln.indent {
			stack = stack[:len(stack)-1]
		}
		if stack[len(stack)-1] != ln.indent {
			return fmt.Errorf("line %d: %w", toks[ln.first].line+1, errIndent)
		}
		opened = toks[ln.last-1].text(src) == ":" && blockWord(toks[ln.first].text(src))
		if !opened && blockWord(toks[ln.first].text(src)) && toks[ln.first].text(src) != "match" && toks[ln.first].text(src) != "case" && !hasColon(src, toks, ln) {
			return fmt.Errorf("line %d: %w", toks[ln.first].line+1, errIndent)
		}
	}
	if opened {
		return errIndent
	}
	return nil
}

// hasColon reports a block that is on the line of its head.
func hasColon(src []byte, toks []lexeme, ln logicalLine) bool {
	for k := ln.first; k < ln.last; k++ {
		if toks[k].text(src) == ":" {
			return true
		}
	}
	return false
}

// blockWord reports the words that open a block in Python.
func blockWord(w string) bool {
	switch w {
	case "if", "elif", "else", "for", "while", "def", "class", "with", "try", "except", "finally", "async", "match", "case":
		return true
	}
	return false
}

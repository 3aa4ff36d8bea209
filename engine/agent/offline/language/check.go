package language

import (
	"errors"
	"fmt"
	"go/parser"
	"go/token"
)

func ParsesAsGo(src []byte) bool {
	_, err := parser.ParseFile(token.NewFileSet(), "", src, parser.SkipObjectResolution)
	return err == nil
}

var (
	errUnbalanced = errors.New("brackets do not match")
	errIndent     = errors.New("indentation does not match")
)

// Balanced checks that every bracket has its partner.
func Balanced(src []byte, toks []Token) error {
	for i, m := range Brackets(src, toks) {
		if m < 0 && (toks[i].Kind == Open || toks[i].Kind == Close) {
			return fmt.Errorf("line %d: %w", toks[i].Line+1, errUnbalanced)
		}
	}
	return nil
}

// Indented checks Python blocks: a line that ends in a colon opens a deeper
// block, nothing else does, and a block ends at an indentation that is open.
func Indented(src []byte, toks []Token) error {
	lines := LogicalLines(src, toks)
	stack := []int{0}
	opened := false
	for i, ln := range lines {
		top := stack[len(stack)-1]
		switch {
		case opened && ln.Indent <= top, !opened && ln.Indent > top && i > 0:
			return fmt.Errorf("line %d: %w", toks[ln.First].Line+1, errIndent)
		case ln.Indent > top:
			stack = append(stack, ln.Indent)
		}
		for len(stack) > 1 && stack[len(stack)-1] > ln.Indent {
			stack = stack[:len(stack)-1]
		}
		if stack[len(stack)-1] != ln.Indent {
			return fmt.Errorf("line %d: %w", toks[ln.First].Line+1, errIndent)
		}
		opened = toks[ln.last-1].Text(src) == ":" && BlockWord(toks[ln.First].Text(src))
		if !opened && BlockWord(toks[ln.First].Text(src)) && toks[ln.First].Text(src) != "match" && toks[ln.First].Text(src) != "case" && !hasColon(src, toks, ln) {
			return fmt.Errorf("line %d: %w", toks[ln.First].Line+1, errIndent)
		}
	}
	if opened {
		return errIndent
	}
	return nil
}

// hasColon reports a block that is on the line of its head.
func hasColon(src []byte, toks []Token, ln logicalLine) bool {
	for k := ln.First; k < ln.last; k++ {
		if toks[k].Text(src) == ":" {
			return true
		}
	}
	return false
}

// BlockWord reports the words that open a block in Python.
func BlockWord(w string) bool {
	switch w {
	case "if", "elif", "else", "for", "while", "def", "class", "with", "try", "except", "finally", "async", "match", "case":
		return true
	}
	return false
}

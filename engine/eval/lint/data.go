package lint

import (
	"slices"

	"mvdan.cc/sh/v3/syntax"
)

// comparers say whether files are equal.
var comparers = []string{"cmp", "diff", "comm"}

const dataFileCure = "add it to evaluator.protected, or to evaluator.hidden where candidate code must not read it"

// data looks for files of the tree that decide what a candidate's value is while
// candidates may change them: what its program is asked, and what its answer is
// compared with.
func (c *shellScript) data(st *syntax.Stmt) {
	if pipe, ok := st.Cmd.(*syntax.BinaryCmd); ok && (pipe.Op == syntax.Pipe || pipe.Op == syntax.PipeAll) {
		name, words := called(pipe.Y)
		switch {
		case launches(pipe.Y):
			c.asked(pipe.X)
		case slices.Contains(comparers, name) && (c.prints(pipe.X) || slices.ContainsFunc(words[1:], c.answer)):
			c.compared(name, pipe.X, pipe.Y)
		}
		return
	}
	name, words := called(st)
	switch {
	case launches(st):
		if in := input(st); in != nil {
			c.asked(in)
		}
	case slices.Contains(comparers, name) && (slices.ContainsFunc(words[1:], c.answer) || input(st) != nil && c.answer(input(st))):
		c.compared(name, st)
	}
}

// launches reports a command that is run as a candidate's.
func launches(st *syntax.Stmt) bool {
	_, words := called(st)
	return len(words) > 0 && mentions(words[0], "ATOLL_RUN")
}

// answer reports a word that names what a candidate printed or left.
func (c *shellScript) answer(w *syntax.Word) bool {
	return c.files[written(w)] || mentions(w, "ATOLL_RUN_DIR")
}

func (c *shellScript) asked(n syntax.Node) {
	for _, p := range c.loose(n) {
		c.add(n, "the candidate's program is given "+p+", which candidates may change", dataFileCure)
	}
}

func (c *shellScript) compared(name string, where ...*syntax.Stmt) {
	for _, st := range where {
		for _, p := range c.loose(st) {
			c.add(st, name+" compares what the candidate printed with "+p+", which candidates may change", dataFileCure)
		}
	}
}

// loose lists the files of the tree that a node names and candidates may change; what
// their own programs are given is no matter of it.
func (c *shellScript) loose(n syntax.Node) (names []string) {
	syntax.Walk(n, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Stmt:
			return !launches(n)
		case *syntax.Word:
			if p := literal(n); p != "" && c.tree.loose(p) && !slices.Contains(names, p) {
				names = append(names, p)
			}
			return false
		}
		return true
	})
	return names
}

package lint

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// listen notes the variables that a node fills with what a candidate printed, beside
// plain assignments.
func (c *shellScript) listen(n syntax.Node) {
	switch n := n.(type) {
	case *syntax.DeclClause:
		for _, a := range n.Args {
			if a.Name != nil && a.Value != nil && c.heard(a.Value) {
				c.told[a.Name.Value] = true
			}
		}
	case *syntax.BinaryCmd:
		if (n.Op == syntax.Pipe || n.Op == syntax.PipeAll) && c.prints(n.X) {
			c.filled(n.Y)
		}
	case *syntax.Stmt:
		for _, r := range n.Redirs {
			if r.Word != nil && (r.Op == syntax.RdrIn && c.holds(r.Word) || r.Op == syntax.WordHdoc && c.heard(r.Word) || r.Op == syntax.RdrIn && c.streams(r.Word)) {
				c.filled(n)
			}
		}
	}
}

// filled notes the variables that a statement reads from its input.
func (c *shellScript) filled(st *syntax.Stmt) {
	syntax.Walk(st, func(n syntax.Node) bool {
		call, ok := n.(*syntax.CallExpr)
		if !ok {
			return true
		}
		words := command(call.Args)
		if len(words) == 0 || !slices.Contains([]string{"read", "mapfile", "readarray"}, program(words[0])) {
			return true
		}
		for _, w := range words[1:] {
			if name := literal(w); name != "" && !strings.HasPrefix(name, "-") {
				c.told[name] = true
			}
		}
		return true
	})
}

// streams reports a word <(...) whose program prints what a candidate did.
func (c *shellScript) streams(w *syntax.Word) bool {
	return slices.ContainsFunc(w.Parts, func(p syntax.WordPart) bool {
		sub, ok := p.(*syntax.ProcSubst)
		return ok && slices.ContainsFunc(sub.Stmts, c.prints)
	})
}

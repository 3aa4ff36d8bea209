package lint

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// The cures of what is found.
const (
	launchCure = "start it with \"$ATOLL_RUN\", which gives it fewer rights"
	resultCure = "compute the value in the evaluator, or check that it is one number before it is written"
)

// shellScript is one script while it is read.
type shellScript struct {
	Script
	tree    Tree
	found   []Finding
	told    map[string]bool // variables that hold what a candidate printed
	checked map[string]bool // variables and files that are looked at
	files   map[string]bool // files that hold what a candidate printed, as they are written
	input   *syntax.Word    // what the command that is looked at reads as its standard input
}

func checkShell(s Script, tree Tree) []Finding {
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(s.Text), s.Name)
	if err != nil {
		return nil // the shell itself will say so
	}
	c := &shellScript{Script: s, tree: tree, told: map[string]bool{}, checked: map[string]bool{}, files: map[string]bool{}}
	syntax.Walk(file, func(n syntax.Node) bool {
		if st, ok := n.(*syntax.Stmt); ok {
			c.file(st)
		}
		return true
	})
	syntax.Walk(file, func(n syntax.Node) bool {
		if n != nil {
			c.listen(n)
		}
		switch n := n.(type) {
		case *syntax.Stmt:
			c.input = input(n)
		case *syntax.CallExpr:
			c.call(n)
		case *syntax.CaseClause:
			c.check(n.Word)
		case *syntax.TestClause:
			c.check(n)
		case *syntax.ArithmExp:
			c.check(n)
		case *syntax.ArithmCmd:
			c.check(n)
		}
		return true
	})
	c.input = nil
	c.injected(file)
	syntax.Walk(file, func(n syntax.Node) bool {
		if st, ok := n.(*syntax.Stmt); ok {
			c.result(st)
			c.data(st)
		}
		return true
	})
	return c.found
}

func (c *shellScript) add(at syntax.Node, what, cure string) {
	c.found = append(c.found, Finding{Script: c.Name, Line: int(at.Pos().Line()), What: what, Cure: cure})
}

// call looks at one command and the variables that it sets.
func (c *shellScript) call(n *syntax.CallExpr) {
	for _, a := range n.Assigns {
		if a.Name != nil && a.Value != nil && c.hands(a.Value) {
			c.told[a.Name.Value] = true
		}
	}
	words := command(n.Args)
	if len(words) == 0 {
		return
	}
	name := program(words[0])
	switch {
	case slices.Contains([]string{"[", "test", "expr", "grep", "awk", "[["}, name):
		c.check(n)
		if what := c.foreign(words); what != "" {
			c.add(n, what, launchCure)
		}
	case name == "eval" && slices.ContainsFunc(words[1:], c.heard):
		c.add(n, "eval runs what the candidate printed with the evaluator's rights", resultCure)
	case takesLinks(name, words[1:]):
		c.add(n, name+" takes a symlink that a candidate left in $ATOLL_RUN_DIR along, and reading the copy follows it", "read it where it is, or copy single files with cp and none of -r, -a, -d, -P")
	case archives(name, words[1:]) == "takes" && mentions(n, "ATOLL_RUN_DIR"):
		c.add(n, name+" takes a symlink that a candidate left in $ATOLL_RUN_DIR along, and reading the copy follows it", "read it where it is, or copy single files with cp")
	case archives(name, words[1:]) == "follows" && slices.ContainsFunc(words[1:], func(w *syntax.Word) bool { return c.ofCandidates(w) }):
		c.add(n, name+" follows symlinks that a candidate made, with the evaluator's rights", "leave the option away, or "+launchCure)
	default:
		if what := c.foreign(words); what != "" {
			c.add(n, what, launchCure)
		}
	}
}

// hands reports a word that makes a variable hold what a candidate printed: its output,
// or another variable of the kind that nothing looked at. What the shell computed is a
// number.
func (c *shellScript) hands(w *syntax.Word) bool {
	found := c.runs(w)
	syntax.Walk(w, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.ArithmExp, *syntax.CmdSubst:
			return false
		case *syntax.ParamExp:
			found = found || n.Param != nil && c.told[n.Param.Value] && !c.checked[n.Param.Value] && !n.Length && !cleans(n)
		}
		return !found
	})
	return found
}

// heard reports a word with what a candidate printed.
func (c *shellScript) heard(w *syntax.Word) bool {
	found := c.runs(w)
	syntax.Walk(w, func(n syntax.Node) bool {
		p, ok := n.(*syntax.ParamExp)
		found = found || ok && p.Param != nil && c.told[p.Param.Value]
		return !found
	})
	return found
}

// check notes the variables that something looks at.
func (c *shellScript) check(n syntax.Node) {
	syntax.Walk(n, func(n syntax.Node) bool {
		if p, ok := n.(*syntax.ParamExp); ok && p.Param != nil {
			c.checked[p.Param.Value] = true
		}
		return true
	})
}

// command leaves wrappers, their options and their numbers out.
func command(words []*syntax.Word) []*syntax.Word {
	for wrapped := false; len(words) > 0; words = words[1:] {
		w := literal(words[0])
		switch {
		case slices.Contains(wrappers, path.Base(w)):
			wrapped = true
		case wrapped && (strings.HasPrefix(w, "-") || strings.Contains(w, "=") || strings.Trim(w, "0123456789.smh") == "" && w != ""):
		default:
			return words
		}
	}
	return nil
}

// literal is a word without variables, else "".
func literal(w *syntax.Word) string {
	out := ""
	for _, p := range w.Parts {
		switch p := p.(type) {
		case *syntax.Lit:
			out += p.Value
		case *syntax.SglQuoted:
			out += p.Value
		case *syntax.DblQuoted:
			inner := literal(&syntax.Word{Parts: p.Parts})
			if inner == "" && len(p.Parts) > 0 {
				return ""
			}
			out += inner
		default:
			return ""
		}
	}
	return out
}

// text is what is literal in a word.
func text(w *syntax.Word) string {
	var b strings.Builder
	syntax.Walk(w, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Lit:
			b.WriteString(n.Value)
		case *syntax.SglQuoted:
			b.WriteString(n.Value)
		}
		return true
	})
	return b.String()
}

// mentions reports whether a word uses a variable.
func mentions(w syntax.Node, name string) bool {
	found := false
	syntax.Walk(w, func(n syntax.Node) bool {
		p, ok := n.(*syntax.ParamExp)
		found = found || ok && p.Param != nil && p.Param.Value == name
		return !found
	})
	return found
}

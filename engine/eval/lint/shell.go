package lint

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// The cures of what is found.
const (
	launchCure = "start it with \"$ATOLL_RUN\", which gives it fewer rights"
	resultCure = "compute the value in the evaluator, or check that it is one number before it is written"
)

// compilers read what the source names (#include, .incbin), with the rights they
// are started with.
var compilers = []string{"cc", "gcc", "g++", "c++", "clang", "clang++", "tcc", "c99", "as", "nasm", "rustc", "gfortran", "javac", "ghc", "zig", "nim", "ocamlopt", "gnatmake"}

// interpreters run the file that is their first argument.
var interpreters = []string{".", "source", "sh", "bash", "dash", "zsh", "python", "python3", "node", "deno", "bun", "ruby", "perl", "lua", "php", "Rscript", "julia", "java", "racket"}

// wrappers run the command that follows their options.
var wrappers = []string{"time", "env", "exec", "nice", "timeout", "command", "taskset", "stdbuf", "nohup", "chrt", "perf", "setarch", "xargs"}

// builders run what the tree says, by their first argument; "" is any.
var builders = map[string][]string{
	"make": {""}, "ninja": {""}, "cargo": {"run", "test", "bench", "build"}, "npm": {"run", "test", "start"}, "yarn": {""},
	"pytest": {""}, "tox": {""}, "go": {"run", "test", "generate", "build", "vet", "install"}, "gradle": {""}, "mvn": {""}, "dune": {""}, "cmake": {"--build"},
}

var sourceFile = regexp.MustCompile(`\.(c|cc|cpp|cxx|h|s|S|asm|rs|f|f90|java|hs|zig|nim|ml|adb)$`)

// shellScript is one script while it is read.
type shellScript struct {
	Script
	tree    Tree
	found   []Finding
	told    map[string]bool // variables that hold what a candidate printed
	checked map[string]bool // variables and files that are looked at
	files   map[string]bool // files that hold what a candidate printed, as they are written
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
		switch n := n.(type) {
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
	syntax.Walk(file, func(n syntax.Node) bool {
		if st, ok := n.(*syntax.Stmt); ok {
			c.result(st)
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
		if a.Name != nil && a.Value != nil && c.runs(a.Value) {
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

// foreign says how a command runs code of a candidate with the evaluator's rights.
func (c *shellScript) foreign(words []*syntax.Word) string {
	name, path := program(words[0]), literal(words[0])
	args := words[1:]
	switch {
	case slices.Contains(compilers, name):
		for _, a := range args {
			if p := literal(a); sourceFile.MatchString(p) && c.tree.foreign(p) {
				return name + " compiles " + p + " with the evaluator's rights: a compiler reads whatever file the source names"
			}
		}
	case slices.Contains(interpreters, name):
		for i, a := range args {
			p := literal(a)
			if p == "-m" && i+1 < len(args) && slices.Contains([]string{"pytest", "unittest"}, literal(args[i+1])) {
				return name + " -m " + literal(args[i+1]) + " runs the candidate's code with the evaluator's rights"
			}
			if p == "" || p == "-c" || p == "-e" || p == "-" || p == "-m" {
				return ""
			}
			if strings.HasPrefix(p, "-") {
				continue
			}
			if c.tree.foreign(p) {
				return name + " runs " + p + " with the evaluator's rights"
			}
			return ""
		}
	case builders[name] != nil:
		first := ""
		if len(args) > 0 {
			first = literal(args[0])
		}
		if name == "go" && first == "test" && slices.ContainsFunc(args, func(a *syntax.Word) bool { return literal(a) == "-c" || mentions(a, "ATOLL_RUN") }) {
			return "" // built alone, or run by the launcher (-exec)
		}
		if name == "go" && slices.Contains([]string{"build", "vet", "install"}, first) {
			if first == "vet" && strings.Contains(c.Text, "CGO_ENABLED=0") {
				return "" // it looks into C alone
			}
			if !slices.ContainsFunc(args[1:], func(a *syntax.Word) bool { return c.own(literal(a)) }) {
				return name + " " + first + " compiles the candidate's packages with the evaluator's rights: C and assembly read whatever file the source names"
			}
			return ""
		}
		for _, verb := range builders[name] {
			if verb == "" || verb == first {
				return strings.TrimSpace(name+" "+verb) + " runs what the tree says with the evaluator's rights"
			}
		}
	case mentions(words[0], "ATOLL_RUN_DIR"):
		return "what candidates write in $ATOLL_RUN_DIR runs with the evaluator's rights"
	case strings.HasPrefix(path, "./") && c.tree.foreign(path):
		return path + " runs with the evaluator's rights"
	}
	return ""
}

// own reports a package of the tree that candidates cannot change.
func (c *shellScript) own(p string) bool {
	p = strings.TrimSuffix(p, "/...")
	return strings.HasPrefix(p, "./") && p != "./" && (c.tree.Protected(path.Clean(p)) || c.tree.Protected(path.Clean(p)+"/main.go"))
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

package lint

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// What a candidate printed is data for most commands and a program for some. This file
// knows the places of a shell script where it is one.

const (
	quoteCure  = "check first that it is a number (case $x in ''|*[!0-9]*) exit 1;; esac), or compute in a program that takes it as data"
	dataCure   = "hand it over as data (awk -v, jq --arg, an argument of sh -c), or check first that it is what it should be"
	removeCure = "name files of the evaluator's own alone, or check first that it is the name of one"
)

// numeric are the tests that compute their operands.
var numeric = []syntax.BinTestOperator{syntax.TsEql, syntax.TsNeq, syntax.TsLeq, syntax.TsGeq, syntax.TsLss, syntax.TsGtr}

// matching are the tests that look at what a text is.
var matching = []syntax.BinTestOperator{syntax.TsReMatch, syntax.TsMatch, syntax.TsMatchShort, syntax.TsNoMatch}

// programmed take their first argument that is no option for a program.
var programmed = []string{"awk", "gawk", "mawk", "sed", "jq", "yq", "bc", "dc", "perl", "python", "node", "ruby", "php", "lua"}

// valued are their options that take a word of their own, which is data.
var valued = []string{"-v", "-F", "--arg", "--argjson", "--slurpfile", "--rawfile", "--args", "--jsonargs", "-W", "-I"}

// removers do to files what their arguments name.
var removers = []string{"rm", "rmdir", "unlink", "shred", "truncate", "chmod", "chown", "mv", "dd"}

// injections looks for what a candidate printed where it is a program.
type injections struct {
	*shellScript
	guarded map[string]bool // variables whose text is looked at
	ints    map[string]bool // variables that compute what they are given
}

func (c *shellScript) injected(file *syntax.File) {
	i := injections{c, map[string]bool{}, map[string]bool{}}
	for _, look := range []func(syntax.Node){i.guard, i.look} {
		syntax.Walk(file, func(n syntax.Node) bool {
			look(n)
			return true
		})
	}
}

// guard notes the variables whose text a script looks at before it uses them.
func (i *injections) guard(n syntax.Node) {
	note := func(n syntax.Node) {
		syntax.Walk(n, func(n syntax.Node) bool {
			if p, ok := n.(*syntax.ParamExp); ok && p.Param != nil {
				i.guarded[p.Param.Value] = true
			}
			return true
		})
	}
	switch n := n.(type) {
	case *syntax.CaseClause:
		note(n.Word)
	case *syntax.BinaryTest:
		if slices.Contains(matching, n.Op) {
			note(n.X)
		}
	case *syntax.CallExpr:
		if words := command(n.Args); len(words) > 0 && program(words[0]) == "expr" {
			note(n)
		}
	case *syntax.BinaryCmd:
		if name, _ := called(n.Y); n.Op == syntax.Pipe && name == "grep" {
			note(n.X)
		}
	case *syntax.Stmt:
		if name, _ := called(n); name == "grep" {
			for _, r := range n.Redirs {
				if r.Word != nil {
					note(r.Word)
				}
			}
		}
	}
}

// unguarded names what of a candidate a node holds that nothing looked at: "$x", or the
// output of its program; "" for nothing.
func (i *injections) unguarded(n syntax.Node) string {
	out := ""
	syntax.Walk(n, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.ParamExp:
			if n.Param != nil && i.told[n.Param.Value] && !i.guarded[n.Param.Value] && !n.Length && !cleans(n) {
				out = "what the candidate printed, in $" + n.Param.Value + ","
			}
		case *syntax.CmdSubst:
			if slices.ContainsFunc(n.Stmts, i.prints) {
				out = "what the candidate prints"
			}
			return false
		}
		return out == ""
	})
	return out
}

// cleans reports ${x//[!0-9]/}, which leaves only what it names.
func cleans(p *syntax.ParamExp) bool {
	if p.Repl == nil || !p.Repl.All || p.Repl.Orig == nil {
		return false
	}
	pattern := text(p.Repl.Orig)
	return strings.HasPrefix(pattern, "[!") || strings.HasPrefix(pattern, "[^")
}

// computed is unguarded of an expression that the shell computes, where a name alone is
// its variable.
func (i *injections) computed(n syntax.Node) string {
	if what := i.unguarded(n); what != "" {
		return what
	}
	out := ""
	syntax.Walk(n, func(n syntax.Node) bool {
		if w, ok := n.(*syntax.Word); ok {
			if name := literal(w); i.told[name] && !i.guarded[name] {
				out = "what the candidate printed, in $" + name + ","
			}
		}
		return out == ""
	})
	return out
}

const computes = " is computed by the shell: in bash a subscript in it runs commands with the evaluator's rights"

// arithmetic reports an expression that the shell computes.
func (i *injections) arithmetic(at syntax.Node, exprs ...syntax.Node) {
	for _, e := range exprs {
		if what := i.computed(e); what != "" {
			i.add(at, what+computes, quoteCure)
			return
		}
	}
}

func (i *injections) look(n syntax.Node) {
	switch n := n.(type) {
	case *syntax.ArithmExp:
		i.arithmetic(n, n.X)
	case *syntax.ArithmCmd:
		i.arithmetic(n, n.X)
	case *syntax.LetClause:
		for _, e := range n.Exprs {
			i.arithmetic(n, e)
		}
	case *syntax.CStyleLoop:
		for _, e := range []syntax.ArithmExpr{n.Init, n.Cond, n.Post} {
			if e != nil {
				i.arithmetic(n, e)
			}
		}
	case *syntax.ParamExp:
		i.subscript(n, n.Index)
		if n.Slice != nil {
			i.subscript(n, n.Slice.Offset)
			i.subscript(n, n.Slice.Length)
		}
	case *syntax.BinaryTest:
		if slices.Contains(numeric, n.Op) {
			i.arithmetic(n, n.X, n.Y)
		}
	case *syntax.DeclClause:
		i.declares(n)
	case *syntax.CallExpr:
		i.assigns(n)
		i.commands(n)
	case *syntax.BinaryCmd:
		if n.Op == syntax.Pipe && i.prints(n.X) {
			i.fed(n.Y)
		}
	case *syntax.Stmt:
		if w := output(n); w != nil && i.unguarded(w) != "" {
			i.add(n, i.unguarded(w)+" names the file that is written with the evaluator's rights", removeCure)
		}
		if w := input(n); w != nil && (i.holds(w) || i.streams(w)) {
			i.fed(n)
		}
	}
}

// subscript looks at a subscript of an array; in a table of names it is no number.
func (i *injections) subscript(at syntax.Node, e syntax.ArithmExpr) {
	if e != nil {
		i.arithmetic(at, e)
	}
}

// declares looks at declare -i, and at declarations of names that a candidate gives.
func (i *injections) declares(n *syntax.DeclClause) {
	whole := false
	for _, a := range n.Args {
		option := ""
		if a.Naked && a.Value != nil {
			option = literal(a.Value)
		}
		switch {
		case strings.HasPrefix(option, "-") && strings.Contains(option, "i"):
			whole = true
		case a.Name == nil && a.Value != nil && i.unguarded(a.Value) != "":
			i.add(n, i.unguarded(a.Value)+" names what is declared: a subscript in it runs commands with the evaluator's rights", quoteCure)
		case whole && a.Name != nil:
			i.ints[a.Name.Value] = true
			if a.Value != nil {
				i.arithmetic(n, a.Value)
			}
		}
	}
}

// assigns looks at what variables that compute are given, and at subscripts.
func (i *injections) assigns(n *syntax.CallExpr) {
	for _, a := range n.Assigns {
		if a.Index != nil {
			i.arithmetic(n, a.Index)
		}
		if a.Name != nil && a.Value != nil && i.ints[a.Name.Value] {
			i.arithmetic(n, a.Value)
		}
	}
}

// commands looks at commands that take an argument for a program or a name.
func (i *injections) commands(n *syntax.CallExpr) {
	words := command(n.Args)
	if len(words) == 0 || mentions(words[0], "ATOLL_RUN") {
		return
	}
	if what := i.unguarded(words[0]); what != "" {
		i.add(n, what+" is run as a command with the evaluator's rights", launchCure)
		return
	}
	name, args := known(program(words[0])), words[1:]
	switch {
	case name == "printf" && len(args) > 1 && literal(args[0]) == "-v" && i.unguarded(args[1]) != "",
		slices.Contains([]string{"unset", "read", "let"}, name) && i.among(args) != "":
		i.add(n, i.among(args)+" is the name of a variable for "+name+": a subscript in it runs commands with the evaluator's rights", quoteCure)
	case slices.Contains(removers, name) && i.among(args) != "":
		i.add(n, i.among(args)+" names what "+name+" changes with the evaluator's rights", removeCure)
	case name == "find" && i.among(args) != "":
		i.add(n, i.among(args)+" is part of what find runs or deletes with the evaluator's rights", removeCure)
	case slices.Contains(interpreters, name) && i.script(args) != "":
		i.add(n, i.script(args)+" is part of the program that "+program(words[0])+" runs with the evaluator's rights", dataCure)
	case slices.Contains(interpreters, name) && len(args) > 0 && (i.holds(args[0]) || i.streams(args[0])):
		i.add(n, program(words[0])+" runs what the candidate printed with the evaluator's rights", launchCure)
	case slices.Contains(programmed, name):
		if w := firstProgram(args); w != nil && i.unguarded(w) != "" {
			i.add(n, i.unguarded(w)+" is part of the program that "+program(words[0])+" runs with the evaluator's rights", dataCure)
		}
	}
}

// among is unguarded of any of some words.
func (i *injections) among(words []*syntax.Word) string {
	for _, w := range words {
		if what := i.unguarded(w); what != "" {
			return what
		}
	}
	return ""
}

// script is unguarded of the program that follows -c or -e.
func (i *injections) script(args []*syntax.Word) string {
	for _, flag := range []string{"-c", "-e", "-ec", "-lc", "-xc"} {
		if w := option(args, flag); w != nil {
			return i.unguarded(w)
		}
	}
	return ""
}

// firstProgram is the first argument that is no option, and none of an option's.
func firstProgram(args []*syntax.Word) *syntax.Word {
	for n := 0; n < len(args); n++ {
		switch p := literal(args[n]); {
		case p == "-e" || p == "--expression":
			if n+1 < len(args) {
				return args[n+1]
			}
		case p == "-f":
			return nil
		case p == "--arg" || p == "--argjson":
			n += 2
		case slices.Contains(valued, p):
			n++
		case strings.HasPrefix(p, "-"):
		default:
			return args[n]
		}
	}
	return nil
}

// fed looks at a command that reads what a candidate printed.
func (i *injections) fed(st *syntax.Stmt) {
	name, words := called(st)
	call, ok := st.Cmd.(*syntax.CallExpr)
	if !ok {
		return
	}
	if all := call.Args; len(all) > 0 && program(all[0]) == "xargs" {
		if what := xargsRuns(all[1:]); what != "" {
			i.add(st, "xargs has "+what+" run what the candidate printed with the evaluator's rights", dataCure)
		}
		return
	}
	if len(words) == 0 || mentions(words[0], "ATOLL_RUN") {
		return
	}
	args := words[1:]
	switch {
	case name == "sed" && executes(firstProgram(args)):
		i.add(st, "sed's flag e runs what the candidate printed with the evaluator's rights", dataCure)
	case slices.Contains([]string{"sh", "bash", "dash", "zsh", "ksh"}, name) && (len(args) == 0 || literal(args[0]) == "-s" || literal(args[0]) == "-"),
		slices.Contains(interpreters, known(name)) && name != "." && name != "source" && (len(args) == 0 || literal(args[0]) == "-"),
		slices.Contains(readers, name) && option(args, "-f") != nil && slices.Contains([]string{"-", "/dev/stdin"}, literal(option(args, "-f"))):
		i.add(st, name+" runs what the candidate printed with the evaluator's rights", launchCure)
	}
}

// xargsRuns names the program that takes the words of xargs for a program of its own: a
// shell whose script holds the place of the words, or that is given nothing else.
func xargsRuns(args []*syntax.Word) string {
	place := ""
	for n := 0; n < len(args); n++ {
		p := literal(args[n])
		switch {
		case p == "-I" && n+1 < len(args):
			n++
			place = literal(args[n])
		case strings.HasPrefix(p, "-I"):
			place = strings.TrimPrefix(p, "-I")
		case slices.Contains([]string{"-n", "-P", "-L", "-d", "-s", "-a", "-E"}, p):
			n++
		case strings.HasPrefix(p, "-"):
		default:
			name := known(program(args[n]))
			rest := args[n+1:]
			script := option(rest, "-c")
			switch {
			case place != "" && p == place, slices.Contains(removers, name):
				return p
			case !slices.Contains(interpreters, name):
				return ""
			case script == nil && (len(rest) == 0 || place == "" || literal(rest[0]) == place || literal(rest[0]) == "-c"):
				return name
			case script != nil && place != "" && strings.Contains(text(script), place):
				return name
			}
			return ""
		}
	}
	return ""
}

// executes reports a program of sed whose substitution has the flag e.
func executes(w *syntax.Word) bool {
	if w == nil {
		return false
	}
	for one := range strings.FieldsFuncSeq(text(w), func(r rune) bool { return r == ';' || r == '\n' }) {
		one = strings.TrimLeft(strings.TrimSpace(one), "0123456789$, ")
		if one == "e" {
			return true
		}
		if len(one) < 4 || one[0] != 's' {
			continue
		}
		if parts := strings.Split(one[2:], one[1:2]); len(parts) == 3 && strings.Contains(parts[2], "e") {
			return true
		}
	}
	return false
}

package lint

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// copiers print what they read, or parts of it.
var copiers = []string{"cat", "tail", "head", "tee", "tr", "cut", "sed", "sort", "uniq", "rev", "tac"}

// silent are programs that are given files and look at none.
var silent = []string{"cp", "mv", "ln", "install", "rm", "touch", "chmod", "mkdir", "echo", "printf", ":", "true", "ls"}

// file notes the files that a candidate's output goes to and those that something
// looks at.
func (c *shellScript) file(st *syntax.Stmt) {
	if to := output(st); to != nil && c.speaks(st.Cmd) {
		c.files[written(to)] = true
	}
	name, words := called(st)
	if len(words) == 0 || mentions(words[0], "ATOLL_RUN") || slices.Contains(copiers, name) || slices.Contains(silent, name) {
		return
	}
	looked := words[1:]
	switch {
	case slices.Contains([]string{"read", "mapfile", "readarray"}, name):
		return // they take it as it is
	case len(looked) > 0 && slices.Contains(interpreters, known(name)):
		looked = looked[1:] // the first is run
	}
	for _, w := range looked {
		c.checked[written(w)] = true
	}
	for _, r := range st.Redirs {
		if r.Op == syntax.RdrIn && r.Word != nil {
			c.checked[written(r.Word)] = true
		}
	}
}

// result looks at what is written to the result.
func (c *shellScript) result(st *syntax.Stmt) {
	const says, cure = "what the candidate prints becomes the result", "read its output in the evaluator, and write the result there"
	if pipe, ok := st.Cmd.(*syntax.BinaryCmd); ok && (pipe.Op == syntax.Pipe || pipe.Op == syntax.PipeAll) && c.prints(pipe.X) {
		name, words := called(pipe.Y)
		to := output(pipe.Y)
		tee := name == "tee" && slices.ContainsFunc(words, func(w *syntax.Word) bool { return mentions(w, "ATOLL_RESULT") })
		if tee || copies(name, words) && to != nil && mentions(to, "ATOLL_RESULT") {
			c.add(st, says, cure)
		}
		return
	}
	name, words := called(st)
	if n := len(words); n > 2 && slices.Contains([]string{"cp", "mv", "ln", "install"}, name) && mentions(words[n-1], "ATOLL_RESULT") {
		if slices.ContainsFunc(words[1:n-1], c.holds) {
			c.add(st, says, cure)
		}
		return
	}
	to := output(st)
	switch {
	case to == nil || !mentions(to, "ATOLL_RESULT"):
	case name == "echo" || name == "printf":
		c.texts(st, name, words)
	case c.speaks(st.Cmd) || copies(name, words) && c.reads(st, words):
		c.add(st, says, cure)
	}
}

// texts looks at the words that echo or printf writes to the result.
func (c *shellScript) texts(st *syntax.Stmt, name string, words []*syntax.Word) {
	if name == "printf" && len(words) > 1 && !strings.Contains(text(words[1]), "%s") {
		words = words[:2] // %d and %f take numbers alone
	}
	for _, w := range words[1:] {
		syntax.Walk(w, func(n syntax.Node) bool {
			switch n := n.(type) {
			case *syntax.ArithmExp:
				return false
			case *syntax.ParamExp:
				if n.Param != nil && c.told[n.Param.Value] && !c.checked[n.Param.Value] {
					c.add(st, "what the candidate printed, in $"+n.Param.Value+", is copied into the result: it can add metrics of its own", resultCure)
				}
			case *syntax.CmdSubst:
				if slices.ContainsFunc(n.Stmts, c.prints) {
					c.add(st, "what the candidate prints is copied into the result: it can add metrics of its own", resultCure)
				}
				return false
			}
			return true
		})
	}
}

// runs reports whether a word takes what a candidate's code prints.
func (c *shellScript) runs(w syntax.Node) bool {
	found := false
	syntax.Walk(w, func(n syntax.Node) bool {
		if sub, ok := n.(*syntax.CmdSubst); ok {
			found = found || slices.ContainsFunc(sub.Stmts, func(st *syntax.Stmt) bool {
				return c.prints(st) || st.Cmd == nil && input(st) != nil && c.holds(input(st)) // $(< file)
			})
			return false
		}
		return !found
	})
	return found
}

// prints reports whether a statement prints what a candidate's code does.
func (c *shellScript) prints(st *syntax.Stmt) bool {
	if output(st) != nil {
		return false
	}
	name, words := called(st)
	return c.speaks(st.Cmd) || copies(name, words) && c.reads(st, words)
}

// speaks is prints of a command, wherever its output goes.
func (c *shellScript) speaks(cmd syntax.Command) bool {
	switch cmd := cmd.(type) {
	case *syntax.CallExpr:
		words := command(cmd.Args)
		return len(words) > 0 && (mentions(words[0], "ATOLL_RUN") || c.foreign(words) != "")
	case *syntax.BinaryCmd:
		if cmd.Op != syntax.Pipe && cmd.Op != syntax.PipeAll {
			return c.prints(cmd.X) || c.prints(cmd.Y)
		}
		name, words := called(cmd.Y)
		return c.prints(cmd.Y) || copies(name, words) && output(cmd.Y) == nil && c.prints(cmd.X)
	case *syntax.Block:
		return slices.ContainsFunc(cmd.Stmts, c.prints)
	case *syntax.Subshell:
		return slices.ContainsFunc(cmd.Stmts, c.prints)
	case *syntax.TimeClause:
		return cmd.Stmt != nil && c.prints(cmd.Stmt)
	}
	return false
}

// reads reports whether a statement is given a file of a candidate's output.
func (c *shellScript) reads(st *syntax.Stmt, words []*syntax.Word) bool {
	return slices.ContainsFunc(words, c.holds) || slices.ContainsFunc(st.Redirs, func(r *syntax.Redirect) bool {
		return r.Op == syntax.RdrIn && r.Word != nil && c.holds(r.Word)
	})
}

// holds reports whether a word names a file with a candidate's output that nothing
// looks at.
func (c *shellScript) holds(w *syntax.Word) bool {
	return c.files[written(w)] && !c.checked[written(w)]
}

// program is the name of a program without its folder, "" where a variable gives it.
func program(w *syntax.Word) string {
	if name := literal(w); name != "" {
		return path.Base(name)
	}
	return ""
}

// called is the name and the words of a simple command.
func called(st *syntax.Stmt) (string, []*syntax.Word) {
	call, ok := st.Cmd.(*syntax.CallExpr)
	if !ok {
		return "", nil
	}
	words := command(call.Args)
	if len(words) == 0 {
		return "", nil
	}
	return program(words[0]), words
}

// copies reports whether a program prints what it reads; awk does when its program
// prints and neither compares, computes nor formats.
func copies(name string, words []*syntax.Word) bool {
	if name == "awk" && len(words) > 1 {
		return strings.Contains(text(words[1]), "print") && !strings.ContainsAny(text(words[1]), "~/%+*")
	}
	if name == "tr" && slices.ContainsFunc(words[1:], func(w *syntax.Word) bool { o := literal(w); return o == "-dc" || o == "-cd" }) {
		return false // it leaves only what it names
	}
	return slices.Contains(copiers, name)
}

// output is where the standard output of a statement is sent, nil without a redirection.
func output(st *syntax.Stmt) *syntax.Word {
	for _, r := range st.Redirs {
		op := r.Op.String()
		if r.Word != nil && (r.N == nil || r.N.Value == "1") && (op == ">" || op == ">>" || op == ">|" || op == "&>" || op == "&>>") {
			return r.Word
		}
	}
	return nil
}

// input is the file that a statement reads as its standard input, nil without one.
func input(st *syntax.Stmt) *syntax.Word {
	for _, r := range st.Redirs {
		if r.Op == syntax.RdrIn && r.Word != nil && (r.N == nil || r.N.Value == "0") {
			return r.Word
		}
	}
	return nil
}

// written is a word without its quotes and braces.
func written(w *syntax.Word) string {
	var b strings.Builder
	_ = syntax.NewPrinter().Print(&b, w)
	return strings.NewReplacer(`"`, "", "'", "", "{", "", "}", "").Replace(b.String())
}

// takesLinks reports whether a command moves or copies symlinks, as they are, out of
// the scratch folder that candidates write.
func takesLinks(name string, args []*syntax.Word) bool {
	if name != "cp" && name != "mv" || len(args) < 2 || mentions(args[len(args)-1], "ATOLL_RUN_DIR") {
		return false
	}
	links, from := name == "mv", false
	for _, a := range args[:len(args)-1] {
		from = from || mentions(a, "ATOLL_RUN_DIR")
		switch option := literal(a); {
		case option == "--recursive" || option == "--archive" || option == "--no-dereference":
			links = true
		case strings.HasPrefix(option, "-") && !strings.HasPrefix(option, "--"):
			if strings.ContainsAny(option, "LH") {
				return false
			}
			links = links || strings.ContainsAny(option, "rRadP")
		}
	}
	return links && from
}

// archives says what a command that packs or copies trees does with symlinks: it
// "takes" them along as they are, "follows" them, or neither.
func archives(name string, args []*syntax.Word) string {
	if name != "tar" && name != "bsdtar" && name != "rsync" || len(args) == 0 {
		return ""
	}
	short, long := "", []string{}
	for i, a := range args {
		switch option := literal(a); {
		case strings.HasPrefix(option, "--"):
			long = append(long, option)
		case strings.HasPrefix(option, "-") || i == 0 && name != "rsync":
			short += option
		}
	}
	has := func(option string) bool { return slices.Contains(long, option) }
	if name == "rsync" {
		switch {
		case strings.ContainsAny(short, "L") || has("--copy-links"):
			return "follows"
		case has("--no-links"):
			return ""
		case strings.ContainsAny(short, "al") || has("--archive") || has("--links"):
			return "takes"
		}
		return ""
	}
	switch {
	case strings.ContainsAny(short, "xt") && !strings.Contains(short, "c") || has("--extract"):
		return ""
	case strings.Contains(short, "h") || has("--dereference"):
		return "follows"
	}
	return "takes"
}

// ofCandidates reports a word that is a path which a candidate may have written.
func (c *shellScript) ofCandidates(w *syntax.Word) bool {
	if mentions(w, "ATOLL_RUN_DIR") {
		return true
	}
	p := literal(w)
	return p != "" && !strings.HasPrefix(p, "-") && c.tree.foreign(p)
}

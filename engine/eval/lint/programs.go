package lint

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// compilers read what the source names (#include, .incbin, \input), with the rights
// they are started with.
var compilers = []string{
	"cc", "gcc", "g++", "c++", "cpp", "clang", "clang++", "tcc", "c99", "icx", "nvcc", "mpicc", "mpicxx", "emcc", "as", "ld", "nasm", "rustc", "gfortran",
	"javac", "kotlinc", "scalac", "ghc", "zig", "nim", "ocamlopt", "gnatmake", "swiftc", "dmd", "ldc2", "fpc", "latex", "pdflatex", "xelatex", "m4",
}

// interpreters run the file that is their first argument.
var interpreters = []string{
	".", "source", "sh", "bash", "dash", "zsh", "ksh", "fish", "python", "pypy", "node", "deno", "bun", "ruby", "perl", "lua", "luajit", "php", "Rscript", "julia",
	"java", "racket", "guile", "sbcl", "ocaml", "runghc", "elixir", "escript", "tclsh", "expect", "ts-node", "tsx", "groovy", "octave", "gnuplot",
}

// readers run the file that follows -f.
var readers = []string{"awk", "gawk", "mawk", "sed", "jq", "psql"}

// wrappers run the command that follows their options.
var wrappers = []string{
	"time", "env", "exec", "nice", "timeout", "command", "taskset", "stdbuf", "nohup", "chrt", "perf", "setarch", "xargs", "setsid", "ionice", "numactl", "sudo",
	"strace", "ltrace", "valgrind", "unbuffer", "xvfb-run", "busybox",
}

// builders run what the tree says, by their first argument; "" is any.
var builders = map[string][]string{
	"make": {""}, "gmake": {""}, "ninja": {""}, "cmake": {""}, "ctest": {""}, "meson": {""}, "scons": {""}, "bazel": {""}, "just": {""}, "rake": {""},
	"cargo": {"run", "test", "bench", "build", "check", "clippy", "doc", "install", "rustc", "nextest", "miri"},
	"npm":   {"run", "run-script", "test", "t", "start", "install", "i", "ci", "rebuild", "exec"}, "npx": {""}, "yarn": {""}, "pnpm": {""},
	"jest": {""}, "vitest": {""}, "mocha": {""}, "rspec": {""}, "phpunit": {""}, "bats": {""}, "bundle": {"exec", "install"}, "composer": {"install", "run"},
	"pytest": {""}, "py.test": {""}, "tox": {""}, "nox": {""}, "poetry": {"run", "install", "build"}, "uv": {"run", "sync", "build"},
	"go":     {"run", "generate"},
	"gradle": {""}, "gradlew": {""}, "mvn": {""}, "ant": {""}, "sbt": {""}, "dune": {""}, "stack": {""}, "cabal": {""}, "mix": {""}, "dotnet": {"run", "test", "build"},
	"swift": {"run", "test", "build"}, "zig": {"build", "run", "test"}, "deno": {"run", "test", "task", "bench"}, "bun": {"run", "test", "install"},
}

// modules of Python run what the tree says; runners the file that is their first argument.
var (
	modules = []string{"pytest", "unittest", "build", "tox", "nox"}
	runners = []string{"doctest", "cProfile", "profile", "trace", "pdb", "coverage"}
)

var (
	sourceFile = regexp.MustCompile(`\.(c|cc|cpp|cxx|h|o|s|S|asm|rs|f|f90|java|kt|scala|hs|zig|nim|ml|adb|swift|d|pas|cu|tex|m4|ld)$`)
	version    = regexp.MustCompile(`-?[0-9][0-9.]*$`)
)

// known is the name of a program as the tables have it: without a version (gcc-13,
// python3.12) and without the machine that it works for (x86_64-linux-gnu-gcc).
func known(name string) string {
	listed := func(name string) bool {
		return slices.Contains(compilers, name) || slices.Contains(interpreters, name) || builders[name] != nil || name == "pip"
	}
	for _, form := range []string{name, version.ReplaceAllString(name, "")} {
		if listed(form) {
			return form
		}
		if machine := form[strings.LastIndexByte(form, '-')+1:]; slices.Contains(compilers, machine) {
			return machine
		}
	}
	return name
}

// foreign says how a command runs code of a candidate with the evaluator's rights.
func (c *shellScript) foreign(words []*syntax.Word) string {
	first, args, said := literal(words[0]), words[1:], program(words[0])
	name := known(said)
	switch {
	case slices.Contains(compilers, name) && !(builders[name] != nil && verb(builders[name], args) != ""):
		for _, a := range args {
			if p := strings.TrimPrefix(literal(a), "@"); (sourceFile.MatchString(p) || strings.HasPrefix(literal(a), "@")) && c.tree.foreign(p) {
				return said + " compiles " + p + " with the evaluator's rights: a compiler reads whatever file the source names"
			}
		}
		return ""
	case name == "go":
		return c.golang(args)
	case name == "pip":
		return c.installs(said, args)
	case name == "make" || name == "gmake":
		if f := option(args, "-f"); f != nil && !c.ofCandidates(f) {
			return "" // the evaluator's own; without -f a GNUmakefile comes before a protected Makefile
		}
	case name == "find":
		return c.finds(args)
	case slices.Contains(readers, name):
		if f := option(args, "-f"); f != nil && c.ofCandidates(f) {
			return said + " runs " + written(f) + " with the evaluator's rights"
		}
		return ""
	}
	switch {
	case builders[name] != nil && verb(builders[name], args) != "":
		if slices.ContainsFunc(args, func(a *syntax.Word) bool { return mentions(a, "ATOLL_EVAL_DIR") }) {
			return "" // the evaluator's own
		}
		return strings.TrimSpace(said+" "+strings.TrimSpace(verb(builders[name], args))) + " runs what the tree says with the evaluator's rights"
	case slices.Contains(interpreters, name):
		return c.interprets(said, name, args)
	case mentions(words[0], "ATOLL_RUN_DIR"):
		return "what candidates write in $ATOLL_RUN_DIR runs with the evaluator's rights"
	case strings.HasPrefix(first, "./") && c.tree.foreign(first):
		return first + " runs with the evaluator's rights"
	}
	return ""
}

// verb is the first argument where it is one of the verbs, " " where any is; else "".
func verb(verbs []string, args []*syntax.Word) string {
	first := ""
	if len(args) > 0 {
		first = literal(args[0])
	}
	if first == "--version" || first == "--help" {
		return ""
	}
	for _, v := range verbs {
		switch v {
		case "":
			return " "
		case first:
			return v
		}
	}
	return ""
}

// option is the argument that follows an option, nil without it.
func option(args []*syntax.Word, name string) *syntax.Word {
	for i, a := range args {
		if literal(a) == name && i+1 < len(args) {
			return args[i+1]
		}
	}
	return nil
}

// interprets says how an interpreter, named as it was called and as the tables have it,
// runs code of a candidate.
func (c *shellScript) interprets(said, name string, args []*syntax.Word) string {
	const rights = " with the evaluator's rights"
	for i := 0; i < len(args); i++ {
		p, next := literal(args[i]), ""
		if i+1 < len(args) {
			next = literal(args[i+1])
		}
		switch {
		case p == "-m" && slices.Contains(runners, next):
			i++
		case p == "run" && i > 0 && literal(args[i-1]) == "coverage":
		case p == "-m" && next == "pip":
			return c.installs(said+" -m pip", args[i+2:])
		case p == "-m" && (slices.Contains(modules, next) || c.tree.module(next)):
			return said + " -m " + next + " runs the candidate's code" + rights
		case p == "-c" || p == "-e":
			return c.inline(name, next)
		case p == "-m" || p == "-":
			return ""
		case mentions(args[i], "ATOLL_RUN_DIR"):
			return said + " runs what candidates write in $ATOLL_RUN_DIR" + rights
		case p == "":
			return ""
		case strings.HasPrefix(p, "-"):
		case c.tree.foreign(p):
			return said + " runs " + p + rights
		default:
			return ""
		}
	}
	if c.input != nil && c.ofCandidates(c.input) && name != "." && name != "source" {
		return said + " runs " + written(c.input) + rights
	}
	return ""
}

// inline looks at a program that is an argument of its interpreter.
func (c *shellScript) inline(name, text string) string {
	var found []Finding
	switch name {
	case "python", "pypy":
		found = checkPython(Script{Text: strings.ReplaceAll(text, ";", "\n")}, c.tree)
	case "sh", "bash", "dash", "zsh", "ksh":
		found = checkShell(Script{Text: text}, c.tree)
	}
	if len(found) == 0 {
		return ""
	}
	return found[0].What
}

// golang says how the go command compiles or runs packages of a candidate.
func (c *shellScript) golang(args []*syntax.Word) string {
	if len(args) > 1 && literal(args[0]) == "-C" {
		args = args[2:]
	}
	if len(args) == 0 {
		return ""
	}
	does, own := literal(args[0]), slices.ContainsFunc(args[1:], func(a *syntax.Word) bool { return c.own(literal(a)) })
	off := strings.Contains(c.Text, "CGO_ENABLED=0")
	switch does {
	case "run", "generate":
		if own || does == "run" && slices.ContainsFunc(args[1:], func(a *syntax.Word) bool { return mentions(a, "ATOLL_EVAL_DIR") }) {
			return ""
		}
		return "go " + does + " runs what the tree says with the evaluator's rights"
	case "test":
		if !slices.ContainsFunc(args, func(a *syntax.Word) bool { return literal(a) == "-c" || mentions(a, "ATOLL_RUN") }) {
			return "go test runs what the tree says with the evaluator's rights"
		}
		does = "test"
	case "vet":
		if off {
			return "" // it looks into C alone
		}
	case "build", "install":
	default:
		return ""
	}
	if own || off && c.tree.GoOnly {
		return ""
	}
	return "go " + does + " compiles the candidate's packages with the evaluator's rights: C and assembly read whatever file the source names"
}

// installs says how pip runs code of a candidate: what it installs from a folder is
// built by what the folder says.
func (c *shellScript) installs(name string, args []*syntax.Word) string {
	if len(args) == 0 || !slices.Contains([]string{"install", "wheel", "download"}, literal(args[0])) {
		return ""
	}
	for _, a := range args[1:] {
		p := literal(a)
		folder := p == "." || strings.HasPrefix(p, ".[") || strings.HasPrefix(p, "./") || strings.HasSuffix(p, ".txt") || strings.HasSuffix(p, ".whl")
		if folder && c.tree.foreign(p) {
			return name + " " + literal(args[0]) + " runs what " + p + " says with the evaluator's rights"
		}
	}
	return ""
}

// finds says how find runs code of a candidate by -exec.
func (c *shellScript) finds(args []*syntax.Word) string {
	for i, a := range args {
		if p := literal(a); (p == "-exec" || p == "-execdir" || p == "-ok") && i+1 < len(args) {
			if name := known(program(args[i+1])); slices.Contains(compilers, name) || slices.Contains(interpreters, name) || literal(args[i+1]) == "{}" {
				return "find runs " + path.Base(literal(args[i+1])) + " on what it finds in the tree, with the evaluator's rights"
			}
		}
	}
	return ""
}

// own reports a package of the tree that candidates cannot change.
func (c *shellScript) own(p string) bool {
	p = strings.TrimSuffix(p, "/...")
	return strings.HasPrefix(p, "./") && p != "./" && (c.tree.Protected(path.Clean(p)) || c.tree.Protected(path.Clean(p)+"/main.go"))
}

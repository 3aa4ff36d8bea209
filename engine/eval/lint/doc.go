// Package lint reads the scripts of an evaluator for places where a candidate could
// do more than be measured: where its code is compiled or run with the evaluator's
// rights, or where what it prints becomes the result.
//
// The nouns: a [Script] is a text that the evaluator runs; a [Finding] is a line of it
// with what is wrong and what to do.
//
// It reads shell, by its grammar, and a few forms of Python. It knows neither what a
// variable holds nor what a program does: no finding is no proof, and whatever stands in
// a variable is taken for the evaluator's own.
package lint

import (
	"path"
	"strings"
)

// Script is one text that an evaluator runs.
type Script struct {
	Name string // as people know it
	Text string
	// Outside says that it lies outside of the tree: no candidate writes what lies beside it.
	Outside bool
}

// Finding is one line of a script that lends a candidate rights.
type Finding struct {
	Script string
	Line   int
	What   string // one clause without a full stop
	Cure   string // what to do instead
}

// Tree tells of the tree that is measured, by paths from its top.
type Tree struct {
	Has       func(path string) bool // there is such a file
	Protected func(path string) bool // candidates cannot change it
	GoOnly    bool                   // they change and add files of Go alone: neither C nor assembly
	// Fixed reports a file that the gate lets no candidate change, though it is not
	// protected; nil: there is none.
	Fixed func(path string) bool
}

// loose reports a file of the tree that candidates may change.
func (t Tree) loose(p string) bool {
	return t.Has(path.Clean(p)) && t.foreign(p) && (t.Fixed == nil || !t.Fixed(path.Clean(p)))
}

// module reports whether a candidate may change what Python runs under a name.
func (t Tree) module(name string) bool {
	p := strings.ReplaceAll(name, ".", "/")
	for _, file := range []string{p + ".py", p + "/__main__.py"} {
		if name != "" && t.Has(file) && t.foreign(file) {
			return true
		}
	}
	return false
}

// imports reports whether a candidate may change what a script in a folder gets when it
// imports a name: a file or a package, at the top of the tree or beside the script.
func (t Tree) imports(dir, name string) bool {
	p := strings.ReplaceAll(name, ".", "/")
	for _, file := range []string{p + ".py", p + "/__init__.py"} {
		for _, at := range []string{file, path.Join(dir, file)} {
			if t.Has(at) && t.foreign(at) {
				return true
			}
		}
	}
	return false
}

// foreign reports whether a candidate may have written what lies at a path, or what it
// is built from.
func (t Tree) foreign(p string) bool {
	p = path.Clean(p)
	return !path.IsAbs(p) && !strings.HasPrefix(p, "~") && p != ".." && !strings.HasPrefix(p, "../") && !t.Protected(p)
}

// Check reads scripts by their endings and first lines; others have no findings.
func Check(scripts []Script, tree Tree) []Finding {
	var out []Finding
	for _, s := range scripts {
		switch kind(s) {
		case "shell":
			out = append(out, checkShell(s, tree)...)
		case "python":
			out = append(out, checkPython(s, tree)...)
		}
	}
	return out
}

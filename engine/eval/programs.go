package eval

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"atoll/engine/sandbox"
)

// programs are those that live outside the system folders: what must be mounted
// for them, and their folders.
type programs struct {
	mounts []sandbox.Mount
	path   []string
}

// languages are the programs that evaluators start, also from scripts where
// nobody sees their names; what is installed beside them (python, npm, rustc,
// javac) comes with them. A version manager's shim on PATH is not the program.
var languages = []string{
	"python3", "node", "go", "cargo", "ruby", "perl", "java", "julia", "deno", "bun", "php", "lua", "zig", "ghc", "dotnet",
	"cmake", "ninja", "hyperfine",
}

// find looks for the languages and for what the stages name. Folders that every
// sandbox sees are left out.
func (e *Evaluator) find(ctx context.Context, f Finder) programs {
	names := slices.Clone(languages)
	for _, st := range e.stages {
		for _, word := range st.Command { // a script that times a command gets it as its words
			if isInterpreter(word) && !slices.Contains(names, word) {
				names = append(names, word)
			}
		}
		if st.adapter == nil && len(st.Command) > 1 && (filepath.IsAbs(st.Command[0]) || !strings.Contains(st.Command[0], "/")) && !slices.Contains(names, st.Command[0]) {
			names = append(names, st.Command[0])
		}
	}
	mounts, path := f.Interpreters(ctx, names...)
	found := programs{mounts: mounts}
	for _, dir := range path {
		if slices.ContainsFunc(mounts, func(m sandbox.Mount) bool {
			return dir == m.At || strings.HasPrefix(dir, m.At+"/") || filepath.Dir(m.At) == dir
		}) {
			found.path = append(found.path, dir)
		}
	}
	return found
}

// isInterpreter reports whether a word of a command is the interpreter of Python of some
// environment.
func isInterpreter(word string) bool {
	return filepath.IsAbs(word) && filepath.Base(filepath.Dir(word)) == "bin" && strings.HasPrefix(filepath.Base(word), "python")
}

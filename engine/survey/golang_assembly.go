package survey

import (
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// builds reports whether the go command builds a file of Go here, by its name and what it says of platforms.
func (l *Lab) builds(f string) bool {
	ok, err := build.Default.MatchFile(filepath.Join(l.Base, filepath.FromSlash(path.Dir(f))), path.Base(f))
	return ok || err != nil
}

// parsed is a file of Go that is built here; nil where it is none, or cannot be read.
func (l *Lab) parsed(f string, mode parser.Mode) *ast.File {
	if path.Ext(f) != ".go" || elsewhere(f) || !l.builds(f) {
		return nil
	}
	data, err := l.Read(f)
	if err != nil {
		return nil
	}
	file, err := parser.ParseFile(token.NewFileSet(), f, data, mode|parser.SkipObjectResolution)
	if err != nil {
		return nil
	}
	return file
}

// assembled are the names of the functions whose bodies are in assembly, of which coverage sees nothing.
func (l *Lab) assembled() map[string]bool {
	names := map[string]bool{}
	for _, f := range l.Files {
		if strings.HasSuffix(f, "_test.go") || !slices.ContainsFunc(l.Files, func(o string) bool { return path.Ext(o) == ".s" && path.Dir(o) == path.Dir(f) }) {
			continue
		}
		file := l.parsed(f, parser.ParseComments)
		if file == nil {
			continue
		}
		for _, d := range file.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Body == nil && !linked(fn) {
				names[fn.Name.Name] = true
			}
		}
	}
	return names
}

// hotAssembly names the functions in assembly that take a good part of the time, with that.
func (l *Lab) hotAssembly(shares map[string]float64) (names []string) {
	assembled := l.assembled()
	for _, linker := range slices.Sorted(maps.Keys(shares)) {
		if _, name, _ := strings.Cut(path.Base(linker), "."); assembled[name] && shares[linker] >= leastHot {
			names = append(names, fmt.Sprintf("%s %.0f %%", name, 100*shares[linker]))
		}
	}
	return names
}

// linked reports a function whose body is that of another package.
func linked(fn *ast.FuncDecl) bool {
	return fn.Doc != nil && slices.ContainsFunc(fn.Doc.List, func(c *ast.Comment) bool { return strings.HasPrefix(c.Text, "//go:linkname ") })
}

// runsAssembly are the functions of tests that call one in assembly, by themselves or by other functions of tests.
func (l *Lab) runsAssembly() map[string]bool {
	assembled, runs := l.assembled(), map[string]bool{}
	if len(assembled) == 0 {
		return runs
	}
	uses := map[string][]string{} // by functions of tests
	for _, f := range l.Files {
		if !strings.HasSuffix(f, "_test.go") {
			continue
		}
		file := l.parsed(f, 0)
		if file == nil {
			continue
		}
		for _, d := range file.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Body != nil {
				ast.Inspect(fn.Body, func(n ast.Node) bool {
					if id, ok := n.(*ast.Ident); ok {
						uses[fn.Name.Name] = append(uses[fn.Name.Name], id.Name)
					}
					return true
				})
			}
		}
	}
	for grown := true; grown; {
		grown = false
		for name, used := range uses {
			if !runs[name] && slices.ContainsFunc(used, func(n string) bool { return assembled[n] || runs[n] }) {
				runs[name], grown = true, true
			}
		}
	}
	return runs
}

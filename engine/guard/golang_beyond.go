package guard

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
)

// What code does to the process that it runs in, beyond its answers, changes what is measured
// without an answer that differs: a benchmark that ends at once, a variable of another package,
// a line that looks like a result.

// goEnds, goPrints and goHooks are calls, by the full name of what is called.
var (
	goEnds = map[string]bool{
		"os.Exit": true, "syscall.Exit": true, "syscall.Kill": true, "runtime.Goexit": true,
		"log.Fatal": true, "log.Fatalf": true, "log.Fatalln": true,
	}
	goPrints = map[string]bool{"fmt.Print": true, "fmt.Printf": true, "fmt.Println": true, "os.Stdout": true, "print": true, "println": true}
	goHooks  = map[string]bool{
		"runtime/debug.SetGCPercent": true, "runtime/debug.SetMemoryLimit": true, "runtime/debug.SetMaxThreads": true, "runtime.GOMAXPROCS": true,
		"os.Setenv": true, "os.Unsetenv": true, "os.Chdir": true, "os/signal.Notify": true, "os/signal.Ignore": true,
	}
	goCallers = map[string]bool{"runtime.Caller": true, "runtime.Callers": true, "runtime.Stack": true, "os.Args": true}
	goImports = map[string]string{
		"testing": "imports testing, which only tests need", "flag": "imports flag, which reads the command line", "plugin": "loads code (plugin)",
	}
)

// goBeyond says what a source does beyond its answers, in words; nothing of one that cannot be
// read.
func goBeyond(source []byte) map[string]bool {
	out := map[string]bool{}
	file, err := parser.ParseFile(token.NewFileSet(), "", source, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil || file.Name.Name == "main" { // a program ends and prints; its runs are compared
		return out
	}
	imports := map[string]string{}
	for _, s := range file.Imports {
		full, err := strconv.Unquote(s.Path.Value)
		if err != nil {
			continue
		}
		name := path.Base(full)
		if s.Name != nil {
			name = s.Name.Name
		}
		imports[name] = full
		if says := goImports[full]; says != "" {
			out[says] = true
		}
	}
	for _, g := range file.Comments {
		for _, c := range g.List {
			if strings.HasPrefix(c.Text, "//go:linkname ") {
				out["takes names of other packages (//go:linkname)"] = true
			}
		}
	}
	for _, d := range file.Decls {
		known := maps.Clone(imports)
		if f, ok := d.(*ast.FuncDecl); ok {
			for _, name := range bound(f) {
				delete(known, name)
			}
		}
		ast.Inspect(d, func(n ast.Node) bool {
			for _, what := range goDone(n, known) {
				out[what] = true
			}
			return true
		})
	}
	return out
}

// bound are the names that a function binds: they hide packages in it.
func bound(f *ast.FuncDecl) []string {
	var out []string
	names := func(list ...*ast.Ident) {
		for _, id := range list {
			out = append(out, id.Name)
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Field:
			names(n.Names...)
		case *ast.ValueSpec:
			names(n.Names...)
		case *ast.AssignStmt:
			if n.Tok == token.DEFINE {
				for _, l := range n.Lhs {
					if id, ok := l.(*ast.Ident); ok {
						names(id)
					}
				}
			}
		case *ast.RangeStmt:
			for _, e := range []ast.Expr{n.Key, n.Value} {
				if id, ok := e.(*ast.Ident); ok && n.Tok == token.DEFINE {
					names(id)
				}
			}
		}
		return true
	})
	return out
}

// spelled is the full name of what belongs to another package, or print and println; "" for
// all else.
func spelled(e ast.Expr, known map[string]string) string {
	for {
		switch x := e.(type) {
		case *ast.IndexExpr:
			e = x.X
		case *ast.StarExpr:
			e = x.X
		case *ast.ParenExpr:
			e = x.X
		case *ast.SelectorExpr:
			if id, ok := x.X.(*ast.Ident); ok && known[id.Name] != "" {
				return known[id.Name] + "." + x.Sel.Name
			}
			e = x.X
		case *ast.Ident:
			if x.Name == "print" || x.Name == "println" {
				return x.Name
			}
			return ""
		default:
			return ""
		}
	}
}

// goDone is what one node does beyond its answer.
func goDone(n ast.Node, known map[string]string) (out []string) {
	set := func(e ast.Expr) {
		if name := spelled(e, known); strings.Contains(name, ".") {
			out = append(out, fmt.Sprintf("sets %s for the whole process", name))
		}
	}
	switch n := n.(type) {
	case *ast.AssignStmt:
		for _, l := range n.Lhs {
			set(l)
		}
	case *ast.IncDecStmt:
		set(n.X)
	case *ast.CallExpr:
		switch name := spelled(n.Fun, known); {
		case goEnds[name]:
			out = append(out, fmt.Sprintf("ends the process (%s)", name))
		case goPrints[name]:
			out = append(out, "prints")
		case goHooks[name]:
			out = append(out, fmt.Sprintf("changes the process that it runs in (%s)", name))
		}
	case *ast.SelectorExpr:
		switch name := spelled(n, known); {
		case goPrints[name]:
			out = append(out, "prints")
		case goCallers[name]:
			out = append(out, fmt.Sprintf("looks who calls it (%s)", name))
		}
	}
	return out
}

// beyond notes what changed files do beyond their answers that those of the root do not.
func (m *goCheck) beyond(files []string) {
	for _, f := range files {
		was, is := goBeyond(m.root.read(f)), goBeyond(m.candidate.read(f))
		for _, what := range slices.Sorted(maps.Keys(is)) {
			if !was[what] {
				m.report.beyond(f, what)
			}
		}
	}
}

package audit

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"slices"
	"strings"

	"github.com/fzipp/gocyclo"
	"github.com/uudashr/gocognit"

	"atoll/engine/agent/offline/language"
	"atoll/store/record"
)

// goFunctions measures a Go file by gocyclo and gocognit: the functions that either
// lists. A function that one of them is told to ignore has a figure of 0 there, where
// keep says that the mark counts. Literals are those function literals of variables
// that neither tool lists.
func goFunctions(s Source, keep func(mark string) bool) (functions, literals []Function, err error) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, s.Path, s.Data, parser.ParseComments) // with the names resolved: gocognit knows recursion by them
	if err != nil {
		return nil, nil, err
	}
	g := goFile{fset: fset, file: f}
	at := g.figures()
	if strings.Contains(string(s.Data), ":ignore") {
		at = g.marked(at, s.Path, keep)
	}
	for _, offset := range slices.Sorted(maps.Keys(at)) {
		functions = append(functions, *at[offset])
	}
	return functions, g.literals(at), nil
}

// goFile is a Go file that is measured.
type goFile struct {
	fset *token.FileSet
	file *ast.File
}

// figures are those of the functions that either tool lists, by offset.
func (g *goFile) figures() map[int]*Function {
	at := map[int]*Function{}
	of := func(name string, pos token.Position) *Function {
		if at[pos.Offset] == nil {
			at[pos.Offset] = &Function{Name: name, Line: pos.Line}
		}
		return at[pos.Offset]
	}
	for _, st := range gocyclo.AnalyzeASTFile(g.file, g.fset, nil) {
		of(st.FuncName, st.Pos).Cyclomatic = st.Complexity
	}
	for _, st := range gocognit.ComplexityStats(g.file, g.fset, nil) {
		of(st.FuncName, st.Pos).Cognitive = st.Complexity
	}
	ast.Inspect(g.file, func(n ast.Node) bool {
		switch n.(type) {
		case *ast.FuncDecl, *ast.FuncLit:
			if fn := at[g.fset.Position(n.Pos()).Offset]; fn != nil {
				fn.Lines = g.fset.Position(n.End()).Line - fn.Line + 1
			}
		}
		return true
	})
	return at
}

// marked are the figures where some functions are marked to be ignored: heeded are
// those that the tools give when they heed every mark.
func (g *goFile) marked(heeded map[int]*Function, path string, keep func(mark string) bool) map[int]*Function {
	for _, d := range g.file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			d.Doc = nil
		case *ast.GenDecl:
			d.Doc = nil
		}
	}
	all := g.figures()
	for offset, fn := range all {
		told := heeded[offset]
		if told == nil {
			told = &Function{}
		}
		if fn.Cyclomatic != told.Cyclomatic && keep("gocyclo "+path+":"+fn.Name) {
			fn.Cyclomatic = 0
		}
		if fn.Cognitive != told.Cognitive && keep("gocognit "+path+":"+fn.Name) {
			fn.Cognitive = 0
		}
		if fn.Cyclomatic == 0 && fn.Cognitive == 0 && told.Name == "" { // neither tool lists it
			delete(all, offset)
		}
	}
	return all
}

// literals are the outermost function literals outside of everything that is listed,
// such as those of a table of functions, named after their variable.
func (g *goFile) literals(listed map[int]*Function) []Function {
	var out []Function
	for _, d := range g.file.Decls {
		gen, ok := d.(*ast.GenDecl)
		if !ok {
			continue
		}
		for _, spec := range gen.Specs {
			value, ok := spec.(*ast.ValueSpec)
			if !ok {
				continue
			}
			ast.Inspect(value, func(n ast.Node) bool {
				lit, ok := n.(*ast.FuncLit)
				if !ok {
					return true
				}
				from := g.fset.Position(lit.Pos())
				if listed[from.Offset] == nil {
					out = append(out, Function{
						Name: "func of " + value.Names[0].Name, Line: from.Line, Lines: g.fset.Position(lit.End()).Line - from.Line + 1,
						Cyclomatic: gocyclo.Complexity(lit),
					})
				}
				return false
			})
		}
	}
	return out
}

// branches are the words and signs that add a way through a function.
var branches = map[string]bool{
	"if": true, "elif": true, "elsif": true, "for": true, "foreach": true, "while": true, "until": true, "unless": true, "case": true, "when": true,
	"catch": true, "rescue": true, "&&": true, "||": true, "?": true, "??": true,
}

// otherFunctions counts branches among the tokens of each function. What stands in
// an inner function counts there and not in the outer one.
func otherFunctions(s Source, l *language.Language, toks []language.Token) []Function {
	units := language.Functions(&language.Source{
		File: record.File{Path: s.Path}, Data: s.Data, Lang: l, Toks: toks, Lo: 0, Hi: len(s.Data),
	})
	out := make([]Function, len(units))
	for i, u := range units {
		out[i] = Function{Name: u.Full, Cyclomatic: 1}
	}
	for _, t := range toks {
		inner := -1
		for i, u := range units {
			if u.Start <= t.Start && t.End <= u.End && (inner < 0 || u.End-u.Start < units[inner].End-units[inner].Start) {
				inner = i
			}
		}
		if inner < 0 {
			continue
		}
		fn := &out[inner]
		if fn.Line == 0 {
			fn.Line = t.Line + 1
		}
		fn.Lines = t.Line + 2 - fn.Line
		if branches[t.Text(s.Data)] {
			fn.Cyclomatic++
		}
	}
	return out
}

package audit

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"slices"

	"github.com/fzipp/gocyclo"
	"github.com/uudashr/gocognit"

	"atoll/engine/agent/offline/language"
	"atoll/store/record"
)

// goFunctions measures a Go file by gocyclo and gocognit: the functions that either
// lists. A function that one of them is told to ignore has a figure of 0 there.
func goFunctions(s Source) ([]Function, error) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, s.Path, s.Data, parser.ParseComments) // with the names resolved: gocognit knows recursion by them
	if err != nil {
		return nil, err
	}
	ends := map[int]int{} // last line, by offset
	ast.Inspect(f, func(n ast.Node) bool {
		switch n.(type) {
		case *ast.FuncDecl, *ast.FuncLit:
			ends[fset.Position(n.Pos()).Offset] = fset.Position(n.End()).Line
		}
		return true
	})
	at := map[int]*Function{} // by offset
	of := func(name string, pos token.Position) *Function {
		if at[pos.Offset] == nil {
			at[pos.Offset] = &Function{Name: name, Line: pos.Line, Lines: ends[pos.Offset] - pos.Line + 1}
		}
		return at[pos.Offset]
	}
	for _, st := range gocyclo.AnalyzeASTFile(f, fset, nil) {
		of(st.FuncName, st.Pos).Cyclomatic = st.Complexity
	}
	for _, st := range gocognit.ComplexityStats(f, fset, nil) {
		of(st.FuncName, st.Pos).Cognitive = st.Complexity
	}
	var out []Function
	for _, offset := range slices.Sorted(maps.Keys(at)) {
		out = append(out, *at[offset])
	}
	return out, nil
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

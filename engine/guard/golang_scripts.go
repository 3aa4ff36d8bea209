package guard

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"
)

// script is a test or an example that can be played.
type script struct {
	file     *testFile
	name     string
	register string // what tells the probe of it
	literals []int
	near     bool // it names what changed itself
}

// mostScripts bounds the tests of a package that are played.
const mostScripts = 120

// waiting are names of what takes time or ends the process.
var waiting = map[string]bool{"Sleep": true, "After": true, "AfterFunc": true, "NewTimer": true, "NewTicker": true, "Tick": true, "Exit": true, "ListenAndServe": true}

// scripts are the tests whose names lead to one of some names, those first that name one of some declarations.
func (s *stager) scripts(names, direct map[string]bool) []script {
	var out []script
	close := map[string]bool{}
	for key := range direct {
		close[key[strings.LastIndexByte(key, '.')+1:]] = true
	}
	for _, f := range s.files {
		for _, d := range f.file.Decls {
			d, ok := d.(*ast.FuncDecl)
			if !ok || d.Recv != nil || d.Body == nil || d.Type.TypeParams != nil {
				continue
			}
			t := script{file: f, name: d.Name.Name}
			params := d.Type.Params.List
			switch {
			case strings.HasPrefix(t.name, "Test") && t.name != "TestMain" && len(params) == 1 && types.ExprString(params[0].Type) == "*testing.T":
				t.register = "RegisterTest"
			case strings.HasPrefix(t.name, "Example") && len(params) == 0 && d.Type.Results == nil:
				t.register = "RegisterExample"
			default:
				continue
			}
			mentions, literals := s.closure(t.name)
			if !overlaps(mentions, names) || len(literals) == 0 || overlaps(mentions, waiting) {
				continue
			}
			t.literals, t.near = literals, overlaps(mentions, close)
			out = append(out, t)
		}
	}
	slices.SortStableFunc(out, func(a, b script) int { return -compareBool(a.near, b.near) })
	return out[:min(len(out), mostScripts)]
}

// closure is all that a declaration of the tests leads to within the tests: the names there, and the literals, its own first.
func (s *stager) closure(name string) (all map[string]bool, literals []int) {
	all = map[string]bool{}
	list := []string{name}
	for i := 0; i < len(list); i++ {
		d := s.decls[list[i]]
		literals = append(literals, d.literals...)
		var more []string
		for m := range d.mentions {
			if all[m] = true; s.decls[m] != nil && !slices.Contains(list, m) {
				more = append(more, m)
			}
		}
		slices.Sort(more)
		list = append(list, more...)
	}
	return all, literals
}

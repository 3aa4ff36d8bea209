package guard

import (
	"go/ast"

	"atoll/engine/guard/probe"
)

// ways are ways of writing what functions of the standard library read from texts: each takes some that others leave.
var ways = map[string][]string{
	"strconv.ParseInt":   wholeWays,
	"strconv.ParseUint":  wholeWays,
	"strconv.Atoi":       wholeWays,
	"strconv.ParseFloat": {"1e3", "0x1p-2", "1_000", "inf", "NaN", ".5", "5.", "+5"},
	"strconv.ParseBool":  {"t", "TRUE", "True", "F", "1", "0", "yes"},
	"time.ParseDuration": {"1.5h", "1h30m", "-2s", "+3ms", ".5s", "0", "5"},
}

var wholeWays = []string{"010", "0x1F", "1_000", "0b11", "0o17", "+5", "-0", "08", " 7"}

// readers are texts of such ways for the functions that some code calls, one of each function in turn.
func readers(nodes []ast.Node) []probe.Constant {
	var lists [][]string
	seen := map[string]bool{}
	for _, n := range nodes {
		if n == nil {
			continue
		}
		ast.Inspect(n, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok {
				if of, ok := s.X.(*ast.Ident); ok && !seen[of.Name+"."+s.Sel.Name] {
					seen[of.Name+"."+s.Sel.Name] = true
					lists = append(lists, ways[of.Name+"."+s.Sel.Name])
				}
			}
			return true
		})
	}
	var out []probe.Constant
	for i := 0; ; i++ {
		before := len(out)
		for _, list := range lists {
			if i < len(list) && !seen["text "+list[i]] {
				seen["text "+list[i]] = true
				out = append(out, probe.Constant{Str: &list[i]})
			}
		}
		if len(out) == before {
			return out
		}
	}
}

package guard

import (
	"cmp"
	"go/ast"
	"maps"
	"regexp"
	"slices"
	"strconv"

	"atoll/engine/guard/probe"
)

// mostEdges bounds the constants that edges are made of.
const mostEdges = 120

// edges takes the constants at which the changed code can turn: those that only one
// version has, then what the functions that they call read from texts, the others of the changed declarations, and those of what they name.
func (g *gathering) edges(near [][2]ast.Node, named []ast.Node) {
	seen := map[string]bool{}
	add := func(c probe.Constant) {
		if key := describe(c); c.Bool == nil && len(g.out.Edges) < mostEdges && !seen[key] {
			seen[key] = true
			g.out.Edges = append(g.out.Edges, c)
		}
	}
	for _, c := range onlyInOne(near) {
		add(c)
		for _, n := range numbersIn(c) {
			add(n)
		}
	}
	for _, pair := range near {
		for _, c := range readers(pair[:]) {
			add(c)
		}
	}
	for _, pair := range near {
		constants(pair[0], add)
		constants(pair[1], add)
	}
	for _, n := range named {
		constants(n, add)
	}
}

// onlyInOne are the constants that a declaration has more often in one version than in
// the other: numbers before texts, short ones first.
func onlyInOne(near [][2]ast.Node) []probe.Constant {
	count, value := map[string]int{}, map[string]probe.Constant{}
	for i, pair := range near {
		for side, n := range pair {
			constants(n, func(c probe.Constant) {
				key := strconv.Itoa(i) + " " + describe(c)
				count[key] += 1 - 2*side
				value[key] = c
			})
		}
	}
	var out []probe.Constant
	for _, key := range slices.Sorted(maps.Keys(count)) {
		if count[key] != 0 {
			out = append(out, value[key])
		}
	}
	slices.SortStableFunc(out, func(a, b probe.Constant) int {
		return cmp.Or(-compareBool(a.Str == nil, b.Str == nil), cmp.Compare(len(describe(a)), len(describe(b))))
	})
	return out
}

var numbersInText = regexp.MustCompile(`[0-9]{1,9}`)

// numbersIn are the whole numbers in a text: repetitions in patterns, widths in formats.
func numbersIn(c probe.Constant) []probe.Constant {
	var out []probe.Constant
	if c.Str == nil || len(*c.Str) > 200 {
		return nil
	}
	for _, digits := range numbersInText.FindAllString(*c.Str, 8) {
		if v, err := strconv.ParseInt(digits, 10, 64); err == nil {
			out = append(out, probe.Constant{Int: &v})
		}
	}
	return out
}

// namedNodes are the declarations that changed ones name, as they are: constants and
// variables first, then functions.
func (m *goCheck) namedNodes() []ast.Node {
	var values, functions []ast.Node
	for _, dir := range sortedDirs(m.is) {
		p := m.is.packages[dir]
		names := map[string]bool{}
		for key := range m.direct {
			if d := p.decls[key]; d != nil {
				maps.Copy(names, d.mentions)
			}
		}
		for _, key := range slices.Sorted(maps.Keys(p.decls)) {
			d := p.decls[key]
			if !names[d.name] || m.direct[key] {
				continue
			}
			switch d.node.(type) {
			case *ast.FuncDecl:
				functions = append(functions, d.node)
			case *ast.ValueSpec, *ast.GenDecl:
				values = append(values, d.node)
			}
		}
	}
	return slices.Concat(values, functions)
}

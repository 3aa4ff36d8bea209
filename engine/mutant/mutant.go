package mutant

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"strings"
)

// The operators.
const (
	Condition  = "condition"  // another comparison, || for &&, a branch always or never taken
	Arithmetic = "arithmetic" // another operator
	Constant   = "constant"   // another number or truth value
	Statement  = "statement"  // a statement left out, break for continue
	Return     = "return"     // another returned value
)

// Mutant is one edit of one file.
type Mutant struct {
	Path     string
	Function string // "T.M" for a method, "" outside of any
	Line     int    // from 1
	Operator string
	Change   string // "a < b -> a <= b"
	Data     []byte // the whole new file
}

// Sample draws n mutants so that each function gets its share; all of them when
// there are no more. The order is that of path and line. The same seed draws the
// same.
func Sample(all []Mutant, n int, seed uint64) []Mutant {
	if n >= len(all) {
		return all
	}
	rng := rand.New(rand.NewPCG(seed, 0x6d7574616e74))
	byFunc := map[string][]Mutant{}
	var names []string
	for _, m := range all {
		key := m.Path + "\x00" + m.Function
		if byFunc[key] == nil {
			names = append(names, key)
		}
		byFunc[key] = append(byFunc[key], m)
	}
	for _, name := range names {
		list := byFunc[name]
		rng.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	}
	// A function's share grows with the number of its mutants: each gets its
	// place in a common queue by its rank within the function.
	type queued struct {
		m    Mutant
		rank float64
	}
	var queue []queued
	for _, name := range names {
		list := byFunc[name]
		for i, m := range list {
			queue = append(queue, queued{m, (float64(i) + rng.Float64()) / float64(len(list))})
		}
	}
	slices.SortStableFunc(queue, func(a, b queued) int { return cmp.Compare(a.rank, b.rank) })
	out := make([]Mutant, n)
	for i := range out {
		out[i] = queue[i].m
	}
	sortByPlace(out)
	return out
}

func sortByPlace(list []Mutant) {
	slices.SortStableFunc(list, func(a, b Mutant) int {
		return cmp.Or(strings.Compare(a.Path, b.Path), cmp.Compare(a.Line, b.Line), strings.Compare(a.Change, b.Change))
	})
}

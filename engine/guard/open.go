package guard

import (
	"slices"
	"strings"
)

// takesAny reports that a function which was seen to reach what changed takes values of any type or, where
// that was not looked for, that all of those do which were compared.
func (p pair) takesAny() bool {
	open := func(group string) bool { return slices.Contains(p.open, group) }
	if len(p.reaching) > 0 {
		return slices.ContainsFunc(p.asked, func(group string) bool { return p.reaching[group] && open(group) })
	}
	return len(p.asked) > 0 && !slices.ContainsFunc(p.asked, func(group string) bool { return !open(group) })
}

// openSignature reports a signature of Go with a parameter of any type, alone or in a list.
func openSignature(signature string) bool {
	rest, ok := strings.CutPrefix(signature, "func(")
	depth := 1
	for i := 0; ok && i < len(rest); i++ {
		switch {
		case rest[i] == '(':
			depth++
		case rest[i] == ')':
			depth--
		case depth == 1 && strings.HasPrefix(rest[i:], "interface {}"):
			return true
		}
		if depth == 0 {
			break
		}
	}
	return false
}

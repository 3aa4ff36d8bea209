package guard

import (
	"go/types"
	"slices"
)

// goWriting are the exported functions of a package, methods not among them, that write its variables while it is used,
// themselves or by what they call: a registry that grows is another one to what was made before.
func goWriting(names []string, read func(string) []byte) []string {
	k := readKeeping(names, read)
	if k == nil {
		return nil
	}
	writes := map[*types.Func]bool{}
	for grown := true; grown; {
		grown = false
		for fn, f := range k.functions {
			if !writes[fn] && (k.writesVariable(f) || slices.ContainsFunc(f.mentions, func(m *types.Func) bool { return writes[m] })) {
				writes[fn], grown = true, true
			}
		}
	}
	var out []string
	for fn := range writes {
		if fn.Exported() && fn.Signature().Recv() == nil {
			out = append(out, fn.Name())
		}
	}
	slices.Sort(out)
	return out
}

// writesVariable reports a function that itself writes a variable of the package.
func (k *goKeeping) writesVariable(f *goFunction) bool {
	for v := range f.writes {
		if v.Parent() == k.pkg.Scope() {
			return true
		}
	}
	return false
}

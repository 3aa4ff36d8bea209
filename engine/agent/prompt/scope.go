package prompt

import (
	"path"
	"slices"

	"atoll/engine/agent"
	"atoll/store/record"
)

// scopeShown bounds how many paths a prompt names on each side of the scope.
const scopeShown = 60

// scopeOf says what of a tree a job may change and what not, folders that lie
// on one side as a whole as one name that ends in a slash. Both are nil when
// everything may be changed.
func scopeOf(j *agent.Job, t agent.Tree) (open, closed []string) {
	files := t.Files()
	if j.Scope == nil || !slices.ContainsFunc(files, func(f record.File) bool { return !j.Allowed(f.Path) }) {
		return nil, nil
	}
	mixed := map[string]int{} // 1: holds what may be changed, 2: what may not, 3: both
	for _, f := range files {
		side := 2
		if j.Allowed(f.Path) {
			side = 1
		}
		for dir := path.Dir(f.Path); dir != "."; dir = path.Dir(dir) {
			mixed[dir] |= side
		}
	}
	for _, f := range files {
		name := f.Path
		for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
			if mixed[dir] != 3 {
				name = dir + "/"
			}
		}
		list := &closed
		if j.Allowed(f.Path) {
			list = &open
		}
		if n := len(*list); n < scopeShown && !slices.Contains(*list, name) {
			*list = append(*list, name)
		}
	}
	return open, closed
}

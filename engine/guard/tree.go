package guard

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"atoll/store/record"
)

// Tree is one version of the repository: a folder that nobody changes while it
// is in use, and changes on top of it.
type Tree struct {
	Base  string
	Delta []record.Change
	// ID names what the tree holds: two with one ID are equal. What is learnt of a tree
	// that has one is kept as long as the [Guard]; "" = it has none.
	ID string
}

// view reads a Tree.
type view struct {
	tree  Tree
	delta map[string]record.Change
	files []string // regular files, sorted
}

// mostFiles bounds how much of a tree is looked at.
const mostFiles = 50_000

func open(t Tree) (*view, error) {
	v := &view{tree: t, delta: map[string]record.Change{}}
	for _, c := range t.Delta {
		v.delta[c.Path] = c
		if c.Mode == record.Regular || c.Mode == record.Executable {
			v.files = append(v.files, c.Path)
		}
	}
	if t.Base != "" {
		err := filepath.WalkDir(t.Base, func(name string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			rel, err := filepath.Rel(t.Base, name)
			if err != nil {
				return err
			}
			rel = filepath.ToSlash(rel)
			if d.IsDir() {
				if rel != "." && (d.Name() == ".git" || d.Name() == "node_modules") {
					return filepath.SkipDir
				}
				return nil
			}
			if _, changed := v.delta[rel]; !changed && d.Type().IsRegular() {
				v.files = append(v.files, rel)
			}
			if len(v.files) > mostFiles {
				return fmt.Errorf("more than %d files", mostFiles)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	slices.Sort(v.files)
	return v, nil
}

// has reports a regular file.
func (v *view) has(name string) bool {
	_, ok := slices.BinarySearch(v.files, name)
	return ok
}

// read returns a file's content, nothing for one that is not there.
func (v *view) read(name string) []byte {
	if c, ok := v.delta[name]; ok {
		return c.Data
	}
	if !v.has(name) {
		return nil
	}
	data, err := os.ReadFile(filepath.Join(v.tree.Base, filepath.FromSlash(name)))
	if err != nil {
		return nil
	}
	return data
}

// with is the tree's delta with more on top.
func (v *view) with(more ...record.Change) []record.Change {
	out := slices.Clone(v.tree.Delta)
	for _, c := range more {
		out = slices.DeleteFunc(out, func(o record.Change) bool { return o.Path == c.Path })
		out = append(out, c)
	}
	return out
}

// under reports whether a path lies in a folder or below it.
func under(name, dir string) bool {
	return dir == "." || name == dir || strings.HasPrefix(name, dir+"/")
}

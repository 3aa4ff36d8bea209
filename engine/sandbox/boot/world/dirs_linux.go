package world

import (
	"slices"
	"syscall"

	"atoll/engine/sandbox/boot/tree"
)

// below returns where an inside path is while the root is not changed yet and this
// process is in the folder that it will be.
func below(path string) string { return "." + path }

// dirs are folders of the root that are known to be there, by their inside paths: to ask
// again whether one is costs what making it does.
type dirs []string

// make makes a folder and those above it.
func (d *dirs) make(path string) error {
	if path == "/" || slices.Contains(*d, path) {
		return nil
	}
	if err := d.make(tree.Parent(path)); err != nil {
		return err
	}
	if err := syscall.Mkdir(below(path), 0o755); err != nil && err != syscall.EEXIST {
		return err
	}
	*d = append(*d, path)
	return nil
}

// covered says that a mount comes over path: what was made in it is not to be seen.
func (d *dirs) covered(path string) {
	*d = slices.DeleteFunc(*d, func(dir string) bool { return dir != path && tree.Within(dir, path) })
}

package agent

import (
	"context"
	"fmt"
	"os"
	"path"

	"atoll/store/record"
)

// lay gives the run its base: the checkout of the parent, or, where there is
// none, a folder with its files that release removes.
func (x *trial) lay(ctx context.Context) (release func(), err error) {
	tree := x.j.Parent.Tree
	if x.c.o.Checkout != nil && !tree.IsZero() {
		dir, release, err := x.c.o.Checkout(ctx, tree)
		if err != nil {
			return nil, fmt.Errorf("check out the parent: %w", err)
		}
		x.spec.Base = dir
		return release, nil
	}
	dir, err := os.MkdirTemp("", "atoll-base-")
	if err != nil {
		return nil, fmt.Errorf("make a folder for the parent: %w", err)
	}
	release = func() { _ = os.RemoveAll(dir) }
	if err := writeTree(ctx, dir, x.t); err != nil {
		release()
		return nil, err
	}
	x.spec.Base = dir
	return release, nil
}

// writeTree writes the files of a tree into a folder, never outside of it.
// Submodules become empty folders.
func writeTree(ctx context.Context, dir string, t Tree) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return fmt.Errorf("open %s: %w", dir, err)
	}
	defer func() { _ = root.Close() }()
	for _, f := range t.Files() {
		if err := writeEntry(ctx, root, t, f); err != nil {
			return fmt.Errorf("write %s into the work tree: %w", f.Path, err)
		}
	}
	return nil
}

func writeEntry(ctx context.Context, root *os.Root, t Tree, f record.File) error {
	if f.Mode == record.Submodule {
		return root.MkdirAll(f.Path, 0o755)
	}
	data, err := t.Read(ctx, f.Path)
	if err != nil {
		return err
	}
	if err := root.MkdirAll(path.Dir(f.Path), 0o755); err != nil {
		return err
	}
	if f.Mode == record.Symlink {
		return root.Symlink(string(data), f.Path)
	}
	return root.WriteFile(f.Path, data, f.Mode.Perm())
}

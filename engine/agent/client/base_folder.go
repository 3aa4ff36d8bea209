package client

import (
	"context"
	"fmt"
	"os"

	"atoll/engine/agent"
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
	if err := agent.WriteTree(ctx, dir, x.t); err != nil {
		release()
		return nil, err
	}
	x.spec.Base = dir
	return release, nil
}

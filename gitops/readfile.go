package gitops

import (
	"context"
	"fmt"
)

// ReadFile returns one file of a revision of the user's repository, straight
// from its objects: the way to read a configuration where there is no work
// tree. Errors: [ErrNotFound].
func ReadFile(ctx context.Context, t Target, rev, path string) ([]byte, error) {
	c, err := findGit(ctx, "")
	if err != nil {
		return nil, err
	}
	out, err := c.run(ctx, "--git-dir="+t.CommonDir, "cat-file", "blob", rev+":"+path)
	if err != nil {
		return nil, fmt.Errorf("%s in %s: %w", path, rev, ErrNotFound)
	}
	return out, nil
}

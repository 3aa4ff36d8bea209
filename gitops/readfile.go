package gitops

import (
	"context"
	"fmt"
)

// ReadFile returns one file of a revision of the user's repository, straight
// from its objects: the way to read a configuration where there is no work
// tree. rev is seen from the work tree that t names. Errors: [ErrNotFound].
func ReadFile(ctx context.Context, t Target, rev, path string) ([]byte, error) {
	git, err := findGit(ctx, "")
	if err != nil {
		return nil, err
	}
	name, err := git.line(ctx, "--git-dir="+t.GitDir, "rev-parse", "-q", "--verify", "--end-of-options", rev+":"+path)
	if exitCode(err) > 0 {
		return nil, fmt.Errorf("read %s of %s in %s: %w", path, rev, t.Path, ErrNotFound)
	}
	if err != nil {
		return nil, fmt.Errorf("read %s of %s in %s: %w", path, rev, t.Path, err)
	}
	data, err := git.run(ctx, "--git-dir="+t.GitDir, "cat-file", "blob", name)
	if err != nil {
		return nil, fmt.Errorf("read %s of %s in %s: %w", path, rev, t.Path, err)
	}
	return data, nil
}

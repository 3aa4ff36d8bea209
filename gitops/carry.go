package gitops

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"atoll/store/record"
)

// PackTree writes a tree with all that it holds as one pack, for a store on
// another machine to take in with [Repo.TakeTree]. The same tree may give other
// bytes another time.
func (r *Repo) PackTree(ctx context.Context, tree record.Hash, to io.Writer) error {
	if !r.exists() {
		return ErrNoStore
	}
	err := r.git.do(ctx, call{
		args:  []string{"--git-dir=" + r.dir, "pack-objects", "--revs", "--stdout", "--delta-base-offset", "-q"},
		stdin: strings.NewReader(tree.String() + "\n"), stdout: to,
	})
	if err != nil {
		return fmt.Errorf("pack tree %s: %w", tree.Short(), err)
	}
	return nil
}

// TakeTree takes in a pack that must hold a tree and all that this holds, of at
// most so many bytes. Every object is checked in form and content before any is
// kept, and no ref is written. The store is made when it is missing.
func (r *Repo) TakeTree(ctx context.Context, tree record.Hash, from io.Reader, most int64) error {
	if err := r.takeTree(ctx, tree, from, most); err != nil {
		return fmt.Errorf("take in tree %s: %w", tree.Short(), err)
	}
	return nil
}

func (r *Repo) takeTree(ctx context.Context, tree record.Hash, from io.Reader, most int64) error {
	if err := r.create(ctx); err != nil {
		return err
	}
	err := r.git.do(ctx, call{
		args:  []string{"--git-dir=" + r.dir, "index-pack", "--stdin", "--strict", "--max-input-size=" + strconv.FormatInt(most, 10)},
		stdin: from, stdout: io.Discard,
	})
	if err != nil {
		return err
	}
	if err := r.use(ctx, (*objects).refresh); err != nil {
		return err
	}
	t, err := r.Tree(ctx, tree)
	if err != nil {
		return err
	}
	var missing []string
	for _, f := range t.Files() {
		if f.Mode != record.Submodule && !r.Has(ctx, f.Hash) {
			missing = append(missing, f.Path)
		}
	}
	if len(missing) > 0 {
		return errors.Join(ErrNotFound, fmt.Errorf("the pack lacks %d files, %q among them", len(missing), missing[0]))
	}
	return nil
}

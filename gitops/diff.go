package gitops

import (
	"context"
	"errors"
	"fmt"
	"math"

	"atoll/store/record"
)

// DiffTrees lists the paths in which two trees differ, in byte order. Sub-trees
// with equal names are not looked into, so the cost follows the difference.
// There are no renames: a moved file is one path less and one more. Either
// hash may be zero for the empty tree. Added and Removed are -1 until
// [Repo.CountLines].
func (r *Repo) DiffTrees(ctx context.Context, a, b record.Hash) ([]record.FileDiff, error) {
	var out []record.FileDiff
	if err := r.diff(ctx, orEmpty(a), orEmpty(b), "", math.MaxInt, &out); err != nil {
		return nil, fmt.Errorf("compare trees %s and %s: %w", a.Short(), b.Short(), err)
	}
	return out, nil
}

func orEmpty(h record.Hash) record.Hash {
	if h.IsZero() {
		return emptyTree
	}
	return h
}

// errFar reports two trees that differ in more files than was asked for.
var errFar = errors.New("too many differences")

// diff walks two directories side by side, by name, and stops with errFar when
// more than limit files differ.
func (r *Repo) diff(ctx context.Context, a, b record.Hash, prefix string, limit int, out *[]record.FileDiff) error {
	if a == b {
		return nil
	}
	as, err := r.entries(ctx, a)
	if err != nil {
		return err
	}
	bs, err := r.entries(ctx, b)
	if err != nil {
		return err
	}
	for len(as) > 0 || len(bs) > 0 {
		var old, now *entry
		switch {
		case len(bs) == 0 || len(as) > 0 && as[0].before(bs[0]):
			old, as = &as[0], as[1:]
		case len(as) == 0 || bs[0].before(as[0]):
			now, bs = &bs[0], bs[1:]
		default:
			old, as, now, bs = &as[0], as[1:], &bs[0], bs[1:]
		}
		if err := r.diffEntry(ctx, old, now, prefix, limit, out); err != nil {
			return err
		}
	}
	return nil
}

// diffEntry compares two entries that stand at one place of git's order: both
// directories, both files, or one of them nil.
func (r *Repo) diffEntry(ctx context.Context, old, now *entry, prefix string, limit int, out *[]record.FileDiff) error {
	if old != nil && now != nil && old.hash == now.hash && old.mode() == now.mode() {
		return nil
	}
	before, after := emptyTree, emptyTree
	d := record.FileDiff{Added: -1, Removed: -1}
	var files bool
	if old != nil {
		d.Path = prefix + old.name
		if old.dir() {
			before = old.hash
		} else {
			d.OldMode, d.OldHash, d.OldExist, files = old.mode(), old.hash, true, true
		}
	}
	if now != nil {
		d.Path = prefix + now.name
		if now.dir() {
			after = now.hash
		} else {
			d.NewMode, d.NewHash, d.NewExist, files = now.mode(), now.hash, true, true
		}
	}
	if files {
		if len(*out) >= limit {
			return errFar
		}
		*out = append(*out, d)
		return nil
	}
	return r.diff(ctx, before, after, d.Path+"/", limit, out)
}

// Changes returns what has to be done to base to get tree, with the data: what
// [Repo.WriteTree] takes, and what a sandbox lays over a checkout of base.
// Deletions come first, so that a file can become a directory on the way.
func (r *Repo) Changes(ctx context.Context, base, tree record.Hash) ([]record.Change, error) {
	diffs, err := r.DiffTrees(ctx, base, tree)
	if err != nil {
		return nil, err
	}
	changes := make([]record.Change, 0, len(diffs))
	for _, d := range diffs {
		if !d.NewExist {
			changes = append(changes, record.Change{Path: d.Path, Mode: record.Deleted})
		}
	}
	for _, d := range diffs {
		if !d.NewExist {
			continue
		}
		c := record.Change{Path: d.Path, Mode: d.NewMode}
		if d.NewMode == record.Submodule {
			c.Data = []byte(d.NewHash.String())
		} else if c.Data, err = r.Blob(ctx, d.NewHash); err != nil {
			return nil, fmt.Errorf("read %q: %w", d.Path, err)
		}
		changes = append(changes, c)
	}
	return changes, nil
}

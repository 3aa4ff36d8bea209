package gitops

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing"

	"atoll/store/record"
)

// mergeGit is the first version with merge-tree --write-tree.
var mergeGit = version{2, 38}

// Merge joins what ours and theirs changed against base, each a commit or a
// tree, and returns the merged tree. Where both changed the same lines the
// tree has git's conflict markers in it and conflicts lists the paths, in
// order. It needs git 2.38: ErrGitVersion.
func (r *Repo) Merge(ctx context.Context, base, ours, theirs record.Hash) (tree record.Hash, conflicts []string, err error) {
	tree, conflicts, err = r.merge(ctx, base, ours, theirs)
	if err != nil {
		return record.Hash{}, nil, fmt.Errorf("merge %s and %s: %w", ours.Short(), theirs.Short(), err)
	}
	return tree, conflicts, nil
}

func (r *Repo) merge(ctx context.Context, base, ours, theirs record.Hash) (record.Hash, []string, error) {
	if r.git.version.less(mergeGit) {
		return record.Hash{}, nil, fmt.Errorf("%w: %s has no merge of trees; install %s or newer", ErrGitVersion, r.git.version, mergeGit)
	}
	// Three commits of its own give the merge the base that was asked for,
	// whatever the history says.
	b, err := r.alone(ctx, base)
	if err != nil {
		return record.Hash{}, nil, err
	}
	o, err := r.alone(ctx, ours, b)
	if err != nil {
		return record.Hash{}, nil, err
	}
	t, err := r.alone(ctx, theirs, b)
	if err != nil {
		return record.Hash{}, nil, err
	}
	out, err := r.store(ctx, "merge-tree", "--write-tree", "-z", "--name-only", "--no-messages", o.String(), t.String())
	if err != nil && exitCode(err) != 1 {
		return record.Hash{}, nil, err
	}
	parts := strings.Split(strings.TrimRight(string(out), "\x00"), "\x00")
	tree, parseErr := record.ParseHash(strings.TrimSpace(parts[0]))
	if parseErr != nil {
		return record.Hash{}, nil, errors.Join(fmt.Errorf("git merge-tree answered %q", out), err)
	}
	return tree, parts[1:], nil
}

// alone makes a commit of what h holds, without history but the given parents.
func (r *Repo) alone(ctx context.Context, h record.Hash, parents ...record.Hash) (record.Hash, error) {
	tree, err := r.treeOf(ctx, h)
	if err != nil {
		return record.Hash{}, err
	}
	return r.WriteCommit(ctx, CommitSpec{Tree: tree, Parents: parents, Message: "Side of a merge", Time: time.Unix(0, 0)})
}

// treeOf returns the tree of a commit, or the tree itself.
func (r *Repo) treeOf(ctx context.Context, h record.Hash) (record.Hash, error) {
	var kind plumbing.ObjectType
	var data []byte
	err := r.use(ctx, func(o *objects) (err error) {
		kind, data, err = o.read(h)
		return err
	})
	if err != nil {
		return record.Hash{}, fmt.Errorf("read %s: %w", h, err)
	}
	switch kind {
	case plumbing.TreeObject:
		return h, nil
	case plumbing.CommitObject:
		info, err := parseCommit(data)
		return info.Tree, err
	}
	return record.Hash{}, fmt.Errorf("%s is a %s: %w", h, kind, ErrObject)
}

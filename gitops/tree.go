package gitops

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"atoll/store/record"
)

// Tree is an immutable listing of all files of a tree object. Its methods may
// be called concurrently; they read from the Repo it came from.
type Tree struct {
	repo  *Repo
	hash  record.Hash
	files []record.File
}

const (
	// keptListings is how many listings stay in memory to start others from.
	keptListings = 8
	// nearListing is the number of different files up to which a listing is
	// made from another one.
	nearListing = 200
)

// listings keeps the last trees that were listed, most recent first.
type listings struct {
	mu   sync.Mutex
	last []*Tree
}

// Tree lists the tree object with the given name. Sizes are not known: see
// [Repo.Sizes] and [Tree.Stat]. Trees listed lately, and those that differ
// from one of them in few files, are cheap.
func (r *Repo) Tree(ctx context.Context, tree record.Hash) (*Tree, error) {
	tree = orEmpty(tree)
	r.listings.mu.Lock()
	last := slices.Clone(r.listings.last)
	r.listings.mu.Unlock()
	for _, t := range last {
		if t.hash == tree {
			return t, ctx.Err()
		}
	}
	t, err := r.list(ctx, tree, last)
	if err != nil {
		return nil, fmt.Errorf("list tree %s: %w", tree, err)
	}
	r.listings.mu.Lock()
	defer r.listings.mu.Unlock()
	r.listings.last = slices.Insert(r.listings.last, 0, t)
	r.listings.last = r.listings.last[:min(len(r.listings.last), keptListings)]
	return t, nil
}

// list reads a whole tree, or the difference from the last one listed.
func (r *Repo) list(ctx context.Context, tree record.Hash, last []*Tree) (*Tree, error) {
	t := &Tree{repo: r, hash: tree}
	if len(last) > 0 {
		var diffs []record.FileDiff
		err := r.diff(ctx, last[0].hash, tree, "", nearListing, &diffs)
		if err == nil {
			t.files = splice(last[0].files, diffs)
			return t, nil
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		// It is too far from the last one, or that cannot be read any more.
	}
	return t, r.walk(ctx, tree, "", func(f record.File) { t.files = append(t.files, f) })
}

// splice carries out diffs on a listing; both are in order of their paths.
func splice(files []record.File, diffs []record.FileDiff) []record.File {
	out := make([]record.File, 0, len(files)+len(diffs))
	for _, d := range diffs {
		i, found := slices.BinarySearchFunc(files, d.Path, byPath)
		out = append(out, files[:i]...)
		if found {
			i++
		}
		files = files[i:]
		if d.NewExist {
			out = append(out, record.File{Path: d.Path, Mode: d.NewMode, Hash: d.NewHash, Size: -1})
		}
	}
	return append(out, files...)
}

func byPath(f record.File, path string) int { return strings.Compare(f.Path, path) }

// walk calls fn for every file below tree, in byte order of their paths.
func (r *Repo) walk(ctx context.Context, tree record.Hash, prefix string, fn func(record.File)) error {
	es, err := r.entries(ctx, tree)
	if err != nil {
		return err
	}
	for _, e := range es {
		if e.dir() {
			if err := r.walk(ctx, e.hash, prefix+e.name+"/", fn); err != nil {
				return err
			}
			continue
		}
		fn(record.File{Path: prefix + e.name, Mode: e.mode(), Hash: e.hash, Size: -1})
	}
	return nil
}

// Hash returns the name of the tree object.
func (t *Tree) Hash() record.Hash { return t.hash }

// Files returns every file, symbolic link and submodule, in byte order of
// their paths. The slice belongs to the Tree and must not be changed.
func (t *Tree) Files() []record.File { return t.files }

// find looks a path up without reading anything.
func (t *Tree) find(path string) (record.File, error) {
	i, ok := slices.BinarySearchFunc(t.files, path, byPath)
	if !ok {
		return record.File{}, fmt.Errorf("%q in tree %s: %w", path, t.hash.Short(), ErrNotFound)
	}
	return t.files[i], nil
}

// Read returns the content of a file, or the target of a symbolic link. The
// caller owns it. A submodule has no content here: ErrObject.
func (t *Tree) Read(ctx context.Context, path string) ([]byte, error) {
	f, err := t.find(path)
	if err != nil {
		return nil, err
	}
	if f.Mode == record.Submodule {
		return nil, fmt.Errorf("read %q: %w: it is a submodule", path, ErrObject)
	}
	return t.repo.Blob(ctx, f.Hash)
}

// Stat returns a file with its size, which it has to read when the object is
// compressed as a delta.
func (t *Tree) Stat(ctx context.Context, path string) (record.File, error) {
	f, err := t.find(path)
	if err != nil {
		return f, err
	}
	if f.Mode == record.Submodule {
		return f, nil
	}
	data, err := t.repo.Blob(ctx, f.Hash)
	f.Size = int64(len(data))
	return f, err
}

// Sizes returns a copy of files with their sizes, asked of git in one run:
// about 2 microseconds a file. A submodule keeps -1.
func (r *Repo) Sizes(ctx context.Context, files []record.File) ([]record.File, error) {
	out := slices.Clone(files)
	var in, answers bytes.Buffer
	for _, f := range out {
		if f.Mode != record.Submodule {
			fmt.Fprintln(&in, f.Hash)
		}
	}
	if !r.exists() {
		return nil, ErrNoStore
	}
	err := r.git.do(ctx, call{
		args:  []string{"--git-dir=" + r.dir, "cat-file", "--buffer", "--batch-check=%(objectsize)"},
		stdin: &in, stdout: &answers,
	})
	if err != nil {
		return nil, fmt.Errorf("ask for sizes: %w", err)
	}
	lines := strings.Split(strings.TrimSuffix(answers.String(), "\n"), "\n")
	n := 0
	for i := range out {
		if out[i].Mode == record.Submodule {
			continue
		}
		if n >= len(lines) {
			return nil, fmt.Errorf("ask for sizes: git answered %d lines", len(lines))
		}
		if out[i].Size, err = strconv.ParseInt(lines[n], 10, 64); err != nil {
			return nil, fmt.Errorf("size of %q: %w", out[i].Path, ErrNotFound)
		}
		n++
	}
	return out, nil
}

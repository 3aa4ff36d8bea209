package gitops

import (
	"bytes"
	"context"
	"fmt"
	"strconv"

	"github.com/go-git/go-git/v5/plumbing"

	"atoll/store/record"
)

// modeTree is the mode of a directory inside a tree object.
const modeTree record.Mode = 0o40000

// emptyTree is the name of the tree without entries.
var emptyTree = record.Hash(plumbing.ComputeHash(plumbing.TreeObject, nil))

// entry is one name in one tree object. raw is the mode as it was written;
// old repositories have regular files with group bits (100664).
type entry struct {
	name string
	raw  uint32
	hash record.Hash
}

// mode folds raw into the modes git has today.
func (e entry) mode() record.Mode {
	switch e.raw & 0o170000 {
	case 0o040000:
		return modeTree
	case 0o120000:
		return record.Symlink
	case 0o160000:
		return record.Submodule
	}
	if e.raw&0o100 != 0 {
		return record.Executable
	}
	return record.Regular
}

func (e entry) dir() bool { return e.mode() == modeTree }

// before is git's order of tree entries: by bytes, with directories as if
// their names ended in a slash.
func (e entry) before(o entry) bool {
	n := min(len(e.name), len(o.name))
	if e.name[:n] != o.name[:n] {
		return e.name[:n] < o.name[:n]
	}
	return e.at(n) < o.at(n)
}

// at is the byte that git sees at position n of the name; 0 past the end.
func (e entry) at(n int) byte {
	switch {
	case n < len(e.name):
		return e.name[n]
	case e.dir():
		return '/'
	}
	return 0
}

// parseTree reads a tree object. Names that would lead out of their directory
// or into a git directory, and names that occur twice, are refused: no
// checkout may be made of such a tree.
func parseTree(data []byte) ([]entry, error) {
	entries := make([]entry, 0, bytes.Count(data, []byte{0}))
	for len(data) > 0 {
		space := bytes.IndexByte(data, ' ')
		zero := bytes.IndexByte(data, 0)
		if space < 0 || zero < space || len(data) < zero+21 {
			return nil, fmt.Errorf("%w: the tree is cut off", ErrObject)
		}
		raw, err := strconv.ParseUint(string(data[:space]), 8, 32)
		if err != nil {
			return nil, fmt.Errorf("%w: mode %q in a tree", ErrObject, data[:space])
		}
		e := entry{name: string(data[space+1 : zero]), raw: uint32(raw)}
		copy(e.hash[:], data[zero+1:])
		data = data[zero+21:]
		if why := badName(e.name); why != "" {
			return nil, fmt.Errorf("%w: a tree has the name %q, which %s", ErrObject, e.name, why)
		}
		entries = append(entries, e)
	}
	return entries, unique(entries)
}

// unique refuses entries out of git's order, and with them every name that
// occurs twice: as two files, or as a file and a directory.
func unique(entries []entry) error {
	seen := map[string]bool{}
	for i, e := range entries {
		if i > 0 && !entries[i-1].before(e) {
			return fmt.Errorf("%w: a tree has %q out of order", ErrObject, e.name)
		}
		// A file and a directory of one name have names between them; such a
		// name begins with theirs, so only those need remembering.
		if i+1 < len(entries) && len(entries[i+1].name) > len(e.name) && entries[i+1].name[:len(e.name)] == e.name && !e.dir() {
			seen[e.name] = true
		}
		if e.dir() && (seen[e.name] || i > 0 && entries[i-1].name == e.name) {
			return fmt.Errorf("%w: a tree has %q twice", ErrObject, e.name)
		}
	}
	return nil
}

// encodeTree writes entries, already in order, as a tree object.
func encodeTree(entries []entry) []byte {
	var b bytes.Buffer
	for _, e := range entries {
		b.WriteString(strconv.FormatUint(uint64(e.raw), 8))
		b.WriteByte(' ')
		b.WriteString(e.name)
		b.WriteByte(0)
		b.Write(e.hash[:])
	}
	return b.Bytes()
}

// entries returns the parsed tree object, which the caller must not change.
func (r *Repo) entries(ctx context.Context, tree record.Hash) ([]entry, error) {
	if tree == emptyTree {
		return nil, nil
	}
	if es, ok := r.trees.get(tree); ok {
		return es, nil
	}
	data, err := r.object(ctx, plumbing.TreeObject, tree)
	if err != nil {
		return nil, err
	}
	es, err := parseTree(data)
	if err != nil {
		return nil, fmt.Errorf("read tree %s: %w", tree, err)
	}
	r.keepTree(tree, es)
	return es, nil
}

// treeCacheBytes bounds the parsed trees kept in memory: about six versions
// of every directory of a repository of 20,000 files.
const treeCacheBytes = 8 << 20

// keepTree remembers a parsed tree object.
func (r *Repo) keepTree(h record.Hash, es []entry) {
	size := int64(128)
	for _, e := range es {
		size += 48 + int64(len(e.name))
	}
	r.trees.put(h, es, size)
}

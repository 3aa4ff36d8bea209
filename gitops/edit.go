package gitops

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"

	"atoll/store/record"
)

// edit is what happens to one name of one directory: first what is there goes
// away if gone says so, then a file is put there or the names below change.
type edit struct {
	gone  bool
	file  *record.Change
	below map[string]*edit
}

// WriteTree applies changes to the tree base and returns the new tree. Only
// the directories that are touched are read and written. base may be zero for
// the empty tree.
//
// A path may occur once. A deletion removes a file or a whole directory, and
// of nothing is nothing; it comes before the other changes, so that deleting d
// and writing d/f leaves f alone in d. Writing d/f where d was a file replaces
// it by a directory, and writing d where d was a directory replaces that;
// both in one set of changes is ErrChange. Directories that lose their last
// file disappear. The data of a submodule is its commit, 40 digits.
func (r *Repo) WriteTree(ctx context.Context, base record.Hash, changes []record.Change) (record.Hash, error) {
	return r.edit(ctx, base, changes, sink{r.write, r.keepTree})
}

// TreeAfter returns what WriteTree would return and writes nothing.
func (r *Repo) TreeAfter(ctx context.Context, base record.Hash, changes []record.Change) (record.Hash, error) {
	return r.edit(ctx, base, changes, sink{
		put: func(_ context.Context, kind plumbing.ObjectType, data []byte) (record.Hash, error) {
			return record.Hash(plumbing.ComputeHash(kind, data)), nil
		},
		keep: func(record.Hash, []entry) {},
	})
}

// sink takes the objects of an edit.
type sink struct {
	put  func(ctx context.Context, kind plumbing.ObjectType, data []byte) (record.Hash, error)
	keep func(tree record.Hash, es []entry) // remembers a directory that was put
}

// write stores an object.
func (r *Repo) write(ctx context.Context, kind plumbing.ObjectType, data []byte) (h record.Hash, err error) {
	err = r.use(ctx, func(o *objects) error {
		h, err = o.write(kind, data)
		return err
	})
	return h, err
}

func (r *Repo) edit(ctx context.Context, base record.Hash, changes []record.Change, to sink) (record.Hash, error) {
	root := &edit{}
	for i := range changes {
		if err := root.add(&changes[i]); err != nil {
			return record.Hash{}, fmt.Errorf("edit tree %s: %w", base.Short(), err)
		}
	}
	if base.IsZero() {
		base = emptyTree
	}
	tree, err := r.apply(ctx, base, root, to)
	if err != nil {
		return record.Hash{}, fmt.Errorf("edit tree %s: %w", base.Short(), err)
	}
	if tree.IsZero() {
		tree = emptyTree
		_, err = to.put(ctx, plumbing.TreeObject, nil)
	}
	return tree, err
}

// add files one change under its path.
func (ed *edit) add(c *record.Change) error {
	if err := checkChange(c); err != nil {
		return err
	}
	at := ed
	for rest := c.Path; ; {
		name, tail, more := strings.Cut(rest, "/")
		if at.below == nil {
			at.below = make(map[string]*edit)
		}
		next := at.below[name]
		if next == nil {
			next = &edit{}
			at.below[name] = next
		}
		at = next
		if !more {
			break
		}
		if at.file != nil && c.Mode != record.Deleted {
			return badChange(c.Path, "lies below a file that is written too")
		}
		rest = tail
	}
	if at.gone || at.file != nil {
		return badChange(c.Path, "is changed twice")
	}
	if c.Mode == record.Deleted {
		at.gone = true
		return nil
	}
	if at.writes() {
		return badChange(c.Path, "is written as a file, and so are files below it")
	}
	at.file = c
	return nil
}

// writes reports whether anything below ed is written.
func (ed *edit) writes() bool {
	for _, e := range ed.below {
		if e.file != nil || e.writes() {
			return true
		}
	}
	return false
}

// checkChange refuses what may not become part of a tree.
func checkChange(c *record.Change) error {
	if c.Path == "" {
		return badChange(c.Path, "is no path")
	}
	for name := range strings.SplitSeq(c.Path, "/") {
		if why := badName(name); why != "" {
			if name == "" {
				why = "is absolute or has an empty part"
				return badChange(c.Path, why)
			}
			return badChange(c.Path, fmt.Sprintf("has a part that %s", why))
		}
	}
	switch c.Mode {
	case record.Deleted, record.Regular, record.Executable:
	case record.Symlink:
		if len(c.Data) == 0 || slices.Contains(c.Data, 0) {
			return badChange(c.Path, "is a symbolic link without a target, or to one with a zero byte")
		}
		if specialSymlink(c.Path[strings.LastIndexByte(c.Path, '/')+1:]) {
			return badChange(c.Path, "is read by git and may not be a symbolic link")
		}
	case record.Submodule:
		if h, err := record.ParseHash(string(c.Data)); err != nil || h.IsZero() {
			return badChange(c.Path, "is a submodule whose data is no commit")
		}
	default:
		return badChange(c.Path, fmt.Sprintf("has mode %o", c.Mode))
	}
	return nil
}

// apply edits one directory and returns its new tree, zero when it is empty.
func (r *Repo) apply(ctx context.Context, tree record.Hash, ed *edit, to sink) (record.Hash, error) {
	if len(ed.below) == 0 {
		return tree, nil
	}
	var old []entry
	if !tree.IsZero() {
		es, err := r.entries(ctx, tree)
		if err != nil {
			return record.Hash{}, err
		}
		old = es
	}
	next := make([]entry, 0, len(old)+len(ed.below))
	for _, e := range old {
		if _, touched := ed.below[e.name]; !touched {
			next = append(next, e)
		}
	}
	var added []entry
	for name, sub := range ed.below {
		e, ok, err := r.applyName(ctx, old, name, sub, to)
		if err != nil {
			return record.Hash{}, err
		}
		if ok {
			added = append(added, e)
		}
	}
	slices.SortFunc(added, order)
	next = merge(next, added)
	if len(next) == 0 {
		return record.Hash{}, nil
	}
	return r.writeEntries(ctx, next, to)
}

// applyName works out what becomes of one name of a directory; false when
// nothing is left there.
func (r *Repo) applyName(ctx context.Context, old []entry, name string, ed *edit, to sink) (entry, bool, error) {
	if c := ed.file; c != nil {
		h, err := r.writeData(ctx, c, to)
		return entry{name, uint32(c.Mode), h}, true, err
	}
	var dir record.Hash
	if was, ok := lookup(old, name); ok && !ed.gone {
		if !was.dir() && !ed.writes() {
			return was, true, nil // only deletions below a file
		}
		if was.dir() {
			dir = was.hash
		}
	}
	if len(ed.below) == 0 {
		return entry{}, false, nil
	}
	h, err := r.apply(ctx, dir, ed, to)
	return entry{name, uint32(modeTree), h}, !h.IsZero(), err
}

// writeData stores the content of a change and returns what the entry names.
func (r *Repo) writeData(ctx context.Context, c *record.Change, to sink) (record.Hash, error) {
	if c.Mode == record.Submodule {
		return record.ParseHash(string(c.Data))
	}
	return to.put(ctx, plumbing.BlobObject, c.Data)
}

// writeEntries stores a tree object and remembers it.
func (r *Repo) writeEntries(ctx context.Context, es []entry, to sink) (h record.Hash, err error) {
	if err := unique(es); err != nil {
		return h, errors.Join(ErrChange, err)
	}
	if h, err = to.put(ctx, plumbing.TreeObject, encodeTree(es)); err == nil {
		to.keep(h, es)
	}
	return h, err
}

// lookup finds a name in a directory, as a file or as a directory.
func lookup(es []entry, name string) (entry, bool) {
	for _, raw := range []uint32{uint32(record.Regular), uint32(modeTree)} {
		if i, ok := slices.BinarySearchFunc(es, entry{name: name, raw: raw}, order); ok {
			return es[i], true
		}
	}
	return entry{}, false
}

// order is the order of entries in a tree, for sorting.
func order(a, b entry) int {
	if a.before(b) {
		return -1
	}
	if b.before(a) {
		return 1
	}
	return 0
}

// merge joins two ordered lists of entries into one.
func merge(a, b []entry) []entry {
	out := make([]entry, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		if a[0].before(b[0]) {
			out, a = append(out, a[0]), a[1:]
		} else {
			out, b = append(out, b[0]), b[1:]
		}
	}
	return append(append(out, a...), b...)
}

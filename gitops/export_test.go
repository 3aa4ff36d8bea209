package gitops

import (
	"context"
	"encoding/json"
	"os"

	"atoll/store/record"
)

// ObjectCacheBytes is how much of the objects stays in memory.
const ObjectCacheBytes = objectCacheBytes

// ReadObject reads an object of any kind.
func (r *Repo) ReadObject(ctx context.Context, h record.Hash) (kind string, data []byte, err error) {
	err = r.use(ctx, func(o *objects) error {
		is, d, err := o.read(h)
		kind, data = is.String(), d
		return err
	})
	return kind, data, err
}

// HasObject is Has with the reason.
func (r *Repo) HasObject(ctx context.Context, h record.Hash) (ok bool, err error) {
	err = r.use(ctx, func(o *objects) error {
		ok, err = o.has(h)
		return err
	})
	return ok, err
}

// Forget closes all files and drops what is in memory of objects.
func (r *Repo) Forget() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.objects != nil {
		r.objects.close()
		r.objects = nil
	}
}

// PackEntry is the header of an entry as it was understood.
type PackEntry struct {
	Delta            bool
	Size, Data, Base int64
}

// ParseEntry understands the header of an entry.
func ParseEntry(head []byte, at, end int64) (PackEntry, error) {
	e, err := parseEntry(head[:min(len(head), entryHeader)], at, end)
	return PackEntry{e.kind.IsDelta(), e.size, e.data, e.base}, err
}

// ApplyDelta makes an object from its base and the difference.
func ApplyDelta(base, delta []byte) ([]byte, error) { return applyDelta(base, delta) }

// CacheDirIn is CacheDir on a machine with another memory.
func CacheDirIn(memory, state string) string { return cacheDirIn(memory, state) }

// Forge writes the manifest of a checkout as it now is.
func Forge(cache string, tree record.Hash) error {
	c := &checkouts{dir: cache}
	m, err := survey(c.treeDir(tree))
	if err != nil {
		return err
	}
	data, err := json.Marshal(m)
	if err != nil {
		return err
	}
	return os.WriteFile(c.manifestPath(tree), data, 0o644)
}

package gitops

import (
	"bufio"
	"bytes"
	"compress/zlib"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync/atomic"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/format/objfile"

	"atoll/store/record"
	"atoll/store/whole"
)

// objectCacheBytes bounds the unpacked objects that are kept in memory.
const objectCacheBytes = 4 << 20

// objects reads and writes the objects of a store. Its caller holds Repo.mu
// from the first byte of an object to the last.
type objects struct {
	dir   string       // of the objects
	fsync *atomic.Bool // what is written survives a power cut
	packs packs
	cache *lru[cacheKey, object]
	in    bufio.Reader

	out  bytes.Buffer // what is about to be written
	zip  *zlib.Writer // into out
	wrap *zlib.Writer // into out, as it is
}

func openObjects(dir string, fsync *atomic.Bool) *objects {
	wrap, _ := zlib.NewWriterLevel(nil, zlib.NoCompression) // a level that there is
	o := &objects{
		dir: filepath.Join(dir, "objects"), fsync: fsync, cache: newLRU[cacheKey, object](objectCacheBytes),
		zip: zlib.NewWriter(nil), wrap: wrap,
	}
	o.packs = packs{dir: filepath.Join(o.dir, "pack"), loose: o.loose, cache: o.cache}
	return o
}

func (o *objects) close() { o.packs.close() }

// refresh makes packs visible that git wrote since the store looked.
func (o *objects) refresh() error {
	_, err := o.packs.refresh()
	return err
}

// retryTries bounds how often a read starts again because packs come and go.
const retryTries = 20

// retry runs get, and again while it fails and the packs have changed
// meanwhile.
func (o *objects) retry(get func() error) error {
	err := get()
	for range retryTries {
		if err == nil {
			return nil
		}
		changed, listErr := o.packs.refresh()
		if listErr != nil {
			return errors.Join(err, listErr)
		}
		if !changed {
			break
		}
		err = get()
	}
	return err
}

// read returns kind and content of an object. The caller owns the content.
func (o *objects) read(h record.Hash) (plumbing.ObjectType, []byte, error) {
	obj, ok := o.cache.get(cacheKey{name: h})
	if ok {
		return obj.kind, bytes.Clone(obj.data), nil
	}
	err := o.retry(func() (err error) {
		obj, err = o.packs.read(h)
		if err == nil {
			return nil
		}
		packed := err
		if obj, err = o.loose(h); errors.Is(err, ErrNotFound) {
			err = packed // which may be that a pack is damaged
		}
		return err
	})
	if err != nil {
		return plumbing.InvalidObject, nil, err
	}
	if objectBytes(obj) > objectCacheBytes {
		return obj.kind, obj.data, nil // nobody else has it
	}
	o.cache.put(cacheKey{name: h}, obj, objectBytes(obj))
	return obj.kind, bytes.Clone(obj.data), nil
}

// file returns the path of an object that is not packed.
func (o *objects) file(h record.Hash) string {
	name := h.String()
	return o.dir + "/" + name[:2] + "/" + name[2:]
}

// loose reads an object that is not packed, or says ErrNotFound.
func (o *objects) loose(h record.Hash) (object, error) {
	f, err := os.Open(o.file(h))
	if errors.Is(err, fs.ErrNotExist) {
		return object{}, ErrNotFound
	}
	if err != nil {
		return object{}, err
	}
	defer f.Close()
	o.in.Reset(f)
	obj, err := readLoose(&o.in, h)
	if err != nil {
		return object{}, damaged(f.Name(), err)
	}
	return obj, nil
}

// readLoose reads a file that must hold the object with the given name.
func readLoose(f io.Reader, h record.Hash) (object, error) {
	r, err := objfile.NewReader(f)
	if err != nil {
		return object{}, err
	}
	defer r.Close()
	kind, size, err := r.Header()
	if err != nil {
		return object{}, err
	}
	if size > maxObjectBytes {
		return object{}, fmt.Errorf("%w: it has %d bytes, and %d can be read", ErrObject, size, maxObjectBytes)
	}
	if size < 0 {
		return object{}, objfile.ErrNegativeSize
	}
	data, err := fill(r, size)
	if err != nil {
		return object{}, err
	}
	if is := r.Hash(); is != plumbing.Hash(h) {
		return object{}, fmt.Errorf("it holds %s", is)
	}
	return object{kind, data}, nil
}

// has reports whether the object exists.
func (o *objects) has(h record.Hash) (bool, error) {
	err := o.retry(func() error { return o.stat(h) })
	if errors.Is(err, ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

// stat looks for an object once, and says ErrNotFound. An empty file, as a power cut
// leaves, holds none: the object can be written again.
func (o *objects) stat(h record.Hash) error {
	info, err := os.Lstat(o.file(h))
	if errors.Is(err, fs.ErrNotExist) || err == nil && info.Size() == 0 {
		_, err = o.packs.find(h)
	}
	return err
}

// blockBytes is what a file takes on the disk at least. Squeezing what fits takes
// half the time of a commit and gains nothing; packs squeeze it later.
const blockBytes = 4096

// write stores an object unless it is there already.
func (o *objects) write(kind plumbing.ObjectType, data []byte) (record.Hash, error) {
	h := record.Hash(plumbing.ComputeHash(kind, data))
	if err := o.stat(h); err == nil {
		return h, nil
	}
	zip := o.zip
	if len(data)+64 < blockBytes { // with the header
		zip = o.wrap
	}
	o.out.Reset()
	zip.Reset(&o.out)
	fmt.Fprintf(zip, "%s %d\x00", kind, len(data)) // into memory: nothing of it fails
	zip.Write(data)
	zip.Close()
	if err := whole.Write(o.file(h), whole.Options{Mode: 0o444, Pattern: "tmp_obj_*", Sync: o.fsync.Load()}, whole.Bytes(o.out.Bytes())); err != nil {
		return record.Hash{}, fmt.Errorf("write object %s: %w", h, err)
	}
	if obj := (object{kind, data}); objectBytes(obj) <= objectCacheBytes { // it is looked at soon
		obj.data = bytes.Clone(data)
		o.cache.put(cacheKey{name: h}, obj, objectBytes(obj))
	}
	return h, nil
}

// use runs do with the storage to itself. do must not run programs or wait.
func (r *Repo) use(ctx context.Context, do func(*objects) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return ErrClosed
	}
	if r.objects == nil {
		if !r.exists() {
			return ErrNoStore
		}
		r.objects = openObjects(r.dir, &r.fsync)
	}
	return do(r.objects)
}

// object reads an object that must be of the given kind.
func (r *Repo) object(ctx context.Context, kind plumbing.ObjectType, h record.Hash) ([]byte, error) {
	var data []byte
	err := r.use(ctx, func(o *objects) error {
		is, d, err := o.read(h)
		if err == nil && is != kind {
			err = fmt.Errorf("%w: it is a %s", ErrObject, is)
		}
		data = d
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read %s %s: %w", kind, h, err)
	}
	return data, nil
}

// Blob returns the content of a file by its object name. The caller owns it.
func (r *Repo) Blob(ctx context.Context, h record.Hash) ([]byte, error) {
	return r.object(ctx, plumbing.BlobObject, h)
}

// Has reports whether the object is in the store; false when that cannot be
// found out.
func (r *Repo) Has(ctx context.Context, h record.Hash) bool {
	var ok bool
	err := r.use(ctx, func(o *objects) (err error) {
		ok, err = o.has(h)
		return err
	})
	return err == nil && ok
}

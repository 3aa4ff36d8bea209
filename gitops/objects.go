package gitops

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-git/go-billy/v5/osfs"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/storage/filesystem"

	"atoll/store/record"
)

// objectCacheBytes bounds the unpacked objects that go-git keeps; delta chains
// are resolved through them.
const objectCacheBytes = 4 << 20

// objects is the one go-git storage of a Repo. Its caller holds Repo.mu from
// the first byte of an object to the last.
type objects struct {
	dir     string
	storage *filesystem.Storage
	packs   []string // index files that the storage may know about
}

func openObjects(dir string, fsync bool) *objects {
	// The bound file system resolves every part of every path against links,
	// a third of the time of a commit; the store is our own, without any.
	//lint:ignore SA1019 for that reason
	disk := files{osfs.New(dir, osfs.WithChrootOS()), dir, fsync}
	return &objects{
		dir: dir, packs: packIndexes(dir),
		storage: filesystem.NewStorageWithOptions(disk, cache.NewObjectLRU(objectCacheBytes), filesystem.Options{KeepDescriptors: true}),
	}
}

func (o *objects) close() error { return o.storage.Close() }

// packIndexes lists the index files of the packs in dir.
func packIndexes(dir string) []string {
	entries, err := os.ReadDir(filepath.Join(dir, "objects", "pack"))
	if err != nil {
		return nil
	}
	var names []string
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".idx") {
			names = append(names, e.Name())
		}
	}
	return names
}

// refresh makes packs visible that git wrote since the storage looked, and
// reports whether there are any.
func (o *objects) refresh() bool {
	now := packIndexes(o.dir)
	if slices.Equal(now, o.packs) {
		return false
	}
	o.reopen(now)
	return true
}

// reopen forgets every pack and its open descriptor.
func (o *objects) reopen(packs []string) {
	_ = o.storage.Close() // descriptors of packs, only read from
	o.packs = packs
	o.storage.Reindex()
}

// missing recognises what go-git says when an object is not where it thinks.
func missing(err error) bool {
	return errors.Is(err, plumbing.ErrObjectNotFound) || errors.Is(err, os.ErrNotExist) ||
		err != nil && strings.Contains(err.Error(), "packfile not found")
}

// reopenTries bounds how often a read starts again because packs come and go.
const reopenTries = 20

// retry runs get, and again while it misses something and the packs have
// changed meanwhile, or changed in the very moment they were looked at.
func (o *objects) retry(get func() error) error {
	err := get()
	for range reopenTries {
		if !missing(err) {
			return err
		}
		torn := !errors.Is(err, plumbing.ErrObjectNotFound)
		if !o.refresh() {
			if !torn {
				break
			}
			o.reopen(o.packs)
		}
		err = get()
	}
	if missing(err) {
		return ErrNotFound
	}
	return err
}

// read returns kind and content of an object.
func (o *objects) read(h record.Hash) (kind plumbing.ObjectType, data []byte, err error) {
	err = o.retry(func() error {
		obj, err := o.storage.EncodedObject(plumbing.AnyObject, plumbing.Hash(h))
		if err != nil {
			return err
		}
		r, err := obj.Reader()
		if err != nil {
			return err
		}
		defer r.Close()
		kind = obj.Type()
		data = make([]byte, obj.Size())
		_, err = io.ReadFull(r, data)
		return err
	})
	return kind, data, err
}

// has reports whether the object exists.
func (o *objects) has(h record.Hash) (bool, error) {
	err := o.retry(func() error { return o.storage.HasEncodedObject(plumbing.Hash(h)) })
	if errors.Is(err, ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

// write stores an object unless it is there already.
func (o *objects) write(kind plumbing.ObjectType, data []byte) (record.Hash, error) {
	h := plumbing.ComputeHash(kind, data)
	if err := o.storage.HasEncodedObject(h); err == nil {
		return record.Hash(h), nil
	}
	obj := &plumbing.MemoryObject{}
	obj.SetType(kind)
	if _, err := obj.Write(data); err != nil {
		return record.Hash{}, err
	}
	if _, err := o.storage.SetEncodedObject(obj); err != nil {
		return record.Hash{}, err
	}
	return record.Hash(h), nil
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
		r.objects = openObjects(r.dir, r.fsync)
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

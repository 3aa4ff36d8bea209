package gitops

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"syscall"
	"time"

	"atoll/store/record"
)

// Checkout returns a directory with the files of tree, and a function that
// gives it back; call it exactly when nothing looks at the directory any more.
// A tree is laid out once and shared by all who hold it, other processes
// included; those nobody holds are removed when they exceed
// Options.CacheBytes, longest unused first.
//
// Nobody may write below dir: mount it read-only or copy it. Files have the
// modes of a plain checkout (0644 and 0755) because a layer on top shows
// them to programs that edit in place. They belong to this process's user and
// group. Submodules are empty directories. Whether somebody did write is
// found out when a checkout is first used by this process and after it lay
// idle for a while, by size, mode, inode and change time of every file; such
// a checkout is made anew.
func (r *Repo) Checkout(ctx context.Context, tree record.Hash) (dir string, release func(), err error) {
	for {
		e, builder := r.cache.enter(tree)
		if builder {
			r.cache.filled(e, r.fill(ctx, e.tree))
		}
		select {
		case <-e.ready:
		case <-ctx.Done():
			r.cache.leave(e)
			return "", nil, fmt.Errorf("check out tree %s: %w", tree.Short(), ctx.Err())
		}
		if e.err == nil {
			var once sync.Once
			return r.cache.treeDir(tree), func() { once.Do(func() { r.cache.leave(e) }) }, nil
		}
		r.cache.leave(e)
		// The one who laid it out may have been told to stop; we were not.
		if !builder && ctx.Err() == nil && (errors.Is(e.err, context.Canceled) || errors.Is(e.err, context.DeadlineExceeded)) {
			continue
		}
		return "", nil, fmt.Errorf("check out tree %s: %w", tree.Short(), e.err)
	}
}

// filling is the outcome of laying a tree out.
type filling struct {
	bytes int64
	lock  *os.File // shared with those processes that use the tree
	err   error
}

// fill makes sure that tree is on disk and intact, and locks it against other
// processes. When the file system is full it makes room once.
func (r *Repo) fill(ctx context.Context, tree record.Hash) filling {
	f := r.fillOnce(ctx, tree)
	if errors.Is(f.err, syscall.ENOSPC) && r.cache.evict(0) > 0 {
		r.cache.wait()
		f = r.fillOnce(ctx, tree)
	}
	return f
}

func (r *Repo) fillOnce(ctx context.Context, tree record.Hash) filling {
	if err := keep(r.cache.dir); err != nil {
		return filling{err: err}
	}
	lock, err := lockFile(ctx, r.cache.lockPath(tree), shared)
	if err != nil {
		return filling{err: err}
	}
	for {
		m, err := r.cache.manifest(tree)
		if err == nil && (r.cache.fresh(tree) || r.cache.intact(tree, m)) {
			return filling{bytes: m.Bytes, lock: lock}
		}
		// Missing or tampered with: the one with the exclusive lock makes it.
		if err := r.renew(ctx, tree, lock); err != nil {
			unlock(lock)
			return filling{err: err}
		}
	}
}

// renew lays tree out under the exclusive lock, unless somebody else just did,
// and leaves with the shared one.
func (r *Repo) renew(ctx context.Context, tree record.Hash, lock *os.File) error {
	if err := relockWhenFree(ctx, lock, exclusive); err != nil {
		return err
	}
	if m, err := r.cache.manifest(tree); err != nil || !r.cache.intact(tree, m) {
		if err := r.layOut(ctx, tree); err != nil {
			return err
		}
	}
	return relockWhenFree(ctx, lock, shared)
}

// layOut makes a checkout beside its place and moves it there when complete.
func (r *Repo) layOut(ctx context.Context, tree record.Hash) (err error) {
	part, err := r.cache.begin(tree)
	if err != nil {
		return err
	}
	if err := r.materialise(ctx, tree, part); err != nil {
		return errors.Join(err, os.RemoveAll(part))
	}
	return r.cache.finish(tree, part)
}

// checkout is one tree on disk, while this process holds it or remembers it.
type checkout struct {
	tree  record.Hash
	ready chan struct{} // closed when err, bytes and lock are set
	err   error
	bytes int64
	lock  *os.File
	refs  int
	idle  time.Time // when refs became zero

	unproved bool // was not compared with its manifest in this process
}

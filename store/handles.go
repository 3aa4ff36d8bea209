package store

import (
	"os"
	"sync"
)

// A process that closes a file gives up all POSIX locks that it has on it, by whatever
// descriptor (https://sqlite.org/howtocorrupt.html#_posix_advisory_locks_canceled_by_a_separate_thread_doing_close_).
// SQLite guards its own descriptors against that. Whoever reads the file of a store here
// beside SQLite asks for it at [lend]: it is closed when this process has no connection
// to it any more. Locks belong to the process, and so does this table.
var handles = handleTable{open: map[string]*handle{}}

type handleTable struct {
	mu   sync.Mutex
	open map[string]*handle // by absolute path
}

type handle struct {
	users int        // stores that are open, and readers
	file  *os.File   // for reading; nil: nobody asked
	old   []*os.File // those of other files that had the name before
}

// hold notes that a store is open, until the function that it returns is called, once.
func (t *handleTable) hold(path string) (release func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	h := t.open[path]
	if h == nil {
		h = &handle{}
		t.open[path] = h
	}
	h.users++
	return sync.OnceFunc(func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		if h.users--; h.users > 0 {
			return
		}
		for _, f := range append(h.old, h.file) {
			_ = f.Close() // only read from; nil is no file
		}
		delete(t.open, path)
	})
}

// lend opens the file of a store for reading at places (ReadAt). It may be one that
// others read from as well.
func (t *handleTable) lend(path string) (f *os.File, release func(), err error) {
	release = t.hold(path)
	f, err = t.reading(path)
	if err != nil {
		release()
		return nil, nil, err
	}
	return f, release, nil
}

func (t *handleTable) reading(path string) (*os.File, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	h := t.open[path]
	if h.file != nil && sameFile(h.file, path) {
		return h.file, nil
	}
	f, err := os.Open(path)
	if err == nil {
		h.old = append(h.old, h.file)
		h.file = f
	}
	return f, err
}

// sameFile reports whether a path still leads to a file that is open.
func sameFile(f *os.File, path string) bool {
	a, err := f.Stat()
	if err != nil {
		return false
	}
	b, err := os.Stat(path)
	return err == nil && os.SameFile(a, b)
}

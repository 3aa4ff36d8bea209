package store

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// applicationID marks a file as ours ("ATOL"), in the header of SQLite.
const applicationID = 0x41544F4C

// readers is how many connections serve reads at the same time.
const readers = 4

// Options say how to open a store. The zero value opens for writing.
type Options struct {
	ReadOnly bool             // never writes; works beside a process that does
	Now      func() time.Time // clock of all records; default time.Now
	Sync     string           // "normal" (default) or "full": fsync at each commit

	filesystem func(dir string) (network string, err error)
	migrations fs.FS
}

// DB is an open store. All methods may be called from any goroutine; those that
// change something return after the commit.
type DB struct {
	path   string
	writer *writer // nil when read-only
	layout fs.FS   // the migrations that lead to it

	slots chan struct{} // one per reader in use
	mu    sync.Mutex    // guards idle and closed
	idle  []*conn
	gone  bool

	sealed bool   // nobody writes, and no write-ahead log can be made; set while opening
	copied string // private folder whose copy of the file is read, "" for none; set while opening

	release func()     // the file is open no more
	watch   sync.Mutex // guards what follows
	watcher *conn
	version int64
	changes uint64
}

// Open opens the store in the file of that name, creating it and bringing an
// older one up to date (a copy named FILE.v<version> is made first). Close it.
// Errors: [ErrNotFound] (only when reading), [ErrNotADatabase], [ErrNewer],
// [ErrNetwork], [ErrReadOnly], [ErrBusy] and those of the disk.
func Open(ctx context.Context, path string, o Options) (*DB, error) {
	db, err := open(ctx, path, o)
	return db, doing("open the store "+path, err)
}

func open(ctx context.Context, path string, o Options) (*DB, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.filesystem == nil {
		o.filesystem = networkOf
	}
	if o.migrations == nil {
		o.migrations = schema
	}
	if o.Sync != "" && o.Sync != "normal" && o.Sync != "full" {
		return nil, fmt.Errorf("sync is %q: %w: write normal or full", o.Sync, ErrInvalid)
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	if err := place(abs, o); err != nil {
		return nil, err
	}
	db := &DB{path: abs, layout: o.migrations, slots: make(chan struct{}, readers), release: handles.hold(abs)}
	if o.ReadOnly {
		return db, db.look(ctx, o)
	}
	err = explain(private(abs))
	var c *conn
	if err == nil {
		c, err = prepare(ctx, abs, o)
	}
	if err != nil {
		db.release()
		return nil, err
	}
	db.writer = startWriter(c, abs, o.Now)
	return db, nil
}

// private makes the file one that no other user reads, whatever the folder lets them
// see; SQLite gives its mode to the files beside it.
func private(path string) error {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		err = create(path)
		if errors.Is(err, fs.ErrPermission) {
			return nil // SQLite says better what cannot be done
		}
		return err
	}
	if err != nil || info.Mode().Perm()&0o077 == 0 {
		return err
	}
	if err := os.Chmod(path, 0o600); !errors.Is(err, fs.ErrPermission) { // it is another user's
		return err
	}
	return nil
}

// place checks where the file is or will be, without touching what is there.
func place(path string, o Options) error {
	dir := filepath.Dir(path)
	if !o.ReadOnly {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return explain(err)
		}
	}
	network, err := o.filesystem(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%w: there is no directory %s; start an experiment first", ErrNotFound, dir)
	case err != nil:
		return fmt.Errorf("ask for the file system of %s: %w", dir, err)
	case network != "":
		return fmt.Errorf("%s is on %s: %w", dir, network, ErrNetwork)
	}
	if err := header(path, o); err != nil {
		return err
	}
	if err := foreignJournal(path); err != nil {
		return err
	}
	return foreignLog(path)
}

// header refuses a file that does not begin as SQLite files do. An empty or
// absent file is a store to be.
func header(path string, o Options) error {
	f, release, err := handles.lend(path)
	if errors.Is(err, fs.ErrNotExist) {
		if o.ReadOnly {
			return fmt.Errorf("%w: start an experiment first", ErrNotFound)
		}
		return nil
	}
	if err != nil {
		return explain(err)
	}
	defer release()
	magic := []byte("SQLite format 3\x00")
	got := make([]byte, len(magic))
	n, err := f.ReadAt(got, 0)
	switch {
	case err != nil && !errors.Is(err, io.EOF):
		return fmt.Errorf("%w (%w)", ErrNotADatabase, err)
	case n == 0 && !o.ReadOnly:
		return nil
	case !bytes.Equal(got, magic):
		return ErrNotADatabase
	}
	return nil
}

// Empty reports whether there is no store at path: no file, one of no bytes, or one in which,
// with its write-ahead log, nobody laid out a table. Opening it for writing would begin a new
// one. It writes nothing.
func Empty(ctx context.Context, path string) bool {
	abs, err := filepath.Abs(path)
	if err != nil {
		return false
	}
	const end, layout = 64, 60 // https://sqlite.org/fileformat2.html#the_database_header
	f, release, err := handles.lend(abs)
	if err != nil {
		return errors.Is(err, fs.ErrNotExist)
	}
	head := make([]byte, end)
	n, err := f.ReadAt(head, 0)
	release()
	if n < end || binary.BigEndian.Uint32(head[layout:]) != 0 {
		return n == 0 && errors.Is(err, io.EOF)
	}
	db, err := Open(ctx, abs, Options{ReadOnly: true}) // the layout may be in the log still
	if err == nil {
		err = db.Close()
	}
	return errors.Is(err, ErrNotFound)
}

// look opens the first reader, so that a store that cannot be read says so now. Where
// the files of the write-ahead log cannot be made and none was left, it does without: on
// a disk that is read-only or full nobody has the store open. A log without the memory that
// those who have the store open share was left by a kill, or copied: it is read in a private
// copy.
func (db *DB) look(ctx context.Context, o Options) error {
	err := db.firstRead(ctx, o)
	if noLog(err) && !exists(db.path+"-shm") || errors.Is(explain(err), ErrFull) && !shared(db.path) {
		db.drop()
		if db.sealed = empty(db.path + "-wal"); !db.sealed {
			if err := db.copyAside(ctx); err != nil {
				return errors.Join(err, db.Close())
			}
		}
		err = db.firstRead(ctx, o)
	}
	if err != nil {
		return errors.Join(db.walHint(err), db.Close())
	}
	return nil
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// empty reports a file that is not there, or has nothing in it.
func empty(path string) bool {
	info, err := os.Lstat(path)
	return err != nil || info.Size() == 0
}

// shared reports the memory that those share who have a store open. Where a full disk kept
// somebody from making it, some bytes are left.
func shared(path string) bool {
	info, err := os.Lstat(path + "-shm")
	return err == nil && info.Size() >= 4096
}

// drop closes the readers that nobody uses.
func (db *DB) drop() {
	db.mu.Lock()
	defer db.mu.Unlock()
	for _, c := range db.idle {
		_ = c.close() // it could read nothing
	}
	db.idle = nil
}

// firstRead checks the layout.
func (db *DB) firstRead(ctx context.Context, o Options) error {
	return db.read(ctx, func(c *conn) error {
		version, err := inspect(c)
		if err != nil {
			return err
		}
		newest, err := newestOf(o.migrations)
		if err != nil {
			return err
		}
		switch {
		case version == 0:
			return fmt.Errorf("%w: the store is empty; start an experiment first", ErrNotFound)
		case version < newest:
			return fmt.Errorf("the store has layout %d, this atoll reads %d and would bring it up to date: %w; or copy the state directory and name the copy with --state",
				version, newest, ErrOlder)
		}
		return notNewer(version, newest)
	})
}

// Close commits what is under way and closes all connections. Reads that still
// run end first. Closing twice does nothing.
func (db *DB) Close() error {
	db.mu.Lock()
	done := db.gone
	db.gone = true
	db.mu.Unlock()
	if done {
		return nil
	}
	var err error
	for range readers { // wait for those that read
		db.slots <- struct{}{}
	}
	for _, c := range db.idle {
		err = errors.Join(err, c.close())
	}
	for range readers { // those that come later find the store closed
		<-db.slots
	}
	db.watch.Lock()
	defer db.watch.Unlock()
	if db.watcher != nil {
		err = errors.Join(err, db.watcher.close())
		db.watcher = nil
	}
	if db.writer != nil { // last: only who may write takes the write-ahead log in and removes it
		err = errors.Join(err, db.writer.close())
	}
	if db.copied != "" {
		err = errors.Join(err, os.RemoveAll(db.copied))
	}
	db.release()
	return doing("close the store", err)
}

// Path returns the absolute name of the file.
func (db *DB) Path() string { return db.path }

// ReadOnly reports whether the store was opened for reading.
func (db *DB) ReadOnly() bool { return db.writer == nil }

// SetSync chooses whether each commit waits for the device (full) or the last
// ones may be lost at a power cut (normal). A crash of the process loses
// nothing either way.
func (db *DB) SetSync(full bool) error {
	text := "PRAGMA synchronous = NORMAL"
	if full {
		text = "PRAGMA synchronous = FULL"
	}
	if db.writer == nil {
		return doing("change the durability", ErrReadOnly)
	}
	err := db.writer.do(context.Background(), &op{outside: func(c *conn) error { return c.do(text) }})
	return doing("change the durability", err)
}

// write runs fn in the writer's transaction. What fn returns through variables
// must be set from scratch at each call: fn may run twice.
func (db *DB) write(ctx context.Context, what string, fn func(*tx) error) error {
	if db.writer == nil {
		return doing(what, ErrReadOnly)
	}
	return doing(what, db.writer.do(ctx, &op{run: fn}))
}

// read lends a connection to fn. A reader that holds one must not ask for
// another.
func (db *DB) read(ctx context.Context, fn func(*conn) error) error {
	select {
	case db.slots <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-db.slots }()
	c, err := db.reader()
	if err != nil {
		return err
	}
	err = fn(c)
	db.mu.Lock()
	db.idle = append(db.idle, c)
	db.mu.Unlock()
	return err
}

func (db *DB) reader() (*conn, error) {
	db.mu.Lock()
	if db.gone {
		db.mu.Unlock()
		return nil, ErrClosed
	}
	if n := len(db.idle); n > 0 {
		c := db.idle[n-1]
		db.idle = db.idle[:n-1]
		db.mu.Unlock()
		return c, nil
	}
	db.mu.Unlock()
	return db.dialReader()
}

// dialReader opens a connection for reads.
func (db *DB) dialReader() (*conn, error) { return db.dialAs(readOptions) }

// dialAs opens a connection that only reads, where the content can be read.
func (db *DB) dialAs(options string) (*conn, error) {
	switch {
	case db.sealed:
		return dial(db.path, options+sealOption)
	case db.copied != "":
		return dial(db.copy(), options)
	}
	return dial(db.path, options)
}

// Changed returns a number that grows when anything was committed, by this
// process or another, since the last call. It costs some microseconds and
// reads no table.
func (db *DB) Changed(ctx context.Context) (uint64, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	db.watch.Lock()
	defer db.watch.Unlock()
	if db.watcher == nil {
		db.mu.Lock()
		gone := db.gone
		db.mu.Unlock()
		if gone {
			return 0, ErrClosed
		}
		c, err := db.dialReader()
		if err != nil {
			return 0, doing("watch the store", err)
		}
		db.watcher = c
	}
	v, err := db.watcher.number("PRAGMA data_version")
	if err != nil {
		return 0, doing("watch the store", err)
	}
	if v != db.version {
		db.version = v
		db.changes++
	}
	return db.changes, nil
}

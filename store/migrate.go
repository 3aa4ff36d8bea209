package store

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/mattn/go-sqlite3"

	"atoll/store/fault"
)

// schema holds the migrations. The file named 00N_*.sql leads to version N of
// the layout (PRAGMA user_version). Files are only ever added.
//
//go:embed *.sql
var schema embed.FS

// prepare opens the writing connection of a store, new or old, and brings the
// layout up to date.
func prepare(ctx context.Context, path string, o Options) (*conn, error) {
	c, err := dial(path, writeOptions)
	if err != nil {
		return nil, unwritable(path, err)
	}
	if err := settle(ctx, c, path, o); err != nil {
		return nil, errors.Join(unwritable(path, err), c.close())
	}
	return c, nil
}

// unwritable explains an error of opening: where SQLite says only that a file cannot be
// opened, because it cannot make its write-ahead log, it is the directory that says why.
func unwritable(path string, err error) error {
	if !noLog(err) {
		return explain(err)
	}
	f, why := os.CreateTemp(filepath.Dir(path), ".atoll-*")
	if why != nil {
		return explain(why)
	}
	return errors.Join(explain(err), f.Close(), os.Remove(f.Name()))
}

// create makes an empty file where there is none, so that connections never
// make one by themselves.
func create(path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil // another process was faster
	}
	if err != nil {
		return explain(err)
	}
	return f.Close()
}

func settle(ctx context.Context, c *conn, path string, o Options) error {
	version, err := inspect(c)
	if err != nil {
		return err
	}
	newest, err := newestOf(o.migrations)
	if err != nil {
		return err
	}
	if err := notNewer(version, newest); err != nil {
		return err
	}
	if version > 0 && version < newest {
		if err := keepCopy(c, path, version); err != nil {
			return err
		}
	}
	if err := useWAL(ctx, c); err != nil {
		return err
	}
	if version < newest {
		if _, err := breakSeal(ctx, path); err != nil {
			return err
		}
		if err := migrate(c, o.migrations, newest); err != nil {
			return err
		}
	}
	if o.Sync == "full" {
		return c.do("PRAGMA synchronous = FULL")
	}
	return nil
}

// inspect identifies a file in one snapshot of it: another process may be
// creating it just now.
func inspect(c *conn) (version int64, err error) {
	err = c.snapshot(func() error {
		version, err = identify(c)
		return err
	})
	return version, err
}

// identify returns the layout of the file, 0 for an empty one, and refuses
// files that others made. It runs inside a transaction.
func identify(c *conn) (int64, error) {
	id, err := c.number("PRAGMA application_id")
	if err != nil {
		return 0, err
	}
	version, err := c.number("PRAGMA user_version")
	if err != nil {
		return 0, err
	}
	if id == applicationID {
		return version, nil
	}
	tables, err := c.number(string(sqlTables))
	if err != nil {
		return 0, err
	}
	if id != 0 || version != 0 || tables != 0 {
		return 0, fmt.Errorf("it is an SQLite file of another program: %w", ErrNotADatabase)
	}
	return 0, nil
}

// useWAL switches to the write-ahead log. SQLite does not wait for others in
// this one place, so a second process that creates the same file tries again.
func useWAL(ctx context.Context, c *conn) error {
	wait := time.NewTicker(10 * time.Millisecond)
	defer wait.Stop()
	for range 500 {
		mode := ""
		err := c.query(ctx, "PRAGMA journal_mode = WAL", nil, func(r *row) error {
			mode = r.text()
			return nil
		})
		if err == nil && mode != "wal" {
			return fmt.Errorf("the file system allows no write-ahead log: %w", ErrNetwork)
		}
		var e sqlite3.Error
		if err == nil || !errors.As(err, &e) || e.Code != sqlite3.ErrBusy {
			if err == nil {
				err = c.do("PRAGMA journal_size_limit = 67108864")
			}
			return err
		}
		select {
		case <-wait.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return ErrBusy
}

// keepCopy writes the store as it is beside itself before its layout changes.
func keepCopy(c *conn, path string, version int64) error {
	copyPath := fmt.Sprintf("%s.v%d", path, version)
	part := fmt.Sprintf("%s.%d.part", copyPath, os.Getpid()) // another process may make the same
	if err := os.Remove(part); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("make room for a copy: %w", err)
	}
	if _, err := c.exec(sqlVacuumInto, part); err != nil {
		return fmt.Errorf("copy the store to %s before its layout changes: %w", copyPath, explain(err))
	}
	return os.Rename(part, copyPath)
}

// migrate applies what is missing in one transaction: other processes see the old
// layout or the new one, and a new store whole. Another process may have been faster, so
// the version is read inside of it.
func migrate(c *conn, files fs.FS, newest int64) (err error) {
	if err := c.do("BEGIN IMMEDIATE"); err != nil {
		return err
	}
	defer func() {
		if !c.raw.AutoCommit() {
			err = errors.Join(err, c.do("ROLLBACK"))
		}
	}()
	version, err := identify(c)
	if err != nil {
		return err
	}
	for ; version < newest; version++ {
		text, name, err := migration(files, version+1)
		if err != nil {
			return err
		}
		if err := c.do(text); err != nil {
			return fmt.Errorf("change the layout by %s: %w", name, explain(err))
		}
		if err := c.do(fmt.Sprintf("PRAGMA application_id = %d; PRAGMA user_version = %d", applicationID, version+1)); err != nil {
			return err
		}
	}
	fault.At(fault.Layout)
	return c.do("COMMIT")
}

func newestOf(files fs.FS) (int64, error) {
	names, err := fs.Glob(files, "[0-9][0-9][0-9]_*.sql")
	return int64(len(names)), err
}

func migration(files fs.FS, version int64) (text, name string, err error) {
	names, err := fs.Glob(files, fmt.Sprintf("%03d_*.sql", version))
	if err != nil || len(names) != 1 {
		return "", "", fmt.Errorf("there are %d files for layout %d, want one (%v)", len(names), version, err)
	}
	b, err := fs.ReadFile(files, names[0])
	return string(b), names[0], err
}

// notNewer refuses a layout of the future.
func notNewer(version, newest int64) error {
	if version > newest {
		return fmt.Errorf("layout %d, known are up to %d: %w", version, newest, ErrNewer)
	}
	return nil
}

// noLog reports that SQLite could not make the files of its write-ahead log.
func noLog(err error) bool {
	var e sqlite3.Error
	return errors.As(err, &e) && (e.Code == sqlite3.ErrCantOpen || e.Code == sqlite3.ErrReadonly)
}

// walHint explains a store that cannot be read because the files of its
// write-ahead log cannot be made.
func (db *DB) walHint(err error) error {
	if !noLog(err) {
		return err
	}
	return fmt.Errorf("its write-ahead log cannot be opened in %s, a directory that this user cannot write; "+
		"start atoll there as its owner, or copy all files of the store (also -wal and -shm) to a directory of your own: %w",
		filepath.Dir(db.path), &failure{ErrReadOnly, err})
}

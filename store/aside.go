package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// copyAside copies the file and its write-ahead log to a private folder, which Close
// removes. Nobody may have the store open: what is committed later is not seen.
func (db *DB) copyAside(ctx context.Context) error {
	dir, err := os.MkdirTemp("", "atoll-read-")
	if err != nil {
		return explain(err)
	}
	db.copied = dir
	for from, to := range map[string]string{db.path: db.copy(), db.path + "-wal": db.copy() + "-wal"} {
		if err := copyFile(ctx, from, to); err != nil {
			return fmt.Errorf("copy it to %s, because its write-ahead log cannot be read where it is: %w; name another folder in TMPDIR, or copy the state directory and name the copy with --state", dir, err)
		}
	}
	return nil
}

// copy is the name of the copy that is read.
func (db *DB) copy() string { return filepath.Join(db.copied, filepath.Base(db.path)) }

// copyFile copies a file of a store to one that is not there yet, for this user alone.
func copyFile(ctx context.Context, from, to string) error {
	in, release, err := handles.lend(from)
	if err != nil {
		return err
	}
	defer release()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	const part = 64 << 20
	for at, n := int64(0), int64(part); n == part && err == nil; at += n {
		if err = ctx.Err(); err == nil {
			n, err = io.Copy(out, io.NewSectionReader(in, at, part))
		}
	}
	return errors.Join(err, out.Close())
}

package repair

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"atoll/engine/doctor"
	"atoll/store"
)

// database opens a database that is whole: the one that is there, mended where that is
// safe, or that of a source. It reports false where there is none, and says so.
func (b *bench) database(ctx context.Context) (ok bool, err error) {
	path := filepath.Join(b.Dir, doctor.DatabaseName)
	wal, walErr := store.CheckWAL(path)
	if wal.Journal {
		b.did("set aside a rollback journal: %v", walErr)
		if err := b.setAside(doctor.DatabaseName + "-journal"); err != nil {
			return false, err
		}
		wal, walErr = store.CheckWAL(path)
	}
	if err := b.logAside(wal, walErr); err != nil {
		return false, err
	}
	if wal.Commits > 0 && !wal.Foreign {
		if err := b.mislaid(ctx, path); err != nil {
			return false, err
		}
	}
	bad := b.openDatabase(ctx, path)
	if bad == nil && walErr != nil && !wal.Foreign {
		b.lost("what was committed behind frame %d of the write-ahead log: %v", wal.Frames, walErr)
	}
	if bad == nil || ctx.Err() != nil {
		return bad == nil, ctx.Err()
	}
	for _, passing := range []error{store.ErrFull, store.ErrReadOnly, store.ErrBusy} {
		if errors.Is(bad, passing) { // it says nothing of the database
			return false, bad
		}
	}
	if errors.Is(bad, store.ErrNewer) { // a backup would be older
		b.lost("nothing was changed: %v", bad)
		return false, nil
	}
	for _, s := range b.sources {
		if s.state == "" {
			continue
		}
		theirs := filepath.Join(s.state, doctor.DatabaseName)
		if err := wholeDatabase(ctx, theirs); err != nil {
			b.lost("the database of %s cannot be taken: %v", s.name, err)
			continue
		}
		for _, name := range doctor.DatabaseFiles() {
			if err := b.setAside(name); err != nil {
				return false, err
			}
		}
		if err := copyDatabase(ctx, theirs, path); err != nil {
			return false, err
		}
		if err := b.openDatabase(ctx, path); err != nil {
			return false, err
		}
		b.did("took the database from %s, for the one here was damaged: %v", s.name, bad)
		return true, nil
	}
	b.lost("the database cannot be made again from what is left: %v; every candidate's commit is still in %s, and values, decisions and notes are in a backup only: `atoll repair --from FILE`", bad, doctor.ObjectsName)
	return false, nil
}

// logAside keeps a copy of a write-ahead log that is damaged. One that is not the
// database's own goes, before SQLite takes it for that.
func (b *bench) logAside(wal store.WAL, bad error) error {
	const name = doctor.DatabaseName + "-wal"
	switch {
	case bad == nil:
		return nil
	case !wal.Foreign:
		return b.keepCopy(name)
	}
	b.did("set aside the write-ahead log: %v", bad)
	return errors.Join(b.setAside(name), b.setAside(doctor.DatabaseName+"-shm"))
}

// mislaid sets a write-ahead log aside with which a database is damaged and without which it
// is whole: it is that of another one, as after a kill nothing else tells. Who opens the
// database for writing lays the log over it.
func (b *bench) mislaid(ctx context.Context, path string) error {
	with := wholeDatabase(ctx, path)
	if !errors.Is(with, store.ErrDamaged) && !errors.Is(with, store.ErrNotADatabase) {
		return nil
	}
	const log = doctor.DatabaseName + "-wal"
	bare, err := os.MkdirTemp(b.Dir, ".repair-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(bare)
	alone := filepath.Join(bare, doctor.DatabaseName)
	if err := copyFile(path, alone); err != nil {
		return err
	}
	if wholeDatabase(ctx, alone) != nil {
		return errors.Join(b.keepCopy(doctor.DatabaseName), b.keepCopy(log)) // as they are before anybody opens them for writing
	}
	b.lost("what was committed in the write-ahead log: it is that of another database, or damaged; the database is whole without it, and with it %v", with)
	return errors.Join(b.setAside(log), b.setAside(doctor.DatabaseName+"-shm"))
}

// openDatabase opens the database for writing and keeps it, if it is whole or if
// indexes made anew make it so.
func (b *bench) openDatabase(ctx context.Context, path string) error {
	if store.Empty(ctx, path) {
		return fmt.Errorf("%s is missing or empty", path)
	}
	sealed, err := sealedAs(ctx, path)
	if err != nil {
		return err
	}
	db, err := store.Open(ctx, path, store.Options{Now: b.Now})
	if err != nil {
		return err
	}
	err = wholeIn(ctx, db)
	if err != nil && !sealed && errors.Is(err, store.ErrDamaged) && ctx.Err() == nil {
		if err2 := db.Close(); err2 != nil {
			return errors.Join(err, err2)
		}
		err2 := b.keepCopy(doctor.DatabaseName) // nobody has it open now
		if err2 == nil {
			db, err2 = store.Open(ctx, path, store.Options{Now: b.Now})
		}
		if err2 != nil {
			return errors.Join(err, err2)
		}
		if db.Reindex(ctx) == nil {
			if was := err; wholeIn(ctx, db) == nil {
				b.did("made the indexes of the database anew: %v", was)
				err = nil
			}
		}
	}
	if err != nil {
		return errors.Join(err, db.Close())
	}
	b.db = db
	return nil
}

// sealedAs looks at the seal of a database before anybody writes to it.
func sealedAs(ctx context.Context, path string) (bool, error) {
	db, err := store.Open(ctx, path, store.Options{ReadOnly: true})
	if errors.Is(err, store.ErrOlder) { // opening it for writing brings it up to date
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer db.Close()
	return db.CheckSeal(ctx)
}

// wholeIn reports, by an error, a database that is not consistent, or of which a log
// cannot be folded.
func wholeIn(ctx context.Context, db *store.DB) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%w: rows cannot be understood: %v", store.ErrDamaged, p)
		}
	}()
	if err := db.Integrity(ctx); err != nil {
		return err
	}
	all, err := db.Experiments(ctx)
	if err != nil {
		return err
	}
	for i := range all {
		if err := doctor.CheckFold(ctx, db, all[i].ID); err != nil {
			return err
		}
	}
	return nil
}

// wholeDatabase is wholeIn for a database that is only looked at.
func wholeDatabase(ctx context.Context, path string) error {
	db, err := store.Open(ctx, path, store.Options{ReadOnly: true})
	if err != nil {
		return err
	}
	defer db.Close()
	if _, err := db.CheckSeal(ctx); err != nil {
		return err
	}
	return wholeIn(ctx, db)
}

// copyDatabase writes a consistent copy.
func copyDatabase(ctx context.Context, from, to string) error {
	db, err := store.Open(ctx, from, store.Options{ReadOnly: true})
	if err != nil {
		return err
	}
	return errors.Join(db.Backup(ctx, to), db.Close())
}

// keepCopy puts a copy of a file of the state directory aside.
func (b *bench) keepCopy(name string) error {
	if err := os.MkdirAll(b.report.Aside, 0o700); err != nil {
		return err
	}
	err := copyFile(filepath.Join(b.Dir, name), filepath.Join(b.report.Aside, name))
	if errors.Is(err, fs.ErrExist) || errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// copyFile copies into a new file.
func copyFile(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}

package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"reflect"
	"slices"
	"strings"

	"atoll/store/record"
)

// Integrity checks the file page by page, that no table, column or index is missing, its
// references, the totals of each experiment against a full count, and that its log has the
// ends of its jobs. It returns [ErrDamaged] with the first
// finding. It reads everything: seconds for a large store.
func (db *DB) Integrity(ctx context.Context) error {
	err := db.read(ctx, func(c *conn) error {
		if err := c.pragmaFindings(ctx, "PRAGMA integrity_check(1)"); err != nil {
			return err
		}
		if err := c.complete(ctx, db.layout); err != nil {
			return err
		}
		return c.pragmaFindings(ctx, "PRAGMA foreign_key_check")
	})
	if err != nil {
		return doing("check the store", err)
	}
	all, err := db.Experiments(ctx)
	if err != nil {
		return err
	}
	for _, e := range all {
		if err := errors.Join(db.checkTotals(ctx, e.ID), db.checkLog(ctx, e.ID)); err != nil {
			return doing(fmt.Sprintf("check experiment %d", e.ID), err)
		}
	}
	return nil
}

// Reindex makes all indexes anew from their tables.
func (db *DB) Reindex(ctx context.Context) error {
	return db.outside(ctx, "make the indexes anew", "REINDEX")
}

// outside runs a statement that is a transaction by itself.
func (db *DB) outside(ctx context.Context, what, text string) error {
	if db.writer == nil {
		return doing(what, ErrReadOnly)
	}
	return doing(what, db.writer.do(ctx, &op{outside: func(c *conn) error {
		if err := db.writer.breakSeal(); err != nil {
			return err
		}
		return c.do(text)
	}}))
}

// complete compares the tables, columns, indexes, triggers and views of the file with those
// that the migrations make. A trigger or a view more is as bad as one that is not there: it
// changes what a write does, or what is read. A table or an index more does neither.
func (c *conn) complete(ctx context.Context, migrations fs.FS) (err error) {
	newest, err := newestOf(migrations)
	if err != nil {
		return err
	}
	like, err := dial(":memory:", "")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, like.close()) }()
	if err := migrate(like, migrations, newest); err != nil {
		return err
	}
	here, err := c.parts(ctx)
	if err != nil {
		return err
	}
	wanted, err := like.parts(ctx)
	if err != nil {
		return err
	}
	for _, part := range wanted {
		if !slices.Contains(here, part) {
			return fmt.Errorf("it has no %s: %w", part, ErrDamaged)
		}
	}
	for _, part := range here {
		if kind, _, _ := strings.Cut(part, " "); (kind == "trigger" || kind == "view") && !slices.Contains(wanted, part) {
			return fmt.Errorf("it has a %s that no atoll made: %w", part, ErrDamaged)
		}
	}
	return nil
}

// parts names what a file is made of.
func (c *conn) parts(ctx context.Context) (names []string, err error) {
	err = c.query(ctx, sqlParts, nil, func(r *row) error {
		names = append(names, r.text())
		return nil
	})
	return names, err
}

func (c *conn) pragmaFindings(ctx context.Context, pragma statement) error {
	return c.query(ctx, pragma, nil, func(r *row) error {
		if found := r.text(); found != "ok" {
			return fmt.Errorf("%s: %w", found, ErrDamaged)
		}
		return nil
	})
}

// checkTotals compares counters and count in one snapshot of the file.
func (db *DB) checkTotals(ctx context.Context, exp record.ExperimentID) error {
	var kept, counted struct {
		totals totals
		census census
	}
	err := db.read(ctx, func(c *conn) error {
		read := func(total, jobs statement, to *totals, count *census) error {
			if _, err := c.one(ctx, total, []any{exp}, func(r *row) { *to = scanTotals(r) }); err != nil {
				return err
			}
			return c.query(ctx, jobs, []any{exp}, func(r *row) error {
				count.count(record.JobKind(r.text()), record.JobState(r.text()), r.num())
				return nil
			})
		}
		return c.snapshot(func() error {
			if err := read(sqlTotal, sqlJobCounts, &kept.totals, &kept.census); err != nil {
				return err
			}
			return read(sqlRecountTotal, sqlRecountJobs, &counted.totals, &counted.census)
		})
	})
	if err == nil && !reflect.DeepEqual(kept, counted) {
		return fmt.Errorf("the totals are %+v, a full count gives %+v: %w", kept, counted, ErrDamaged)
	}
	return err
}

// checkLog looks whether the log has the ends of all jobs that ended, and can go on.
func (db *DB) checkLog(ctx context.Context, exp record.ExperimentID) error {
	return db.read(ctx, func(c *conn) error {
		behind, lacks := 0, record.NoJob
		if _, err := c.one(ctx, sqlLogCounter, []any{exp}, func(r *row) { behind = r.num() }); err != nil {
			return err
		}
		if behind > 0 {
			return fmt.Errorf("the counter of the log is %d behind its last row: %w", behind, ErrDamaged)
		}
		if _, err := c.one(ctx, sqlLogLacks, []any{exp}, func(r *row) { lacks = record.JobID(r.int()) }); err != nil {
			return err
		}
		if lacks != record.NoJob {
			return fmt.Errorf("%s ended, and no row of the log says so: %w", lacks, ErrDamaged)
		}
		return nil
	})
}

// Backup writes a consistent copy of the store into a new file while others go
// on reading and writing. A file that exists is refused with [ErrExists].
func (db *DB) Backup(ctx context.Context, path string) error {
	return doing("copy the store to "+path, db.backup(ctx, path))
}

func (db *DB) backup(ctx context.Context, path string) (err error) {
	if err := ctx.Err(); err != nil {
		return err
	}
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		return ErrExists
	}
	c, err := db.dialAs(plainOptions)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.close()) }()
	part := path + ".part"
	if err := os.Remove(part); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if _, err := c.raw.ExecContext(ctx, string(sqlVacuumInto), named([]any{part})); err != nil {
		return errors.Join(err, ignoreAbsent(os.Remove(part)))
	}
	return os.Rename(part, path)
}

func ignoreAbsent(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

package e2e_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	_ "github.com/mattn/go-sqlite3" // copies rows by plain SQL

	"atoll/store"
	"atoll/store/record"
)

// multiplied is how many jobs are made by the store's own transactions; a larger store
// repeats their rows, with other numbers, trees, parents and values.
const multiplied = 5000

// large returns a paused lab whose store holds some n more measured candidates, each
// with half a kilobyte of evidence. A folder that ATOLL_GROWN names is used instead, and is
// filled where it is empty: a million takes minutes to write.
func large(t *testing.T, n int) *lab {
	t.Helper()
	kept := os.Getenv("ATOLL_GROWN")
	if kept != "" {
		if _, err := os.Stat(filepath.Join(kept, ".git", "atoll", "atoll.db")); err == nil {
			return &lab{t: t, dir: kept}
		}
	}
	l := newLab(t)
	if kept != "" {
		if err := os.CopyFS(kept, os.DirFS(l.dir)); err != nil {
			t.Fatal(err)
		}
		l.dir = kept
	}
	path := filepath.Join(l.dir, ".git", "atoll", "atoll.db")
	ctx := context.Background()
	db, err := store.Open(ctx, path, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	first, err := db.NextJobID(ctx, 1)
	if err == nil {
		err = grow(ctx, db, min(n, multiplied))
	}
	if err = errors.Join(err, db.Close()); err == nil {
		err = multiply(ctx, path, first, n/multiplied)
	}
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// multiply repeats the jobs from a number on, with all their rows, until they are there
// so many times.
func multiply(ctx context.Context, path string, first record.JobID, times int) error {
	db, err := sql.Open("sqlite3", path+"?_busy_timeout=5000&_synchronous=OFF")
	if err != nil {
		return err
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	var last int64
	var from int64 // of the log
	if err := db.QueryRowContext(ctx, "SELECT max(id) FROM job").Scan(&last); err != nil {
		return err
	}
	if err := db.QueryRowContext(ctx, "SELECT min(seq) FROM log WHERE job >= ?", first).Scan(&from); err != nil {
		return err
	}
	var end int64
	if err := db.QueryRowContext(ctx, "SELECT last FROM sequence").Scan(&end); err != nil {
		return err
	}
	if _, err := db.ExecContext(ctx, `INSERT INTO evidence (experiment, job, attempt, kind, cut, size, packed, text)
		SELECT 1, id, 1, 'log', 0, 512, 0, CAST(printf('%.512c', 'x') AS BLOB) FROM job WHERE id >= ?`, first); err != nil {
		return err
	}
	for round := 1; round < times; round++ {
		jobs, rows := int64(round)*(last-int64(first)+1), int64(round)*(end-from+1)
		tx, err := db.BeginTx(ctx, nil)
		if err != nil {
			return err
		}
		for _, table := range []string{"job", "candidate", "descent", "metric", "sample", "evidence", "log"} {
			text, err := repeated(ctx, tx, table)
			if err == nil {
				_, err = tx.ExecContext(ctx, text, sql.Named("jobs", jobs), sql.Named("rows", rows), sql.Named("first", int64(first)), sql.Named("last", last), sql.Named("from", from), sql.Named("end", end))
			}
			if err != nil {
				return errors.Join(fmt.Errorf("repeat the rows of %s: %w", table, err), tx.Rollback())
			}
		}
		if err := tx.Commit(); err != nil {
			return err
		}
	}
	for _, text := range []string{
		"UPDATE sequence SET last = (SELECT max(seq) FROM log)",
		"DELETE FROM job_count", "INSERT INTO job_count SELECT experiment, kind, state, count(*) FROM job GROUP BY 1, 2, 3",
		"UPDATE total SET begun = (SELECT count(*) FROM job WHERE kind = 'make'), evals = (SELECT sum(evals) FROM job)",
		`UPDATE settings SET max_jobs = (SELECT begun FROM total) + 10,
			data = CAST(json_set(data, '$.max_jobs', (SELECT begun FROM total) + 10) AS BLOB)`,
		"PRAGMA wal_checkpoint(TRUNCATE)",
	} {
		if _, err := db.ExecContext(ctx, text); err != nil {
			return fmt.Errorf("%s: %w", text, err)
		}
	}
	return nil
}

// repeated is the statement that copies the rows of a table that speak of the jobs from
// :first to :last, :jobs numbers and :rows positions of the log later.
func repeated(ctx context.Context, tx *sql.Tx, table string) (string, error) {
	rows, err := tx.QueryContext(ctx, "SELECT name FROM pragma_table_info(?) ORDER BY cid", table)
	if err != nil {
		return "", err
	}
	defer rows.Close()
	later := func(column string) string { return fmt.Sprintf("iif(%[1]s >= :first, %[1]s + :jobs, %[1]s)", column) }
	numbers, where := map[string]bool{"job": true, "candidate": true, "parent": true, "child": true}, "job"
	switch table {
	case "job", "candidate":
		numbers["id"], where = true, "id"
	case "descent":
		where = "child"
	case "metric":
		where = "candidate"
	}
	var names, values []string
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return "", err
		}
		value := name
		switch {
		case numbers[name]:
			value = later(name)
		case name == "id": // SQLite gives it
			continue
		case name == "seq":
			value = "seq + :rows"
		case name == "commit_id", name == "tree_id":
			value = "randomblob(20)"
		case name == "objective":
			value = "objective - abs(random() % 1000) / 500.0"
		}
		names, values = append(names, name), append(values, value)
	}
	filter := where + " BETWEEN :first AND :last"
	if table == "log" {
		filter += " AND seq BETWEEN :from AND :end"
	}
	return fmt.Sprintf("INSERT INTO %s (%s) SELECT %s FROM %s WHERE %s ORDER BY %s", table, strings.Join(names, ", "), strings.Join(values, ", "), table, filter, where), rows.Err()
}

func TestGrowLarge(t *testing.T) {
	l := large(t, 1_000_000)
	t.Log(l.dir)
}

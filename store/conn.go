package store

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/mattn/go-sqlite3"

	"atoll/store/record"
)

// statement is the text of one query. All of them are constants of the
// queries_*.go files and listed by statements.
type statement string

// conn is one connection to the file. It serves one goroutine at a time. It
// speaks to the driver below database/sql: the pool here is a channel, and a
// row costs no reflection.
type conn struct {
	raw *sqlite3.SQLiteConn
}

// dsn makes the address of a file for the driver, whatever bytes its path has.
func dsn(path, options string) string {
	return "file:" + strings.NewReplacer("%", "%25", "?", "%3f", "#", "%23").Replace(path) + "?" + options
}

// The options of the connections. Every connection keeps its compiled
// statements; cache sizes are upper bounds in KiB.
const (
	writeOptions = "mode=rw&_mutex=no&_busy_timeout=5000&_synchronous=NORMAL&_foreign_keys=on&_txlock=immediate&_cache_size=-12288&_stmt_cache_size=128"
	readOptions  = "mode=ro&_mutex=no&_query_only=true&_busy_timeout=5000&_cache_size=-4096&_stmt_cache_size=64"
	plainOptions = "mode=ro&_mutex=no&_busy_timeout=5000"
	sealOption   = "&immutable=1" // asks for no write-ahead log: whoever writes meanwhile is not seen
)

func dial(path, options string) (*conn, error) {
	c, err := (&sqlite3.SQLiteDriver{}).Open(dsn(path, options))
	if err != nil {
		return nil, err
	}
	raw, ok := c.(*sqlite3.SQLiteConn)
	if !ok {
		return nil, errors.Join(fmt.Errorf("the SQLite driver returned a %T", c), c.Close())
	}
	return &conn{raw: raw}, nil
}

func (c *conn) close() error { return c.raw.Close() }

// do runs text that is no prepared statement: transactions, pragmas, schema.
func (c *conn) do(text string) error {
	_, err := c.raw.ExecContext(context.Background(), text, nil)
	return err
}

// snapshot runs fn so that all its reads see the same state of the file.
func (c *conn) snapshot(fn func() error) error {
	if err := c.do("BEGIN DEFERRED"); err != nil {
		return err
	}
	err := fn()
	return errors.Join(err, c.do("COMMIT"))
}

// number reads the one integer that a pragma returns.
func (c *conn) number(pragma string) (int64, error) {
	var n int64
	err := c.query(context.Background(), statement(pragma), nil, func(r *row) error {
		n = r.int()
		return nil
	})
	return n, err
}

// exec runs a write to its end and returns how many rows it changed.
func (c *conn) exec(q statement, args ...any) (int64, error) {
	res, err := c.raw.ExecContext(context.Background(), string(q), named(args))
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
}

// insert runs an insert and returns the row id.
func (c *conn) insert(q statement, args ...any) (int64, error) {
	res, err := c.raw.ExecContext(context.Background(), string(q), named(args))
	if err != nil {
		return 0, err
	}
	return res.LastInsertId()
}

// query calls fn for each row. The row is valid during the call only.
func (c *conn) query(ctx context.Context, q statement, args []any, fn func(*row) error) (err error) {
	rows, err := c.raw.QueryContext(ctx, string(q), named(args))
	if err != nil {
		return err
	}
	defer func() {
		if cerr := rows.Close(); err == nil {
			err = cerr
		}
	}()
	r := row{values: make([]driver.Value, len(rows.Columns()))}
	for {
		switch err := rows.Next(r.values); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
		r.next = 0
		if err := fn(&r); err != nil {
			return err
		}
	}
}

// one calls fn for the first row and reports whether there was one.
func (c *conn) one(ctx context.Context, q statement, args []any, fn func(*row)) (bool, error) {
	found := false
	err := c.query(ctx, q, args, func(r *row) error {
		if !found {
			found = true
			fn(r)
		}
		return nil
	})
	return found, err
}

// row hands out the columns of a result from left to right. Tables are STRICT,
// so a column that is not NULL has the type its getter names.
type row struct {
	values []driver.Value
	next   int
}

func (r *row) value() driver.Value {
	v := r.values[r.next]
	r.next++
	return v
}

func (r *row) int() int64     { n, _ := r.value().(int64); return n }
func (r *row) num() int       { return int(r.int()) }
func (r *row) bool() bool     { return r.int() != 0 }
func (r *row) blob() []byte   { b, _ := r.value().([]byte); return b }
func (r *row) text() string   { s, _ := r.value().(string); return s }
func (r *row) float() float64 { f, _ := r.value().(float64); return f }

func (r *row) maybe() *float64 {
	if f, ok := r.value().(float64); ok {
		return &f
	}
	return nil
}

func (r *row) hash() (h record.Hash) {
	copy(h[:], r.blob())
	return h
}

// named turns arguments into what the driver binds.
func named(args []any) []driver.NamedValue {
	if len(args) == 0 {
		return nil
	}
	list := make([]driver.NamedValue, len(args))
	for i, a := range args {
		list[i] = driver.NamedValue{Ordinal: i + 1, Value: bind(a)}
	}
	return list
}

// bind turns the types of package record into the driver's. What it does not
// know goes on as it is, and the driver refuses it by type.
func bind(a any) driver.Value {
	switch v := a.(type) {
	case int:
		return int64(v)
	case bool:
		if v {
			return int64(1)
		}
		return int64(0)
	case record.ExperimentID:
		return int64(v)
	case record.JobID:
		return int64(v)
	case record.CandidateID:
		return int64(v)
	case record.Seq:
		return int64(v)
	case record.Millis:
		return int64(v)
	case record.Hash:
		return v[:]
	case record.JobKind:
		return string(v)
	case record.JobState:
		return string(v)
	case record.Purpose:
		return string(v)
	case record.Operator:
		return string(v)
	case record.Class:
		return string(v)
	case record.Status:
		return string(v)
	case record.Role:
		return string(v)
	case record.LogKind:
		return string(v)
	case record.ExperimentState:
		return string(v)
	case *float64:
		if v == nil {
			return nil
		}
		return *v
	}
	return a
}

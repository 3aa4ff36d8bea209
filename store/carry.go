package store

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"atoll/store/fault"
	"atoll/store/record"
)

// An experiment is carried from one store to another by its rows. What belongs to it
// are the rows of all tables with a column "experiment", whatever tables there are.
// Numbers of jobs and candidates and the positions in the log count within the
// experiment and stay; its own number and those of notes may be taken already.

// MetaOrigin is the number that an experiment had in the store it was carried from:
// its commits name it.
const MetaOrigin = "origin"

// KeepOnly drops all experiments but one, and the campaign, from the file of a copy,
// which nobody else has open.
func KeepOnly(ctx context.Context, path string, exp record.ExperimentID) error {
	return doing(fmt.Sprintf("keep experiment %d alone", exp), keepOnly(ctx, path, exp))
}

func keepOnly(ctx context.Context, path string, exp record.ExperimentID) (err error) {
	c, err := dial(path, strings.Replace(writeOptions, "_foreign_keys=on", "_foreign_keys=off", 1))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.close()) }()
	tables, err := c.tablesOfExperiments(ctx, "main")
	if err != nil {
		return err
	}
	if err := c.do("BEGIN IMMEDIATE"); err != nil {
		return err
	}
	for _, t := range tables {
		if _, err := c.exec(statement(fmt.Sprintf(carryDropOthers, t)), exp); err != nil {
			return err
		}
	}
	if _, err := c.exec(carryDropExperiments, exp); err != nil {
		return err
	}
	if err := c.do(carryDropCampaign); err != nil {
		return err
	}
	return ctx.Err()
}

// tablesOfExperiments lists the tables whose rows belong to one experiment each.
func (c *conn) tablesOfExperiments(ctx context.Context, schema string) (names []string, err error) {
	err = c.query(ctx, statement(fmt.Sprintf(carryTables, schema)), nil, func(r *row) error {
		names = append(names, r.text())
		return nil
	})
	return names, err
}

// Adopt copies an experiment of another store, which nobody writes to and which has
// the same layout, into this one, also while an engine runs here. It keeps its number
// where all that are here are lower, and its name where that is free; it returns
// what it became.
func (db *DB) Adopt(ctx context.Context, path string, exp record.ExperimentID) (record.Experiment, error) {
	what := fmt.Sprintf("take in experiment %d of %s", exp, path)
	if db.writer == nil {
		return record.Experiment{}, doing(what, ErrReadOnly)
	}
	id := record.ExperimentID(0)
	err := db.writer.do(ctx, &op{outside: func(c *conn) (err error) {
		if _, err := c.exec(`ATTACH DATABASE ?1 AS other`, path); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, c.do("DETACH DATABASE other")) }()
		t, err := db.writer.begin()
		if err != nil {
			return err
		}
		a := adoption{tx: t, ctx: ctx, from: exp}
		if err = errors.Join(a.run(), ctx.Err()); err != nil {
			return errors.Join(err, c.do("ROLLBACK"))
		}
		fault.At(fault.Group)
		id = a.to
		return t.commit()
	}})
	if err != nil {
		return record.Experiment{}, doing(what, err)
	}
	return db.Experiment(ctx, id)
}

// adoption is one experiment on its way into the store, within a transaction.
type adoption struct {
	*tx
	ctx      context.Context
	from, to record.ExperimentID
	notes    int64 // added to the numbers of notes
}

func (a *adoption) run() error {
	here, err := a.conn.number("PRAGMA main.user_version")
	if err != nil {
		return err
	}
	there, err := a.conn.number("PRAGMA other.user_version")
	if err != nil {
		return err
	}
	if here != there {
		return fmt.Errorf("it has layout %d, this store %d: %w", there, here, ErrInvalid)
	}
	if err := a.name(); err != nil {
		return err
	}
	tables, err := a.conn.tablesOfExperiments(a.ctx, "main")
	if err != nil {
		return err
	}
	for _, t := range tables {
		if err := a.copy(t); err != nil {
			return fmt.Errorf("table %s: %w", t, err)
		}
	}
	return a.rest()
}

func (a *adoption) first(q statement, fn func(*row), args ...any) error {
	found, err := a.conn.one(a.ctx, q, args, fn)
	if err == nil && !found {
		err = ErrNotFound
	}
	return err
}

// name finds the experiment's new number and name and writes its row.
func (a *adoption) name() error {
	var name string
	if err := a.first(carryName, func(r *row) { name = r.text() }, a.from); err != nil {
		return err
	}
	if err := a.first(carryNumber, func(r *row) { a.to = record.ExperimentID(r.int()) }, a.from); err != nil {
		return err
	}
	name, err := a.freeName(name)
	if err != nil {
		return err
	}
	columns, err := a.columns("experiment")
	if err != nil {
		return err
	}
	values := make([]string, len(columns))
	for i, c := range columns {
		switch values[i] = c.name; c.name {
		case "id":
			values[i] = "?2"
		case "name":
			values[i] = "?3"
		}
	}
	_, err = a.conn.exec(statement(insertion("experiment", columns, values)+" WHERE id = ?1"), a.from, a.to, name)
	if err != nil {
		return err
	}
	// Numbers of notes count over all experiments and stand in rows of the log.
	return a.first(carryNotes, func(r *row) { a.notes = r.int() })
}

// tableColumn is a column of a table; alone says that it is the whole primary key.
type tableColumn struct {
	name  string
	alone bool
}

func (a *adoption) columns(table string) (list []tableColumn, err error) {
	err = a.conn.query(a.ctx, carryColumns, []any{table}, func(r *row) error {
		list = append(list, tableColumn{r.text(), r.bool()})
		return nil
	})
	return list, err
}

func insertion(table string, columns []tableColumn, values []string) string {
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = c.name
	}
	return fmt.Sprintf(carryRows, table, strings.Join(names, ", "), strings.Join(values, ", "))
}

// copy copies the rows of one table.
func (a *adoption) copy(table string) error {
	all, err := a.columns(table)
	if err != nil {
		return err
	}
	var columns []tableColumn
	var values []string
	for _, c := range all {
		value := c.name
		switch {
		case c.name == "experiment":
			value = "?2"
		case c.name == "id" && table == "note":
			value = "id + ?3"
		case c.name == "id" && c.alone: // it names nothing
			continue
		case c.name == "data" && table == "log":
			value = fmt.Sprintf(`CASE WHEN kind = '%s' THEN CAST(json_set(CAST(data AS TEXT), '$.id', CAST(data AS TEXT) ->> '$.id' + ?3) AS BLOB) ELSE data END`, record.LogNote)
		}
		columns, values = append(columns, c), append(values, value)
	}
	_, err = a.conn.exec(statement(insertion(table, columns, values)+" WHERE experiment = ?1"), a.from, a.to, a.notes)
	return err
}

// rest takes what is not of one experiment: vectors of files, the last position, and
// where the experiment came from.
func (a *adoption) rest() error {
	for _, q := range []statement{carryEmbedders, carryVectors} {
		if _, err := a.conn.exec(q); err != nil {
			return err
		}
	}
	if _, err := a.conn.exec(carrySequence, a.from); err != nil {
		return err
	}
	_, err := a.conn.exec(carryOrigin, a.to, MetaOrigin, fmt.Sprint(int64(a.from)))
	return err
}

package store

import (
	"context"

	"atoll/store/record"
)

// PutNote keeps a note and logs it: a new one when ID is 0 (it is returned with
// ID and At set), else the new content of that one, which keeps its At.
func (db *DB) PutNote(ctx context.Context, exp record.ExperimentID, n record.Note) (record.Note, error) {
	out := n
	err := db.write(ctx, "keep a note", func(t *tx) error {
		out = n
		if n.ID == 0 {
			out.At = t.now
			id, err := t.conn.insert(sqlNoteInsert, exp, n.Kind, n.Target, n.Text, n.Author, n.Gone, out.At)
			if err != nil {
				return err
			}
			out.ID = id
		} else if err := t.must(notFound("note %d", n.ID), sqlNoteUpdate, exp, n.ID, n.Kind, n.Target, n.Text, n.Author, n.Gone); err != nil {
			return err
		}
		data, err := encode("note", out)
		if err != nil {
			return err
		}
		_, err = t.log(exp, record.LogNote, record.NoJob, record.NoCandidate, data)
		return err
	})
	return out, err
}

// DropNote forgets a note, which stays in the log; of one that is not there it
// does nothing.
func (db *DB) DropNote(ctx context.Context, exp record.ExperimentID, id int64) error {
	return db.write(ctx, "forget a note", func(t *tx) error {
		_, err := t.conn.exec(sqlNoteDelete, exp, id)
		return err
	})
}

// Notes returns all notes, also those that are gone, oldest first.
func (db *DB) Notes(ctx context.Context, exp record.ExperimentID) ([]record.Note, error) {
	return list(ctx, db, "read the notes", sqlNotes, []any{exp}, func(r *row) record.Note {
		return record.Note{
			ID: r.int(), Kind: r.text(), Target: r.text(), Text: r.text(), Author: r.text(), Gone: r.bool(),
			At: record.Millis(r.int()),
		}
	})
}

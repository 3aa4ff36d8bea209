package store

import (
	"context"
	"encoding/json"
	"fmt"

	"atoll/store/record"
)

// PutSpace keeps a new version of the learned coordinates and logs its report.
// A version that exists is refused with [ErrExists].
func (db *DB) PutSpace(ctx context.Context, exp record.ExperimentID, s record.Space) (record.Seq, error) {
	what := fmt.Sprintf("keep map %d", s.Version)
	data, err := encode("report", s.Report)
	if err != nil {
		return 0, doing(what, err)
	}
	var seq record.Seq
	err = db.write(ctx, what, func(t *tx) error {
		if seq, err = t.nextSeq(); err != nil {
			return err
		}
		if _, err := t.exec(sqlSpaceInsert, exp, s.Version, s.AtFold, seq, data, notNil(s.Model)); err != nil {
			return err
		}
		return t.logAt(seq, exp, record.LogSpace, record.NoJob, record.NoCandidate, data)
	})
	return seq, err
}

type storedSpace struct {
	space  record.Space
	report []byte
}

func scanSpace(r *row) storedSpace {
	s := storedSpace{space: record.Space{Version: r.num(), AtFold: r.num(), Seq: record.Seq(r.int())}}
	s.report, s.space.Model = r.blob(), r.blob()
	return s
}

func (s storedSpace) decode() (record.Space, error) {
	if err := json.Unmarshal(s.report, &s.space.Report); err != nil {
		return s.space, fmt.Errorf("map %d: %w (%v)", s.space.Version, ErrDamaged, err)
	}
	return s.space, nil
}

// Spaces returns all versions with their models, oldest first.
func (db *DB) Spaces(ctx context.Context, exp record.ExperimentID) ([]record.Space, error) {
	stored, err := list(ctx, db, "read the maps", sqlSpaces, []any{exp}, scanSpace)
	if err != nil {
		return nil, err
	}
	all := make([]record.Space, len(stored))
	for i, s := range stored {
		if all[i], err = s.decode(); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// Space returns one version, or [ErrNotFound].
func (db *DB) Space(ctx context.Context, exp record.ExperimentID, version int) (record.Space, error) {
	s, err := single(ctx, db, fmt.Sprintf("read map %d", version), sqlSpace, []any{exp, version}, scanSpace)
	if err != nil {
		return record.Space{}, err
	}
	return s.decode()
}

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

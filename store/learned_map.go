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

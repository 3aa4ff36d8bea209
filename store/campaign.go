package store

import (
	"context"
	"encoding/json"

	"atoll/store/record"
)

// AppendCampaign appends rows to the campaign's log, all or none, and returns the
// position of the last. The rows were decided on what the log said up to after:
// when it says more by now, nothing is written and the error is [ErrLost]. Seq and
// At are given here.
func (db *DB) AppendCampaign(ctx context.Context, after record.Seq, rows ...record.CampaignRow) (record.Seq, error) {
	const what = "write the campaign's log"
	for _, r := range rows {
		if !json.Valid(r.Data) || r.Kind == "" {
			return 0, doing(what, ErrInvalid)
		}
	}
	seq := after
	err := db.write(ctx, what, func(t *tx) error {
		seq = after
		last := record.Seq(0)
		if _, err := t.conn.one(ctx, sqlCampaignLast, nil, func(r *row) { last = record.Seq(r.int()) }); err != nil {
			return err
		}
		if last != after {
			return ErrLost
		}
		for _, r := range rows {
			seq++
			if _, err := t.exec(sqlCampaignInsert, seq, t.now, string(r.Kind), r.Task, r.Who, r.Data); err != nil {
				return err
			}
		}
		return nil
	})
	return seq, err
}

// CampaignLog returns the rows after a position, oldest first.
func (db *DB) CampaignLog(ctx context.Context, after record.Seq) ([]record.CampaignRow, error) {
	return list(ctx, db, "read the campaign's log", sqlCampaign, []any{after}, func(r *row) record.CampaignRow {
		return record.CampaignRow{
			Seq: record.Seq(r.int()), At: record.Millis(r.int()), Kind: record.CampaignKind(r.text()),
			Task: r.num(), Who: r.text(), Data: r.blob(),
		}
	})
}

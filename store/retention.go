package store

import (
	"context"

	"atoll/store/record"
)

// KeptText is one text that is kept with a job.
type KeptText struct {
	ID        int64
	Job       record.JobID
	Candidate record.CandidateID // that the job made or measured
	Bytes     int64              // in the file
	Ended     record.Millis      // when the job did; 0: it has not
}

// EachText calls fn for every text of an experiment, in the order they were kept, in
// short reads.
func (db *DB) EachText(ctx context.Context, exp record.ExperimentID, fn func(KeptText) error) error {
	for after := int64(0); ; {
		part, err := list(ctx, db, "list the evidence", sqlEvidenceEach, []any{exp, after, chunk}, func(r *row) KeptText {
			return KeptText{ID: r.int(), Job: record.JobID(r.int()), Candidate: record.CandidateID(r.int()), Bytes: r.int(), Ended: record.Millis(r.int())}
		})
		if err != nil || len(part) == 0 {
			return err
		}
		for _, t := range part {
			if err := fn(t); err != nil {
				return err
			}
		}
		after = part[len(part)-1].ID
	}
}

// DropTexts removes texts, in transactions that hold nobody up for long. One that is
// gone is passed over.
func (db *DB) DropTexts(ctx context.Context, ids []int64) error {
	for len(ids) > 0 {
		n := min(len(ids), groupOps)
		err := db.write(ctx, "remove evidence", func(t *tx) error {
			for _, id := range ids[:n] {
				if _, err := t.exec(sqlEvidenceDrop, id); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		ids = ids[n:]
	}
	return nil
}

// Vacuum gives the room of what was removed back to the disk. It writes the whole file
// anew, by way of the write-ahead log, and holds every other writer up meanwhile.
func (db *DB) Vacuum(ctx context.Context) error {
	return db.outside(ctx, "make the file smaller", "VACUUM; PRAGMA wal_checkpoint(TRUNCATE)")
}

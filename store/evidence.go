package store

import (
	"context"

	"atoll/store/record"
)

func (t *tx) insertEvidence(exp record.ExperimentID, e *packedEvidence) error {
	_, err := t.exec(sqlEvidenceInsert, exp, e.job, e.attempt, e.kind, e.cut, e.size, e.packed, e.text)
	return err
}

// PutEvidence keeps texts of jobs, compressed where that helps.
func (db *DB) PutEvidence(ctx context.Context, exp record.ExperimentID, list []record.Evidence) error {
	packed, err := packEvidence(list)
	if err != nil {
		return doing("keep evidence", err)
	}
	return db.write(ctx, "keep evidence", func(t *tx) error {
		for i := range packed {
			if err := t.insertEvidence(exp, &packed[i]); err != nil {
				return err
			}
		}
		return nil
	})
}

// EvidenceOf returns the texts of a job whole, in the order they were kept.
func (db *DB) EvidenceOf(ctx context.Context, exp record.ExperimentID, job record.JobID) ([]record.Evidence, error) {
	var all []record.Evidence
	err := db.read(ctx, func(c *conn) error {
		return c.query(ctx, sqlEvidence, []any{exp, job}, func(r *row) error {
			e := record.Evidence{Job: record.JobID(r.int()), Attempt: r.num(), Kind: r.text(), Cut: r.int()}
			size, packed, text := r.num(), r.bool(), r.blob()
			if packed {
				t, err := unpackText(text, size)
				if err != nil {
					return err
				}
				text = t
			}
			e.Text = text
			all = append(all, e)
			return nil
		})
	})
	return all, doing("read the evidence of job "+job.String(), err)
}

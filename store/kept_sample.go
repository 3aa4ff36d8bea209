package store

import (
	"context"
	"fmt"

	"atoll/store/record"
)

// A job that is measured more than once may be put back before it ends. What its
// attempt measured so far waits in the small facts of the experiment until the job
// comes to an end; the log knows nothing of it.

// keptRange returns the keys between which the kept samples of a job lie.
func keptRange(job record.JobID) (from, to string) {
	return fmt.Sprintf("sample %d ", int64(job)), fmt.Sprintf("sample %d!", int64(job))
}

// KeepSample keeps what an attempt measured as the sample of that number, for the
// attempts of the job that come after it, until the job ends or waits for a person.
// Errors: [ErrLost].
func (db *DB) KeepSample(ctx context.Context, l record.Lease, repeat int, text string) error {
	return db.write(ctx, leaseName("keep a sample of", l), func(t *tx) error {
		if _, err := t.leased(l); err != nil {
			return err
		}
		from, _ := keptRange(l.Job.ID)
		_, err := t.exec(sqlMetaPut, l.Job.Experiment, fmt.Sprintf("%s%d", from, repeat), text)
		return err
	})
}

// KeptSamples returns what earlier attempts of a job kept, in no order that says
// anything.
func (db *DB) KeptSamples(ctx context.Context, exp record.ExperimentID, job record.JobID) ([]string, error) {
	from, to := keptRange(job)
	return list(ctx, db, "read kept samples of job "+job.String(), sqlMetaRange, []any{exp, from, to}, func(r *row) string { return r.text() })
}

// dropKept forgets the kept samples of a job.
func (t *tx) dropKept(exp record.ExperimentID, job record.JobID) error {
	from, to := keptRange(job)
	_, err := t.exec(sqlMetaDropRange, exp, from, to)
	return err
}

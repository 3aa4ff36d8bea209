package store

import (
	"context"

	"atoll/store/record"
)

// Requeue puts every leased job of the experiment back into the queue; their
// leases are dead. The engine calls it once when it starts, as the only one
// that runs the experiment. Evaluations that were reserved count as run, and
// money that was reserved counts as spent: nobody can tell any more.
func (db *DB) Requeue(ctx context.Context, exp record.ExperimentID) (int, error) {
	return db.requeue(ctx, exp, func(record.Millis) (statement, []any) { return sqlJobsLeased, []any{exp} })
}

// RequeueExpired does the same with the jobs whose lease has run out.
func (db *DB) RequeueExpired(ctx context.Context, exp record.ExperimentID) (int, error) {
	return db.requeue(ctx, exp, func(now record.Millis) (statement, []any) { return sqlJobsExpired, []any{exp, now} })
}

func (db *DB) requeue(ctx context.Context, exp record.ExperimentID, which func(record.Millis) (statement, []any)) (int, error) {
	n := 0
	err := db.write(ctx, "requeue leased jobs", func(t *tx) error {
		n = 0
		var ids []record.JobID
		q, args := which(t.now)
		err := t.conn.query(context.Background(), q, args, func(r *row) error {
			ids = append(ids, record.JobID(r.int()))
			return nil
		})
		if err != nil {
			return err
		}
		for _, id := range ids {
			if err := t.requeue(exp, id); err != nil {
				return err
			}
			n++
		}
		return nil
	})
	return n, err
}

func (t *tx) requeue(exp record.ExperimentID, id record.JobID) error {
	f, err := t.fence(exp, id)
	if err != nil {
		return err
	}
	if f.displaced() {
		l := record.Lease{Job: record.Job{Experiment: exp, ID: id, Kind: f.kind}, Attempt: f.attempt}
		_, err = t.endLeased(l, f, Outcome{Evals: int(f.open)}, nil)
		return err
	}
	if f.recalled() {
		return t.recall(exp, id, f, f.heldAt, "")
	}
	err = t.must(ErrLost, sqlJobRequeue, exp, id, f.attempt, f.state, f.lane(f.approved))
	if err != nil {
		return err
	}
	t.forfeit(exp, f)
	t.moved(exp, f.kind, f.state, record.Queued)
	return t.logStage(exp, id, f.candidate, record.Queued)
}

// forfeit counts money that an attempt had reserved when it ended.
func (t *tx) forfeit(exp record.ExperimentID, f fence) {
	if f.reserved != 0 {
		l := t.ledger(exp)
		l.delta.reserved -= f.reserved
		l.delta.forfeit += f.reserved
	}
}
